"""Define what a policy gets back: pictures, readings, answers, plans, results, a person's decisions."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.belief import Answer, Belief, Query, QueryTopic
from core.knowledge.changes import Knowledge
from core.knowledge.suggestion import SituationReport, Suggestion
from core.operator import Addressee
from core.planning_model import Plan, Problem, Step
from core.ports import StepResult
from core.reason import NO_REASON, Reason
from core.scene import Scene


@dataclass(frozen=True)
class GotPicture:
    """A fresh picture, identified by `frame`; every turn begins with one."""

    turn: int
    frame: str
    viewpoint: str
    begins_turn: bool = True


@dataclass(frozen=True)
class GotScene:
    """Where things are, as the robot that is about to plan a wish sees them."""

    scene: Scene


@dataclass(frozen=True)
class GotSenses:
    """The readings of the non-vision sensors, once a turn, after its picture."""

    answers: tuple[Answer, ...]


@dataclass(frozen=True)
class GotAnswers:
    """The answers as reviewed, in the order of the queries. UNKNOWN is not NO."""

    queries: tuple[Query, ...]
    answers: tuple[Answer, ...]
    addressee: Addressee = Addressee.MODEL
    reviewed: bool = False  # a person has looked, and let them count as they are

    @property
    def facts(self) -> tuple[Answer, ...]:
        """Return the answers about facts of the domain."""
        return self.on_topic(QueryTopic.FACT)

    def on_topic(self, topic: QueryTopic) -> tuple[Answer, ...]:
        return tuple(a for q, a in zip(self.queries, self.answers, strict=True) if q.topic is topic)


@dataclass(frozen=True)
class GotReply:
    """A language model's reply to `AskModel`, or in `error` why there is none.

    `prompt` is the last message that it replies to.
    """

    purpose: str
    text: str
    error: str = ""
    prompt: str = ""


@dataclass(frozen=True)
class GotPlan:
    """A plan, or the reason why there is none.

    `accepted` is False if a person kept the old plan, and `changed` is False if this is already the current
    one. `reason` is why it was made.
    """

    plan: Plan
    accepted: bool = True
    changed: bool = True
    reason: Reason = NO_REASON


@dataclass(frozen=True)
class StepDone:
    """A step that ran to its end, whether it succeeded or failed, and the robot's report."""

    step: Step
    result: StepResult


@dataclass(frozen=True)
class StepHalted:
    """A step that was halted part-way; how far it got is unknown."""

    step: Step


@dataclass(frozen=True)
class BeliefCorrected:
    """Atoms that a person corrected."""

    answers: tuple[Answer, ...]


@dataclass(frozen=True)
class BeliefRestored:
    """A person undid the latest correction, which is `undone`; `belief` is the belief before it."""

    belief: Belief
    undone: tuple[Answer, ...] = ()
    problem: Problem | None = None  # with `knowledge`: a change of the domain was undone
    knowledge: Knowledge | None = None


@dataclass(frozen=True)
class PlanRequested:
    """A person requested another plan."""


@dataclass(frozen=True)
class ProceedRequested:
    """A person let the episode continue after the policy asked for help."""


@dataclass(frozen=True)
class GotSituation:
    """A situation that the policy can use, told by the robot or by a person."""

    situation: SituationReport


@dataclass(frozen=True)
class DomainChangeDecided:
    """A person's decision on a domain change; if accepted, `problem` is now in force.

    `suggestion` has the changes as they were admitted, or those that were refused.
    """

    accepted: bool
    problem: Problem
    suggestion: Suggestion | None = None
    knowledge: Knowledge = field(default_factory=Knowledge)


Observation = (
    GotPicture
    | GotScene
    | GotSenses
    | GotAnswers
    | GotReply
    | GotPlan
    | StepDone
    | StepHalted
    | BeliefCorrected
    | BeliefRestored
    | PlanRequested
    | ProceedRequested
    | GotSituation
    | DomainChangeDecided
)
