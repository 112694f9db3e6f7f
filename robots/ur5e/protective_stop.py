"""Recovery from a protective stop, step by step, each taken by a person. Nothing here moves the arm."""

from __future__ import annotations

from enum import Enum
from time import monotonic

from core.arm.arm_capabilities import RecoveryStep
from core.errors import RobotNotReady
from robots.ur5e.arm import Arm
from robots.ur5e.modes import MOTION_ALLOWED, SAFETY_MODE_TEXT, RobotMode, SafetyMode

UNLOCK_WAIT_S = 5.5  # the controller refuses to unlock within 5


class RecoveryStage(Enum):
    NONE = "nothing to recover from"
    INSPECT = "look what caused the stop, then confirm"
    WAIT = "wait until the controller allows it"
    UNLOCK = "unlock"
    PENDANT_ONLY = "only the pendant can help"


class ProtectiveStopRecovery:
    """Guides one recovery of one arm. Called from one thread."""

    def __init__(self, arm: Arm) -> None:
        self._arm = arm
        self._first_seen: float | None = None  # time at which this stop was first seen
        self._inspected = False

    @property
    def stage(self) -> RecoveryStage:
        state = self._arm.state
        if state is None:
            return RecoveryStage.PENDANT_ONLY
        if state.safety is not SafetyMode.PROTECTIVE_STOP:
            self._first_seen, self._inspected = None, False
            return RecoveryStage.NONE if state.safety in MOTION_ALLOWED else RecoveryStage.PENDANT_ONLY
        self._first_seen = self._first_seen or monotonic()
        if not self._inspected:
            return RecoveryStage.INSPECT
        return RecoveryStage.WAIT if self.seconds_left > 0 else RecoveryStage.UNLOCK

    @property
    def seconds_left(self) -> float:
        """Return the seconds until the stop can be unlocked."""
        return 0.0 if self._first_seen is None else max(0.0, UNLOCK_WAIT_S - (monotonic() - self._first_seen))

    def confirm_inspection(self) -> None:
        """Record that a person has inspected the arm and allows it to be unlocked."""
        self._inspected = self.stage is RecoveryStage.INSPECT or self._inspected

    def unlock(self) -> None:
        """Close the popup and unlock. The halt stays latched. Needs an open permit. Raises RobotError."""
        stage, arm = self.stage, self._arm
        if stage is not RecoveryStage.UNLOCK:
            raise RobotNotReady(f"The stop cannot be unlocked now: {stage.value}.")
        remote = arm.remote_control_check()
        if not remote.ok:
            raise RobotNotReady(f"The stop cannot be unlocked from here: {remote.reason}.")
        arm.control.recover(RecoveryStep.UNLOCK)
        if not arm.receiver.wait(lambda s: s.safety in MOTION_ALLOWED and s.robot is RobotMode.RUNNING, 5):
            state = arm.state
            now = SAFETY_MODE_TEXT[state.safety] if state else "not known"
            raise RobotNotReady(f"The arm was unlocked, but its safety mode is {now}: look at the pendant.")
        self._first_seen, self._inspected = None, False
