"""The child here is Python, but nothing of ours: as a simulator with an interpreter of its own would be."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic

import pytest

from core.errors import RobotError
from robots.child_process import KEPT_LINES, ChildPhase, ChildProcess, SilenceLimits
from tests.patience import AT_ONCE

LONG = SilenceLimits(60, 60, 60)


class Watched:
    """A child that runs a few lines of Python, and what became known of it."""

    def __init__(self, code: str, limits: SilenceLimits = LONG) -> None:
        self.lines: SimpleQueue[str] = SimpleQueue()
        self.lost: SimpleQueue[str] = SimpleQueue()
        self.heard: SimpleQueue[bytes] = SimpleQueue()
        command = (sys.executable, "-S", "-u", "-c", f"import os, sys, time\n{code}")
        self.child = ChildProcess("the worker", command, limits, self.lost.put, self.lines.put, self.listen)
        self.child.start()

    def listen(self) -> None:
        while data := self.child.socket.recv(99):
            if data == b"nonsense":
                raise RobotError("it makes no sense")
            self.heard.put(data)


@contextmanager
def watched(code: str, limits: SilenceLimits = LONG) -> Iterator[Watched]:
    found = Watched(code, limits)
    try:
        yield found
    finally:
        found.child.close(0)


def test_that_a_slow_start_is_shown_line_by_line_and_a_stray_escape_does_nothing() -> None:
    with watched("print('loading \\x1b[2J 40 %\\rstage', file=sys.stderr); input()") as seen:
        assert seen.lines.get(timeout=10) in ("loading \N{REPLACEMENT CHARACTER}[2J 40 %", "stage")
        assert seen.child.silence.phase is ChildPhase.STARTING


def test_that_what_it_printed_last_is_kept_and_told_when_it_ends() -> None:
    with watched("print('no such GPU', file=sys.stderr); sys.exit(5)") as seen:
        assert seen.lost.get(timeout=10) == "the worker ended with code 5 (its last words: no such GPU)"
        assert seen.child.lines == ("no such GPU",)
        with pytest.raises(Empty):
            seen.lost.get(timeout=0.1)


def test_that_a_flood_of_lines_is_bounded() -> None:
    code = "print('x' * 100_000, end='')\nfor i in range(5000): print(i)"
    with watched(code) as seen:
        seen.lost.get(timeout=10)
        assert len(seen.child.lines) == KEPT_LINES and seen.child.lines[-1] == "4999"
        assert seen.lines.qsize() < 50 and max(map(len, seen.child.lines)) <= 4096


def test_that_a_start_without_an_end_is_ended_however_much_it_prints() -> None:
    code = "while True: print('loading'); time.sleep(0.01)"
    with watched(code, SilenceLimits(0.3, 60, 60)) as seen:
        said = seen.lost.get(timeout=10)
        assert said.startswith("the worker gave no sign of life for 0.3 s while starting, and was ended by")


def test_that_silence_is_judged_by_the_phase() -> None:
    with watched("input()", SilenceLimits(60, 60, 0.15)) as seen:
        seen.child.silence.enter(ChildPhase.IDLE)
        with pytest.raises(Empty):
            seen.lost.get(timeout=0.3)
        seen.child.silence.enter(ChildPhase.WORKING)
        assert "for 0.15 s while working" in seen.lost.get(timeout=10)


def test_that_a_call_known_to_block_may_be_silent_for_longer() -> None:
    with watched("input()", SilenceLimits(60, 0.15, 60)) as seen:
        seen.child.silence.extend_deadline(30)
        seen.child.silence.enter(ChildPhase.IDLE)
        with pytest.raises(Empty):
            seen.lost.get(timeout=0.3)
        seen.child.silence.end_extension()
        assert "while idle" in seen.lost.get(timeout=10)


def test_that_what_a_wrapper_started_ends_with_it() -> None:
    """A simulator's own `python.sh` starts the interpreter as its child."""
    code = (
        "pid = os.fork()\n"
        "if pid == 0:\n    import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN); time.sleep(60)\n"
        "print(pid); input()"
    )
    with watched(code) as seen:
        grandchild = int(seen.lines.get(timeout=10))
        seen.child.kill()
        assert "signal 9" in seen.lost.get(timeout=AT_ONCE)
        until = monotonic() + AT_ONCE
        while _runs(grandchild):
            assert monotonic() < until


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


def test_that_what_it_says_to_us_is_apart_from_the_lines_that_it_prints() -> None:
    with watched("print('a word'); os.write(0, os.read(0, 3)); input()") as seen:
        seen.child.socket.sendall(b"abc")
        assert seen.heard.get(timeout=10) == b"abc"
        assert seen.lines.get(timeout=10) == "a word"


def test_that_one_that_makes_no_sense_is_ended() -> None:
    with watched("os.write(0, b'nonsense'); time.sleep(60)") as seen:
        assert seen.lost.get(timeout=10) == (
            "the worker sent what cannot be read (it makes no sense), and was ended by signal 9"
        )


def test_that_the_last_that_it_said_is_heard_before_its_end_is_told() -> None:
    with watched("os.write(0, b'bye')") as seen:
        assert "ended with code 0" in seen.lost.get(timeout=10)
        assert seen.heard.get_nowait() == b"bye"


def test_that_it_is_asked_to_end_by_its_closed_stdin_and_then_ended() -> None:
    with watched("print('up'); sys.stdin.read(); print('bye')") as seen:
        seen.lines.get(timeout=10)
        seen.child.close(10)
        seen.child.close()
        assert not seen.child.alive and seen.lost.empty()
    with watched("print('up')\nwhile True: time.sleep(60)") as seen:
        seen.lines.get(timeout=10)
        seen.child.close(0.05)
        assert not seen.child.alive and seen.lost.empty()


def test_that_an_interpreter_that_is_not_there_is_named() -> None:
    child = ChildProcess("the worker", ("/no/such/python",), LONG, lambda why: None)
    with pytest.raises(RobotError, match=r"The worker cannot be started: /no/such/python: No such file"):
        child.start()
