"""Fold answers, corrections, beliefs and suggested changes into the state of an episode. Pure."""

from __future__ import annotations

from dataclasses import replace

from core import events as ev
from core.belief import Answer, Atom, Belief, is_override
from core.episode_state import (
    Consultation,
    EpisodeState,
    GoalProbability,
    Phase,
    QuestionCard,
    SuggestedChange,
    SuggestionState,
    TimelineMark,
    TimelineTrack,
    add_mark,
)
from core.operator import Decision, Proposal
from core.reason import Cause
from core.state.missed_effects import missed_after

MOST_HYPOTHESES = 1000  # that count for the goal's probability; a method keeps some 24


def answers_received(state: EpisodeState, event: ev.AnswersReceived, number: int) -> EpisodeState:
    """Return the state with the model's answers on their cards, counted, and on the time axis."""
    call = event.call
    by_atom = {a.atom: a for a in call.answers}
    raw = dict(zip(by_atom, call.confidences, strict=False))
    cards = tuple(
        replace(
            c,
            model=by_atom[c.query.atom],
            raw_confidence=raw.get(c.query.atom),
            seconds=call.seconds,
            cost=call.cost,
            raw_reply=call.raw_reply,
            error=call.error,
        )
        if c.model is None and c.query.atom in by_atom
        else c
        for c in state.cards
    )
    counts = replace(
        state.counts,
        calls=state.counts.calls + (call.by != "nobody"),
        tokens=state.counts.tokens + call.tokens,
        cost=state.counts.cost + (call.cost or 0.0),
        model_seconds=state.counts.model_seconds + call.seconds,
    )
    start, turn, track = max(0.0, state.now - call.seconds), event.turn, TimelineTrack.QUESTION
    marks = [TimelineMark(track, "call", start, state.now, turn, call.by, number)]
    asked = {c.query.atom: c.query for c in cards}
    for answer in call.answers:  # in the sense of the question as asked
        said, label = answer.verdict, str(answer.atom)
        if query := asked.get(answer.atom):
            said, label = query.text_verdict(said), query.text
        marks.append(TimelineMark(track, said.value, state.now, None, turn, label, number))
    return replace(state, cards=cards, counts=counts, phase=Phase.REVIEWING, marks=(*state.marks, *marks))


def answers_reviewed(state: EpisodeState, answers: tuple[Answer, ...], number: int) -> EpisodeState:
    """Return the state with the answers as a person left them; those that differ are overrides."""
    by_atom = {a.atom: a for a in answers}
    cards = tuple(
        replace(c, final=by_atom[c.query.atom]) if c.query.atom in by_atom and c.pending else c
        for c in state.cards
    )
    open_atoms = {c.query.atom: c.model for c in state.cards if c.pending and c.model}
    changed = tuple(a for a in answers if (m := open_atoms.get(a.atom)) and is_override(a, m))
    counts = replace(state.counts, overrides=state.counts.overrides + len(changed))
    corrections = (*state.corrections, changed) if changed else state.corrections
    kind = "override" if changed else "check"
    new = replace(state, cards=cards, counts=counts, corrections=corrections)
    return add_mark(new, TimelineTrack.OPERATOR, kind, "reviewed", number)


def model_consulted(state: EpisodeState, event: ev.ModelConsulted, number: int) -> EpisodeState:
    """Return the state with a question to a model that was not about facts."""
    counts = replace(
        state.counts,
        consultations=state.counts.consultations + 1,
        calls=state.counts.calls + bool(event.by),  # without a model no call was made
        tokens=state.counts.tokens + event.tokens,
        cost=state.counts.cost + (event.cost or 0.0),
        model_seconds=state.counts.model_seconds + event.seconds,
    )
    start = max(0.0, state.now - event.seconds)
    label = f"{event.by or 'no model'} ({event.purpose})"
    latest = Consultation(counts.consultations, event)
    new = replace(state, counts=counts, consultations=(*state.consultations, latest))
    return add_mark(new, TimelineTrack.QUESTION, "call", label, number, event.turn, start)


def belief_changed(state: EpisodeState, event: ev.BeliefChanged, number: int) -> EpisodeState:
    """Return the state with a changed belief, and all that depends on it."""
    changes, contradictions = event.changes, event.contradictions
    belief = state.belief.with_entries(changes)
    if event.hypotheses is not None:
        belief = replace(belief, hypotheses=event.hypotheses)
    cards = tuple(replace(c, final=c.model) if c.final is None and c.model else c for c in state.cards)
    ages = dict(state.changed_at)
    ages.update((e.atom, state.now) for e in changes)
    counts = replace(state.counts, contradictions=state.counts.contradictions + len(contradictions))
    for found in contradictions:
        label = " ".join(map(str, found.atoms))
        state = add_mark(state, TimelineTrack.QUESTION, "contradiction", label, number, event.turn)
    return replace(
        state,
        belief=belief,
        missed_effects=missed_after(state.missed_effects, state.belief, changes),
        changed_at=ages,
        cards=cards,
        contradictions=state.contradictions + contradictions,
        goal_probabilities=goal_probabilities(state, belief),
        counts=counts,
        phase=Phase.LOOKING if state.phase is Phase.ACTING else Phase.PLANNING,
        known_length=0,
    )


def goal_probabilities(state: EpisodeState, belief: Belief) -> tuple[GoalProbability, ...]:
    """Return how likely the goal was reached until now, if the method keeps hypotheses."""
    known = state.goal_probabilities
    if state.started is None or not belief.hypotheses:
        return known
    goal = [(g.atom, (g.atom in belief.state) == g.positive) for g in state.started.goal]
    probability = sum(  # as `Belief.probability_that`, which is too slow for what every record needs
        h.probability
        for h in belief.hypotheses[:MOST_HYPOTHESES]
        if all(so is not (atom in h.flipped) for atom, so in goal)
    )
    if known and (known[-1].turn, known[-1].probability) == (state.turn, probability):
        return known
    return (*known, GoalProbability(state.turn, state.now, probability))


def with_corrections(
    cards: tuple[QuestionCard, ...], answers: tuple[Answer, ...], belief: Belief | None = None
) -> tuple[QuestionCard, ...]:
    """Put a person's corrections on the cards of their atoms; each card keeps the model's answer.

    With `belief` only on cards whose answer it still rests on.
    """
    by_atom = {a.atom: a for a in answers}
    return tuple(
        replace(c, final=by_atom.get(c.query.atom, c.final)) if belief is None or c.counts_in(belief) else c
        for c in cards
    )


def without_last_correction(state: EpisodeState) -> EpisodeState:
    """Return the state without the last corrections: their cards show what counted before, and what they
    contradicted is no longer in doubt.
    """
    if not state.corrections:
        return state
    *kept, gone = state.corrections
    back: dict[Atom, Answer | None] = {a.atom: None for a in gone}
    back.update((a.atom, a) for answers in kept for a in answers if a.atom in back)
    cards = tuple(
        replace(c, final=back[c.query.atom] or c.model) if c.query.atom in back else c for c in state.cards
    )
    earlier = tuple(replace(c, final=c.model) if c.final in gone else c for c in state.earlier_cards)
    doubted = tuple(c for c in state.contradictions if back.keys().isdisjoint(c.atoms))
    counts = replace(state.counts, overrides=state.counts.overrides - len(gone))
    return replace(
        state,
        cards=cards,
        earlier_cards=earlier,
        contradictions=doubted,
        counts=counts,
        corrections=tuple(kept),
    )


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
