"""Freedrive, gripper and speed slider: who may, and what ends it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from threading import Event
from time import monotonic

import pytest

from core.arm import arm_capabilities
from core.arm.arm_capabilities import ACTIVATION, PreflightCheck
from core.errors import RobotNotReady
from core.permit import PermitKind
from core.ports import StepStatus
from robots.remote.wire_message import JsonValue
from robots.ur5e import rtde
from robots.ur5e.arm import Arm
from robots.ur5e.arm_services import ArmServices
from robots.ur5e.gripper.gripper import Gripper
from tests.permitted import activate, grip, jog, lead, move_joints, permitted
from tests.robots.ur5e.conftest import UP, Bench, stays, until


class Counted(Gripper):
    """Counts what it is told to do."""

    told = 0

    def _move(self, kind: str, interrupted: Callable[[], bool], longest: float, **body: JsonValue) -> None:
        self.told += 1
        super()._move(kind, interrupted, longest, **body)


@pytest.fixture
def gripper(arm: Arm) -> Iterator[Counted]:
    made = Counted(arm)
    with permitted(arm, PermitKind.GRIPPER, ACTIVATION):
        made.activate(lambda: False)
    made.told = 0
    yield made
    made.close()


@pytest.mark.parametrize("released", [False, True], ids=["in force", "released again"])
def test_that_a_stop_before_its_turn_comes_keeps_the_gripper_still(
    released: bool, panel: ArmServices, gripper: Counted, arm: Arm, monkeypatch: pytest.MonkeyPatch
) -> None:
    asking, answered, remote = Event(), Event(), arm.remote_control_check

    def slowly() -> PreflightCheck:
        asking.set()
        answered.wait(10)
        return remote()

    monkeypatch.setattr(arm, "remote_control_check", slowly)  # what moves the gripper asks it too, and waits
    assert asking.wait(10)
    assert not grip(panel, 0.02)
    number = arm.halt()
    if released:
        arm.latch.release(number)
    answered.set()
    until(lambda: panel.status.activity == "")
    assert gripper.told == 0


def test_that_freedrive_is_over_when_its_link_is_lost(panel: ArmServices, arm: Arm, bench: Bench) -> None:
    assert not lead(panel)
    bench.own.inject_fault("drop")
    until(lambda: panel.status.activity == "")
    until(lambda: all(check.ok for check in arm.preflight()))
    arm.release_stop(99)
    assert arm.state is not None
    assert move_joints(arm, arm.state.q).status is StepStatus.DONE


def test_that_freedrive_needs_a_person_and_no_stop_and_keeps_steps_out(panel: ArmServices, arm: Arm) -> None:
    with pytest.raises(RobotNotReady, match="say who"):
        lead(panel, by="")
    assert not lead(panel)
    assert "freedrive" in jog(panel, UP)
    assert arm.state is not None
    assert move_joints(arm, arm.state.q).status is StepStatus.HALTED
    panel.end_freedrive()
    until(lambda: panel.status.activity == "")
    assert move_joints(arm, arm.state.q).status is StepStatus.DONE
    arm.halt()
    assert "stop is in force" in lead(panel)


def test_that_freedrive_ends_where_nobody_goes_on_holding(panel: ArmServices, arm: Arm) -> None:
    assert not lead(panel)
    end = monotonic() + 2 * arm_capabilities.FREEDRIVE_TIMEOUT
    while monotonic() < end:
        assert not panel.keep_freedrive_alive()
        Event().wait(0.04)
    assert panel.status.activity == "freedrive", "it lasts as long as it is held"
    until(lambda: panel.status.activity == "")
    assert "press again" in panel.keep_freedrive_alive()
    assert panel.status.activity == "", "what has ended does not begin again"
    assert arm.state is not None
    assert move_joints(arm, arm.state.q).status is StepStatus.DONE


def test_that_nothing_is_moved_by_hand_while_the_pendant_has_the_arm(
    panel: ArmServices, bench: Bench
) -> None:
    bench.own.inject_fault("local")
    until(lambda: not panel.preflight()[3].ok)
    moves = (jog(panel, UP), grip(panel, 0.02), lead(panel))
    assert all("local control" in why for why in moves)
    assert panel.status.activity == ""
    stays(bench, 0.2)


def test_that_a_stop_ends_freedrive(panel: ArmServices, arm: Arm, bench: Bench) -> None:
    assert not lead(panel)
    arm.halt()
    until(lambda: panel.status.activity == "")
    stays(bench)


def test_that_the_gripper_is_activated_by_a_person_and_goes_where_it_is_told(
    panel: ArmServices, arm: Arm
) -> None:
    with pytest.raises(RobotNotReady, match="say who"):
        activate(panel, by="")
    assert not activate(panel)
    until(
        lambda: panel.gripper_status is not None and panel.gripper_status.active and not panel.status.activity
    )
    began = monotonic()
    assert not grip(panel, 0.02, speed=0.0, force=0.2)
    assert monotonic() - began < 1, "it does not wait for the gripper, which is on its way for longer"
    until(lambda: panel.gripper_status is not None and abs(panel.gripper_status.opening - 0.02) < 0.002)
    until(lambda: not panel.status.activity)
    arm.halt()
    assert "stop is in force" in grip(panel, 0.05)


def test_that_a_speed_that_the_controller_does_not_take_is_told(
    panel: ArmServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_mask(recipe: rtde.Recipe, values: Sequence[float]) -> bytes:
        return recipe.layout.pack(recipe.id, *((0, values[1]) if len(values) == 2 else values))

    assert not panel.set_speed(1.0)
    until(lambda: panel.status.speed == 1.0)
    with monkeypatch.context() as patch:
        patch.setattr(rtde.Recipe, "pack", without_mask)
        assert not panel.set_speed(0.5)
        until(lambda: panel.status.last_error == "the controller keeps the speed at 100%")
    assert not panel.set_speed(0.9)
    until(lambda: abs(panel.status.speed - 0.9) < 1e-6 and not panel.status.last_error)
    panel.set_speed(1.0)


def test_that_the_speed_slider_is_never_zero(panel: ArmServices) -> None:
    assert not panel.set_speed(0.0)
    until(lambda: abs(panel.status.speed - 0.02) < 1e-6)
    assert not panel.set_speed(1.0)
    until(lambda: panel.status.speed == 1.0)
