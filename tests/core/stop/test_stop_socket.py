"""A program listens for `stop`, answers, and tends what it needs for it."""

from __future__ import annotations

import os
import select
import shutil
import signal
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from time import monotonic, sleep

import pytest

from core.errors import ConsoleError
from core.stop import stop_socket
from core.stop.stop_all import StopReply, stop_all
from core.stop.stop_entry import StopLock, StopSocket, is_held, remove_stale
from core.stop.stop_folders import is_private, private_folder, runtime_folder
from core.stop.stop_socket import REACHABLE, Standstill, StopListener
from tests.core.stop.conftest import Place, Program
from tests.patience import AT_ONCE


def nothing_moves(why: str) -> tuple[str, Standstill]:
    return "", lambda: None


def until(seen: object, seconds: float = 5.0) -> None:
    end = monotonic() + seconds
    while not seen():  # type: ignore[operator]
        assert monotonic() < end
        sleep(0.01)


def test_that_another_process_is_stopped_once_and_says_when_its_robot_stood(other: Program) -> None:
    assert stop_all().replies == (StopReply(other.name, "a robot", True, 0.25),)
    assert other.hears("stopped")
    assert not other.hears("stopped", 0.3), "the message came by two sockets, and is one stop"
    assert stop_all().replies == (StopReply(other.name, "a robot", True, 0.25),)
    assert other.hears("stopped"), "and this is another one"


def test_that_a_suspended_process_is_reported_and_stops_when_it_goes_on(
    other: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stop_socket, "STOP_TIMEOUT", 0.2)
    other.process.send_signal(signal.SIGSTOP)
    assert stop_all().replies == (StopReply(other.name, answered=False),)
    monkeypatch.setattr(stop_socket, "STOP_TIMEOUT", -0.2)
    for _ in range(30):  # more than its queue holds: the one who stops never waits
        (reply,) = stop_all().replies
        assert not reply.answered
    assert reply.unreached == "its queue is full" and not reply.was_told_to_end
    other.process.send_signal(signal.SIGCONT)
    assert other.hears("stopped")


def test_that_a_process_that_was_killed_leaves_nothing(other: Program, place: Place) -> None:
    other.process.kill()
    other.process.wait()
    assert stop_all().replies == ()
    assert not list(place.runtime.rglob("*.*")) and not list(place.data.rglob("*.*"))


def test_that_only_who_removes_what_is_stale_removes_a_lock_that_nobody_holds(place: Place) -> None:
    private_folder(place.running)
    lock = place.running / "window-1-1.running"
    lock.touch()
    assert not is_held(lock) and lock.exists()
    remove_stale(place.running)
    assert not lock.exists()


def test_that_a_listener_rests_once_it_has_been_woken(place: Place) -> None:
    listener = StopListener("window", nothing_moves, print)
    until(lambda: not select.select([listener._woken], (), (), 0)[0])  # else it would never wait again
    listener.close()


def test_that_a_listener_is_gone_once_it_is_closed(place: Place) -> None:
    listener = StopListener("window", nothing_moves, print)
    assert stop_all().replies == (StopReply(f"window {os.getpid()}"),)
    listener.close()
    listener.close()
    assert stop_all().replies == ()
    assert not list(place.sockets.iterdir()) and not list(place.running.iterdir())


def test_that_a_process_that_ends_can_first_say_when_its_robot_stood(place: Place) -> None:
    stands = Event()

    def stop(why: str) -> tuple[str, Standstill]:
        return "an arm", lambda: 0.1 if stands.wait(AT_ONCE) else None

    listener = StopListener("guard", stop, print)
    with ThreadPoolExecutor() as terminal:
        told = terminal.submit(stop_all)
        until(lambda: listener._answering)
        listener.finish_answers(0.01)
        assert listener._answering[0].is_alive(), "no longer than it is given"
        stands.set()
        listener.finish_answers(AT_ONCE)
        assert not listener._answering[0].is_alive()
        assert told.result().replies == (StopReply(f"guard {os.getpid()}", "an arm", True, 0.1),)
    listener.close()


def test_that_its_folders_are_its_owner_s_alone(other: Program, place: Place) -> None:
    for folder in (place.sockets, place.running, place.running.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_that_a_robot_that_does_not_take_the_stop_is_not_called_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stop_socket, "STOP_TIMEOUT", 0.1)

    def stop(why: str) -> tuple[str, Standstill]:
        raise RuntimeError("it hangs")

    listener = StopListener("window", stop, print)
    assert [reply.answered for reply in stop_all().replies] == [False]
    assert [reply.answered for reply in stop_all().replies] == [False], "the listener goes on"
    listener.close()


@pytest.mark.parametrize("replaced", [False, True])
def test_that_what_was_removed_is_made_anew_and_said_once(
    other: Program, place: Place, replaced: bool
) -> None:
    for first in (True, False):
        shutil.rmtree(place.sockets)
        if replaced:
            place.sockets.mkdir(mode=0o700)
        said = other.hears("was removed or replaced", 3)
        assert str(place.sockets) in said if first else not said
        until(lambda: any(place.sockets.glob("*.sock")))
        shutil.rmtree(place.running)  # the one made anew is enough
        assert stop_all().replies[0].robot == "a robot"
        until(lambda: any(place.running.glob("*.running")))


def test_that_a_program_that_cannot_be_reached_says_so_and_that_it_can_again(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stop_socket, "TEND_PERIOD", 0.05)
    for folder in (place.sockets, place.running):
        folder.parent.mkdir(exist_ok=True)
        folder.write_text("a file stands in its place")
    said: list[str] = []
    listener = StopListener("window", nothing_moves, said.append)
    assert len(said) == 1 and said[0].startswith("`stop` in another terminal does not reach this program (")
    assert "File exists" in said[0] or "Not a directory" in said[0]
    place.running.unlink()
    until(lambda: len(said) > 1)
    assert said[1:] == [REACHABLE]
    assert stop_all().replies == (StopReply(f"window {os.getpid()}"),)
    listener.close()


def test_that_a_file_system_that_hangs_keeps_no_stop_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stop_socket, "TEND_PERIOD", 0.05)
    hangs, goes_on, stopped = Event(), Event(), Event()

    def stop(why: str) -> tuple[str, Standstill]:
        stopped.set()
        return "a robot", lambda: 0.0

    listener = StopListener("window", stop, print)

    def ensure() -> bool:
        hangs.set()
        goes_on.wait(10)
        return False

    monkeypatch.setattr(listener._sockets[0], "ensure", ensure)
    assert hangs.wait(AT_ONCE)
    assert stop_all().replies[0].robot == "a robot" and stopped.is_set()
    goes_on.set()
    listener.close()


def test_that_a_folder_that_others_can_open_is_not_used(place: Place) -> None:
    runtime_folder().chmod(0o755)
    with pytest.raises(ConsoleError, match="other users"):
        runtime_folder()
    listener = StopListener("window", nothing_moves, print)
    assert not list(place.sockets.iterdir()) and list(place.running.iterdir())
    listener.close()
    assert "other users can reach it" in " ".join(stop_all().faults)


def test_that_a_link_is_not_followed(place: Place, tmp_path: Path) -> None:
    made = runtime_folder()
    made.rmdir()
    made.symlink_to(tmp_path)
    with pytest.raises(ConsoleError, match="other users"):
        runtime_folder()
    listener = StopListener("window", nothing_moves, print)
    assert not list(tmp_path.iterdir())
    listener.close()


def test_that_a_folder_is_made_with_all_that_is_above_it(tmp_path: Path) -> None:
    folder = tmp_path / "no" / "home" / "yet"
    assert private_folder(folder) == private_folder(folder) == folder and is_private(folder)


def test_that_a_folder_that_cannot_be_made_is_told(place: Place) -> None:
    place.sockets.write_text("a file stands in its place")
    with pytest.raises(ConsoleError, match="cannot be made"):
        runtime_folder()


def test_that_what_was_put_in_a_socket_s_place_gives_way_to_it(place: Place) -> None:
    entry = StopSocket(place.sockets, "window-1-1")
    entry.ensure()
    entry.path.unlink()
    entry.path.write_text("a file stands in its place")
    assert entry.ensure() and not entry.fault and entry.path.is_socket()
    entry.close()
    assert not entry.is_made and not entry.ensure(), "what it removed itself was not lost"
    entry.close()


def test_that_a_lock_that_another_holds_is_not_taken(place: Place) -> None:
    first, second = StopLock(place.running, "window-1-1"), StopLock(place.running, "window-1-1")
    first.ensure()
    second.ensure()
    assert first.is_made and not second.is_made and "another program holds it" in second.fault
    first.close()
