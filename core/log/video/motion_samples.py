"""What an arm does while its live video is kept: joints, torques and gripper, into the log once a second."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite

from core.arm.arm_capabilities import ReportsStatus, SupportsGripper
from core.events import MotionSampled

EACH = 10  # samples of a record


class MotionSamples:
    """Takes a sample of `robot` whenever it is told to; of one that is no arm, none. One thread."""

    def __init__(self, robot: object, record: Callable[[MotionSampled], object]) -> None:
        self._arm = robot if isinstance(robot, ReportsStatus) else None
        self._gripper = robot if isinstance(robot, SupportsGripper) else None
        self._record = record
        self._rows: list[tuple[float, tuple[float, ...], float, tuple[float, ...]]] = []

    def take(self, now: float) -> None:
        """Take a sample at this time of the recorder's clock, if the arm's data are not older."""
        if self._arm is None or not isfinite((status := self._arm.status).age):
            return
        gripper = self._gripper.gripper_status if self._gripper else None
        if self._gripper and gripper is None:
            return  # it has not been asked yet
        opening = round(gripper.opening, 4) if gripper else 0.0
        joints = tuple(round(angle, 5) for angle in status.joints)
        loads = tuple(round(load, 3) for load in status.joint_loads)
        self._rows.append((round(now - status.age, 4), joints, opening, loads))
        if len(self._rows) >= EACH:
            at, all_joints, openings, all_loads = zip(*self._rows, strict=True)
            self._rows = []
            self._record(MotionSampled(at, all_joints, openings, all_loads if any(all_loads) else ()))
