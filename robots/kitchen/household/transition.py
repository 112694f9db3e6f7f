"""Record what truly happened in one step in the household."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.planning_model import Step
from core.ports import StepStatus
from robots.kitchen.household.state import HouseholdState

_FELT_SKILLS = frozenset({"find", "grasp", "placein", "placeon"})  # it notices when one has no effect


@dataclass(frozen=True)
class HouseholdTransition:
    """What truly happened in a step. `dropped` is the thing that fell and the floor on which it lies."""

    step: Step
    skill: str
    before: HouseholdState = field(repr=False)
    after: HouseholdState = field(repr=False)
    situation: str = ""
    dropped: tuple[str, str] | None = None
    failed_constraint: str = ""
    replaces_effect: bool = False  # True if the situation occurred instead of the skill's effect
    attempt_key: tuple[str, ...] = ()  # key of the random draw; () if a constraint refused the step

    @property
    def succeeded(self) -> bool:
        """Return True if the skill had its effect."""
        return not self.situation and not self.failed_constraint

    @property
    def reached_target(self) -> bool:
        """Return True if the robot reached the thing that it was looking for."""
        return self.skill == "find" and not self.failed_constraint and not self.replaces_effect

    @property
    def status(self) -> StepStatus:
        """Return what the robot reports: it feels its hand and its path, but not that a tap or a door did not
        obey.
        """
        if self.failed_constraint or self.dropped:
            return StepStatus.FAILED
        if self.situation and self.skill in _FELT_SKILLS and self.after == self.before:
            return StepStatus.FAILED
        return StepStatus.DONE

    @property
    def reason(self) -> str:
        """Return the violated constraint or the situation, in words for people."""
        return self.failed_constraint or self.situation
