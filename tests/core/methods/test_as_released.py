"""What the authors' code does otherwise than the paper: what it is told, and which answers count."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from core import events as ev
from core.belief import Answer, Atom, BeliefEntry, BeliefSource, Verdict
from core.config import Settings
from core.loop.ground_truth import GROUND_TRUTH_NAME, ground_truth_answers
from core.methods.dkprompt import AsReleased, AsReleasedOptions
from core.policy import Context, GotAnswers, GotSenses, StepDone, advance
from core.ports import StepResult, StepStatus
from main import make_components
from tests.core import tiny
from tests.core.looping import Setting, only, steps
from tests.core.tiny import CLOSED, HOLDING, INSIDE, OPEN, PROBLEM, TAKE
from tests.permitted import do


def test_that_inside_is_told_and_not_asked(setting: Callable[..., Setting]) -> None:
    events = setting(policy=AsReleased(tiny.folder(), PROBLEM), take_fails=1.0, max_steps=3).run()
    assert {q.atom.predicate for e in only(events, ev.QuestionsAsked) for q in e.queries} == {"closed"}
    told = [a for e in only(events, ev.SensorsRead) for a in e.answers if a.atom == INSIDE]
    assert {(a.by, a.source) for a in told} == {(GROUND_TRUTH_NAME, BeliefSource.SENSOR)}
    assert [a.verdict for a in told] == [Verdict.YES] * 4  # also after `take`, which promised otherwise
    assert steps(events) == [OPEN, TAKE, TAKE]


def test_that_what_is_believed_and_not_so_is_told(setting: Callable[..., Setting]) -> None:
    made = setting()
    for step in (OPEN, TAKE):
        do(made.robot, step, made.cancel)
    (told,) = ground_truth_answers(made.robot, {"inside"}, [INSIDE, CLOSED], 2)
    assert told.atom == INSIDE and told.verdict is Verdict.NO


def test_that_no_other_method_is_told_anything(setting: Callable[..., Setting]) -> None:
    events = setting().run()
    assert {a.by for e in only(events, ev.SensorsRead) for a in e.answers} == {"symbolic"}


def test_that_where_nobody_knows_the_truth_nothing_is_told() -> None:
    assert list(ground_truth_answers(object(), {"inside"}, [INSIDE], 1)) == []


def after_opening(closed: Verdict, inside: Verdict) -> tuple[AsReleased, Context]:
    """Where it stands after these two answers; `inside` is asked about, as a precondition of `take`."""
    policy = AsReleased(tiny.folder(), PROBLEM, AsReleasedOptions(sense=()))
    context = Context(PROBLEM, policy.begin(PROBLEM), plan_count=1, replan_reason=None, plan=(OPEN, TAKE))
    done = StepDone(OPEN, StepResult(StepStatus.DONE))
    context = advance(context, done, policy.update(context, done))
    said = {CLOSED: closed, INSIDE: inside}
    queries = policy.questions(context)
    assert [q.atom for q in queries] == [CLOSED, INSIDE]
    seen = GotAnswers(
        queries, tuple(Answer(q.atom, said[q.atom], BeliefSource.MODEL, turn=2) for q in queries)
    )
    return policy, advance(context, seen, policy.update(context, seen))


@pytest.mark.parametrize(("closed", "inside"), [(Verdict.YES, Verdict.YES), (Verdict.NO, Verdict.NO)])
def test_that_what_is_said_of_preconditions_counts_only_where_the_effects_match(
    closed: Verdict, inside: Verdict
) -> None:
    policy, context = after_opening(closed, Verdict.NO)
    assert context.belief.verdict(INSIDE) is inside
    assert policy.repair(context) is not None


def test_that_what_is_not_answered_counts_as_agreement() -> None:
    policy, context = after_opening(Verdict.UNKNOWN, Verdict.UNKNOWN)
    assert context.belief.verdict(CLOSED) is Verdict.NO and policy.repair(context) is None


def test_that_what_is_not_in_the_hand_is_on_the_floor_and_empty_before_any_answer() -> None:
    parts = make_components(
        Settings(task="boil_water", robot="symbolic", method="as-released", pictures=False)
    )
    try:
        agent, mug, cabinet, floor = "agent-n-01_1", "mug-n-04_1", "cabinet-n-01_1", "floor-n-01_1"
        held, full = Atom("inhand", (agent, mug)), Atom("filled", (mug, "water-n-06_1"))
        begun = parts.method.begin(parts.task.problem).with_entries(
            [
                BeliefEntry(held, Verdict.YES, BeliefSource.PREDICTED),
                BeliefEntry(full, Verdict.YES, BeliefSource.PREDICTED),
                BeliefEntry(Atom("inside", (mug, cabinet)), Verdict.NO, BeliefSource.PREDICTED),
                BeliefEntry(Atom("inroom", (mug, "kitchen_1")), Verdict.YES, BeliefSource.PREDICTED),
            ]
        )
        felt = GotSenses((Answer(held, Verdict.NO, BeliefSource.SENSOR, turn=2),))
        belief = parts.method.update(replace(Context(parts.task.problem, begun), turn=2), felt)
        assert belief.verdict(Atom("onfloor", (mug, floor))) is Verdict.YES
        assert belief.verdict(full) is Verdict.NO
    finally:
        parts.close()


def test_that_a_domain_without_the_households_predicates_will_do() -> None:
    policy = AsReleased(tiny.folder(), PROBLEM)
    assert policy.ground_truth_predicates == {"inside"}  # there is no `filled`, `hot` or `cooked`
    assert policy.perception(HOLDING).value == "sense"
