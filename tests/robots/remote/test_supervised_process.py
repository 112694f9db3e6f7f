from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event

import pytest

from core.errors import RobotError
from robots.remote.supervised_process import ROOT, SupervisedProcess
from robots.remote.wire_message import WireMessage


class Watched:
    """A child, and what was heard of it."""

    def __init__(self, silence: float = 5.0) -> None:
        self.heard: SimpleQueue[WireMessage] = SimpleQueue()
        self.lost: SimpleQueue[str] = SimpleQueue()
        self.child = SupervisedProcess(
            "tests.robots.remote.echo", (str(silence),), self.heard.put, self.lost.put
        )


def test_that_a_child_answers_and_ends_when_its_pipe_closes() -> None:
    watched = Watched()
    watched.child.send("say", text="grüß Gott")
    assert watched.heard.get(timeout=10).text("text") == "grüß Gott"
    watched.child.close()
    watched.child.close()
    assert not watched.child.alive
    with pytest.raises(Empty):
        watched.lost.get(timeout=0.1)
    with pytest.raises(RobotError, match="connect again"):
        watched.child.send("say")


def test_that_what_a_terminal_sends_to_all_does_not_reach_a_child() -> None:
    """Ctrl+C, Ctrl+Z and a hang-up go to the terminal's session: the child has to live, to stop the arm."""
    watched = Watched()
    assert os.getsid(watched.child.pid) == watched.child.pid != os.getsid(0)
    watched.child.close()


def test_that_a_child_that_dies_is_told_once() -> None:
    watched = Watched()
    watched.child.send("die")
    assert "ended with code 7" in watched.lost.get(timeout=10)
    with pytest.raises(Empty):
        watched.lost.get(timeout=0.2)


def test_that_a_silent_child_is_ended() -> None:
    watched = Watched()
    watched.child.send("say")
    watched.heard.get(timeout=10)
    watched.child.send("hold")
    assert "signal 9" in watched.lost.get(timeout=15)
    assert not watched.child.alive


def test_that_a_child_busy_in_a_call_that_lets_others_run_is_left_alone() -> None:
    watched = Watched()
    watched.child.send("think", seconds=1.5, text="done")
    assert watched.heard.get(timeout=10).text("text") == "done"
    watched.child.close()


def test_that_a_child_that_held_pythons_lock_does_not_take_its_parent_for_silent() -> None:
    watched = Watched(silence=1.0)
    for number in range(3):  # each begins before what the parent said during the last one was read
        watched.child.extend_deadline(10)
        watched.child.send("lock", seconds=1.3, text=str(number))
        assert watched.heard.get(timeout=10).text("text") == str(number)
    watched.child.close()
    with pytest.raises(Empty):
        watched.lost.get(timeout=0.1)


def test_that_a_child_whose_parent_was_killed_ends_by_itself() -> None:
    code = (
        "import sys; from threading import Event\n"
        "from tests.robots.remote.test_supervised_process import Watched\n"
        "w = Watched(); w.child.send('say', text='x'); w.heard.get(timeout=10)\n"
        "print(w.child.pid, flush=True); Event().wait()"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    for _ in range(500):
        if not Path(f"/proc/{pid}/stat").exists() or Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z":
            return
        Event().wait(0.01)
    pytest.fail("the child is an orphan")
