"""A suggested change at the gate: admitted, edited, refused and undone, and situations told meanwhile."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core import events as ev
from core.belief import Belief
from core.episode_state import EpisodeState, SuggestionState
from core.knowledge.apply import apply_changes
from core.knowledge.changes import AddFact, Evidence, LearntChange
from core.knowledge.suggestion import SituationReport, Suggestion
from core.log.codec import read_event, write_event
from core.loop.domain_changes import refuse
from core.loop.gate import Gate
from core.methods.dkprompt import DKPrompt
from core.operator import (
    AcceptEdited,
    Approve,
    Decision,
    Proposal,
    ProposalKind,
    RefuseSuggestion,
    TellSituation,
    Undo,
)
from core.planning_model import Problem
from core.policy import Action, ChangeDomain, Context
from core.ports import Embodiment
from core.reason import Cause, Reason
from core.state.causes import explain
from core.state.state_reducer import apply_record
from core.supervision import WATCH
from core.text.vocabulary import Vocabulary
from tests.core import tiny
from tests.core.knowledge.test_changes import IS_RUSTY, RUSTY, WIRE
from tests.core.looping import Scripted, Setting, only
from tests.core.tiny import PROBLEM

LEARNT = LearntChange(WIRE, (Evidence("the key is rusty", "May a wire?", "Yes", "yes", "a model"),))
SUGGESTION = Suggestion(SituationReport("the key is rusty", ("key",)), (LEARNT,))


class Suggesting(DKPrompt):
    """Suggests once that a wire counts as a thing, and reads situations about the key."""

    def act(self, context: Context) -> Action:
        known = context.knowledge
        if context.plan_count and not known.changes and not known.refused:
            problem = apply_changes(context.problem, (WIRE,))
            return ChangeDomain(problem, "a wire is a thing", "", Reason(Cause.OTHER), SUGGESTION)
        return super().act(context)

    def read_situation(self, context: Context, sentence: str, by: str) -> SituationReport:
        return SituationReport(sentence, ("key",), by, "" if "key" in sentence else "It names nothing.")


def run(setting: Setting, decisions: list[Decision]) -> tuple[list[ev.Event], EpisodeState]:
    made = replace(setting, policy=Suggesting(tiny.folder(), PROBLEM), operator=Scripted(decisions))
    events, state = made.run(), EpisodeState()
    for number, event in enumerate(events):
        state = apply_record(state, ev.Record("e", number, 0.0, float(number), event))
        assert read_event(type(event).__name__, write_event(event)) == event
    return events, state


def test_that_an_accepted_change_is_known_with_its_evidence(setting) -> None:
    events, state = run(setting(), [Approve("me")])
    assert state.knowledge == (LEARNT,) and only(events, ev.DomainChanged)[0].accepted
    proposed = only(events, ev.ActionProposed)[0].proposal
    assert proposed.kind is ProposalKind.DOMAIN_CHANGE and proposed.suggestion == SUGGESTION
    assert events[-1].true_goal is True
    (suggested,) = state.suggestions
    assert suggested.state is SuggestionState.ACCEPTED and suggested.by == "me"
    assert suggested.changes == (LEARNT,) and suggested.suggestion == SUGGESTION


def test_that_an_edited_change_counts_as_edited_and_keeps_who_did_it(setting) -> None:
    _, state = run(setting(), [AcceptEdited((RUSTY,), "me")])
    (learnt,) = state.knowledge
    assert learnt.change == RUSTY and learnt.evidence[0].by == "me"
    assert state.suggestions[-1].state is SuggestionState.EDITED


def test_that_a_bad_edit_changes_nothing_and_is_suggested_again(setting) -> None:
    events, state = run(setting(), [AcceptEdited((IS_RUSTY,), "me"), Approve("me")])
    assert "is not applied" in only(events, ev.Notice)[0].text
    assert state.knowledge == (LEARNT,) and len(state.suggestions) == 1


def test_that_a_refused_change_is_not_suggested_again(setting) -> None:
    events, state = run(setting(), [RefuseSuggestion("me")])
    assert state.refused_changes == (WIRE,) and not state.knowledge
    assert [e.accepted for e in only(events, ev.DomainChanged)] == [False]
    assert state.suggestions[0].state is SuggestionState.REFUSED and not state.suggestions[0].changes


@pytest.mark.parametrize(("suggested", "refused"), [((RUSTY, WIRE), (WIRE,)), ((RUSTY,), (RUSTY,))])
def test_that_what_is_refused_is_the_substitute_or_else_the_precondition(suggested, refused) -> None:
    changes = tuple(LearntChange(change) for change in suggested)
    action = ChangeDomain(PROBLEM, "", "", Reason(Cause.OTHER), replace(SUGGESTION, changes=changes))
    assert refuse(Context(PROBLEM, Belief()), action).refused == refused


def test_that_an_accepted_change_can_be_undone_until_the_robot_moves(setting) -> None:
    events, state = run(setting(), [Approve("me"), Undo("me"), RefuseSuggestion("me")])
    changed = only(events, ev.DomainChanged)
    assert [bool(e.knowledge) for e in changed] == [True, False, False]
    assert changed[1].reason.cause is Cause.UNDONE and state.undo_count == 0
    assert [s.state for s in state.suggestions] == [SuggestionState.UNDONE, SuggestionState.REFUSED]


def test_that_a_plan_made_for_a_change_names_it_as_its_cause(setting) -> None:
    _, state = run(setting(), [Approve("me")])
    because = explain(Reason(Cause.DOMAIN_CHANGED), state, Vocabulary())
    assert because.whole == "the domain changed (“the key is rusty”); a wire counts as a thing"


@pytest.mark.parametrize(("words", "told"), [("the key is rusty", True), ("the moon is full", False)])
def test_that_a_person_can_tell_a_situation_while_it_runs(setting, words: str, told: bool) -> None:
    events, state = run(setting(), [TellSituation(words, "me"), Approve("me")])
    assert state.situations[0].sentence == words and (state.situations[0].fault == "") is told
    assert bool(only(events, ev.Notice)) is not told
    waits = [e for e in only(events, ev.ActionProposed) if e.proposal.kind is ProposalKind.HELP_NEEDED]
    assert [e.proposal.explanation for e in waits] == [state.situations[0].fault] * (not told)


def test_that_a_method_that_cannot_use_situations_says_so(setting) -> None:
    made = replace(setting(), operator=Scripted([TellSituation("the key is rusty", "me")]))
    (noticed,) = only(made.run(), ev.SituationNoticed)
    assert "choose one that can" in noticed.situation.fault


def test_that_a_sentence_comes_through_the_gate_from_another_thread() -> None:
    gate = Gate(WATCH)
    gate.submit_correction(TellSituation("the key is rusty", "me"))
    assert gate.next_correction() == TellSituation("the key is rusty", "me")


@pytest.mark.parametrize(("embodiment", "waits"), [(Embodiment.SIM, False), (Embodiment.REAL, True)])
def test_that_on_a_real_robot_a_person_decides_about_a_change(embodiment: Embodiment, waits: bool) -> None:
    gate = Gate(WATCH, embodiment)
    proposal = Proposal(1, 1, ProposalKind.DOMAIN_CHANGE, suggestion=SUGGESTION)
    gate.submit_decision(1, RefuseSuggestion("me")) if waits else None
    assert isinstance(gate.decide(proposal), RefuseSuggestion if waits else Approve)


def problem_after(problem: Problem) -> Problem:
    return apply_changes(problem, (RUSTY, AddFact(IS_RUSTY.fact)))


def test_that_the_problem_itself_stays_as_it_was() -> None:
    before = PROBLEM.digest
    assert problem_after(PROBLEM).digest != before == PROBLEM.digest
