"""Draw from an episode what stays learnt: what people admitted or refused, and what served. Pure."""

from __future__ import annotations

from dataclasses import replace

from core.episode_state import EpisodeState, PlanRowState, SuggestionState
from core.knowledge.changes import AddFact, AddObject, Change
from core.knowledge.proposed import Used
from core.log.knowledge_store import AdmittedChange

IN_FORCE = (SuggestionState.ACCEPTED, SuggestionState.EDITED)


def admitted_in(state: EpisodeState) -> tuple[AdmittedChange, ...]:
    """Return the lasting changes that a person admitted in this episode and that are in force."""
    method = state.started.settings.get("method", "") if state.started else ""
    return tuple(
        AdmittedChange(replace(learnt, episode=state.episode), one.by, method)
        for one in state.suggestions
        if one.state in IN_FORCE and one.by
        for learnt in one.changes
        if learnt.change.lasting
    )


def after_episode(old: tuple[AdmittedChange, ...], state: EpisodeState) -> tuple[AdmittedChange, ...]:
    """Return the changes after an episode: with new ones, and counts of what served and was refused."""
    known = {one.learnt.change: one for one in old}
    for one in admitted_in(state):
        known[one.learnt.change] = replace(known.get(one.learnt.change, one), kept=True)
    for suggested in state.suggestions:
        if suggested.state is not SuggestionState.REFUSED or not suggested.by:
            continue
        for learnt in suggested.suggestion.changes:
            if learnt.change in state.refused_changes and learnt.change.lasting:
                first = AdmittedChange(replace(learnt, episode=state.episode), suggested.by, kept=False)
                entry = known.get(learnt.change, first)
                known[learnt.change] = replace(entry, refused=entry.refused + 1)
    used = served_in(state)
    return tuple(replace(one, served=one.served + (change in used)) for change, one in known.items())


def served_in(state: EpisodeState) -> frozenset[Change]:
    """Return the changes in force that an episode used: a thing, a device, or a situation that was barred."""
    changes = [learnt.change for learnt in state.knowledge]
    types = {o.name: o.type for o in state.started.objects} if state.started else {}
    types |= {c.name: c.type for c in changes if isinstance(c, AddObject)}
    facts = {c.fact.predicate for c in changes if isinstance(c, AddFact)}
    done = [row.step for row in state.plan_rows if row.state is PlanRowState.DONE]
    ran = frozenset((step.name, types.get(arg, "")) for step in done for arg in step.args)
    used = Used(frozenset(kind for _, kind in ran), ran, frozenset(facts))
    return frozenset(change for change in changes if change.served(used))
