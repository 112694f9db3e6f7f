"""`arm gripper open`: Ctrl+C and `stop` in another terminal halt it, and it does not say that it is open."""

from __future__ import annotations

import signal
from collections.abc import Callable
from dataclasses import replace

import pytest

from app.cli.arm import open_gripper
from core.arm.arm_capabilities import ArmStatus, GripperCommand, GripperStatus
from core.permit import Permit, PermitKind
from core.stop.stop_all import stop_all

STATUS = ArmStatus("running", "normal", "", (), (), 1.0, 0.0, 0.0, False, True)


class Hand:
    """A gripper that opens without end until it is halted; each look at it calls `looked`."""

    gripper_status = GripperStatus(0.0, 0.085, True, False, True)

    def __init__(self, looked: Callable[[], object]) -> None:
        self.looked, self.moves, self.halted = looked, 0, False

    @property
    def status(self) -> ArmStatus:
        if self.moves and not self.halted:
            self.looked()
        return STATUS if self.halted else replace(STATUS, activity="opens")

    def move_gripper(self, command: GripperCommand, permit: Permit) -> str:
        self.moves += 1
        return ""

    def halt(self) -> int:
        self.halted = True
        return 1


def opened(hand: Hand) -> str:
    def actuate(kind: PermitKind, command: object, move: Callable[[object], str]) -> str:
        assert kind is PermitKind.GRIPPER
        return move(None)

    return open_gripper(hand, actuate)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("press", "reason"),
    [(lambda: signal.raise_signal(signal.SIGINT), "Ctrl+C"), (stop_all, "stopped from a terminal")],
    ids=["Ctrl+C", "stop"],
)
def test_that_an_opening_gripper_is_halted(press: Callable[[], object], reason: str) -> None:
    hand = Hand(press)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # tests may run where it is ignored
    try:
        said = opened(hand)
    finally:
        signal.signal(signal.SIGINT, before)
    assert hand.halted and hand.moves == 1
    assert said.startswith("The gripper was stopped (") and reason.lower() in said.lower()
