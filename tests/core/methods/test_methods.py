"""What each method asks, believes and repairs; whole episodes on the domain of `tiny`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from core import events as ev
from core.belief import Answer, Belief, BeliefSource, Purpose, QueryTopic, Verdict
from core.domains import Perception, PredicateSpec
from core.errors import BadValue, UnknownName
from core.methods.baselines import EffectsOnly, PreconditionsOnly, SuccessQuestion
from core.methods.dkprompt import DKPrompt, DKPromptOptions
from core.methods.registry import METHODS, make_method
from core.planning import domain_library
from core.planning_model import Action, Domain, Effect, Literal, Predicate, Problem, Step
from core.policy import BeliefCorrected, Context, GotAnswers, StepDone, advance
from core.ports import StepResult, StepStatus
from tests.core import tiny
from tests.core.looping import only, planning, steps
from tests.core.tiny import CLOSED, INSIDE, OPEN, PROBLEM, TAKE


def purposes(events: list[ev.Event]) -> set[Purpose]:
    return {q.purpose for e in only(events, ev.QuestionsAsked) for q in e.queries}


def test_that_effects_only_never_asks_about_preconditions(setting) -> None:
    events = setting(policy=EffectsOnly(tiny.folder(), PROBLEM)).run()
    assert purposes(events) == {Purpose.EFFECT}
    assert steps(events) == [OPEN, TAKE]


def test_that_preconditions_only_never_asks_about_effects(setting) -> None:
    events = setting(policy=PreconditionsOnly(tiny.folder(), PROBLEM)).run()
    assert purposes(events) == {Purpose.PRECONDITION}
    assert steps(events) == [OPEN, TAKE]


@pytest.mark.parametrize("policy", [EffectsOnly, PreconditionsOnly])
def test_that_a_failure_that_it_sees_makes_another_plan(setting, policy) -> None:
    for seed in range(5):
        events = setting(policy=policy(tiny.folder(), PROBLEM), open_fails=0.5, seed=seed).run()
        assert events[-1].true_goal is True


def test_that_the_success_question_repeats_a_step_that_failed(setting) -> None:
    repeated = 0
    for seed in range(6):
        made = setting(open_fails=0.6, take_fails=0.4, seed=seed)
        events = replace(made, policy=SuccessQuestion(tiny.folder(), PROBLEM)).run()
        assert events[-1].true_goal is True
        assert {q.topic for e in only(events, ev.QuestionsAsked) for q in e.queries} == {
            QueryTopic.STEP_SUCCEEDED
        }
        assert {q.text for e in only(events, ev.QuestionsAsked) for q in e.queries} == {
            "Did the robot successfully open door?",
            "Did the robot successfully take key door?",
        }
        repeated += len(steps(events)) - 2
    assert repeated > 0


# --- what the paper leaves open ---------------------------------------------------------------------


def test_that_every_effect_or_only_needed_ones_make_a_new_plan() -> None:
    """`take` also frees nothing and fills the hand; that the key is gone from behind the door is needed by
    nobody. The paper plans again all the same."""
    before = Context(
        PROBLEM, Belief.from_init(PROBLEM.with_state({INSIDE, tiny.EMPTY}).state), plan_count=1, plan=(TAKE,)
    )
    for choice, repaired in (("every", True), ("needed", False)):
        policy = DKPrompt(tiny.folder(), PROBLEM, DKPromptOptions(replan_on=choice))
        done = StepDone(TAKE, StepResult(StepStatus.DONE))
        context = advance(before, done, policy.update(before, done))
        still = Answer(INSIDE, Verdict.YES, BeliefSource.MODEL, turn=2)
        (query,) = (q for q in policy.questions(context) if q.atom == INSIDE)
        seen = GotAnswers((query,), (still,))
        context = advance(context, seen, policy.update(context, seen))
        assert (policy.repair(context) is not None) is repaired


def test_that_a_person_may_say_how_predicates_are_known(setting) -> None:
    options = DKPromptOptions(assume=("inside",))
    events = setting(policy=DKPrompt(tiny.folder(), PROBLEM, options)).run()
    assert {q.atom.predicate for e in only(events, ev.QuestionsAsked) for q in e.queries} == {"closed"}
    sensed = DKPrompt(tiny.folder(), PROBLEM, DKPromptOptions(assume=("holding",)))
    events = setting(policy=sensed).run()
    sources = {c.source for e in only(events, ev.BeliefChanged) for c in e.changes if c.atom == tiny.HOLDING}
    assert sources == {BeliefSource.PREDICTED}


def test_that_a_predicate_without_a_question_cannot_be_asked_about() -> None:
    with pytest.raises(BadValue, match="holding has no question"):
        DKPrompt(tiny.folder(), PROBLEM, DKPromptOptions(ask=("holding",)))
    with pytest.raises(UnknownName):
        DKPrompt(tiny.folder(), PROBLEM, DKPromptOptions(ask=("held",)))


@pytest.mark.parametrize(
    ("policy", "asked"),
    [
        (DKPrompt, {"closed"}),
        (EffectsOnly, {"closed"}),
        (PreconditionsOnly, {"closed"}),
        (partial(DKPrompt, options=DKPromptOptions(ask=("inside",))), {"closed", "inside"}),
    ],
)
def test_that_what_is_on_demand_is_asked_about_only_if_a_person_says_so(setting, policy, asked) -> None:
    folder = tiny.folder()
    on_demand = replace(folder.predicate_specs["inside"], perception=Perception.ON_DEMAND)
    folder = replace(folder, predicate_specs={**folder.predicate_specs, "inside": on_demand})
    events = setting(policy=policy(folder, PROBLEM)).run()
    assert {q.atom.predicate for e in only(events, ev.QuestionsAsked) for q in e.queries} == asked


# --- doubting what nobody saw -----------------------------------------------------------------------

FULL, LOADED, BOILED = "full", "loaded", "boiled"


def kettle(full: Perception) -> tuple[Problem, object]:
    """Fill a cup that nobody looks into, then boil it: boiling needs it full and inside, which is seen."""
    domain = Domain(
        "kettle",
        predicates=(Predicate(FULL), Predicate(LOADED), Predicate(BOILED)),
        actions=(
            Action("fill", (), (), (Effect(Literal(FULL)),)),
            Action("load", (), (), (Effect(Literal(LOADED)),)),
            Action("boil", (), (Literal(FULL), Literal(LOADED)), (Effect(Literal(BOILED)),)),
        ),
    )
    wording = {
        BOILED: PredicateSpec("Is it boiled?", False, Perception.VISION),
        LOADED: PredicateSpec("Is it in?", False, Perception.VISION),
        FULL: PredicateSpec("Is it full?", False, full),
    }
    problem = Problem("tea", domain, (), frozenset(), (Literal(BOILED),))
    return problem, replace(tiny.folder(), domain=domain, predicate_specs=wording, rules=(), mutexes=())


@pytest.mark.parametrize("perception", [Perception.NONE, Perception.ON_DEMAND])
@pytest.mark.parametrize(("doubts", "full"), [(True, Verdict.NO), (False, Verdict.YES)])
def test_that_what_was_only_predicted_is_doubted_when_an_effect_stays_away(
    doubts: bool, full: Verdict, perception: Perception
) -> None:
    problem, folder = kettle(perception)
    policy = DKPrompt(folder, problem, DKPromptOptions(doubt_unseen=doubts))
    context = Context(problem, policy.begin(problem), plan_count=1)
    for name in ("fill", "load", "boil"):
        done = StepDone(Step(name), StepResult(StepStatus.DONE))
        context = advance(context, done, policy.update(context, done))
    boiled = Literal(BOILED).atom
    queries = tuple(q for q in policy.questions(context) if q.atom == boiled)
    seen = GotAnswers(queries, (Answer(boiled, Verdict.NO, BeliefSource.MODEL, turn=3),))
    belief = policy.update(context, seen)
    assert belief.verdict(Literal(FULL).atom) is full
    assert belief.verdict(Literal(LOADED).atom) is Verdict.YES  # a picture can tell: it is asked, not doubted
    if doubts:
        assert belief.source(Literal(FULL).atom) is BeliefSource.ASSUMED


# --- by name ----------------------------------------------------------------------------------------


def test_that_methods_have_options_of_their_own() -> None:
    folder = tiny.folder()
    made = make_method("dkprompt", folder, PROBLEM, {"replan_on": "needed"})
    assert isinstance(made, DKPrompt) and made.options.replan_on == "needed"
    doubting = make_method("dkprompt-doubt", folder, PROBLEM)
    assert isinstance(doubting, DKPrompt) and doubting.options.doubt_unseen
    with pytest.raises(BadValue, match="replan_on"):
        make_method("dkprompt", folder, PROBLEM, {"replan_on": "never"})
    with pytest.raises(UnknownName, match="did you mean dkprompt"):
        make_method("dkpromt", folder, PROBLEM)


@pytest.mark.parametrize("name", METHODS.names())
def test_that_every_method_reaches_the_goal_where_nothing_goes_wrong(setting, name: str) -> None:
    events = planning(setting(policy=make_method(name, tiny.folder(), PROBLEM))).run()
    assert steps(events) == [OPEN, TAKE] and events[-1].true_goal is True
    assert CLOSED not in events[-1].missing


def test_that_no_default_rule_takes_back_what_a_person_said_in_this_turn() -> None:
    folder, task = domain_library.load_task("boil_water")
    method = DKPrompt(folder, task.problem)
    empty = next(a for a in task.problem.state if a.predicate == "handempty")
    context = Context(task.problem, method.assume(method.begin(task.problem), 1), turn=1)
    said = Answer(empty, Verdict.NO, BeliefSource.OPERATOR, turn=1, by="ada")
    after = method.update(context, BeliefCorrected((said,)))
    assert (after.verdict(empty), after.source(empty)) == (Verdict.NO, BeliefSource.OPERATOR)
    assert method.assume(after, 2).verdict(empty) is Verdict.YES, "a later turn may conclude otherwise"
