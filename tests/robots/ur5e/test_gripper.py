"""The gripper: what moves its fingers, and that a stop ends each of these motions."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Thread
from time import monotonic

import pytest

from robots.ur5e.arm import Arm
from robots.ur5e.arm_services import ArmServices
from robots.ur5e.gripper import RobotiqGripper
from tests.permitted import activate
from tests.robots.ur5e.conftest import Bench, until


@pytest.fixture
def gripper(arm: Arm) -> Iterator[RobotiqGripper]:
    """As a hand is that was just switched on."""
    made = RobotiqGripper(arm.setup.address)
    made._set(ACT=0)
    yield made
    made.close()


def finger(bench: Bench) -> float:
    """Metres that each finger has closed."""
    return bench.own.ask("truth").number("finger")


def rests(bench: Bench, seconds: float = 1.0) -> bool:
    """Whether the fingers stand for so long, by the emulator's clock, but for a trembling."""
    truth = bench.own.ask("truth")
    began, at = truth.number("now"), truth.number("finger")
    until(lambda: bench.own.ask("truth").number("now") > began + seconds)
    return abs(finger(bench) - at) < 5e-4


def test_that_activation_closes_and_opens_the_fingers(gripper: RobotiqGripper, bench: Bench) -> None:
    began = bench.own.ask("truth").number("now")
    thread = Thread(target=gripper.activate)
    thread.start()
    until(lambda: finger(bench) > 0.02)
    thread.join()
    assert gripper.state().active and finger(bench) < 0.002
    assert bench.own.ask("truth").number("now") - began > 1.5


def test_that_a_stop_ends_an_activation_in_the_middle(
    panel: ArmServices, gripper: RobotiqGripper, arm: Arm, bench: Bench
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


def test_that_a_stop_while_it_resets_lets_no_activation_begin(
    panel: ArmServices, gripper: RobotiqGripper, arm: Arm, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stop comes between the two halves of an activation, after which it used to move."""
    get = gripper._get

    def stopped_then(name: str) -> int:
        if name == "STA" and not arm.latch.halted and gripper._reset:  # type: ignore[attr-defined]
            arm.halt()
        return get(name)

    def resets(**values: int) -> None:
        gripper._reset = gripper._reset or values.get("ACT") == 0  # type: ignore[attr-defined]
        told.append(values)
        RobotiqGripper._set(gripper, **values)

    told: list[dict[str, int]] = []
    gripper._reset = False  # type: ignore[attr-defined]
    monkeypatch.setattr(gripper, "_get", stopped_then)
    monkeypatch.setattr(gripper, "_set", resets)
    assert not activate(panel)
    until(lambda: arm.latch.halted and not panel.status.activity)
    assert [values.get("ACT") for values in told] == [0]
    assert rests(bench, 0.5)


def test_that_what_a_stop_ended_is_not_taken_up_by_its_release(
    panel: ArmServices, gripper: RobotiqGripper, arm: Arm, bench: Bench
) -> None:
    assert not activate(panel)
    until(lambda: finger(bench) > 0.005)
    number = arm.halt()
    arm.latch.release(number)
    until(lambda: not panel.status.activity)
    assert rests(bench)
    assert not gripper.state().active
