"""What `stop` says of programs that it cannot reach, and of what keeps it from knowing."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.cli import stop_now
from app.cli.stop_now import reply_sentence, stop_everything
from core.install_paths import ROOT
from core.stop import stop_all as stop_all_module
from core.stop import stop_socket
from core.stop.stop_all import StopReply, StopResult, read_answer, stop_all
from core.stop.stop_entry import SOCKET, StopLock, is_held, machine, process_id
from tests.core.stop.conftest import Place, Program, verb


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stop_socket, "STOP_TIMEOUT", 0.1)


def test_that_nothing_runs_is_said_where_nothing_runs(place: Place) -> None:
    for _ in range(2):
        done = verb()
        assert (done.returncode, done.stdout, done.stderr) == (1, stop_now.NOTHING + "\n", "")
        for folder in (place.sockets, place.running):
            folder.mkdir(parents=True, mode=0o700, exist_ok=True)


def test_that_it_makes_nothing(place: Place) -> None:
    stop_all()
    assert not list(place.runtime.iterdir()) and not list(place.data.iterdir())


def test_that_a_program_without_a_socket_is_known_by_its_lock_and_not_taken_for_none(
    place: Place, at_once: None, capsys: pytest.CaptureFixture[str]
) -> None:
    """In this process, which is not sent SIGTERM."""
    lock = StopLock(place.running, f"window-{os.getpid()}-1")
    lock.ensure()
    assert stop_everything() == 3
    said = " ".join(capsys.readouterr().err.split())
    assert f"window {os.getpid()}: cannot be reached (it has no socket)" in said
    assert f"run `kill {os.getpid()}`" in said
    lock.close()
    assert stop_all() == StopResult(())


def test_that_the_reason_is_told_for_which_a_socket_took_nothing(place: Place, at_once: None) -> None:
    lock = StopLock(place.running, f"window-{os.getpid()}-1")
    lock.ensure()
    lock.path.with_suffix(SOCKET).touch()
    (reply,) = stop_all().replies
    assert reply.unreached == os.strerror(errno.ECONNREFUSED)
    lock.close()


def test_that_a_program_that_is_told_to_end_is_said_to_have_ended(other: Program, place: Place) -> None:
    for path in (*place.sockets.glob("*.sock"), *place.running.glob("*.sock")):
        path.unlink()
    (reply,) = stop_all().replies
    assert (reply.was_told_to_end, reply.has_ended) == (True, True)
    assert other.process.wait(5) == -signal.SIGTERM
    assert "so it was sent SIGTERM, at which its robot halts: it has ended." in reply_sentence(reply)


def test_that_only_the_process_that_has_the_lock_open_is_told_to_end(
    place: Place, at_once: None, other: Program
) -> None:
    """A process may have the number that another one had before it, or that one has on another machine."""
    lock = StopLock(place.running, f"window-{other.process.pid}-1")
    lock.ensure()
    reply = next(r for r in stop_all().replies if r.process.startswith("window"))
    assert reply.unreached and not reply.was_told_to_end
    assert other.process.poll() is None
    lock.close()


def test_that_a_lock_of_another_machine_names_it(
    place: Place, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A home folder may be shared."""
    monkeypatch.setattr("socket.gethostname", lambda: "lab-2")
    lock = StopLock(place.running, f"window-{os.getpid()}-1")
    lock.ensure()
    monkeypatch.setattr("socket.gethostname", lambda: "lab-1")
    assert machine(lock.path) == "lab-2"
    (reply,) = stop_all().replies
    assert reply.process == f"window {os.getpid()} on lab-2"
    assert "kill" not in reply_sentence(reply)
    lock.close()


def test_that_on_a_file_system_without_locks_the_process_is_looked_for(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_locks(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr("core.stop.stop_entry.fcntl.flock", no_locks)
    lock = StopLock(place.running, f"window-{os.getpid()}-1")
    lock.ensure()
    hung_up = list[int]()
    before = signal.signal(signal.SIGHUP, lambda number, _: hung_up.append(number))
    assert not lock.fault and is_held(lock.path)
    signal.signal(signal.SIGHUP, before)
    assert not hung_up  # looked for, and sent nothing
    dead = lock.path.with_name("window-999999999-1.running")
    dead.touch()
    assert not is_held(dead)
    assert [process_id(name) for name in ("12-34-5", "12", "12-", "12-x")] == [34, 0, 0, 0]
    lock.close()


def test_that_a_folder_that_cannot_be_looked_into_is_not_taken_for_an_empty_one(place: Place) -> None:
    place.sockets.write_text("")
    done = verb()
    assert done.returncode == 3
    assert f"{place.sockets}: Not a directory, so a program may not have been found" in done.stderr


@pytest.mark.parametrize("error", [OSError(28, "No space left"), KeyboardInterrupt(), ValueError("x")])
def test_that_whatever_breaks_is_3_and_one_sentence(
    error: BaseException, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def breaks() -> StopResult:
        raise error

    monkeypatch.setattr(stop_now, "stop_all", breaks)
    assert stop_everything() == 3
    said = capsys.readouterr()
    assert said.out == "" and said.err.startswith("`stop` did not get through (")
    assert said.err.count("\n") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device")
def test_that_words_that_cannot_be_printed_are_no_success(other: Program) -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "main.py", "stop"]
        assert subprocess.run(command, cwd=ROOT, stdout=full, stderr=full, check=False).returncode == 3
    assert other.hears("stopped")


def test_that_even_what_is_imported_first_may_break(place: Place, tmp_path: Path) -> None:
    (tmp_path / "platformdirs.py").write_text("raise ImportError('broken')")
    done = verb(PYTHONPATH=str(tmp_path))
    assert (done.returncode, "Traceback" in done.stderr) == (3, False)
    assert "`stop` did not get through (broken)" in done.stderr
    (tmp_path / "secrets.py").write_text("raise ImportError('broken')")
    done = verb(PYTHONPATH=str(tmp_path))
    assert (done.returncode, "Traceback" in done.stderr) == (3, False)
    assert "`stop` cannot begin (broken)" in done.stderr


def test_that_an_answer_is_read_or_passed_over() -> None:
    form = {"from": "window-1-1", "robot": "ur5e", "standstill": 0.2, "last": True}
    known = StopReply("window-1-1", "ur5e", True, 0.2)
    assert read_answer(json.dumps(form).encode()) == ("window-1-1", known, True)
    for seconds in (-1, "1", None, 1e300, float("nan")):
        read = read_answer(json.dumps(form | {"standstill": seconds}).encode())
        assert read is not None and read[1].standstill is None
    for data in (b"", b"null", b"{}", b"\xff", b"[" * 4000):
        assert read_answer(data) is None


def test_that_a_message_goes_without_a_way_to_answer_rather_than_not_at_all(
    other: Program, monkeypatch: pytest.MonkeyPatch, at_once: None
) -> None:
    send = stop_all_module._Call._send_to

    def send_to(call: Any, path: Path, private: bool) -> None:
        call._with_answers = [(1, 99, b"what no kernel takes")]
        send(call, path, private)

    monkeypatch.setattr(stop_all_module._Call, "_send_to", send_to)
    (reply,) = stop_all().replies
    assert not reply.answered and other.hears("stopped")
