"""Forecast an episode before it begins, by episodes in the method's own model of the world.

The model draws the outcomes, the answers and the reports with the rates that the method reckons with, so the
forecast is as good as these rates. It moves nothing and asks nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random

from core.belief import Answer, Atom, BeliefSource, Query, Verdict
from core.methods.careful.answered import Answered, Said, answered
from core.methods.careful.error_model import ErrorModel
from core.methods.careful.policy import Careful
from core.operator import Addressee
from core.planning_model import Plan, PlanStatus, Step
from core.policy import (
    AskQuestions,
    ClaimGoal,
    Context,
    DoSteps,
    GotAnswers,
    GotPicture,
    GotPlan,
    GotSenses,
    LookFrom,
    Observation,
    RemainingBudget,
    StepDone,
    advance,
)
from core.ports import StepResult, StepStatus
from core.stop_token import StopToken

MOST_ACTIONS = 100  # in a turn


@dataclass(frozen=True)
class Forecast:
    """Shares of the episodes, and means of an episode; `questions` are those to the operator."""

    episodes: int
    true_claims: float
    false_claims: float
    calls: float
    questions: float
    steps: float


def forecast(
    method: Careful,
    episodes: int = 40,
    *,
    viewpoints: Sequence[str] = (),
    max_steps: int = 50,
    operator: bool = False,
    seed: int = 0,
    answers: ErrorModel | None = None,
    cancel: StopToken | None = None,
    report: Callable[[int], None] = lambda done: None,
) -> Forecast:
    """Return what to expect; `viewpoints` are those that the robot can look from besides its own.

    Takes some 50 ms an episode, and each one is reported. `operator`: somebody answers. `answers`: how often
    the answerer truly errs, where that is other than what the method reckons with. Raises Cancelled.
    """
    asked = answers or method.errors
    found = []
    for number in range(episodes):
        (cancel or StopToken()).check()
        draw = Random(f"{seed} {number}")
        found.append(_Episode(method, asked, draw, tuple(viewpoints), operator).run(max_steps))
        report(number + 1)
    mean = [sum(values) / episodes for values in zip(*found, strict=True)]
    return Forecast(episodes, *mean)


class _Episode:
    """One episode in the method's model."""

    def __init__(
        self,
        method: Careful,
        answers: ErrorModel,
        draw: Random,
        viewpoints: tuple[str, ...],
        operator: bool,
    ) -> None:
        self.answers = answers
        self.method, self.world, self.draw, self.operator = method, method.world, draw, operator
        problem = self.world.problem
        self.true = self.world.number(problem.state)
        begun = method.begin(problem)
        self.context = Context(problem, begun, viewpoints=viewpoints, knowledge=method.knowledge)
        self.pose = self.calls = self.questions = self.steps = 0

    def run(self, max_steps: int) -> tuple[bool, bool, int, int, int]:
        """Return if the goal was claimed rightly and wrongly, the calls, questions to the operator, steps."""
        claimed = False
        for turn in range(1, max_steps + 2):
            self.context = replace(self.context, remaining=RemainingBudget(max_steps - self.steps))
            self._observe(GotPicture(turn, str(turn), f"pose {self.pose}"))
            self._observe(GotSenses(self._readings(turn)))
            action = self._until_step()
            if isinstance(action, DoSteps) and self.steps < max_steps:
                self._do(action.steps)
                continue
            claimed = isinstance(action, ClaimGoal)
            break
        reached = self.world.is_goal(self.true)
        return claimed and reached, claimed and not reached, self.calls, self.questions, self.steps

    def _until_step(self) -> object:
        """Answer questions and look, until the method wants a step, a claim or help."""
        for _ in range(MOST_ACTIONS):
            action = self.method.act(self.context)
            match action:
                case AskQuestions(queries, addressee):
                    self._answer(queries, addressee)
                case LookFrom(viewpoint):
                    turn, view = self.context.turn, f"pose {self.pose}, {viewpoint}"
                    self._observe(GotPicture(turn, f"{turn} {viewpoint}", view, begins_turn=False))
                case _:
                    return action
        return None

    def _observe(self, seen: Observation) -> None:
        self.context = advance(self.context, seen, self.method.update(self.context, seen))

    def _readings(self, turn: int) -> tuple[Answer, ...]:
        true = self.world.readings(self.true)
        states = [state for state, _ in self.method.weights(self.context.belief)]
        atoms = true.union(*(self.world.readings(state) for state in states))
        return tuple(
            Answer(atom, Verdict.from_bool(atom in true), BeliefSource.SENSOR, turn=turn)
            for atom in sorted(atoms)
        )

    def _answer(self, queries: tuple[Query, ...], addressee: Addressee) -> None:
        turn = self.context.turn
        if addressee is Addressee.OPERATOR:
            self.questions += len(queries) if self.operator else 0
            truth = self.world.states[self.true]
            said = [Verdict.from_bool(q.atom in truth) if self.operator else Verdict.UNKNOWN for q in queries]
            source = BeliefSource.OPERATOR
        else:
            self.calls += 1
            earlier = answered(self.context.history, self.world, Answered()).earlier
            said = [Verdict.from_bool(self._says_yes(q.atom, earlier.get(q.atom, {}))) for q in queries]
            source = BeliefSource.MODEL
        answers = (Answer(q.atom, v, source, turn=turn) for q, v in zip(queries, said, strict=True))
        self._observe(GotAnswers(queries, tuple(answers), addressee))

    def _says_yes(self, atom: Atom, earlier: Said) -> bool:
        repeats, before = self.answers.repeats(earlier, self.context.viewpoint)
        if before is not None and self.draw.random() < repeats:
            return before
        return self.draw.random() < self.answers.says_yes(((self.true, 1.0),), atom)

    def _do(self, steps: tuple[Step, ...]) -> None:
        if steps != self.context.plan:
            self._observe(GotPlan(Plan(PlanStatus.FOUND, steps)))
        step, world = steps[0], self.world
        ways = world.transitions(self.true, step)
        way = self.draw.choices(ways, [w.probability for w in ways])[0]
        failed = self.draw.random() < self.method.filter.alarm(step, way.situation, None)
        self.true = way.state
        self.steps += 1
        self.pose += world.moves_camera(step)
        self._observe(StepDone(step, StepResult(StepStatus.FAILED if failed else StepStatus.DONE)))
