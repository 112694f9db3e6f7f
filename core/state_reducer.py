"""Fold records into the state of an episode. Pure: live view and replay read the same stream."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from core import events as ev
from core.belief import Answer, Atom, Belief, is_override
from core.episode_state import (
    Consultation,
    EpisodeState,
    Phase,
    PlanRow,
    PlanRowState,
    QuestionCard,
    StopState,
    TimelineMark,
    TimelineTrack,
)
from core.operator import Correct, PlanChange, Proceed, ProposalKind, StopRaised, Undo
from core.planning_model import PlanStatus, Step
from core.ports import StepStatus
from core.reason import NO_REASON
from core.supervision import SupervisionLevel, SupervisionLevels
from core.wire import kind_of

CHOSEN = "chosen by you"


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
    return _at(new, since=now) if fresh else new


def _at(state: EpisodeState, **times: float) -> EpisodeState:
    """Return the state with these times: `replace` is too slow for what every record needs."""
    new = object.__new__(EpisodeState)
    new.__dict__.update(state.__dict__, **times)
    return new


def _started(record: ev.Record, event: ev.EpisodeStarted) -> EpisodeState:
    belief = Belief().with_entries(event.belief)
    return EpisodeState(
        record.episode,
        event,
        Phase.LOOKING,
        belief=belief,
        changed_at=dict.fromkeys((e.atom for e in event.belief), 0.0),
        started_monotonic=record.monotonic,
    )


def _apply_event(state: EpisodeState, event: ev.Event, number: int) -> EpisodeState:
    match event:
        case ev.EpisodeStarted():
            return state
        case ev.FrameCaptured(turn, frame, boxes) if turn == state.turn:  # another viewpoint
            return replace(state, frame=frame, boxes=boxes, phase=Phase.LOOKING)
        case ev.FrameCaptured(turn, frame, boxes):
            return _with_marks(
                replace(
                    state,
                    turn=turn,
                    frame=frame,
                    boxes=boxes,
                    cards=(),
                    consultations=(),
                    contradictions=(),
                    offered_change=None,
                    step_reason=NO_REASON,
                    phase=Phase.LOOKING,
                ),
                TimelineMark(TimelineTrack.TURN, "turn", state.now, None, turn, f"Turn {turn}", number),
            )
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
            return _believed(state, event)
        case ev.PlanImproving(_, length):
            return replace(state, known_length=length, phase=Phase.PLANNING)
        case ev.PlanOffered(revision):
            return replace(
                state, offered_change=revision, offer_count=state.offer_count + 1, phase=Phase.OFFERED
            )
        case ev.OfferWithdrawn(turn):
            mark = TimelineMark(TimelineTrack.PLAN, "plan", state.now, None, turn, "withdrawn", number)
            return _with_marks(replace(state, offered_change=None, phase=Phase.PLANNING), mark)
        case ev.PlanMade(revision, accepted):
            return _planned(state, revision, accepted, number)
        case ev.ActionProposed(proposal):
            phase = {ProposalKind.HELP_NEEDED: Phase.HELP_NEEDED, ProposalKind.STOP_RELEASE: Phase.STOPPED}
            new = replace(state, proposal=proposal, phase=phase.get(proposal.kind, Phase.WAITING))
            return new if proposal.step is None else replace(new, step_reason=proposal.reason)
        case ev.DecisionMade():
            return _decided(state, event, number)
        case ev.StepStarted(_, step):
            return replace(
                state,
                acting=step,
                acting_since=state.now,
                phase=Phase.ACTING,
                corrections=(),
                plan_rows=_running(state, step),
            )
        case ev.StepFinished():
            return _acted(state, event, number)
        case ev.DomainChanged(turn, difference, _, accepted):
            label = difference if accepted else f"refused: {difference}"
            return _with_marks(
                state, TimelineMark(TimelineTrack.PLAN, "revised", state.now, None, turn, label, number)
            )
        case ev.EpisodeEnded():
            return replace(
                state, ended=event, phase=Phase.ENDED, proposal=None, offered_change=None, acting=None
            )
        case ev.StopRequested(stop, why):
            counts = replace(state.counts, stops=state.counts.stops + 1)
            marked = _with_marks(
                state, TimelineMark(TimelineTrack.OPERATOR, "stop", state.now, None, state.turn, why, number)
            )
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
            return _with_marks(
                state,
                TimelineMark(TimelineTrack.OPERATOR, "bookmark", state.now, None, state.turn, note, number),
            )
        case ev.ArmHandover():
            at = state.now, None, state.turn, event.sentence, number
            marked = _with_marks(state, TimelineMark(TimelineTrack.OPERATOR, "handover", *at))
            return replace(marked, notices=(*state.notices[-99:], ev.Notice("doubt", event.sentence)))
        case ev.Notice():
            return replace(state, notices=(*state.notices[-99:], event))


def _with_marks(state: EpisodeState, *marks: TimelineMark) -> EpisodeState:
    return replace(state, marks=state.marks + marks)


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
    start = max(0.0, state.now - call.seconds)
    marks = [TimelineMark(TimelineTrack.QUESTION, "call", start, state.now, event.turn, call.by, number)]
    marks += [
        TimelineMark(
            TimelineTrack.QUESTION, a.verdict.value, state.now, None, event.turn, str(a.atom), number
        )
        for a in call.answers
    ]
    return _with_marks(replace(state, cards=cards, counts=counts, phase=Phase.REVIEWING), *marks)


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
    mark = TimelineMark(
        TimelineTrack.OPERATOR,
        "override" if changed else "check",
        state.now,
        None,
        state.turn,
        "reviewed",
        number,
    )
    return _with_marks(replace(state, cards=cards, counts=counts, corrections=corrections), mark)


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
    mark = TimelineMark(TimelineTrack.QUESTION, "call", start, state.now, event.turn, label, number)
    latest = Consultation(counts.consultations, event)
    return _with_marks(replace(state, counts=counts, consultations=(*state.consultations, latest)), mark)


def _believed(state: EpisodeState, event: ev.BeliefChanged) -> EpisodeState:
    changes, contradictions = event.changes, event.contradictions
    belief = state.belief.with_entries(changes)
    if event.hypotheses is not None:
        belief = replace(belief, hypotheses=event.hypotheses)
    cards = tuple(replace(c, final=c.model) if c.final is None and c.model else c for c in state.cards)
    ages = dict(state.changed_at)
    ages.update((e.atom, state.now) for e in changes)
    counts = replace(state.counts, contradictions=state.counts.contradictions + len(contradictions))
    return replace(
        state,
        belief=belief,
        changed_at=ages,
        cards=cards,
        contradictions=state.contradictions + contradictions,
        counts=counts,
        phase=Phase.LOOKING if state.phase is Phase.ACTING else Phase.PLANNING,
        known_length=0,
    )


def _planned(state: EpisodeState, revision: PlanChange, accepted: bool, number: int) -> EpisodeState:
    kind = "plan" if revision.new_plan.status is PlanStatus.FOUND else "no plan"
    label = str(state.plan_count + 1) if accepted else "kept"
    marked = _with_marks(
        state, TimelineMark(TimelineTrack.PLAN, kind, state.now, None, revision.turn, label, number)
    )
    marked = replace(marked, known_length=0)
    if not accepted:
        return replace(marked, offered_change=None)
    counts = replace(state.counts, replans=state.counts.replans + (1 if state.plan_count else 0))
    plans = state.plan_count + 1
    lines = merge_plan(state.plan_rows, revision, plans)
    return replace(
        marked, offered_change=None, plan_change=revision, plan_count=plans, plan_rows=lines, counts=counts
    )


def merge_plan(lines: tuple[PlanRow, ...], revision: PlanChange, plan: int) -> tuple[PlanRow, ...]:
    """Return the plan's rows after a change: finished rows stay, those missing from the new plan are
    dropped."""
    past = tuple(
        ln for ln in lines if ln.state not in (PlanRowState.TODO, PlanRowState.NEXT, PlanRowState.DROPPED)
    )
    ahead = [ln for ln in lines if ln.state in (PlanRowState.TODO, PlanRowState.NEXT)]
    done = sum(1 for ln in past)
    fresh: list[PlanRow] = []
    for i, step in enumerate(revision.new_plan.steps):
        old = next((ln for ln in ahead if ln.step == step), None)
        if old is not None:
            ahead.remove(old)
        state = PlanRowState.NEXT if i == 0 else PlanRowState.TODO
        number = done + i + 1
        fresh.append(
            PlanRow(
                step,
                state,
                old.plan_number if old else plan,
                number,
                old.number if old and old.number != number else None,
            )
        )
    dropped = tuple(replace(ln, state=PlanRowState.DROPPED, old_number=ln.number) for ln in ahead)
    return past + dropped + tuple(fresh)


def _running(state: EpisodeState, step: Step) -> tuple[PlanRow, ...]:
    lines = list(state.plan_rows)
    for i, line in enumerate(lines):
        if line.state in (PlanRowState.NEXT, PlanRowState.TODO) and line.step == step:
            lines[i] = replace(line, state=PlanRowState.RUNNING)
            return tuple(lines)
    place = next((i for i, ln in enumerate(lines) if ln.state is PlanRowState.NEXT), len(lines))
    lines.insert(place, PlanRow(step, PlanRowState.RUNNING, state.plan_count, place + 1, note=CHOSEN))
    return tuple(lines)


def _acted(state: EpisodeState, event: ev.StepFinished, number: int) -> EpisodeState:
    row_state = {
        StepStatus.DONE: PlanRowState.DONE,
        StepStatus.FAILED: PlanRowState.FAILED,
        StepStatus.HALTED: PlanRowState.HALTED,
    }[event.result.status]
    seconds = state.now - state.acting_since
    lines = list(state.plan_rows)
    for i, line in enumerate(lines):
        if line.state is PlanRowState.RUNNING:
            lines[i] = replace(line, state=row_state, seconds=seconds, note=event.result.detail)
            if row_state is PlanRowState.HALTED and line.note != CHOSEN:  # it is still next
                later = [replace(ln, number=ln.number + 1) for ln in lines[i + 1 :]]
                again = replace(line, state=PlanRowState.TODO, number=line.number + 1, old_number=None)
                lines = [*lines[: i + 1], again, *later]
            break
    following = next((i for i, ln in enumerate(lines) if ln.state is PlanRowState.TODO), None)
    if following is not None:
        lines[following] = replace(lines[following], state=PlanRowState.NEXT)
    mark = TimelineMark(
        TimelineTrack.ACTION,
        row_state.value,
        state.acting_since,
        state.now,
        event.turn,
        str(event.step),
        number,
    )
    counts = replace(state.counts, steps=state.counts.steps + 1)
    return _with_marks(
        replace(state, acting=None, last_step=event, plan_rows=tuple(lines), counts=counts), mark
    )


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
    return _with_marks(
        state, TimelineMark(TimelineTrack.OPERATOR, kind, state.now, None, state.turn, label, number)
    )


def _corrected(cards: tuple[QuestionCard, ...], answers: tuple[Answer, ...]) -> tuple[QuestionCard, ...]:
    """Put a person's corrections on the cards of their atoms; each card keeps the model's answer."""
    by_atom = {a.atom: a for a in answers}
    return tuple(replace(c, final=by_atom.get(c.query.atom, c.final)) for c in cards)


def _undone(state: EpisodeState) -> EpisodeState:
    if not state.corrections:
        return state
    *kept, gone = state.corrections
    back: dict[Atom, Answer | None] = {a.atom: None for a in gone}
    back.update((a.atom, a) for answers in kept for a in answers if a.atom in back)
    cards = tuple(
        replace(c, final=back[c.query.atom] or c.model) if c.query.atom in back else c for c in state.cards
    )
    return replace(state, cards=cards, corrections=tuple(kept))
