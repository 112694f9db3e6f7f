"""A terminal reports no release: a held Enter is lines without end, and one of them may move an arm."""

from __future__ import annotations

import os
import pty
import threading
import time
from types import SimpleNamespace
from typing import Any, cast

import pytest

from app.cli.output.printing import PlainConsole
from app.cli.terminal_operator import TerminalOperator
from core.operator import Approve, Proceed, Proposal, ProposalKind
from core.planning import domain_library
from core.planning.planner import make_planner
from core.stop_token import StopToken

FOLDER, TASK = domain_library.load_task("halve_egg")
PERIOD = 0.03  # seconds of the repeat


@pytest.mark.realtime
def test_that_a_held_enter_approves_one_step_of_an_arm_and_none_that_was_not_seen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arm = cast(Any, SimpleNamespace(shared=None))
    person = TerminalOperator(FOLDER, TASK.problem, PlainConsole(), "kim", arm)
    step = make_planner().plan(TASK.problem, StopToken()).steps[0]
    ours, theirs = pty.openpty()
    pressed: list[float] = []

    def hold() -> None:
        """Hold Enter over the end of the first step, let go, and press it once more."""
        for _ in range(60):
            os.write(ours, b"\n")
            time.sleep(PERIOD)
        time.sleep(1.5)
        pressed.append(time.monotonic())
        os.write(ours, b"\n")

    with os.fdopen(ours), os.fdopen(theirs) as terminal:
        monkeypatch.setattr("sys.stdin", terminal)
        hand = threading.Thread(target=hold)
        timer = threading.Timer(0.2, hand.start)
        timer.start()
        try:
            assert person.decide(Proposal(1, 1, ProposalKind.STEP, step)) == Approve("kim")
            assert not pressed
            time.sleep(0.3)  # the first step
            assert person.decide(Proposal(2, 2, ProposalKind.STEP, step)) == Approve("kim")
            assert pressed, "a line of the held key approved it"
        finally:  # it writes to what is closed then, which another test may have opened
            timer.join()
            hand.join()
    assert "Let go of Enter" in capsys.readouterr().out


def test_that_the_lines_of_an_enter_held_before_a_stop_do_not_end_the_episode(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    arm = cast(Any, SimpleNamespace(shared=None))
    person = TerminalOperator(FOLDER, TASK.problem, PlainConsole(), "kim", arm)
    ours, theirs = pty.openpty()
    with os.fdopen(ours), os.fdopen(theirs) as terminal:
        monkeypatch.setattr("sys.stdin", terminal)
        os.write(ours, b"\n\n\n")
        typed = threading.Timer(0.6, os.write, (ours, b"release\n"))
        typed.start()
        released = person.decide(Proposal(3, 2, ProposalKind.STOP_RELEASE, None, stop_number=7))
        assert released == Proceed(7, "kim")
        typed.join()
