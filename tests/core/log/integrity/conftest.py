"""A log to be damaged or forged."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from core.events import FrameCaptured
from core.log.recorder import Recorder
from tests.core.log import made


@pytest.fixture(scope="session")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log with small pictures and a large one."""
    path = tmp_path_factory.mktemp("original") / "log.db"
    with Recorder.open(path) as recorder:
        list(recorder.record_events(made.episode(2, True, "ada", truth=True)))
        recorder.record(FrameCaptured(9, made.LARGE))
    return path


@pytest.fixture
def path(original: Path, tmp_path: Path) -> Path:
    """A copy of it, in a folder of its own."""
    shutil.copytree(original.parent, tmp_path / "log")
    return tmp_path / "log" / "log.db"
