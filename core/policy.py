"""A method as a policy: what it believes, and which action it wants next.

`begin` returns the first belief, `update` the belief after an observation, and `act` the next action. The
loop carries the action out and reports the outcome as the next observation; the gate, stops, the log and the
ground truth stay with the loop. All three methods are pure: replay, fork and preview call them again, from
any thread.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from core.belief import Answer, Atom, Belief, Query, QueryTopic
from core.knowledge.changes import Knowledge
from core.knowledge.suggestion import SituationReport, Suggestion
from core.operator import Addressee
from core.planning_model import Plan, PlanStatus, Problem, Step
from core.ports import ChatMessage, StepResult
from core.reason import FIRST_PLAN, NO_REASON, Cause, Reason
from core.supervision import SupervisionLevels

HISTORY = 1000  # number of observations kept in a context

# --- actions of a policy ----------------------------------------------------------------------------


@dataclass(frozen=True)
class MakePlan:
    """Solve `problem` with the planner. The next observation is `GotPlan`."""

    problem: Problem
    reason: Reason


@dataclass(frozen=True)
class AskQuestions:
    """Ask these questions in one call, about the current picture.

    `GotAnswers` follows, after a person's review. Without queries it follows at once, and only says that the
    picture was looked at. The OPERATOR can be asked about anything that can be put into words, and after
    `wait_seconds` (None: never) silence counts as no answer.
    """

    queries: tuple[Query, ...]
    addressee: Addressee = Addressee.MODEL
    reason: Reason | None = None
    wait_seconds: float | None = None


@dataclass(frozen=True)
class AskModel:
    """Ask a language model anything else. `GotReply` follows; `purpose` names the kind of request."""

    purpose: str
    messages: tuple[ChatMessage, ...]
    with_picture: bool = False
    reason: Reason | None = None


@dataclass(frozen=True)
class LookFrom:
    """Look from one of `Context.viewpoints`. This is motion, so it passes the gate; `GotPicture` follows."""

    viewpoint: str
    reason: Reason


@dataclass(frozen=True)
class DoSteps:
    """Execute the first of these steps; the others are the rest of its plan.

    Where the steps differ from the current plan, the loop first offers them to the operator. `StepDone` or
    `StepHalted` follows in the next turn, or `GotPlan(accepted=False)` if the operator keeps the old plan.
    """

    steps: tuple[Step, ...]
    reason: Reason


@dataclass(frozen=True)
class ChangeDomain:
    """Continue with another domain, which a person must approve. `DomainChangeDecided` follows.

    A person's edit that leaves no plan, as `has_plan` says, is not applied.
    """

    problem: Problem
    difference: str  # in words, for people
    pddl: str  # the changed domain, for the log
    reason: Reason
    suggestion: Suggestion | None = None  # the changes as values, which a person can edit
    has_plan: Callable[[Problem], bool] | None = field(default=None, compare=False)


@dataclass(frozen=True)
class ClaimGoal:
    """End the episode because the goal is reached, with this probability (None: not estimated)."""

    reason: Reason
    probability: float | None = None


@dataclass(frozen=True)
class GiveUp:
    """Ask a person for help; if nobody is there, the episode ends."""

    reason: Reason


Action = MakePlan | AskQuestions | AskModel | LookFrom | DoSteps | ChangeDomain | ClaimGoal | GiveUp

# --- observations -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class GotPicture:
    """A fresh picture, identified by `frame`; every turn begins with one."""

    turn: int
    frame: str
    viewpoint: str
    begins_turn: bool = True


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

# --- context ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RemainingBudget:
    """What is left of the limits; None means no limit."""

    steps: int | None = None
    calls: int | None = None
    dollars: float | None = None


@dataclass(frozen=True)
class Context:
    """All that a policy may read: the current state of the episode. Created by `advance` only."""

    problem: Problem
    belief: Belief
    turn: int = 0
    plan: tuple[Step, ...] = ()  # remaining steps of the current plan
    plan_count: int = 0  # plans made so far
    replan_reason: Reason | None = FIRST_PLAN  # why a new plan is needed; None: it is not
    last_step: StepDone | None = None  # None at first, and after a halted step
    belief_before: Belief | None = None  # the belief before `last_step`
    replanned: bool = False  # a plan was made since `last_step`
    frame: str = ""  # id of the current picture
    viewpoint: str = ""
    asked_atoms: frozenset[Atom] = frozenset()  # asked about the current picture
    history: tuple[Observation, ...] = ()  # the latest observations, oldest first
    viewpoints: tuple[str, ...] = ()  # where the robot can look from
    remaining: RemainingBudget = field(default_factory=RemainingBudget)
    supervision: SupervisionLevels = field(
        default_factory=SupervisionLevels
    )  # set by the operator, who may change them at any time
    knowledge: Knowledge = field(default_factory=Knowledge)  # what was learnt about the domain

    @property
    def latest(self) -> Observation | None:
        return self.history[-1] if self.history else None

    def this_turn(self) -> tuple[Observation, ...]:
        """Return the observations of the current turn, beginning with its picture."""
        for place in range(len(self.history) - 1, -1, -1):
            seen = self.history[place]
            if isinstance(seen, GotPicture) and seen.begins_turn:
                return self.history[place:]
        return self.history


class Policy(Protocol):
    """A method. It never changes in place: a method that learns returns a new policy."""

    @property
    def name(self) -> str: ...

    def begin(self, problem: Problem) -> Belief: ...

    def update(self, context: Context, observation: Observation) -> Belief:
        """Return the belief after `observation`; `context` and its belief are those before it."""
        ...

    def act(self, context: Context) -> Action: ...


@runtime_checkable
class InterpretsReplies(Protocol):
    """A policy that consults a language model and can say how it interpreted a reply."""

    def interpret_reply(self, reply: GotReply) -> str:
        """Return how the reply is interpreted, for people and the log; "" if it is not an answer."""
        ...


@runtime_checkable
class HandlesSituations(Protocol):
    """A policy that can use situations told in words."""

    def read_situation(self, context: Context, sentence: str, by: str) -> SituationReport:
        """Return the situation as understood, with a fault where it is of no use."""
        ...


@runtime_checkable
class LooksForSituations(Protocol):
    """A policy that can have a vision model asked what is unusual in the picture."""

    def look_for_situation(self, context: Context) -> AskModel: ...

    def seen_situation(self, reply: GotReply) -> str:
        """Return the sentence that the reply tells, on one line; "" if it tells of nothing unusual."""
        ...


@runtime_checkable
class LearningPolicy(Protocol):
    def learn(self, context: Context) -> Policy:
        """Return the policy for the next turn, with what it has learned."""
        ...


@runtime_checkable
class UsesGroundTruth(Protocol):
    """A policy that receives some predicates from a simulator, as in a published program.

    They arrive as sensor answers, so that the log shows it; on a robot without ground truth there are none.
    """

    @property
    def ground_truth_predicates(self) -> frozenset[str]:
        """Return the names of these predicates."""
        ...


def advance(context: Context, observation: Observation, belief: Belief) -> Context:
    """Return the context after an observation that led to this belief."""
    history = (*context.history[1 - HISTORY :], observation)
    now = object.__new__(Context)  # `dataclasses.replace` is too slow to call several times a turn
    now.__dict__.update(context.__dict__, belief=belief, history=history, **_changed(context, observation))
    return now


def _changed(context: Context, seen: Observation) -> dict[str, Any]:
    """Return the fields of the context that an observation changes, besides belief and history."""
    match seen:
        case GotPicture(turn, frame, viewpoint):
            return {"turn": turn, "frame": frame, "viewpoint": viewpoint, "asked_atoms": frozenset()}
        case GotAnswers(queries):
            return {"asked_atoms": context.asked_atoms | {q.atom for q in queries}} if queries else {}
        case GotPlan(plan, accepted):
            steps = plan.steps if accepted else context.plan
            return {
                "plan": steps,
                "replan_reason": None,
                "replanned": True,
                "plan_count": context.plan_count + 1,
            }
        case StepDone(step):
            follows = bool(context.plan) and same_step(step, context.plan[0])
            rest = context.plan[1:] if follows else ()
            reason = (
                None if rest else Reason(Cause.PLAN_COMPLETED if follows else Cause.OTHER_STEP, step=step)
            )
            now = {"plan": rest, "replan_reason": reason, "last_step": seen, "belief_before": context.belief}
            return {**now, "replanned": False}
        case StepHalted():
            return {"last_step": None, "belief_before": None}
        case BeliefCorrected(answers):
            return {"replan_reason": Reason(Cause.CORRECTED, answer=answers[-1] if answers else None)}
        case BeliefRestored(_, undone, problem, knowledge):
            reason = Reason(Cause.UNDONE, answer=undone[-1] if undone else None)
            domain = {} if problem is None else {"problem": problem, "knowledge": knowledge}
            return {"replan_reason": reason, **domain}
        case PlanRequested():
            return {"replan_reason": Reason(Cause.REQUESTED)}
        case DomainChangeDecided(True, problem, _, knowledge):
            reason = Reason(Cause.DOMAIN_CHANGED)
            return {"problem": problem, "replan_reason": reason, "knowledge": knowledge}
        case DomainChangeDecided(False, _, _, knowledge):
            return {"knowledge": knowledge}
    return {}


def same_step(a: Step, b: Step) -> bool:
    """Return True if both steps are equal and have the same values (grasp, pose, ...)."""
    return a == b and a.values == b.values


def same_plan(steps: tuple[Step, ...], plan: Plan) -> bool:
    """Return True if `plan` was found and has exactly these steps, with the same values."""
    return (
        plan.status is PlanStatus.FOUND
        and len(steps) == len(plan.steps)
        and all(map(same_step, steps, plan.steps))
    )
