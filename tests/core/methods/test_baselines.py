"""The paper's baselines and its short version's repetition: what follows which answer."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from core import events as ev
from core.belief import Answer, Atom, BeliefSource, Query, QueryTopic, Verdict
from core.methods.baselines import AffordanceQuestion, OpenLoop, SuccessQuestion
from core.methods.dkprompt import RepeatFirst, RepeatFirstOptions
from core.methods.registry import METHODS, make_method
from core.planning_model import Step
from core.policy import BeliefCorrected, Context, GotAnswers, GotPicture, GotSenses, Policy, StepDone, advance
from core.ports import ModelCall, StepResult, StepStatus
from core.reason import Cause
from robots.stochastic import sample
from tests.core import tiny
from tests.core.looping import Setting, only, planning, steps
from tests.core.tiny import CLOSED, EMPTY, HOLDING, INSIDE, OPEN, PROBLEM, TAKE

Make = Callable[..., Setting]


def questions(events: list[ev.Event]) -> list[Query]:
    return [q for e in only(events, ev.QuestionsAsked) for q in e.queries]


def plans(events: list[ev.Event]) -> int:
    return len(only(events, ev.PlanMade))


def reached(policy: Policy, done: Step, *seen: object, before: tuple[object, ...] = ()) -> Context:
    """Where it stands in the turn after `done`, the first step of a plan, and what came before and since."""
    context = Context(PROBLEM, policy.begin(PROBLEM), plan_count=1, replan_reason=None, plan=(OPEN, TAKE))
    happened = (*before, StepDone(done, StepResult(StepStatus.DONE)), GotPicture(2, "f", "v"), *seen)
    for one in happened:
        context = advance(context, one, policy.update(context, one))  # type: ignore[arg-type]
    return context


def said(about: QueryTopic, step: Step, verdict: Verdict) -> GotAnswers:
    atom = Atom(about.value, (step.name, *step.args))
    return GotAnswers((Query(atom, "?", topic=about),), (Answer(atom, verdict, BeliefSource.MODEL, turn=2),))


# --- classical --------------------------------------------------------------------------------------


def test_that_the_open_loop_plans_once_and_asks_nothing(setting: Make) -> None:
    events = setting(policy=OpenLoop(tiny.folder(), PROBLEM), open_fails=1.0).run()
    assert steps(events) == [OPEN, TAKE] and plans(events) == 1
    assert questions(events) == []


def test_that_the_open_loop_claims_the_goal_though_the_hand_feels_nothing(setting: Make) -> None:
    events = setting(policy=OpenLoop(tiny.folder(), PROBLEM), take_fails=1.0).run()
    assert events[-1].result is ev.EpisodeResult.SUCCEEDED
    assert events[-1].believed_goal and events[-1].true_goal is False


# --- suc-qa -----------------------------------------------------------------------------------------


def test_that_a_no_takes_the_step_back_and_not_what_is_felt() -> None:
    policy = SuccessQuestion(tiny.folder(), PROBLEM)
    felt = GotSenses((Answer(EMPTY, Verdict.NO, BeliefSource.SENSOR, turn=2),))
    context = reached(policy, OPEN, felt, said(QueryTopic.STEP_SUCCEEDED, OPEN, Verdict.NO))
    assert context.belief.verdict(CLOSED) is Verdict.YES
    assert context.belief.verdict(EMPTY) is Verdict.NO


def test_that_a_no_does_not_take_back_what_a_person_said_against_a_sensor() -> None:
    policy = SuccessQuestion(tiny.folder(), PROBLEM)
    felt = GotSenses((Answer(EMPTY, Verdict.NO, BeliefSource.SENSOR, turn=2),))
    corrected = BeliefCorrected((Answer(EMPTY, Verdict.YES, BeliefSource.OPERATOR, turn=1),))
    no = said(QueryTopic.STEP_SUCCEEDED, OPEN, Verdict.NO)
    context = reached(policy, OPEN, felt, no, before=(felt, corrected))
    assert context.belief.verdict(CLOSED) is Verdict.YES
    assert context.belief.verdict(EMPTY) is Verdict.YES


# --- aff-qa -----------------------------------------------------------------------------------------


def test_that_a_step_said_to_be_impossible_loses_what_was_only_predicted() -> None:
    policy = AffordanceQuestion(tiny.folder(), PROBLEM)
    context = reached(policy, OPEN, said(QueryTopic.STEP_POSSIBLE, TAKE, Verdict.NO))
    assert context.belief.verdict(CLOSED) is Verdict.YES  # `open` only promised otherwise
    assert context.belief.source(CLOSED) is BeliefSource.ASSUMED
    assert context.belief.verdict(INSIDE) is Verdict.YES  # given by the problem
    reason = policy.repair(context)
    assert reason is not None and reason.cause is Cause.IMPOSSIBLE
    assert [literal.atom for literal in reason.literals] == [CLOSED] and reason.step == TAKE


@pytest.mark.parametrize("verdict", [Verdict.YES, Verdict.UNKNOWN])
def test_that_only_a_no_makes_another_plan(verdict: Verdict) -> None:
    policy = AffordanceQuestion(tiny.folder(), PROBLEM)
    context = reached(policy, OPEN, said(QueryTopic.STEP_POSSIBLE, TAKE, verdict))
    assert policy.repair(context) is None and context.belief.verdict(CLOSED) is Verdict.NO


def test_that_a_step_with_nothing_to_doubt_is_done_all_the_same(setting: Make) -> None:
    """`open` needs only what the problem gives: whoever says that it is impossible is not believed."""
    policy = AffordanceQuestion(tiny.folder(), PROBLEM)
    made = setting(policy=policy)
    made.answerer = Says({QueryTopic.STEP_POSSIBLE: Verdict.NO})
    events = made.run()
    assert steps(events)[:2] == [OPEN, OPEN]  # `take` never seems possible, so the door is opened again
    assert events[-1].result is ev.EpisodeResult.STEP_LIMIT


def test_that_affordance_is_asked_before_each_step_and_success_never(setting: Make) -> None:
    events = setting(policy=AffordanceQuestion(tiny.folder(), PROBLEM)).run()
    assert [q.text for q in questions(events)] == [
        "Is it possible to open door here?",
        "Is it possible to take key door here?",
    ]


# --- suc-aff-qa -------------------------------------------------------------------------------------


def test_that_both_are_asked_in_one_call(setting: Make) -> None:
    events = setting(policy=make_method("suc-aff-qa", tiny.folder(), PROBLEM)).run()
    assert [[q.topic for q in e.queries] for e in only(events, ev.QuestionsAsked)] == [
        [QueryTopic.STEP_POSSIBLE],
        [QueryTopic.STEP_SUCCEEDED, QueryTopic.STEP_POSSIBLE],
        [QueryTopic.STEP_SUCCEEDED],
    ]


def test_that_a_step_that_failed_is_done_again_whatever_is_said_of_the_next() -> None:
    policy = make_method("suc-aff-qa", tiny.folder(), PROBLEM)
    worked, possible = (
        said(QueryTopic.STEP_SUCCEEDED, OPEN, Verdict.NO),
        said(QueryTopic.STEP_POSSIBLE, TAKE, Verdict.NO),
    )
    both = GotAnswers(worked.queries + possible.queries, worked.answers + possible.answers)
    context = reached(policy, OPEN, both)
    assert context.belief.source(CLOSED) is BeliefSource.INITIAL  # as it was before the step
    assert policy.repair(context).cause is Cause.UNSUCCESSFUL  # type: ignore[attr-defined]


# --- repeat-first -----------------------------------------------------------------------------------


def test_that_a_failed_step_is_repeated_with_the_old_plan_behind_it(setting: Make) -> None:
    made = setting(policy=RepeatFirst(tiny.folder(), PROBLEM), open_fails=0.5, seed=first_failing(OPEN))
    events = made.run()
    assert steps(events)[:2] == [OPEN, OPEN] and events[-1].true_goal is True
    again = only(events, ev.PlanMade)[1].change
    assert again.new_plan.engine == "repeat-first" and again.new_plan.steps == (OPEN, TAKE)
    assert again.reason.cause is Cause.UNSUCCESSFUL


@pytest.mark.parametrize("repeats", [0, 1, 2])
def test_that_after_so_many_repetitions_the_planner_is_asked(setting: Make, repeats: int) -> None:
    policy = RepeatFirst(tiny.folder(), PROBLEM, RepeatFirstOptions(repeats=repeats))
    events = setting(policy=policy, open_fails=1.0, max_steps=4).run()
    makers = [e.change.new_plan.engine for e in only(events, ev.PlanMade)]
    assert makers[1 : 2 + repeats] == ["repeat-first"] * repeats + [makers[0]]


def test_that_a_step_that_cannot_be_done_again_is_not_repeated() -> None:
    """The key is neither in the hand nor behind the door: to take it once more is no use."""
    policy = RepeatFirst(tiny.folder(), PROBLEM)
    context = Context(PROBLEM, policy.begin(PROBLEM), plan_count=1, replan_reason=None, plan=(TAKE, OPEN))
    context = advance(
        context, done := StepDone(TAKE, StepResult(StepStatus.DONE)), policy.update(context, done)
    )
    gone = Answer(HOLDING, Verdict.NO, BeliefSource.SENSOR, turn=2)
    context = advance(context, felt := GotSenses((gone,)), policy.update(context, felt))
    assert policy.conclude(context).__class__.__name__ == "MakePlan"


# --- all of them ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", METHODS.names())
def test_that_the_same_seed_is_the_same_episode(setting: Make, name: str) -> None:
    one, two = (play(setting, name, seed=4) for _ in range(2))
    assert one == two
    assert any(play(setting, name, seed=seed) != one for seed in range(5, 9))


@pytest.mark.parametrize("name", METHODS.names())
def test_that_every_method_meets_the_same_luck_in_the_same_step_and_try(setting: Make, name: str) -> None:
    for seed in range(4):
        mine, theirs = luck(setting, name, seed), luck(setting, "dkprompt", seed)
        shared = mine.keys() & theirs.keys()
        assert shared and {key: mine[key] for key in shared} == {key: theirs[key] for key in shared}


class Says:
    """Answers each kind of question with one verdict."""

    name = "says"

    def __init__(self, verdicts: dict[QueryTopic, Verdict]) -> None:
        self.verdicts = verdicts

    def answer(self, frame, queries, turn, cancel):  # type: ignore[no-untyped-def]
        answers = (Answer(q.atom, self.verdicts[q.topic], BeliefSource.MODEL, turn=turn) for q in queries)
        return ModelCall(tuple(answers))


def play(setting: Make, name: str, seed: int) -> list[str]:
    policy = make_method(name, tiny.folder(), PROBLEM)
    events = planning(setting(policy=policy, open_fails=0.4, take_fails=0.4, seed=seed)).run()
    return [*map(str, steps(events)), *(q.text for q in questions(events)), str(events[-1].true_goal)]


def luck(setting: Make, name: str, seed: int) -> dict[tuple[Step, int], str]:
    """The situation of each step and try, of those that the world let happen."""
    policy = make_method(name, tiny.folder(), PROBLEM)
    events = planning(setting(policy=policy, open_fails=0.4, take_fails=0.4, seed=seed)).run()
    tries: dict[Step, int] = {}
    found = {}
    for acted in only(events, ev.StepFinished):
        if acted.result.status is StepStatus.DONE:
            tries[acted.step] = tries.get(acted.step, 0) + 1
            found[acted.step, tries[acted.step]] = acted.situation
    return found


def first_failing(step: Step) -> int:
    """A seed with which a step that fails half the time fails once."""
    return next(n for n in range(100) if sample(n, str(step), 0) < 0.5 <= sample(n, str(step), 1))
