"""Say what the robot itself does now, from its own data and not from this window's episode. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from app.presentation.decision_section import DecisionSection, DecisionSummary
from app.presentation.formatting import age
from core.arm.arm_capabilities import ArmStatus, ReportsStatus
from core.arm.handover import SharedArm, SharesArm
from core.ports import Robot
from core.state.causes import capitalised

SILENT = 1.0  # seconds without data after which an arm's state is not known
BY_HAND = {"jogging": "jogged by hand", "freedrive": "led by hand"}


@dataclass(frozen=True)
class RobotWords:
    """`text` in a few words; `level` is "doubt" or "fault" while a person should know it first of all."""

    text: str
    level: str = ""
    remedy: str = ""


STILL = RobotWords("stands still")


def arm_words(status: ArmStatus, shared: SharedArm | None, unsafe_for: float) -> RobotWords:
    """Return the words for an arm. `unsafe_for` is how many seconds its safety stop has lasted."""
    if status.age > SILENT:
        old = "no data yet" if math.isinf(status.age) else f"no data for {age(status.age)}"
        return RobotWords(old, "fault", "Whether it moves is not known: look at the arm.")
    if not status.safe:
        remedy = "The Robot panel leads out of it, step by step."
        return RobotWords(f"{status.safety}, {age(unsafe_for)}", "fault", remedy)
    if shared is not None and not shared.moves and not shared.free:
        who = shared.mover.operator if shared.mover is not None else "another console"
        verb = "stands still for" if shared.still and not status.moving else "is moved by"
        return RobotWords(f"{verb} {who}", "doubt", f"{who} has control: ask for it in the Robot panel.")
    if status.activity in BY_HAND:
        return RobotWords(BY_HAND[status.activity])
    if status.moving:
        return RobotWords("moves")
    if status.mode != "running":
        return RobotWords(status.mode, "doubt", "The Robot panel leads to a start, step by step.")
    return STILL


def with_robot(summary: DecisionSummary, robot: RobotWords | None) -> DecisionSummary:
    """Return the sections with the robot's own state first, while a person should know it first of all."""
    if robot is None or not robot.level:
        return summary
    doubt, following = summary.doubt, summary.next
    also = doubt.head if doubt.level else ""
    return replace(
        summary,
        next=replace(following, word=f"ROBOT: {robot.text.upper()}  ·  {following.word}", level=robot.level),
        doubt=DecisionSection("ROBOT", capitalised(robot.text), (robot.remedy, also), robot.level),
    )


class RobotWatch:
    """Reads a robot again and again, and knows since when a safety stop has been in force."""

    def __init__(self) -> None:
        self._unsafe_since: float | None = None

    def look(self, robot: Robot | None, acting: bool, now: float) -> RobotWords | None:
        """Return what the robot does at `now` (seconds of a monotonic clock), None without a robot.

        `acting` is whether this window's episode has a step under way.
        """
        if robot is None:
            self._unsafe_since = None
            return None
        if not isinstance(robot, ReportsStatus):
            return RobotWords("moves") if acting else STILL
        status = robot.status
        if status.safe:
            self._unsafe_since = None
        elif self._unsafe_since is None:
            self._unsafe_since = now
        lasted = now - self._unsafe_since if self._unsafe_since is not None else 0.0
        return arm_words(status, robot.shared if isinstance(robot, SharesArm) else None, lasted)
