"""A person at a real terminal: the program in a pseudo-terminal, driven with keys."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from tests.app.cli import forked


class Terminal:
    """What was printed so far, and a way to type."""

    def __init__(self, handle: int, process: BaseProcess) -> None:
        self.handle, self.process, self.text, self.read = handle, process, "", 0

    def until(self, words: str, seconds: float = 30) -> str:
        """Wait for `words` in what has not been waited for yet; returns everything up to them."""
        end = time.monotonic() + seconds
        while not (found := re.search(words, self.text[self.read :])):
            ready, _, _ = select.select([self.handle], [], [], max(0.0, end - time.monotonic()))
            assert ready, f"waited for {words!r}, got {self.text[self.read :]!r}"
            try:
                self.text += os.read(self.handle, 4096).decode(errors="replace")
            except OSError:  # the other end is closed
                assert re.search(words, self.text[self.read :]), self.text[self.read :]
        before = self.text[self.read : self.read + found.end()]
        self.read += found.end()
        return before

    def type(self, line: str) -> None:
        os.write(self.handle, (line + "\n").encode())

    def signal(self, number: signal.Signals) -> None:
        assert self.process.pid is not None
        os.kill(self.process.pid, number)

    def ended(self, seconds: float = 20) -> int | None:
        """Wait for the end; return the exit code, or None if it does not come."""
        self.process.join(seconds)
        return self.process.exitcode


@contextmanager
def terminal(*words: str, prepare: forked.Prepare = forked.nothing) -> Iterator[Terminal]:
    ours, theirs = pty.openpty()
    env = {**os.environ, "TERM": "dumb", "COLUMNS": "200"}
    process = forked.start(os.ttyname(theirs), words, env, prepare)
    try:
        yield Terminal(ours, process)
    finally:
        process.kill()
        process.join()
        os.close(theirs)
        os.close(ours)


def run(log: Path, *more: str) -> tuple[str, ...]:
    common = ("--robot", "symbolic", "--no-pictures", "--openness", "0", "--database", str(log))
    how = () if "--preset" in more else ("--ask",)
    return ("run", "halve_egg", *common, *how, *more)


def test_that_every_step_waits_for_a_person(tmp_path: Path) -> None:
    with terminal(*run(tmp_path / "log.sqlite")) as person:
        for words in ("find the knife", "grasp the knife", "find the egg", "cut the egg"):
            person.until(f"next: {words}")
            person.type("")
        person.until("The simulator confirms that the goal is reached")
        assert person.ended() == 0


def test_that_a_person_may_choose_correct_undo_and_end(tmp_path: Path) -> None:
    with terminal(*run(tmp_path / "log.sqlite")) as person:
        person.until("next: find the knife")
        person.type("?")
        person.until("choose another step")
        person.type("b")
        person.until("Atom, or words of one, such as")
        person.type("egg")
        person.until("inhand agent")
        person.until("next: find the knife")
        person.type("b")
        person.until("Atom, or words of one")
        person.type("egg is cut in half")
        person.until("is it so")
        person.type("y")
        person.until("The simulator says that the goal is NOT reached")
        assert person.ended() == 0


def test_that_a_wrong_atom_changes_nothing(tmp_path: Path) -> None:
    with terminal(*run(tmp_path / "log.sqlite")) as person:
        person.until("next: find the knife")
        person.type("b")
        person.until("Atom, or words of one, such as")
        person.type("halved nonsense")
        person.until("is no atom of this domain")
        person.until("next: find the knife")
        person.type("q")
        person.until("Ended by the operator")
        assert person.ended() == 1


def test_that_after_ctrl_c_nothing_moves_until_release_is_typed(tmp_path: Path) -> None:
    with terminal(*run(tmp_path / "log.sqlite", "--pace", "20")) as person:
        person.until("next: find the knife")
        person.type("")
        person.until("▸ find the knife")
        person.signal(signal.SIGINT)
        person.until("Motion is stopped")
        person.type("release")
        person.until("next: find the knife")
        person.signal(signal.SIGINT)
        person.until("Ctrl.C stopped the motion, once more ends the episode; or answer as before")
        person.until("next: find the knife")
        person.type("")
        person.until("Motion is stopped")
        person.type("")
        assert person.ended() == 1


@pytest.mark.parametrize("moving", [False, True], ids=["at a step", "at the release"])
def test_that_a_second_ctrl_c_ends_the_episode_whatever_is_asked(tmp_path: Path, moving: bool) -> None:
    with terminal(*run(tmp_path / "log.sqlite", "--pace", "20")) as person:
        person.until("next: find the knife")
        if moving:
            person.type("")
            person.until("▸ find the knife")
        person.signal(signal.SIGINT)
        person.until("Type release" if moving else "once more ends the episode")
        person.signal(signal.SIGINT)
        person.until("Ended with Ctrl.C")
        assert person.ended() == 1


def test_that_sigterm_ends_an_episode_that_waits_for_a_person(tmp_path: Path) -> None:
    with terminal(*run(tmp_path / "log.sqlite")) as person:
        person.until("next: find the knife")
        person.signal(signal.SIGTERM)
        person.until("Nobody is at the terminal|Ended with SIGTERM")
        assert person.ended() == 1


def test_that_sigterm_stops_the_motion_and_ends_the_episode(tmp_path: Path) -> None:
    with terminal(*run(tmp_path / "log.sqlite", "--pace", "20")) as person:
        person.until("next: find the knife")
        person.type("")
        person.until("▸ find the knife")
        person.signal(signal.SIGTERM)
        person.until("halted")
        person.until("Ended with SIGTERM")
        assert person.ended() == 1


def test_that_a_preset_of_assist_lets_steps_pass_and_of_approve_shows_each_answer(tmp_path: Path) -> None:
    with terminal(*run(tmp_path / "log.sqlite", "--preset", "assist")) as person:
        assert "next:" not in person.until("The simulator confirms that the goal is reached")
    with terminal(*run(tmp_path / "log.sqlite", "--preset", "approve")) as person:
        person.until("next: find the knife")
        person.type("")
        person.until("Is the knife in view. .model: yes.")
        person.type("q")
        person.until("Enter, or one of: y, n, u")
