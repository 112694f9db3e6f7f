"""Fold records into the state of an episode. Pure: live view and replay read the same stream."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from core import events as ev
from core.belief import Answer, Atom, Belief, is_override
from core.episode_state import (
    EARLIER_CARDS,
    LONG_WAIT,
    WAITING_PHASES,
    Consultation,
    EpisodeState,
    GoalProbability,
    Phase,
    QuestionCard,
    StopState,
    TimelineMark,
    TimelineTrack,
)
from core.operator import Correct, PlanChange, Proceed, ProposalKind, StopRaised, Undo
from core.planning_model import PlanStatus
from core.reason import NO_REASON
from core.state.missed_effects import missed_after
from core.state.plan_rows import finish_row, merge_plan, start_row
from core.supervision import SupervisionLevel, SupervisionLevels
from core.wire import kind_of

MOST_HYPOTHESES = 1000  # that count for the goal's probability; a method keeps some 24


def fold_records(records: Iterable[ev.Record]) -> EpisodeState:
    """Return the state after these records."""
    state = EpisodeState()
    for record in records:
        state = apply_record(state, record)
    return state


def apply_record(state: EpisodeState, record: ev.Record) -> EpisodeState:
    """Return the state after one more record."""
    if isinstance(record.event, ev.EpisodeStarted):
        return _started(record, record.event)
    now = record.monotonic - state.started_monotonic
    new = _apply_event(_at(state, now=now), record.event, record.number)
    fresh = new.phase is not state.phase or isinstance(
        record.event, ev.ActionProposed | ev.PlanOffered | ev.AnswersReceived
    )
    if not fresh:
        return new
    if state.phase in WAITING_PHASES and now - state.since > LONG_WAIT:
        return _at(new, since=now, waits=(*state.waits, (state.since, now)))
    return _at(new, since=now)


def _at(state: EpisodeState, **fields: Any) -> EpisodeState:
    """Return the state with these fields: `replace` is too slow for what every record needs."""
    new = object.__new__(EpisodeState)
    new.__dict__.update(state.__dict__, **fields)
    return new


def _started(record: ev.Record, event: ev.EpisodeStarted) -> EpisodeState:
    belief = replace(Belief().with_entries(event.belief), hypotheses=event.hypotheses)
    state = EpisodeState(
        record.episode,
        event,
        Phase.LOOKING,
        belief=belief,
        changed_at=dict.fromkeys((e.atom for e in event.belief), 0.0),
        started_monotonic=record.monotonic,
    )
    return _at(state, goal_probabilities=_goal_probabilities(state, belief))


def _apply_event(state: EpisodeState, event: ev.Event, number: int) -> EpisodeState:
    match event:
        case ev.EpisodeStarted():
            return state
        case ev.FrameCaptured(turn, frame, boxes) if turn == state.turn:  # another viewpoint
            return replace(state, frame=frame, boxes=boxes, phase=Phase.LOOKING)
        case ev.FrameCaptured(turn, frame, boxes):
            new = replace(
                state,
                turn=turn,
                frame=frame,
                boxes=boxes,
                cards=(),
                earlier_cards=(*state.cards, *state.earlier_cards)[:EARLIER_CARDS],
                consultations=(),
                contradictions=(),
                offered_change=None,
                step_reason=NO_REASON,
                phase=Phase.LOOKING,
            )
            return _marked(new, TimelineTrack.TURN, "turn", f"Turn {turn}", number)
        case ev.SensorsRead():
            return state
        case ev.ModelConsulted():
            return _consulted(state, event, number)
        case ev.QuestionsAsked(turn, frame_id, queries):
            first = state.counts.questions + 1
            cards = tuple(QuestionCard(first + i, turn, q, frame_id) for i, q in enumerate(queries))
            counts = replace(state.counts, questions=state.counts.questions + len(queries))
            return replace(
                state,
                cards=state.cards + cards,
                review_count=state.review_count + 1,
                counts=counts,
                phase=Phase.ASKING,
            )
        case ev.AnswersReceived():
            return _answered(state, event, number)
        case ev.GroundTruthRecorded():
            return state
        case ev.AnswersReviewed(turn, answers):
            return _reviewed(state, answers, number)
        case ev.BeliefChanged():
            return _believed(state, event, number)
        case ev.PlanImproving(_, length):
            return replace(state, known_length=length, phase=Phase.PLANNING)
        case ev.PlanOffered(revision):
            return replace(
                state, offered_change=revision, offer_count=state.offer_count + 1, phase=Phase.OFFERED
            )
        case ev.OfferWithdrawn(turn):
            new = replace(state, offered_change=None, phase=Phase.PLANNING)
            return _marked(new, TimelineTrack.PLAN, "plan", "withdrawn", number, turn)
        case ev.PlanMade(revision, accepted):
            return _planned(state, revision, accepted, number)
        case ev.ActionProposed(proposal):
            phase = {ProposalKind.HELP_NEEDED: Phase.HELP_NEEDED, ProposalKind.STOP_RELEASE: Phase.STOPPED}
            new = replace(state, proposal=proposal, phase=phase.get(proposal.kind, Phase.WAITING))
            return new if proposal.step is None else replace(new, step_reason=proposal.reason)
        case ev.DecisionMade():
            return _decided(state, event, number)
        case ev.StepStarted(turn, step):
            return replace(
                state,
                acting=step,
                acting_since=state.now,
                phase=Phase.ACTING,
                corrections=(),
                plan_rows=start_row(state.plan_rows, step, state.plan_count, turn),
            )
        case ev.StepFinished():
            return _acted(state, event, number)
        case ev.DomainChanged(turn, difference, _, accepted):
            label = difference if accepted else f"refused: {difference}"
            return _marked(state, TimelineTrack.PLAN, "revised", label, number, turn)
        case ev.EpisodeEnded():
            return replace(
                state, ended=event, phase=Phase.ENDED, proposal=None, offered_change=None, acting=None
            )
        case ev.StopRequested(stop, why):
            counts = replace(state.counts, stops=state.counts.stops + 1)
            marked = _marked(state, TimelineTrack.OPERATOR, "stop", why, number)
            return replace(marked, stop=StopState(stop, state.now), counts=counts)
        case ev.StandstillMeasured(stop, seconds, speed):
            if state.stop is None or state.stop.number != stop:
                return state
            return replace(state, stop=replace(state.stop, seconds=seconds, speed=speed))
        case ev.SupervisionChanged(ask, believe, replan, move):
            return replace(
                state,
                supervision=SupervisionLevels(
                    SupervisionLevel[ask],
                    SupervisionLevel[believe],
                    SupervisionLevel[replan],
                    SupervisionLevel[move],
                ),
            )
        case ev.Paused():
            return replace(state, paused=True)
        case ev.Resumed():
            return replace(state, paused=False)
        case ev.Bookmarked(note):
            return _marked(state, TimelineTrack.OPERATOR, "bookmark", note, number)
        case ev.ArmHandover():
            marked = _marked(state, TimelineTrack.OPERATOR, "handover", event.sentence, number)
            return replace(marked, notices=(*state.notices[-99:], ev.Notice("doubt", event.sentence)))
        case ev.Notice():
            return replace(state, notices=(*state.notices[-99:], event))


def _marked(
    state: EpisodeState,
    track: TimelineTrack,
    kind: str,
    label: str,
    number: int,
    turn: int | None = None,
    began: float | None = None,
) -> EpisodeState:
    """Return the state with a mark now, or since `began`, of this turn if no other is given."""
    start, end = (state.now, None) if began is None else (began, state.now)
    mark = TimelineMark(track, kind, start, end, state.turn if turn is None else turn, label, number)
    return replace(state, marks=(*state.marks, mark))


def _answered(state: EpisodeState, event: ev.AnswersReceived, number: int) -> EpisodeState:
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


def _reviewed(state: EpisodeState, answers: tuple[Answer, ...], number: int) -> EpisodeState:
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
    return _marked(new, TimelineTrack.OPERATOR, kind, "reviewed", number)


def _consulted(state: EpisodeState, event: ev.ModelConsulted, number: int) -> EpisodeState:
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
    return _marked(new, TimelineTrack.QUESTION, "call", label, number, event.turn, start)


def _believed(state: EpisodeState, event: ev.BeliefChanged, number: int) -> EpisodeState:
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
        state = _marked(state, TimelineTrack.QUESTION, "contradiction", label, number, event.turn)
    return replace(
        state,
        belief=belief,
        missed_effects=missed_after(state.missed_effects, state.belief, changes),
        changed_at=ages,
        cards=cards,
        contradictions=state.contradictions + contradictions,
        goal_probabilities=_goal_probabilities(state, belief),
        counts=counts,
        phase=Phase.LOOKING if state.phase is Phase.ACTING else Phase.PLANNING,
        known_length=0,
    )


def _goal_probabilities(state: EpisodeState, belief: Belief) -> tuple[GoalProbability, ...]:
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


def _planned(state: EpisodeState, revision: PlanChange, accepted: bool, number: int) -> EpisodeState:
    kind = "plan" if revision.new_plan.status is PlanStatus.FOUND else "no plan"
    label = str(state.plan_count + 1) if accepted else "kept"
    marked = replace(_marked(state, TimelineTrack.PLAN, kind, label, number, revision.turn), known_length=0)
    if not accepted:
        return replace(marked, offered_change=None)
    counts = replace(state.counts, replans=state.counts.replans + (1 if state.plan_count else 0))
    plans = state.plan_count + 1
    rows = merge_plan(state.plan_rows, revision, plans)
    return replace(
        marked, offered_change=None, plan_change=revision, plan_count=plans, plan_rows=rows, counts=counts
    )


def _acted(state: EpisodeState, event: ev.StepFinished, number: int) -> EpisodeState:
    rows = finish_row(state.plan_rows, event.result, state.now - state.acting_since)
    counts = replace(state.counts, steps=state.counts.steps + 1)
    new = replace(state, acting=None, last_step=event, plan_rows=rows, counts=counts)
    kind, label = event.result.status.value, str(event.step)
    return _marked(new, TimelineTrack.ACTION, kind, label, number, event.turn, state.acting_since)


def _decided(state: EpisodeState, event: ev.DecisionMade, number: int) -> EpisodeState:
    decision = event.decision
    by = getattr(decision, "by", "")
    state = replace(state, proposal=None)
    match decision:
        case Correct(answers):
            counts = replace(state.counts, overrides=state.counts.overrides + len(answers))
            state = replace(
                state,
                counts=counts,
                corrections=(*state.corrections, answers),
                cards=_corrected(state.cards, answers),
                earlier_cards=_corrected(state.earlier_cards, answers, state.belief),
            )
        case Undo():
            state = _undone(state)
        case StopRaised():
            return state
    if state.stop and not state.stop.released and isinstance(decision, Proceed):
        state = replace(state, stop=replace(state.stop, released=True))
    if not by:
        return state
    kind = "override" if isinstance(decision, Correct | Undo) else "check"
    label = kind_of(type(decision)).lower()
    if isinstance(decision, Correct):
        label = ", ".join(f"{a.atom.predicate} set to {a.verdict.value}" for a in decision.answers)
    return _marked(state, TimelineTrack.OPERATOR, kind, label, number)


def _corrected(
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


def _undone(state: EpisodeState) -> EpisodeState:
    if not state.corrections:
        return state
    *kept, gone = state.corrections
    back: dict[Atom, Answer | None] = {a.atom: None for a in gone}
    back.update((a.atom, a) for answers in kept for a in answers if a.atom in back)
    cards = tuple(
        replace(c, final=back[c.query.atom] or c.model) if c.query.atom in back else c for c in state.cards
    )
    earlier = tuple(replace(c, final=c.model) if c.final in gone else c for c in state.earlier_cards)
    return replace(state, cards=cards, earlier_cards=earlier, corrections=tuple(kept))
