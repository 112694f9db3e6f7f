"""Every benchmark runs, on as little as shows that it does; all in one process, which loads all once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks.__main__ import NAMES

pytestmark = pytest.mark.timeout(600)  # the first one waits for all
ROOT = Path(__file__).parents[1]
WORDS = {"console": ("--only", "stop")}
NEEDS = {"planning": "up_fast_downward"}  # without which it cannot run
RUN = """
import io, json, sys, traceback
from contextlib import redirect_stdout
from benchmarks.__main__ import run
for name, words in json.loads(sys.argv[1]).items():
    said, broke = io.StringIO(), ""
    try:
        with redirect_stdout(said):
            run(name, *words)
    except BaseException:
        broke = traceback.format_exc()
    print(json.dumps([name, said.getvalue(), broke]), flush=True)
"""


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, str]]:
    """What each benchmark printed, and how it broke."""
    here = {name: WORDS.get(name, ()) for name in NAMES if name not in NEEDS or find_spec(NEEDS[name])}
    place = str(tmp_path_factory.mktemp("bench"))
    environment = {**os.environ, "TINY": "1", "PYTHONPATH": str(ROOT), "TMPDIR": place}
    command = [sys.executable, "-c", RUN, json.dumps(here)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=580)
    found = {name: (said, broke) for name, said, broke in map(json.loads, done.stdout.splitlines())}
    assert found.keys() == here.keys(), done.stderr[-2000:]
    return found


@pytest.mark.parametrize("name", NAMES)
def test_that_it_runs(name: str, outcomes: dict[str, tuple[str, str]]) -> None:
    if name not in outcomes:
        pytest.skip(f"{NEEDS[name]} is not installed")
    said, broke = outcomes[name]
    assert not broke, broke
    assert said


@pytest.mark.long
def test_that_the_window_can_be_photographed(tmp_path: Path) -> None:
    command = [sys.executable, "scripts/screenshots.py", "--scene", "newcomer", "--out", str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "QT_QPA_PLATFORM": "offscreen"}
    subprocess.run(command, cwd=ROOT, env=environment, check=True, timeout=600)
    assert len(list(tmp_path.glob("newcomer_*.png"))) == 4
