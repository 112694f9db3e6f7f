"""What the loop asks a person, and what a person may reply. The operator's side of the contract."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from core.belief import Answer, Belief, Contradiction, Query
from core.planning_model import Literal, Plan, Step
from core.ports import Frame
from core.reason import NO_REASON, Reason
from core.step_candidates import StepCandidate
from core.supervision import SupervisionLevels


class Addressee(Enum):
    """Whom a question is for."""

    MODEL = "model"
    OPERATOR = "operator"


@dataclass(frozen=True)
class AnswerReview:
    """Answers before they count."""

    turn: int
    frame: Frame
    queries: tuple[Query, ...]
    answers: tuple[Answer, ...]
    belief: Belief
    contradictions: tuple[Contradiction, ...] = ()
    unavailable_reason: str = ""  # why the model gave no answer, in one sentence; a person is asked instead
    addressee: Addressee = Addressee.MODEL  # OPERATOR: no model was asked, the answers are a person's to give


@dataclass(frozen=True)
class PlanChange:
    """A new plan beside the old one, and why it was made."""

    turn: int
    old_steps: tuple[Step, ...]
    new_plan: Plan
    reason: Reason = NO_REASON

    @property
    def discrepancies(self) -> tuple[Literal, ...]:
        """What was expected and is not believed."""
        return self.reason.literals

    @property
    def trigger(self) -> Answer | None:
        """The answer that caused it, where one did."""
        return self.reason.answer


class ProposalKind(Enum):
    """Why the loop stands at the gate."""

    STEP = "step"  # may this step be done?
    VIEWPOINT = "look"  # may the robot move to look from elsewhere? `step` is (look_from VIEWPOINT)
    DOMAIN_CHANGE = "change"  # may the domain be changed?
    HELP_NEEDED = "help"  # there is no plan, or a part of the program broke
    STOP_RELEASE = "release"  # a stop is in force: nothing moves until a person has released it


@dataclass(frozen=True)
class Proposal:
    """What the loop would do next. `number` is its own: replies are kept under it."""

    number: int
    turn: int
    kind: ProposalKind
    step: Step | None = None
    explanation: str = ""
    belief: Belief = field(default_factory=Belief, repr=False, compare=False)
    stop_number: int = 0  # with RELEASE: the number of the stop that is shown
    candidates: tuple[
        StepCandidate, ...
    ] = ()  # ways to do the step, best first; Approve takes the first that goes
    reason: Reason = NO_REASON


@dataclass(frozen=True)
class Approve:
    by: str = ""


@dataclass(frozen=True)
class Choose:
    """Another applicable step instead."""

    step: Step
    by: str = ""


@dataclass(frozen=True)
class Correct:
    """Atoms set by a person; the turn goes on with asking and planning."""

    answers: tuple[Answer, ...]
    by: str = ""


@dataclass(frozen=True)
class Undo:
    """Take back the last Correct since the last motion."""

    by: str = ""


@dataclass(frozen=True)
class Replan:
    by: str = ""


@dataclass(frozen=True)
class Proceed:
    """Go on after a stop, which is released up to the number that the person saw."""

    release_up_to: int
    by: str = ""


@dataclass(frozen=True)
class StopRaised:
    """A stop came while the loop stood at the gate; it wins over every reply."""

    number: int
    reason: str = ""


@dataclass(frozen=True)
class End:
    reason: str
    by: str = ""


Decision = Approve | Choose | Correct | Undo | Replan | Proceed | StopRaised | End


class Operator(Protocol):
    """A person, or what stands for one. Called from the loop's thread; every method may block."""

    @property
    def supervision(self) -> SupervisionLevels:
        """How much is the person's."""
        ...

    def asks_model(self) -> bool:
        """False: the model is not asked, the person answers (all answers come UNKNOWN to `review`)."""
        ...

    def review(self, review: AnswerReview) -> tuple[Answer, ...]:
        """The answers that count, in the order of the queries.

        Raises AnswererError where the model is away and nobody is here to answer instead.
        """
        ...

    def accept_plan(self, revision: PlanChange) -> bool:
        """Whether the new plan is taken. False keeps the old one."""
        ...

    def decide(self, proposal: Proposal) -> Decision: ...
