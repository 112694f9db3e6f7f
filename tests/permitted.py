"""Permits for tests of what a robot does without a loop; during an episode, from its own authority."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from core.arm.arm_capabilities import ACTIVATION, FREEDRIVE, GripperCommand, JogCommand, RecoveryStep
from core.errors import MotionRefused
from core.permit import Permit, PermitAuthority, PermitKind, PermitLedger
from core.planning_model import Step
from core.ports import Frame, Robot, StepResult, StepStatus, SupportsViewpoints
from core.stop_token import StopToken

if TYPE_CHECKING:
    from robots.ur5e.arm import Arm
    from robots.ur5e.arm_services import ArmServices

BY = "a person"


@contextmanager
def authority_of(ledger: PermitLedger) -> Iterator[PermitAuthority]:
    """The right to issue, claimed while the block runs unless an episode has it."""
    held = ledger._holder.get("holder")
    authority = held or ledger.claim()
    try:
        yield authority
    finally:
        if held is None:
            authority.release()


def do(robot: Robot, step: Step, cancel: StopToken | None = None) -> StepResult:
    """Have the robot do this step on a permit for it; as in the loop, a stop before it means HALTED."""
    with authority_of(robot.permits) as authority:
        permit = authority.issue(PermitKind.STEP, step, authority.last_stop, 1, BY)
        try:
            return robot.do(step, permit, cancel or StopToken())
        except MotionRefused as refused:
            return StepResult(StepStatus.HALTED, str(refused))


def look_from(robot: SupportsViewpoints, viewpoint: str, cancel: StopToken | None = None) -> Frame:
    """Have the robot look from there on a permit for it."""
    with authority_of(robot.permits) as authority:  # type: ignore[attr-defined]
        permit = authority.issue(PermitKind.LOOK, viewpoint, authority.last_stop, 1, BY)
        return robot.look_from(viewpoint, permit, cancel or StopToken())


# --- an arm without a robot ---


@contextmanager
def permitted(arm: Arm, kind: PermitKind = PermitKind.STEP, motion: object = "a move") -> Iterator[Permit]:
    """Keep a permit for the arm open while the block runs."""
    with authority_of(arm.permits) as authority:
        permit = authority.issue(kind, motion, authority.last_stop, 1, BY)
        arm.permits.redeem(permit, motion, kind)
        with arm.control.permitted(permit) as other:
            if other:
                raise MotionRefused(other)
            yield permit


def move_joints(
    arm: Arm, goal: Sequence[float], cancel: StopToken | None = None, scale: float = 1.0
) -> StepResult:
    """Move as for a step."""
    try:
        with permitted(arm):
            return arm.move_joints(goal, cancel or StopToken(), scale)  # type: ignore[arg-type]
    except MotionRefused as refused:
        return StepResult(StepStatus.HALTED, str(refused))


def move_path(
    arm: Arm, way: Sequence[Sequence[float]], cancel: StopToken | None = None, scale: float = 1.0
) -> StepResult:
    """Move through joint points as for a step."""
    try:
        with permitted(arm):
            return arm.move_path(way, cancel or StopToken(), scale)  # type: ignore[arg-type]
    except MotionRefused as refused:
        return StepResult(StepStatus.HALTED, str(refused))


# --- a person at an arm's panel ---------------------------------------------------------------------


def actuate(
    panel: ArmServices, kind: PermitKind, motion: object, begin: Callable[[Permit], str], by: str = BY
) -> str:
    with authority_of(panel.permits) as authority:
        return begin(authority.issue(kind, motion, authority.last_stop, 0, by))


def jog(panel: ArmServices, command: JogCommand) -> str:
    return actuate(panel, PermitKind.JOG, command, partial(panel.begin_jog, command))


def lead(panel: ArmServices, by: str = BY) -> str:
    """Begin freedrive."""
    return actuate(panel, PermitKind.FREEDRIVE, FREEDRIVE, panel.begin_freedrive, by)


def grip(panel: ArmServices, opening: float, speed: float = 1.0, force: float = 0.25) -> str:
    command = GripperCommand(opening, speed, force)
    return actuate(panel, PermitKind.GRIPPER, command, partial(panel.move_gripper, command))


def activate(panel: ArmServices, by: str = BY) -> str:
    return actuate(panel, PermitKind.GRIPPER, ACTIVATION, panel.activate_gripper, by)


def recover(panel: ArmServices, step: RecoveryStep, by: str = BY) -> str:
    return actuate(panel, PermitKind.RECOVERY, step, partial(panel.recover, step), by)
