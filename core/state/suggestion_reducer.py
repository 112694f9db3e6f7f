"""Fold what becomes of suggested changes of the domain into the state of an episode. Pure."""

from __future__ import annotations

from dataclasses import replace

from core import events as ev
from core.episode_state import EpisodeState, SuggestedChange, SuggestionState, TimelineTrack, add_mark
from core.operator import Decision, Proposal
from core.reason import Cause

IN_FORCE = (SuggestionState.ACCEPTED, SuggestionState.EDITED)


def change_suggested(state: EpisodeState, proposal: Proposal) -> EpisodeState:
    """Add a suggestion; one that is made again, because an edit was faulty, replaces the one before."""
    if proposal.suggestion is None:
        return state
    before = state.suggestions
    if before and before[-1].state is SuggestionState.OPEN:
        before = before[:-1]
    return replace(state, suggestions=(*before, SuggestedChange(proposal.turn, proposal.suggestion)))


def suggestion_decided(state: EpisodeState, decision: Decision) -> EpisodeState:
    """Note who decided; what is in force then, `domain_changed` says."""
    if state.proposal is None or state.proposal.suggestion is None:
        return state
    return _with_last(state, by=getattr(decision, "by", ""))


def domain_changed(state: EpisodeState, event: ev.DomainChanged, number: int) -> EpisodeState:
    undone = event.reason.cause is Cause.UNDONE
    label = event.difference if event.accepted else f"refused: {event.difference}"
    new = replace(
        _undone(state) if undone else _decided(state, event),
        knowledge=event.knowledge,
        refused_changes=event.refused,
    )
    if event.accepted and not undone:  # it can be undone like a correction, until the robot moves
        new = replace(new, corrections=(*state.corrections, ()))
    return add_mark(new, TimelineTrack.PLAN, "revised", label, number, event.turn)


def _decided(state: EpisodeState, event: ev.DomainChanged) -> EpisodeState:
    last = state.suggestions[-1] if state.suggestions else None
    if last is None or last.state is not SuggestionState.OPEN:
        return state
    if not event.accepted:
        return _with_last(state, state=SuggestionState.REFUSED, changes=(), pddl=event.pddl)
    known = {learnt.change for learnt in state.knowledge}
    new = tuple(learnt for learnt in event.knowledge if learnt.change not in known)
    suggested = {learnt.change for learnt in last.suggestion.changes} - known
    same = {learnt.change for learnt in new} == suggested
    how = SuggestionState.ACCEPTED if same else SuggestionState.EDITED
    return _with_last(state, state=how, changes=new, pddl=event.pddl)


def _undone(state: EpisodeState) -> EpisodeState:
    for place in range(len(state.suggestions) - 1, -1, -1):
        one = state.suggestions[place]
        if one.state in IN_FORCE:
            taken_back = replace(one, state=SuggestionState.UNDONE, changes=())
            rest = state.suggestions[place + 1 :]
            return replace(state, suggestions=(*state.suggestions[:place], taken_back, *rest))
    return state


def _with_last(now: EpisodeState, **fields: object) -> EpisodeState:
    if not now.suggestions:
        return now
    last = replace(now.suggestions[-1], **fields)  # type: ignore[arg-type]
    return replace(now, suggestions=(*now.suggestions[:-1], last))
