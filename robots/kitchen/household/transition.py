"""What truly happened in one step in the household."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.planning_model import Step
from core.ports import StepStatus
from robots.kitchen.household.state import HouseholdState

_FELT_SKILLS = frozenset(
    {"find", "grasp", "placein", "placeon"}
)  # the robot notices when these change nothing


@dataclass(frozen=True)
class HouseholdTransition:
    """What truly happened in a step. `dropped` is the thing that fell, and the floor it fell on."""

    step: Step
    skill: str
    before: HouseholdState = field(repr=False)
    after: HouseholdState = field(repr=False)
    situation: str = ""
    dropped: tuple[str, str] | None = None
    failed_constraint: str = ""
    replaces_effect: bool = False  # the situation came instead of what the skill does
    attempt_key: tuple[str, ...] = ()  # what luck was drawn for; () where a constraint refused it

    @property
    def succeeded(self) -> bool:
        """Whether the skill did what it is for."""
        return not self.situation and not self.failed_constraint

    @property
    def reached_target(self) -> bool:
        """Whether the robot came to a thing that it went to look for."""
        return self.skill == "find" and not self.failed_constraint and not self.replaces_effect

    @property
    def status(self) -> StepStatus:
        """What the robot reports: it feels its hand and its way, but not that a tap or a door stayed shut."""
        if self.failed_constraint or self.dropped:
            return StepStatus.FAILED
        if self.situation and self.skill in _FELT_SKILLS and self.after == self.before:
            return StepStatus.FAILED
        return StepStatus.DONE

    @property
    def reason(self) -> str:
        """In words for people: the violated constraint, or the situation."""
        return self.failed_constraint or self.situation
