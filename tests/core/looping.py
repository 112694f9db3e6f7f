"""An episode of the domain of `tiny` with real parts, and an operator who follows a script."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from core import events as ev
from core.belief import Answer, Belief, BeliefSource, Query, Verdict
from core.loop.episode_loop import run_episode
from core.loop.gate import AutoOperator
from core.loop.ground_truth import truth_of
from core.loop.repeated_failures import DEFAULT_FAILURE_LIMIT
from core.methods.consistency import DomainConsistency
from core.methods.dkprompt import DKPrompt
from core.operator import (
    AnswerReview,
    Decision,
    Operator,
    PlanChange,
    Proposal,
)
from core.planners import Planner
from core.planning.planner import make_planner
from core.planning_model import Problem, Step
from core.policy import Action, BeliefRestored, ClaimGoal, Context, GotAnswers, Observation, Policy, advance
from core.ports import Answerer, Frame, Model, ModelCall
from core.reason import NO_REASON
from core.stop_token import StopToken
from core.supervision import SUPERVISION_PRESETS, SupervisionLevels
from core.vqa.answerers.simulated_planner import PlannerErrors, SimulatedPlanner, load_planner_errors
from robots.symbolic.robot import SymbolicRobot
from tests.core import tiny


@dataclass
class Truthful:
    """Answers every question as the world is, but UNKNOWN to those in `blind`; keeps what it was asked."""

    robot: SymbolicRobot
    blind: frozenset[str] = frozenset()
    name: str = "truthful"
    asked: list[tuple[str, str]] = field(default_factory=list)

    def answer(self, frame: Frame, queries: Sequence[Query], turn: int, cancel: StopToken) -> ModelCall:
        self.asked += [(frame.id + str(turn), q.text) for q in queries]
        return ModelCall(
            tuple(Answer(q.atom, self._verdict(q), BeliefSource.MODEL, turn=turn) for q in queries),
            by=self.name,
        )

    def _verdict(self, query: Query) -> Verdict:
        so = truth_of(self.robot, query)
        return Verdict.UNKNOWN if so is None or query.atom.predicate in self.blind else Verdict.from_bool(so)


@dataclass
class Scripted:
    """An operator who says one thing after the other, then lets everything pass."""

    decisions: list[Decision] = field(default_factory=list)
    consents: list[bool | None] = field(default_factory=list)
    seen: list[Proposal] = field(default_factory=list)

    @property
    def supervision(self) -> SupervisionLevels:
        return SUPERVISION_PRESETS["Watch"]

    def asks_model(self) -> bool:
        return True

    def review(self, review: AnswerReview) -> tuple[Answer, ...]:
        return review.answers

    def accept_plan(self, revision: PlanChange) -> bool | None:
        return self.consents.pop(0) if self.consents else True

    def next_correction(self) -> None:
        return None

    def decide(self, proposal: Proposal) -> Decision:
        self.seen.append(proposal)
        return self.decisions.pop(0) if self.decisions else AutoOperator().decide(proposal)


@dataclass
class Setting:
    robot: SymbolicRobot
    answerer: Answerer
    operator: Operator
    cancel: StopToken = field(default_factory=StopToken)
    planner: Planner = field(default_factory=make_planner)
    problem: Problem = tiny.PROBLEM
    max_steps: int = 50
    policy: Policy | None = None
    model: Model | None = None
    first_belief: Belief | None = None
    failure_limit: int = DEFAULT_FAILURE_LIMIT

    def start(self) -> Iterator[ev.Event]:
        policy = self.policy or DKPrompt(tiny.folder(), self.problem)
        return run_episode(
            "get_key", self.problem, self.robot, self.answerer, self.planner, policy, self.operator,
            self.cancel, self.max_steps, consistency=DomainConsistency(tiny.folder(), self.problem),
            model=self.model, first_belief=self.first_belief, failure_limit=self.failure_limit,
        )  # fmt: skip

    def run(self) -> list[ev.Event]:
        return list(self.start())


def only(events: list[ev.Event], kind: type) -> list:
    return [e for e in events if isinstance(e, kind)]


def steps(events: list[ev.Event]) -> list[Step]:
    return [e.step for e in only(events, ev.StepFinished)]


def planning(made: Setting, errors: PlannerErrors | None = None, seed: int = 0) -> Setting:
    """The same with a model that plans: the planner's plan from what is so, unless `errors` spoil it."""
    errors = errors or load_planner_errors("perfect")
    return replace(made, model=SimulatedPlanner(errors, made.problem, made.robot, made.planner, seed))


def beliefs_after(
    policy: Policy, problem: Problem, observations: Iterable[Observation]
) -> tuple[Belief, ...]:
    """Return the first belief and the belief after each observation."""
    context = Context(problem, policy.begin(problem))
    found = [context.belief]
    for seen in observations:
        belief = seen.belief if isinstance(seen, BeliefRestored) else policy.update(context, seen)
        context = advance(context, seen, belief)
        found.append(belief)
    return tuple(found)


@dataclass
class Acting:
    """A policy that wants these things one after the other, then claims the goal; keeps what it saw."""

    wants: tuple[Action | Callable[[Context], Action], ...]
    name: str = "acting"
    seen: list[Observation] = field(default_factory=list)
    contexts: list[Context] = field(default_factory=list)

    def begin(self, problem: Problem) -> Belief:
        return Belief.from_init(problem.state)

    def update(self, context: Context, seen: Observation) -> Belief:
        self.seen.append(seen)
        return context.belief.updated_with(seen.facts) if isinstance(seen, GotAnswers) else context.belief

    def act(self, context: Context) -> Action:
        self.contexts.append(context)
        wanted = self.wants[len(self.contexts) - 1] if len(self.contexts) <= len(self.wants) else None
        if wanted is None:
            return ClaimGoal(NO_REASON, 0.75)
        return wanted(context) if callable(wanted) else wanted


def saw(policy: Acting, kind: type) -> list:
    return [s for s in policy.seen if isinstance(s, kind)]
