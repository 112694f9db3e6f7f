"""Define what the loop asks a person, and what a person may reply: the operator's side of the contract."""

from __future__ import annotations

import getpass
import os
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from core.arm.step_candidates import StepCandidate
from core.belief import Answer, Belief, Contradiction, Query
from core.knowledge.changes import Change
from core.knowledge.suggestion import Suggestion
from core.planning_model import Plan, Step, same_step
from core.ports import Frame
from core.reason import NO_REASON, Reason, RepeatedFailure
from core.supervision import SupervisionLevels
from core.text.untrusted_text import one_line

OPERATOR_VARIABLE = "DKPROMPT_OPERATOR"
_LONGEST_NAME = 40


def operator_name() -> str:
    """Return the name of the person at this program: as set by `--operator`, else of the computer's user."""
    try:
        return one_line(os.environ.get(OPERATOR_VARIABLE) or getpass.getuser(), _LONGEST_NAME) or "operator"
    except (KeyError, OSError):
        return "operator"


class Addressee(Enum):
    """Who a question is for."""

    MODEL = "model"
    OPERATOR = "operator"


@dataclass(frozen=True)
class AnswerReview:
    """Answers that wait for review."""

    turn: int
    frame: Frame
    queries: tuple[Query, ...]
    answers: tuple[Answer, ...]
    belief: Belief
    contradictions: tuple[Contradiction, ...] = ()
    unavailable_reason: str = ""  # why the model gave no answer, in one sentence; a person answers
    addressee: Addressee = Addressee.MODEL  # OPERATOR: no model was asked; a person answers
    wait_seconds: float | None = None  # with OPERATOR: afterwards silence counts as no answer
    model_reached: bool = True  # False: asking again helps nothing, so without a person the episode ends


@dataclass(frozen=True)
class PlanChange:
    """A new plan beside the old one, and why it was made."""

    turn: int
    old_steps: tuple[Step, ...]
    new_plan: Plan
    reason: Reason = NO_REASON

    @property
    def trigger(self) -> Answer | None:
        """Return the answer that caused the change, if one did."""
        return self.reason.answer

    @property
    def added_steps(self) -> tuple[Step, ...]:
        """Return the steps of the new plan that the old one does not have, or has with other values."""
        return tuple(s for s in self.new_plan.steps if not any(same_step(s, old) for old in self.old_steps))

    @property
    def size(self) -> str:
        """Return how long the plans are, such as "8 → 9 steps, 2 new"."""
        return f"{len(self.old_steps)} → {self.new_plan.size}, {len(self.added_steps)} new"


class ProposalKind(Enum):
    """Why the loop waits at the gate."""

    STEP = "step"  # may this step be done?
    VIEWPOINT = "look"  # may the robot move to look from elsewhere? `step` is (look_from VIEWPOINT)
    DOMAIN_CHANGE = "change"  # may the domain be changed?
    HELP_NEEDED = "help"  # there is no plan, or a part of the program failed
    STOP_RELEASE = "release"  # a stop is in force: nothing moves until a person has released it


@dataclass(frozen=True)
class Proposal:
    """The loop's proposed next action. Replies refer to it by `number`."""

    number: int
    turn: int
    kind: ProposalKind
    step: Step | None = None
    explanation: str = ""
    belief: Belief = field(default_factory=Belief, repr=False, compare=False)
    stop_number: int = 0  # with STOP_RELEASE: the number of the stop that is shown
    candidates: tuple[
        StepCandidate, ...
    ] = ()  # ways to do the step, best first; Approve takes the first available
    reason: Reason = NO_REASON
    failing: RepeatedFailure | None = None  # the step keeps failing: it waits at any level
    suggestion: Suggestion | None = None  # with DOMAIN_CHANGE: what was learnt, with its evidence
    late: bool = False  # with STOP_RELEASE: something did not come in time (`Late`)


@dataclass(frozen=True)
class Approve:
    by: str = ""


@dataclass(frozen=True)
class Choose:
    """Execute another applicable step instead."""

    step: Step
    by: str = ""


@dataclass(frozen=True)
class AcceptEdited:
    """Accept a suggestion with these changes in place of its own."""

    changes: tuple[Change, ...]
    by: str = ""


@dataclass(frozen=True)
class RefuseSuggestion:
    """Refuse a suggestion: nothing of it is suggested again in this episode."""

    by: str = ""


@dataclass(frozen=True)
class TellSituation:
    """Tell the method what is unusual, in a sentence; at any time, and it counts in this turn.

    With an empty sentence the model is asked what it sees, and a person whether that is so.
    """

    sentence: str
    by: str = ""


@dataclass(frozen=True)
class Correct:
    """Set atoms by hand; the turn continues with asking and planning."""

    answers: tuple[Answer, ...]
    by: str = ""


@dataclass(frozen=True)
class Undo:
    """Undo the last Correct, or the last accepted change of the domain, since the last motion.

    The loop notes in `answers` what it takes back.
    """

    by: str = ""
    answers: tuple[Answer, ...] = ()


@dataclass(frozen=True)
class Replan:
    by: str = ""


@dataclass(frozen=True)
class Proceed:
    """Continue after a stop, releasing stops up to the last number that the person saw."""

    release_up_to: int
    by: str = ""


@dataclass(frozen=True)
class StopRaised:
    """A stop that came while the loop waited at the gate; it takes precedence over every reply."""

    number: int
    reason: str = ""


@dataclass(frozen=True)
class End:
    reason: str
    by: str = ""


Decision = (
    Approve
    | Choose
    | Correct
    | Undo
    | Replan
    | Proceed
    | StopRaised
    | End
    | AcceptEdited
    | RefuseSuggestion
    | TellSituation
)


class Operator(Protocol):
    """A person, or a stand-in for one. Called from the loop's thread; every method may block."""

    @property
    def supervision(self) -> SupervisionLevels:
        """Return the current supervision levels."""

    def asks_model(self) -> bool:
        """Return False if the person answers, not the model; `review` then receives UNKNOWN answers only."""

    def review(self, review: AnswerReview) -> tuple[Answer, ...]:
        """Return the answers that count, in the order of the queries.

        Raises AnswererError if the model is unavailable and nobody is there to answer instead.
        """

    def accept_plan(self, revision: PlanChange) -> bool | None:
        """Return True to accept the new plan, False to keep the old one.

        None withdraws the offer undecided: a correction, a stop or the end came first.
        """

    def next_correction(self) -> Correct | Undo | Replan | TellSituation | End | None:
        """Return what a person submitted while the loop was elsewhere, the oldest first; None for nothing."""

    def decide(self, proposal: Proposal) -> Decision: ...
