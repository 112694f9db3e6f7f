"""The gripper: what moves its fingers, and that a stop ends each of these motions."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import suppress
from threading import Event, Thread
from time import monotonic, sleep

import pytest

from core.arm.arm_capabilities import ACTIVATION
from core.permit import PermitKind
from robots.remote.wire_message import WireMessage
from robots.ur5e.arm import Arm
from robots.ur5e.arm_services import ArmServices
from robots.ur5e.gripper.gripper import Gripper
from robots.ur5e.gripper.robotiq import RobotiqMotion, RobotiqRegisters
from tests.command import call
from tests.permitted import activate, grip, permitted
from tests.robots.ur5e.conftest import Bench, until


@pytest.fixture
def gripper(arm: Arm) -> Iterator[Gripper]:
    """As a hand is that was just switched on."""
    made = Gripper(arm)
    RobotiqRegisters(arm.setup.address).set(ACT=0)
    yield made
    made.close()


def finger(bench: Bench) -> float:
    """Metres that each finger has closed."""
    return bench.own.ask("truth").number("finger")


def rests(bench: Bench, seconds: float = 0.5) -> bool:
    """Whether the fingers stand for so long, by the emulator's clock, but for a trembling."""
    truth = bench.own.ask("truth")
    began, at = truth.number("now"), truth.number("finger")
    until(lambda: bench.own.ask("truth").number("now") > began + seconds)
    return abs(finger(bench) - at) < 5e-4


@pytest.mark.long
def test_that_activation_closes_and_opens_the_fingers(arm: Arm, gripper: Gripper, bench: Bench) -> None:
    began = bench.own.ask("truth").number("now")
    with permitted(arm, PermitKind.GRIPPER, ACTIVATION):
        thread = Thread(target=gripper.activate, args=(lambda: False,))
        thread.start()
        until(lambda: finger(bench) > 0.02)
        thread.join()
    assert gripper.state().active and finger(bench) < 0.002
    assert bench.own.ask("truth").number("now") - began > 1.5


def test_that_a_stop_ends_an_activation_in_the_middle(
    panel: ArmServices, gripper: Gripper, arm: Arm, bench: Bench
) -> None:
    assert not activate(panel)
    until(lambda: finger(bench) > 0.008)
    arm.halt()
    began = monotonic()
    until(lambda: not panel.status.activity)
    assert monotonic() - began < 1  # 0.02 on a quiet machine
    assert 0.008 < finger(bench) < 0.024, "it stands where it was"
    assert rests(bench)
    assert not gripper.state().active


def test_that_why_its_motion_failed_stays_in_sight(panel: ArmServices, gripper: Gripper) -> None:
    assert not grip(panel, 0.02)
    until(lambda: "cannot move: it is not activated" in panel.status.last_error)
    seen = panel.gripper_status
    until(lambda: panel.gripper_status is not seen)
    assert "cannot move" in panel.status.last_error, "though it was asked again since"


class Hand:
    """A gripper's socket that keeps every line it was sent, and resets only when it is told to."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.resets, self.asked = Event(), Event()
        self._active = 1
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._server.getsockname()[1]
        Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                sock, _ = self._server.accept()
            except OSError:
                return
            Thread(target=self._answer, args=(sock,), daemon=True).start()

    def _answer(self, sock: socket.socket) -> None:
        with sock, suppress(ConnectionError), sock.makefile("r") as lines:
            for line in lines:
                self.lines.append(line.strip())
                if line.startswith("SET"):
                    sock.sendall(b"ack")
                    continue
                self.asked.set()
                sock.sendall(f"{line.split()[1]} {0 if self.resets.is_set() else 1}\n".encode())

    def close(self) -> None:
        self._server.close()


@pytest.fixture
def hand() -> Iterator[Hand]:
    made = Hand()
    yield made
    made.close()


def test_that_nothing_that_moves_is_sent_after_a_stop_at_whatever_moment(hand: Hand) -> None:
    """The stop comes between the two halves of an activation, earlier or later; it used to move then."""
    late = 0
    for attempt in range(30):
        hand.lines.clear()
        hand.asked.clear()
        hand.resets.clear()
        over = Event()
        motion = RobotiqMotion("127.0.0.1", WireMessage({"kind": "activate", "seconds": 5.0}), port=hand.port)
        motion.start(lambda reason, over=over: over.set())  # type: ignore[misc]
        assert hand.asked.wait(5)
        if attempt >= 3:  # before that, the stop comes first
            hand.resets.set()
        if attempt < 27:
            sleep(attempt * 0.001)
        else:
            until(lambda: any("ACT 1" in line for line in hand.lines))
        motion.stop()
        hand.resets.set()
        assert over.wait(5)
        begun = [line for line in hand.lines if "ACT 1" in line]
        late += bool(begun)
        ended = hand.lines[-1] if begun else "SET ACT 0 GTO 0"
        assert ended == "SET ACT 0 GTO 0", "the last word ends it"
        assert motion.over
    assert 0 < late < 30, "it came before the motion, and after it had begun"


def test_that_what_a_stop_ended_is_not_taken_up_by_its_release(
    panel: ArmServices, gripper: Gripper, arm: Arm, bench: Bench
) -> None:
    assert not activate(panel)
    until(lambda: finger(bench) > 0.005)
    number = arm.halt()
    arm.latch.release(number)
    until(lambda: not panel.status.activity)
    assert rests(bench)
    assert not gripper.state().active


def test_that_a_person_opens_it_from_a_terminal_a_real_one_only_by_a_word(
    alone: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    registers = RobotiqRegisters(alone.address)
    registers.set(ACT=0)
    told = call("arm", "gripper", "open", "--arm", alone.address)
    assert told.exit_code == 1 and "it is not activated" in told.stdout
    alone.own.ask("switch on")
    registers.set(POS=255, SPE=255, GTO=1)
    registers.close()
    until(lambda: finger(alone) > 0.02 and rests(alone, 0.2))
    with monkeypatch.context() as patch:
        patch.setattr("robots.ur5e.arm.verify_emulator", lambda address, serial: False)
        told = call("arm", "gripper", "open", "--arm", alone.address)
        assert told.exit_code != 0 and "only for a person at a terminal" in told.output
    assert finger(alone) > 0.02
    told = call("arm", "gripper", "open", "--arm", alone.address)
    assert told.exit_code == 0 and told.stdout.strip() == "The gripper is open." and finger(alone) < 0.002
