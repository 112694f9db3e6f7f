"""Verdicts, questions and beliefs as values."""

from __future__ import annotations

import pickle

import pytest

from core.belief import Answer, Atom, Belief, BeliefEntry, BeliefSource, Query, Verdict

OPEN, ON = Atom("open", ("door",)), Atom("on", ("lamp",))


def said(atom: Atom, verdict: Verdict, turn: int = 1, source: BeliefSource = BeliefSource.MODEL) -> Answer:
    return Answer(atom, verdict, source, turn=turn)


def test_that_a_verdict_has_no_truth_value_of_its_own() -> None:
    with pytest.raises(TypeError, match="three values"):
        bool(Verdict.UNKNOWN)


def test_that_the_opposite_of_not_knowing_is_not_knowing() -> None:
    assert Verdict.UNKNOWN.opposite is Verdict.UNKNOWN
    assert Verdict.YES.opposite is Verdict.NO and Verdict.NO.opposite is Verdict.YES


def test_that_a_reply_to_an_opposite_question_is_turned() -> None:
    query = Query(Atom("closed", ("door",)), "Is the door open?", negated=True)
    assert query.text_verdict(Verdict.YES) is Verdict.NO
    assert query.text_verdict(Verdict.UNKNOWN) is Verdict.UNKNOWN


def test_that_an_atom_is_written_as_in_pddl_sorts_and_travels() -> None:
    assert str(OPEN) == "(open door)" and str(Atom("handempty")) == "(handempty)"
    assert sorted([OPEN, ON]) == [ON, OPEN]
    assert pickle.loads(pickle.dumps(OPEN)) == OPEN


def test_that_what_is_not_given_is_given_no() -> None:
    belief = Belief.from_init({OPEN})
    assert belief.verdict(ON) is Verdict.NO and belief.source(ON) is BeliefSource.INITIAL
    assert belief.state == {OPEN}


def test_that_unknown_keeps_what_was_there_and_says_when_it_was_skipped() -> None:
    entry = Belief.from_init({OPEN}).updated_with([said(OPEN, Verdict.UNKNOWN, turn=4)]).entry(OPEN)
    assert (entry.verdict, entry.source, entry.since, entry.last_unknown_turn) == (
        Verdict.YES,
        BeliefSource.INITIAL,
        0,
        4,
    )


@pytest.mark.parametrize("order", [1, -1])
def test_that_a_person_outranks_a_model_about_the_same_turn_but_not_a_later_one(order: int) -> None:
    same = [said(OPEN, Verdict.NO, 2), said(OPEN, Verdict.YES, 2, BeliefSource.OPERATOR)][::order]
    belief = Belief().updated_with(same)
    assert belief.verdict(OPEN) is Verdict.YES
    assert belief.updated_with([said(OPEN, Verdict.NO, 3)]).verdict(OPEN) is Verdict.NO


def test_that_a_belief_is_succeeded_never_changed() -> None:
    old = Belief.from_init({OPEN})
    new = old.updated_with([said(OPEN, Verdict.NO), said(ON, Verdict.YES)])
    assert old.state == {OPEN} and new.state == {ON}


def test_that_changes_lead_from_the_older_belief_to_the_newer_one() -> None:
    old, new = Belief.from_init({OPEN}), Belief().updated_with([said(ON, Verdict.YES)])
    assert old.with_entries(new.changes_since(old)).state == new.state
    assert new.changes_since(new) == ()
    gone = BeliefEntry(OPEN, Verdict.NO, BeliefSource.INITIAL)
    assert gone in new.changes_since(old)
