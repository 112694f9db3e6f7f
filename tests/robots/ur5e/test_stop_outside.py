"""The control process stops the arm by itself, and a person releases it."""

from __future__ import annotations

import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from time import monotonic

import pytest

from core.arm.handover import HandoverNews
from core.permit import PermitKind
from core.ports import StepStatus
from core.stop.heartbeat import HEARTBEAT_TIMEOUT, Heartbeat
from core.stop.stop_all import stop_all
from core.stop_token import Late
from robots.remote.wire_message import WireMessage
from robots.ur5e.arm import Arm
from robots.ur5e.arm_setup import EMULATED_SETUP
from tests.permitted import move_joints, permitted
from tests.robots.ur5e.conftest import ROOT, Bench, Mover, gone, stays, until

CONSOLE = """
import sys, dataclasses
from core.stop_token import StopToken
from robots.ur5e.arm import Arm
from robots.ur5e.arm_setup import EMULATED_SETUP
from tests.permitted import move_joints
setup = dataclasses.replace(EMULATED_SETUP, address=sys.argv[1])
object.__setattr__(setup, "pedal", sys.argv[2])  # a setup file may only name a device
arm = Arm(setup)
arm.connect(); arm.control.start()
for line in sys.stdin:
    arm.release_stop(arm.latch.last_halt())
    print(arm.control.pid, flush=True)
    a, *rest = arm.state.q
    print(move_joints(arm, (a + (1.0 if a < 3.2 else -1.0), *rest), StopToken(), 0.3).detail, flush=True)
    while not arm.fault_reason:
        pass
    print(arm.fault_reason, flush=True)
"""


@pytest.fixture(scope="module", autouse=True)
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="run-") as place, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", place)
        patch.setenv("XDG_DATA_HOME", place)
        yield Path(place)


EVENT = struct.Struct("@llHHi")


class Heart:
    """Beats until it is told to stop."""

    def __init__(self, heartbeat: Heartbeat) -> None:
        self.stopped = Event()
        self._heartbeat = heartbeat
        self._heartbeat.beat()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self.stopped.wait(0.02):
            self._heartbeat.beat()

    def stop(self) -> None:
        self.stopped.set()
        self._thread.join()


def test_that_stop_in_a_terminal_reaches_the_control_process_itself(arm: Arm, bench: Bench) -> None:
    move, pid, told = Mover(arm), arm.control.pid, list[HandoverNews]()
    arm.handover.attend("window", told.append)
    (reply,) = stop_all().replies
    assert (reply.process, reply.answered) == (f"guard {pid}", True)
    assert reply.robot == f"the UR5e at {bench.address}"
    assert reply.standstill is not None and reply.standstill < 1
    ended = move.ended()
    assert (ended.status, ended.detail) == (StepStatus.HALTED, "Stopped from a terminal.")
    stays(bench)
    assert arm.latch.halted, "it is latched, and a person releases it"
    assert [news.reason for news in told] == ["Stopped from a terminal."]
    arm.release_stop(told[0].halt)
    assert not arm.latch.halted, "the loop knew of it, so that it is released once"
    again = Mover(arm)
    arm.halt()
    again.ended()


def test_that_an_arm_is_stopped_whose_folder_of_sockets_was_removed(
    arm: Arm, bench: Bench, folder: Path
) -> None:
    move = Mover(arm)
    shutil.rmtree(folder / "dkprompt")
    (reply,) = stop_all().replies
    assert reply.robot == f"the UR5e at {bench.address}" and reply.standstill is not None
    assert move.ended().status is StepStatus.HALTED
    stays(bench)
    halts = arm.latch.halt()
    arm.release_stop(halts)


def test_that_a_control_process_that_cannot_be_reached_stops_the_arm_and_says_so(
    arm: Arm, bench: Bench, folder: Path
) -> None:
    """A folder stands where its socket was; `stop` sends it SIGTERM, at which it stops the arm and ends."""
    said: list[str] = []
    arm.control.follow_heartbeat(Heartbeat(), said.append)
    move, pid = Mover(arm), arm.control.pid
    for path in folder.rglob("guard-*.sock"):
        path.unlink()
        path.mkdir()  # else it makes the socket anew within a second
    (reply,) = stop_all().replies
    assert (reply.process, reply.was_told_to_end, reply.has_ended) == (f"guard {pid}", True, True)
    assert move.ended().status is StepStatus.HALTED
    stays(bench)
    assert arm.latch.halted, "it is released by a person"


def test_that_a_control_process_that_stop_does_not_reach_is_told_of(
    arm: Arm, bench: Bench, folder: Path
) -> None:
    said: list[str] = []
    arm.control.follow_heartbeat(Heartbeat(), said.append)
    arm.control.start()
    running = folder / "dkprompt-console" / "running"
    until(lambda: any(running.glob("guard-*.sock")))
    for path in (folder / "dkprompt", running):
        shutil.rmtree(path)
        path.write_text("a file in its place")
    try:
        until(lambda: said)
        assert said[0].startswith("The arm's control process: `stop` in another terminal does not reach")
    finally:
        for path in (folder / "dkprompt", running):
            path.unlink()
    until(lambda: len(said) > 1)
    assert "again" in said[1]


def test_that_a_pedal_and_stop_in_a_terminal_stop_the_arm_of_a_suspended_console(
    alone: Bench, tmp_path: Path
) -> None:
    os.mkfifo(path := tmp_path / "pedal")
    pipe = subprocess.PIPE
    with (
        subprocess.Popen(
            [sys.executable, "-c", CONSOLE, alone.address, path], cwd=ROOT, stdin=pipe, stdout=pipe, text=True
        ) as console,
        path.open("rb+", buffering=0) as pedal,
    ):
        assert console.stdin is not None and console.stdout is not None

        def moves() -> int:
            print("move", file=console.stdin, flush=True)
            pid = int(console.stdout.readline())  # type: ignore[union-attr]
            until(lambda: alone.moving)
            console.send_signal(signal.SIGSTOP)
            return pid

        moves()
        began = monotonic()
        pedal.write(EVENT.pack(0, 0, 1, 48, 1))
        until(lambda: not alone.moving)
        console.send_signal(signal.SIGCONT)
        took = monotonic() - began
        assert console.stdout.readline(), "its step has ended"
        told = console.stdout.readline()
        assert told == "The stop pedal was pressed.\n" or took > HEARTBEAT_TIMEOUT, told  # on a busy machine
        stays(alone)

        pedal.write(EVENT.pack(0, 0, 1, 48, 0))
        pid = moves()
        began = monotonic()
        (reply,) = stop_all().replies
        assert monotonic() - began < 0.9, "before the silence of its parent ends the process"
        assert reply.process == f"guard {pid}" and reply.standstill is not None
        stays(alone)
        until(lambda: gone(pid))
        console.send_signal(signal.SIGCONT)
        assert console.stdout.readline(), "the console hears of it"
        stays(alone)


def test_that_the_control_process_stops_the_arm_without_a_heartbeat(arm: Arm, bench: Bench) -> None:
    heartbeat = Heartbeat()
    heart = Heart(heartbeat)
    arm.control.follow_heartbeat(heartbeat)
    move = Mover(arm, scale=0.3)
    began = monotonic()
    heart.stop()
    ended = move.ended()
    assert ended.status is StepStatus.HALTED
    assert "The console did not respond for 0.6 s" in ended.detail and isinstance(ended.detail, Late)
    assert HEARTBEAT_TIMEOUT < monotonic() - began < 2
    stays(bench)
    assert arm.latch.halted, "it is released by a person"
    assert "did not respond" in arm.fault_reason
    arm.close()  # as nothing beats any more


def test_that_nothing_moves_before_the_console_knows_of_a_stop(
    arm: Arm, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A console that hangs does not know yet: a motion that it asks for is one from before the stop."""
    heard: list[WireMessage] = []
    monkeypatch.setattr(arm.control, "_on_unsolicited", heard.append)  # and it does nothing about it
    assert len(stop_all().replies) == 1
    assert not arm.latch.halted
    with permitted(arm, PermitKind.JOG):
        assert arm.control.send("jog", operation="jog", speed=(0.1,) * 6) == ""
        until(lambda: any(m.kind == "refused" and m.text("why") == "a stop came first" for m in heard))
    stays(bench)


def test_that_a_pedal_stops_the_arm_and_holds_it_while_it_is_pressed(alone: Bench, tmp_path: Path) -> None:
    """Recorded events through a pipe; what a device adds is tested in tests/robots/test_stop_pedal.py."""
    os.mkfifo(path := tmp_path / "pedal")
    setup = replace(EMULATED_SETUP, address=alone.address)
    object.__setattr__(setup, "pedal", str(path))  # a setup file may only name a device
    arm = Arm(setup)
    try:
        arm.connect()
        arm.control.start()
        pedal = os.open(path, os.O_WRONLY)  # waits until the control process reads it
        arm.release_stop(0)
        move = Mover(arm, scale=0.3)
        os.write(pedal, EVENT.pack(0, 0, 1, 48, 1))
        ended = move.ended()
        assert (ended.status, ended.detail) == (StepStatus.HALTED, "The stop pedal was pressed.")
        stays(alone)
        assert arm.state is not None
        arm.release_stop(1 << 30)
        assert "is pressed" in move_joints(arm, arm.state.q).detail
        os.write(pedal, EVENT.pack(0, 0, 1, 48, 0))
        arm.release_stop(1 << 30)
        move = Mover(arm, scale=0.3)
        os.close(pedal)
        assert move.ended().detail == "The stop pedal was unplugged."
        stays(alone)
        arm.release_stop(1 << 30)
        assert "was unplugged" in move_joints(arm, arm.state.q).detail
    finally:
        arm.close()
        alone.mend()
