"""Every way to move a robot, and every permit that must not let it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from core.arm.arm_capabilities import (
    ACTIVATION,
    FREEDRIVE,
    GripperCommand,
    JogCommand,
    JogFrame,
    RecoveryStep,
    ReportsStatus,
    SupportsFreedrive,
    SupportsGripper,
    SupportsJog,
    SupportsRecovery,
)
from core.errors import MotionRefused
from core.permit import Permit, PermitAuthority, PermitKind
from core.planning_model import Step
from core.ports import Embodiment, Robot, SupportsViewpoints
from core.stop_token import StopToken
from tests.permitted import BY

UP, DOWN = (JogCommand(JogFrame.BASE, 2, speed) for speed in (0.2, -0.2))
HALF, SHUT = GripperCommand(0.02), GripperCommand(0.0)


@dataclass(frozen=True)
class Actuator:
    """A method that moves a robot, with the motion that it is told to make, and another one."""

    kind: PermitKind
    motion: object
    other: object
    call: Callable[[Permit], object]

    def refused(self, permit: Permit | None) -> bool:
        """Whether it is the permit that keeps it from moving."""
        try:
            told = self.call(permit)  # type: ignore[arg-type]
        except MotionRefused:
            return True
        return isinstance(told, str) and "permit" in told


def actuators(robot: Robot, step: Step, other: Step) -> Iterator[Actuator]:
    yield Actuator(PermitKind.STEP, step, other, lambda permit: robot.do(step, permit, StopToken()))
    if isinstance(robot, SupportsViewpoints):
        left, right = robot.viewpoints[:2]
        yield Actuator(PermitKind.LOOK, left, right, lambda p: robot.look_from(left, p, StopToken()))
    if isinstance(robot, SupportsJog):
        yield Actuator(PermitKind.JOG, UP, DOWN, partial(robot.begin_jog, UP))
    if isinstance(robot, SupportsFreedrive):
        yield Actuator(PermitKind.FREEDRIVE, FREEDRIVE, UP, robot.begin_freedrive)
    if isinstance(robot, SupportsGripper):
        yield Actuator(PermitKind.GRIPPER, HALF, SHUT, partial(robot.move_gripper, HALF))
        yield Actuator(PermitKind.GRIPPER, ACTIVATION, HALF, robot.activate_gripper)
    if isinstance(robot, SupportsRecovery):
        for way in RecoveryStep:
            elsewhere = next(w for w in RecoveryStep if w is not way)
            yield Actuator(PermitKind.RECOVERY, way, elsewhere, partial(robot.recover, way))


def issued(authority: PermitAuthority, actuator: Actuator, **changes: object) -> Permit:
    words = {"kind": actuator.kind, "motion": actuator.motion, "stop_number": authority.last_stop} | changes
    return authority.issue(**words, proposal=1, by=BY)  # type: ignore[arg-type]


def frauds(
    robot: Robot, authority: PermitAuthority, actuator: Actuator
) -> Iterator[tuple[str, Permit | None]]:
    """Yield what must be refused, with its name."""
    yield "none", None
    yield "never issued", Permit(10**6, actuator.kind, str(actuator.motion), 1, authority.last_stop, BY)
    used = issued(authority, actuator)
    robot.permits.redeem(used, actuator.motion, actuator.kind)
    yield "used", used
    yield "a copy", replace(issued(authority, actuator))
    changed = issued(authority, actuator, motion=actuator.other)
    object.__setattr__(changed, "what", issued(authority, actuator).what)
    yield "changed", changed
    yield "for another motion", issued(authority, actuator, motion=actuator.other)
    for kind in PermitKind:
        restores = kind is PermitKind.RESTORE and robot.embodiment is Embodiment.SIM
        if kind is not actuator.kind and not (restores and actuator.kind is PermitKind.STEP):
            yield f"for {kind.value}", issued(authority, actuator, kind=kind)
    yield "under a stop to come", issued(authority, actuator, stop_number=authority.last_stop + 1)


def joints(robot: Robot) -> tuple[float, ...]:
    """The joints of an arm, from data that came after everything that was asked of it; else ()."""
    if not isinstance(robot, ReportsStatus):
        return ()
    for _ in range(5):
        robot.arm.receiver.wait(lambda state: True, 1.0)  # type: ignore[attr-defined]
    assert not robot.status.activity and not robot.status.moving
    return tuple(round(q, 3) for q in robot.status.joints)
