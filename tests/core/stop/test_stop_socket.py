"""`stop` reaches every process of this user that moves a robot, also one that hangs."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import ConsoleError
from core.install_paths import ROOT
from core.stop import stop_socket
from core.stop.stop_socket import Standstill, StopListener, StopReply, runtime_folder, stop_all

pytestmark = pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="needs Unix sockets")

OTHER = """
import sys
from core.stop.stop_socket import StopListener
listener = StopListener("other", lambda why: (print("stopped", flush=True), ("a robot", lambda: 0.25))[1])
print("listens", flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of this test's own: no program of the person who runs it is stopped."""
    with tempfile.TemporaryDirectory(prefix="run-") as place:  # a socket's path must be short
        monkeypatch.setenv("XDG_RUNTIME_DIR", place)
        yield Path(place)


@pytest.fixture
def other() -> Iterator[subprocess.Popen[str]]:
    """Another process that moves a robot."""
    with subprocess.Popen(
        [sys.executable, "-c", OTHER], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "listens\n"
        yield process
        process.kill()


def name(process: subprocess.Popen[str]) -> str:
    return f"other {process.pid}"


def test_that_another_process_is_stopped_and_says_when_its_robot_stood(other: subprocess.Popen[str]) -> None:
    assert stop_all() == (StopReply(name(other), "a robot", True, 0.25),)
    assert other.stdout is not None and other.stdout.readline() == "stopped\n"


def test_that_a_suspended_process_is_reported_and_stops_when_it_goes_on(
    other: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stop_socket, "STOP_TIMEOUT", 0.2)
    other.send_signal(signal.SIGSTOP)
    for _ in range(30):  # more than its queue holds: the one who stops never waits
        assert stop_all() == (StopReply(name(other), answered=False),)
        monkeypatch.setattr(stop_socket, "STOP_TIMEOUT", -0.2)
    other.send_signal(signal.SIGCONT)
    assert other.stdout is not None and other.stdout.readline() == "stopped\n"


def test_that_a_process_that_was_killed_leaves_nothing(other: subprocess.Popen[str], folder: Path) -> None:
    other.kill()
    other.wait()
    assert stop_all() == ()
    assert not list(folder.rglob("*.sock"))


def test_that_a_listener_is_gone_once_it_is_closed(folder: Path) -> None:
    def stop(why: str) -> tuple[str, Standstill]:
        return "", lambda: None

    listener = StopListener("window", stop)
    assert stop_all() == (StopReply(f"window {os.getpid()}"),)
    listener.close()
    listener.close()
    assert stop_all() == ()


def test_that_a_robot_that_does_not_take_the_stop_is_not_called_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stop_socket, "STOP_TIMEOUT", 0.1)

    def stop(why: str) -> tuple[str, Standstill]:
        raise RuntimeError("it hangs")

    listener = StopListener("window", stop)
    assert [reply.answered for reply in stop_all()] == [False]
    assert [reply.answered for reply in stop_all()] == [False], "the listener goes on"
    listener.close()


def test_that_a_folder_that_others_can_open_is_not_used(folder: Path) -> None:
    runtime_folder().chmod(0o755)
    with pytest.raises(ConsoleError, match="other users"):
        stop_all()


def test_that_a_link_is_not_followed(folder: Path) -> None:
    made = runtime_folder()
    made.rmdir()
    made.symlink_to(folder)
    with pytest.raises(ConsoleError, match="other users"):
        stop_all()
