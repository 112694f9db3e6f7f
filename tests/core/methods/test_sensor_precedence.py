"""A sense outranks the model, and a person's word both; the folder may say otherwise of a predicate."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from core.belief import Answer, Atom, Belief, BeliefSource, Query, Verdict
from core.domains import DomainSpec, Mutex, Perception, PredicateSpec
from core.methods.consistency import DomainConsistency
from core.methods.dkprompt import DKPrompt
from core.planning_model import Literal
from core.policy import BeliefCorrected, Context, GotAnswers, GotPicture, GotSenses, Observation, advance
from tests.core import tiny
from tests.core.tiny import CLOSED, EMPTY, HOLDING, PROBLEM

HAND = Mutex(
    "a hand holds one thing, or nothing",
    (),
    (Literal("holding", ("?t",)), Literal("handempty")),
    exhaustive=True,
)


def folder(sense_outranks: bool = True, exhaustive: bool = True) -> DomainSpec:
    """What is held is asked of the model, as at the table; the gripper says whether it is empty."""
    plain = tiny.folder()
    asked = PredicateSpec("Is the {0} in the hand?", False, Perception.VISION, sense_outranks=sense_outranks)
    return replace(
        plain,
        predicate_specs=MappingProxyType({**plain.predicate_specs, "holding": asked}),
        mutexes=(replace(HAND, exhaustive=exhaustive),),
    )


def model(atom: Atom, verdict: Verdict) -> Answer:
    return Answer(atom, verdict, BeliefSource.MODEL, verdict.value, 1, by="model")


def sensed(atom: Atom, holds: bool) -> GotSenses:
    return GotSenses((Answer(atom, Verdict.from_bool(holds), BeliefSource.SENSOR, turn=1, by="robot"),))


def answered(*answers: Answer, reviewed: bool = False) -> GotAnswers:
    return GotAnswers(tuple(Query(a.atom, "?") for a in answers), answers, reviewed=reviewed)


def seen(spec: DomainSpec, *observations: Observation, believed: frozenset[Atom] = frozenset()) -> Context:
    """The context after these, from a belief in these atoms."""
    policy = DKPrompt(spec, PROBLEM)
    context = Context(PROBLEM, Belief.from_init(believed))
    for observation in (GotPicture(1, "f", "v"), *observations):
        context = advance(context, observation, policy.update(context, observation))
    return context


def held(context: Context, atom: Atom) -> tuple[Verdict, BeliefSource]:
    return context.belief.verdict(atom), context.belief.source(atom)


SAYS_HELD, SAYS_NOT_HELD = model(HOLDING, Verdict.YES), model(HOLDING, Verdict.NO)


def test_that_a_sense_of_the_same_atom_decides() -> None:
    context = seen(folder(), sensed(HOLDING, False), answered(SAYS_HELD))
    assert held(context, HOLDING) == (Verdict.NO, BeliefSource.SENSOR)


def test_that_a_hand_that_is_felt_empty_holds_nothing_whatever_the_model_says() -> None:
    context = seen(folder(), sensed(EMPTY, True), answered(SAYS_HELD))
    assert held(context, HOLDING) == (Verdict.NO, BeliefSource.SENSOR)
    evidence = context.belief.entry(HOLDING).evidence
    assert evidence is not None
    assert evidence.raw_reply == "(handempty) is sensed yes"


def test_that_a_hand_that_is_felt_full_keeps_what_it_took_where_one_fact_always_holds() -> None:
    took = frozenset({HOLDING})
    context = seen(folder(), sensed(EMPTY, False), answered(SAYS_NOT_HELD), believed=took)
    assert held(context, HOLDING) == (Verdict.YES, BeliefSource.SENSOR)
    context = seen(folder(exhaustive=False), sensed(EMPTY, False), answered(SAYS_NOT_HELD), believed=took)
    assert held(context, HOLDING) == (Verdict.NO, BeliefSource.MODEL)


def test_that_what_no_sense_contradicts_is_the_models() -> None:
    context = seen(folder(), sensed(EMPTY, False), answered(SAYS_HELD, model(CLOSED, Verdict.NO)))
    assert held(context, HOLDING) == (Verdict.YES, BeliefSource.MODEL)
    assert held(context, CLOSED) == (Verdict.NO, BeliefSource.MODEL)


def test_that_the_folder_may_let_the_model_decide_about_a_predicate() -> None:
    context = seen(folder(sense_outranks=False), sensed(EMPTY, True), answered(SAYS_HELD))
    assert held(context, HOLDING) == (Verdict.YES, BeliefSource.MODEL)


def test_that_a_persons_word_outranks_both() -> None:
    reviewed = seen(folder(), sensed(EMPTY, True), answered(SAYS_HELD, reviewed=True))
    assert held(reviewed, HOLDING)[0] is Verdict.YES, "a person has looked and let it stand"
    full = BeliefCorrected((Answer(EMPTY, Verdict.NO, BeliefSource.OPERATOR, turn=1, by="me"),))
    corrected = seen(folder(), sensed(EMPTY, True), full, answered(SAYS_HELD))
    assert held(corrected, HOLDING) == (Verdict.YES, BeliefSource.MODEL), "that sense is overruled"


def test_that_a_persons_word_stands_until_the_sense_reads_something_else() -> None:
    full = BeliefCorrected((Answer(EMPTY, Verdict.NO, BeliefSource.OPERATOR, turn=1, by="me"),))
    same = seen(folder(), sensed(EMPTY, True), full, GotPicture(2, "g", "v"), sensed(EMPTY, True))
    assert held(same, EMPTY) == (Verdict.NO, BeliefSource.OPERATOR)
    policy, news = DKPrompt(folder(), PROBLEM), (sensed(EMPTY, False), sensed(EMPTY, True))
    for observation in news:
        same = advance(same, observation, policy.update(same, observation))
    assert held(same, EMPTY) == (Verdict.YES, BeliefSource.SENSOR)


def test_that_the_contradiction_is_shown_although_it_is_decided() -> None:
    for spec in (folder(), folder(sense_outranks=False)):
        check = DomainConsistency(spec, PROBLEM)
        before = seen(spec, sensed(EMPTY, True))
        assert any(HOLDING in c.atoms for c in check.contradictions(before, (SAYS_HELD,)))
        took = seen(spec, sensed(EMPTY, False), believed=frozenset({HOLDING}))
        assert any(HOLDING in c.atoms for c in check.contradictions(took, (SAYS_NOT_HELD,)))
        assert not check.contradictions(took, (SAYS_HELD,))
