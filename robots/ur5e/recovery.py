"""Out of a protective stop, step by step, each by a person. Nothing here moves the arm."""

from __future__ import annotations

from enum import Enum
from time import monotonic

from core.errors import RobotNotReady
from robots.ur5e.arm import Arm
from robots.ur5e.modes import MOVABLE, SAFETY_WORDS, RobotMode, SafetyMode

WAIT = 5.5  # seconds; the controller refuses to unlock within 5


class Stage(Enum):
    NOTHING = "nothing to recover from"
    INSPECT = "look what caused the stop, then confirm"
    WAIT = "wait until the controller allows it"
    UNLOCK = "unlock"
    ELSEWHERE = "only the pendant can help"


class Recovery:
    """One wizard for one arm. Called from one thread."""

    def __init__(self, arm: Arm) -> None:
        self._arm = arm
        self._seen: float | None = None  # when this stop was first seen
        self._by = ""

    @property
    def stage(self) -> Stage:
        state = self._arm.state
        if state is None:
            return Stage.ELSEWHERE
        if state.safety is not SafetyMode.PROTECTIVE_STOP:
            self._seen, self._by = None, ""
            return Stage.NOTHING if state.safety in MOVABLE else Stage.ELSEWHERE
        self._seen = self._seen or monotonic()
        if not self._by:
            return Stage.INSPECT
        return Stage.WAIT if self.left > 0 else Stage.UNLOCK

    @property
    def left(self) -> float:
        """Seconds until the stop can be unlocked."""
        return 0.0 if self._seen is None else max(0.0, WAIT - (monotonic() - self._seen))

    def inspected(self, by: str) -> None:
        """A person has looked and says that the arm may be unlocked."""
        if not by:
            raise RobotNotReady("Only a person may say that the cause of the stop is gone: say who.")
        if self.stage is Stage.INSPECT:
            self._by = by

    def unlock(self) -> None:
        """Close the popup and unlock. The halt stays latched. Raises RobotNotReady."""
        stage, arm = self.stage, self._arm
        if stage is not Stage.UNLOCK:
            raise RobotNotReady(f"The stop cannot be unlocked now: {stage.value}.")
        remote = arm.remote()
        if not remote.ok:
            raise RobotNotReady(f"The stop cannot be unlocked from here: {remote.reason}.")
        arm.dashboard.ask("close safety popup")
        reply = arm.dashboard.ask("unlock protective stop")
        if reply != "Protective stop releasing":
            raise RobotNotReady(f"The controller does not unlock: {reply}.")
        if not arm.receiver.wait(lambda s: s.safety in MOVABLE and s.robot is RobotMode.RUNNING, 5):
            state = arm.state
            now = SAFETY_WORDS[state.safety] if state else "not known"
            raise RobotNotReady(f"The arm was unlocked, but its safety mode is {now}: look at the pendant.")
        self._seen, self._by = None, ""
