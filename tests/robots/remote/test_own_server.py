"""A simulator in a process that the console starts: how its start is shown, and how it fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import Cancelled, RobotError
from core.plugins import PLUGINS_VARIABLE
from core.stop_token import StopToken
from robots.remote.own_server import OwnServer

SLOW = """
import sys, time
from pathlib import Path
print("loading the stage: 40 %", file=sys.stderr, flush=True)
while not Path({go_on!r}).exists():
    time.sleep(0.01)
raise ValueError("no such card")
"""


def test_that_a_process_that_fails_to_start_is_told_with_its_last_words() -> None:
    with pytest.raises(RobotError, match=r"^The process of 'kitchem' ended with code 1 .*mean kitchen"):
        OwnServer("kitchem", 60, lambda text: None)


@pytest.fixture
def slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A plug-in that is in no hurry, and fails in the end."""
    monkeypatch.setenv(PLUGINS_VARIABLE, str(tmp_path))
    return tmp_path / "slow.py"


def test_that_what_a_slow_start_prints_is_shown_as_it_comes(slow: Path) -> None:
    go_on = slow.with_name("go_on")
    slow.write_text(SLOW.format(go_on=str(go_on)))
    with pytest.raises(RobotError, match="no such card"):
        OwnServer("symbolic", 60, lambda text: go_on.touch() if text == "loading the stage: 40 %" else None)


def test_that_a_start_is_given_up_after_its_timeout(slow: Path) -> None:
    slow.write_text(SLOW.format(go_on="never"))
    with pytest.raises(RobotError, match=r"for 0.5 s while starting, and was ended by signal 9"):
        OwnServer("symbolic", 0.5, lambda text: None)


def test_that_a_start_that_nobody_waits_for_any_more_is_broken_off(slow: Path) -> None:
    slow.write_text(SLOW.format(go_on="never"))
    cancel = StopToken()
    cancel.end("the window was closed")
    started: list[OwnServer] = []
    with pytest.raises(Cancelled):
        started.append(OwnServer("symbolic", 60, lambda text: cancel.check()))
    assert started == []
