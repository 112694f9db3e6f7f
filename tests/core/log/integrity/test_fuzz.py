"""Mutated logs and exports: a sentence or a success each time, little memory, nothing outside touched."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

MEGABYTES = 500
SHARDS = [pytest.param(first, 1250, "all", marks=pytest.mark.long) for first in range(10_000, 20_000, 1250)]


@pytest.fixture
def folder() -> Iterator[Path]:
    """Where files cost no disk's patience, if the machine has such a place."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with TemporaryDirectory(dir=memory) as folder:
        yield Path(folder)


@pytest.mark.parametrize(("first", "count", "uses"), [(0, 30, "few"), *SHARDS])
def test_that_a_mutated_log_is_refused_in_a_sentence_or_used(
    folder: Path, first: int, count: int, uses: str
) -> None:
    program = [sys.executable, "-m", "tests.core.log.fuzzing", folder, str(first), str(count), uses]
    run = subprocess.run(program, capture_output=True, text=True, timeout=1800, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
    came = json.loads(run.stdout)
    assert came["broken"] == []
    assert came["megabytes"] < MEGABYTES
    assert came["refused"] > count // 4 and came["succeeded"] > count // 4, "both are tried"
    print(f"{count} mutations from {first}: {came}")
