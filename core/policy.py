"""A method as a policy: what it believes, and what it wants next. Values in, values out.

`begin` gives the first belief, `update` the belief after an observation, `act` what the policy wants. The
loop carries it out, tells the outcome as the next observation, and keeps looking, gate, stop, log and
truth to itself. All three are pure: replay, fork and preview call them again, from any thread.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from core.belief import Answer, Atom, Belief, Query, QueryTopic
from core.operator import Addressee
from core.planning_model import Plan, PlanStatus, Problem, Step
from core.ports import ChatMessage, StepResult
from core.reason import FIRST_PLAN, Cause, Reason
from core.supervision import SupervisionLevels

HISTORY = 200  # observations that a context keeps

# --- what a policy wants ----------------------------------------------------------------------------


@dataclass(frozen=True)
class MakePlan:
    """Let the planner solve `problem`; `GotPlan` comes back."""

    problem: Problem
    reason: Reason


@dataclass(frozen=True)
class AskQuestions:
    """Ask these in one call, on the picture of now; `GotAnswers` comes back, after a person's review.

    With nothing to ask, `GotAnswers` comes back at once: the picture has been looked at. The OPERATOR can be
    asked about anything that has words.
    """

    queries: tuple[Query, ...]
    addressee: Addressee = Addressee.MODEL
    reason: Reason | None = None


@dataclass(frozen=True)
class AskModel:
    """Ask a language model anything else; `GotReply` comes back. `purpose` names the kind of question."""

    purpose: str
    messages: tuple[ChatMessage, ...]
    with_picture: bool = False
    reason: Reason | None = None


@dataclass(frozen=True)
class LookFrom:
    """Look from one of `Context.viewpoints`: motion, so through the gate. `GotPicture` comes back."""

    viewpoint: str
    reason: Reason


@dataclass(frozen=True)
class DoSteps:
    """Do the first of these steps; the rest is the plan that it belongs to.

    Where they differ from the plan in force, the loop offers them to the operator first. `StepDone` or
    `StepHalted` comes back in the next turn, `GotPlan(accepted=False)` if the operator keeps the old plan.
    """

    steps: tuple[Step, ...]
    reason: Reason


@dataclass(frozen=True)
class ChangeDomain:
    """Go on with another domain; a person has to agree. `DomainChangeDecided` comes back."""

    problem: Problem
    difference: str  # in words
    pddl: str  # the changed domain, for the log
    reason: Reason


@dataclass(frozen=True)
class ClaimGoal:
    """End the episode: the goal is reached, with this probability (None: not estimated)."""

    reason: Reason
    probability: float | None = None


@dataclass(frozen=True)
class GiveUp:
    """Ask a person for help; where nobody is there, the episode ends."""

    reason: Reason


Action = MakePlan | AskQuestions | AskModel | LookFrom | DoSteps | ChangeDomain | ClaimGoal | GiveUp

# --- what comes back --------------------------------------------------------------------------------


@dataclass(frozen=True)
class GotPicture:
    """A fresh picture; a turn begins with one. `frame` is its id."""

    turn: int
    frame: str
    viewpoint: str
    begins_turn: bool = True


@dataclass(frozen=True)
class GotSenses:
    """What the non-vision senses tell, once a turn, after its picture."""

    answers: tuple[Answer, ...]


@dataclass(frozen=True)
class GotAnswers:
    """The answers that count, in the order of the queries. UNKNOWN is not NO."""

    queries: tuple[Query, ...]
    answers: tuple[Answer, ...]
    addressee: Addressee = Addressee.MODEL

    @property
    def facts(self) -> tuple[Answer, ...]:
        """Those about facts of the domain."""
        return self.on_topic(QueryTopic.FACT)

    def on_topic(self, topic: QueryTopic) -> tuple[Answer, ...]:
        return tuple(a for q, a in zip(self.queries, self.answers, strict=True) if q.topic is topic)


@dataclass(frozen=True)
class GotReply:
    """What a language model said to `AskModel`, or why there is no reply (`error`)."""

    purpose: str
    text: str
    error: str = ""


@dataclass(frozen=True)
class GotPlan:
    """A plan, or why there is none. Not `accepted`: a person kept the old one. Not `changed`: it is the one
    in force."""

    plan: Plan
    accepted: bool = True
    changed: bool = True


@dataclass(frozen=True)
class StepDone:
    """A step was done, and what the robot reported of it; a failed one as well."""

    step: Step
    result: StepResult


@dataclass(frozen=True)
class StepHalted:
    """A step was stopped on its way, nobody knows how far."""

    step: Step


@dataclass(frozen=True)
class BeliefCorrected:
    """A person set these atoms."""

    answers: tuple[Answer, ...]


@dataclass(frozen=True)
class BeliefRestored:
    """A person took the latest correction back: this is the belief before it."""

    belief: Belief


@dataclass(frozen=True)
class PlanRequested:
    """A person asks for another plan."""


@dataclass(frozen=True)
class ProceedRequested:
    """A person lets it go on after it asked for help."""


@dataclass(frozen=True)
class DomainChangeDecided:
    """Whether the change of the domain was accepted; if so, `problem` is in force."""

    accepted: bool
    problem: Problem


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
    | DomainChangeDecided
)

# --- where it stands --------------------------------------------------------------------------------


@dataclass(frozen=True)
class RemainingBudget:
    """What is left of the limits; None: no limit."""

    steps: int | None = None
    calls: int | None = None
    dollars: float | None = None


@dataclass(frozen=True)
class Context:
    """Everything that a policy may look at: its place in the episode. Made by `advance` alone."""

    problem: Problem
    belief: Belief
    turn: int = 0
    plan: tuple[Step, ...] = ()  # the steps of the plan in force that are not done yet
    plan_count: int = 0  # how many plans were made so far
    replan_reason: Reason | None = FIRST_PLAN  # why the plan in force no longer counts, None if it does
    last_step: StepDone | None = None  # the last step; None at first, and after one was halted
    belief_before: Belief | None = None  # the belief held before `done`
    replanned: bool = False  # a plan was made since `done`
    frame: str = ""  # id of the picture of now
    viewpoint: str = ""
    asked_atoms: frozenset[Atom] = frozenset()  # about this picture
    history: tuple[Observation, ...] = ()  # the latest ones, oldest first
    viewpoints: tuple[str, ...] = ()  # where the robot can look from
    remaining: RemainingBudget = field(default_factory=RemainingBudget)
    supervision: SupervisionLevels = field(
        default_factory=SupervisionLevels
    )  # of the operator, who may turn them at any moment

    @property
    def latest(self) -> Observation | None:
        return self.history[-1] if self.history else None

    def this_turn(self) -> tuple[Observation, ...]:
        """The observations since the turn began, its picture first."""
        for place in range(len(self.history) - 1, -1, -1):
            seen = self.history[place]
            if isinstance(seen, GotPicture) and seen.begins_turn:
                return self.history[place:]
        return self.history


class Policy(Protocol):
    """A method. Never changes in place; a method that learns replaces itself by a wiser value."""

    @property
    def name(self) -> str: ...

    def begin(self, problem: Problem) -> Belief: ...

    def update(self, context: Context, observation: Observation) -> Belief:
        """The belief after `seen`; `context` is the one before it, and holds the belief before it."""
        ...

    def act(self, context: Context) -> Action: ...


@runtime_checkable
class InterpretsReplies(Protocol):
    """A policy that asks a language model and can say how it read a reply."""

    def interpret_reply(self, reply: GotReply) -> str:
        """How the reply is understood, for people and the log; "" if it is no answer."""
        ...


@runtime_checkable
class LearningPolicy(Protocol):
    def learn(self, context: Context) -> Policy:
        """The policy for the next turn, perhaps a wiser one."""
        ...


@runtime_checkable
class UsesGroundTruth(Protocol):
    """A policy that is told some predicates by a simulator, as a published program was.

    It has them as answers of a sense, so that the log says so; where nobody knows the truth it has none.
    """

    @property
    def ground_truth_predicates(self) -> frozenset[str]:
        """Names of predicates."""
        ...


def advance(context: Context, observation: Observation, belief: Belief) -> Context:
    """The context after an observation that led to this belief. Pure."""
    history = (*context.history[1 - HISTORY :], observation)
    now = object.__new__(Context)  # as `dataclasses.replace`, which is too slow for several times a turn
    now.__dict__.update(context.__dict__, belief=belief, history=history, **_changed(context, observation))
    return now


def _changed(context: Context, seen: Observation) -> dict[str, Any]:
    """The fields of the context that an observation changes, besides belief and history."""
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
        case BeliefRestored():
            return {"replan_reason": Reason(Cause.UNDONE)}
        case PlanRequested():
            return {"replan_reason": Reason(Cause.REQUESTED)}
        case DomainChangeDecided(True, problem):
            return {"problem": problem, "replan_reason": Reason(Cause.DOMAIN_CHANGED)}
    return {}


def replay_beliefs(
    policy: Policy, problem: Problem, observations: Iterable[Observation]
) -> tuple[Belief, ...]:
    """The belief at first and after each observation: what replay, fork and preview are made of."""
    context = Context(problem, policy.begin(problem))
    found = [context.belief]
    for seen in observations:
        belief = seen.belief if isinstance(seen, BeliefRestored) else policy.update(context, seen)
        context = advance(context, seen, belief)
        found.append(belief)
    return tuple(found)


def same_step(a: Step, b: Step) -> bool:
    """Whether two steps are the same and are done in the same way (their values)."""
    return a == b and a.values == b.values


def same_plan(steps: tuple[Step, ...], plan: Plan) -> bool:
    """Whether `plan` was found and is these steps, done in the same way."""
    return (
        plan.status is PlanStatus.FOUND
        and len(steps) == len(plan.steps)
        and all(map(same_step, steps, plan.steps))
    )
