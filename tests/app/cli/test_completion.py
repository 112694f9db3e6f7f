"""What a shell completes; a log or a folder that cannot be read completes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.cli import completion
from app.cli.command_line import command_line
from core.log import database
from core.log.recorder import Recorder
from main import emulate_arm, make_components, open_console, registries
from tests.core.log import made


def test_that_names_of_tasks_domains_and_components_are_completed() -> None:
    command_line(make_components, open_console, emulate_arm, tables=registries)
    assert "boil_water" in dict(completion.tasks()) and "household" in dict(completion.domains())
    assert {"kitchen", "symbolic", "ur5e"} <= dict(completion.component("robots")()).keys()


def test_that_episodes_are_completed_latest_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log.db"
    monkeypatch.setattr(database, "default_path", lambda: log)
    assert completion.episodes() == []
    with Recorder.open(log) as recorder:
        for task in ("boil_water", "halve_egg"):
            for _ in recorder.record_events(made.episode(3, True, "", task)):
                pass
    found = completion.episodes()
    assert [about for _, about in found] == ["the latest", "halve_egg", "boil_water"]
    assert found[0][0] == "last"
    log.write_bytes(b"no database")
    assert completion.episodes() == []
