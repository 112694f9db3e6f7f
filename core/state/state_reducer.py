"""Fold records into the state of an episode. Pure: live view and replay read the same stream."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from core import events as ev
from core.belief import Answer, Belief, Verdict
from core.episode_state import (
    EARLIER_CARDS,
    LONG_WAIT,
    WAITING_PHASES,
    EpisodeState,
    Phase,
    QuestionCard,
    StopState,
    TimelineTrack,
    add_mark,
)
from core.operator import Correct, PlanChange, Proceed, Proposal, ProposalKind, StopRaised, Undo
from core.planning_model import Literal, PlanStatus, Step
from core.reason import NO_REASON
from core.state.answer_reducer import (
    answers_received,
    answers_reviewed,
    belief_changed,
    change_suggested,
    domain_changed,
    goal_probabilities,
    model_consulted,
    suggestion_decided,
    with_corrections,
    without_last_correction,
)
from core.state.plan_rows import finish_row, merge_plan, start_row
from core.supervision import SupervisionLevel, SupervisionLevels
from core.text.class_words import class_words


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
    after = state.ended is not None  # such as a gripper opened then, which makes no episode longer
    now = state.now if after else record.monotonic - state.started_monotonic
    new = _apply_event(replace(state, now=now), record.event, record.number)
    if new.turn != state.turn or (new.ended and not state.ended):
        new = _with_unanswered(new, state.cards)
    fresh = new.phase is not state.phase or isinstance(
        record.event, ev.ActionProposed | ev.PlanOffered | ev.AnswersReceived
    )
    if not fresh:
        return new
    if state.phase in WAITING_PHASES and now - state.since > LONG_WAIT:
        return replace(new, since=now, waits=(*state.waits, (state.since, now)))
    return replace(new, since=now)


def _started(record: ev.Record, event: ev.EpisodeStarted) -> EpisodeState:
    belief = replace(Belief().with_entries(event.belief), hypotheses=event.hypotheses)
    state = EpisodeState(
        record.episode,
        event,
        Phase.LOOKING,
        belief=belief,
        changed_at=dict.fromkeys((e.atom for e in event.belief), 0.0),
        started_monotonic=record.monotonic,
        knowledge=event.knowledge,
    )
    return replace(state, goal_probabilities=goal_probabilities(state, belief))


def _with_unanswered(state: EpisodeState, cards: Iterable[QuestionCard]) -> EpisodeState:
    """Count the questions of the turn that ends which are unanswered or UNKNOWN."""
    answers = [card.final or card.model for card in cards]
    left = sum(answer is None or answer.verdict is Verdict.UNKNOWN for answer in answers)
    return replace(state, counts=replace(state.counts, unanswered=state.counts.unanswered + left))


def _apply_event(state: EpisodeState, event: ev.Event, number: int) -> EpisodeState:
    match event:
        case ev.EpisodeStarted() | ev.SensorsRead() | ev.GroundTruthRecorded():
            return state
        case ev.SceneSeen(scene=scene):
            return replace(state, scene=scene)
        case ev.FrameCaptured():
            return _looked(state, event, number)
        case ev.QuestionsAsked():
            return _asked(state, event)
        case ev.AnswersReceived():
            return answers_received(state, event, number)
        case ev.AnswersReviewed(_, answers):
            return answers_reviewed(state, answers, number)
        case ev.ModelConsulted():
            return model_consulted(state, event, number)
        case ev.BeliefChanged():
            return belief_changed(state, event, number)
        case ev.PlanImproving(_, length):
            return replace(state, known_length=length, phase=Phase.PLANNING)
        case ev.PlanOffered(change):
            return replace(
                state, offered_change=change, offer_count=state.offer_count + 1, phase=Phase.OFFERED
            )
        case ev.OfferWithdrawn(turn):
            new = replace(state, offered_change=None, phase=Phase.PLANNING)
            return add_mark(new, TimelineTrack.PLAN, "plan", "withdrawn", number, turn)
        case ev.PlanMade(change, accepted):
            return _planned(state, change, accepted, number)
        case ev.ActionProposed(proposal):
            return _proposed(state, proposal)
        case ev.DecisionMade():
            return _decided(state, event, number)
        case ev.StepStarted(turn, step):
            return _acting(state, turn, step)
        case ev.StepFinished():
            return _acted(state, event, number)
        case ev.SituationNoticed(turn, situation):
            new = replace(state, situations=(*state.situations, situation))
            return add_mark(new, TimelineTrack.PLAN, "situation", situation.sentence, number, turn)
        case ev.DomainChanged():
            return domain_changed(state, event, number)
        case ev.EpisodeEnded():
            return replace(
                state, ended=event, phase=Phase.ENDED, proposal=None, offered_change=None, acting=None
            )
    return _apply_outside_event(state, event, number)


def _apply_outside_event(state: EpisodeState, event: ev.OutsideEvent, number: int) -> EpisodeState:
    match event:
        case ev.StopRequested(stop, reason, by):
            counts = replace(state.counts, stops=state.counts.stops + 1)
            marked = add_mark(state, TimelineTrack.OPERATOR, "stop", reason, number)
            before = state.stop is not None and state.stop.by_person and not state.stop.released
            made = StopState(stop, state.now, by_person=before or by != ev.PROGRAM)
            return replace(marked, stop=made, counts=counts)
        case ev.StandstillMeasured(stop, seconds, speed):
            if state.stop is None or state.stop.number != stop:
                return state
            return replace(state, stop=replace(state.stop, seconds=seconds, speed=speed))
        case ev.MotionSampled():
            return state
        case ev.SupervisionChanged(ask, believe, replan, move):
            names = (ask, believe, replan, move)
            if not SupervisionLevel.__members__.keys() >= set(names):
                return state  # levels of another version, or of no version
            levels = SupervisionLevels(*(SupervisionLevel[name] for name in names))
            return replace(state, supervision=levels)
        case ev.Paused():
            return replace(state, paused=True)
        case ev.Resumed():
            return replace(state, paused=False)
        case ev.Bookmarked(note):
            return add_mark(state, TimelineTrack.OPERATOR, "bookmark", note, number)
        case ev.ArmHandover():
            marked = add_mark(state, TimelineTrack.OPERATOR, "handover", event.sentence, number)
            return _noticed(marked, ev.Notice("doubt", event.sentence))
        case ev.Notice():
            return _noticed(state, event)


def _noticed(state: EpisodeState, notice: ev.Notice) -> EpisodeState:
    return replace(state, notices=(*state.notices[-99:], notice))


def _looked(state: EpisodeState, event: ev.FrameCaptured, number: int) -> EpisodeState:
    looking = replace(state, frame=event.frame, boxes=event.boxes, phase=Phase.LOOKING)
    if event.turn == state.turn:  # from another viewpoint
        return looking
    new = replace(
        looking,
        turn=event.turn,
        cards=(),
        earlier_cards=(*state.cards, *state.earlier_cards)[:EARLIER_CARDS],
        consultations=(),
        contradictions=(),
        offered_change=None,
        step_reason=NO_REASON,
    )
    return add_mark(new, TimelineTrack.TURN, "turn", f"Turn {event.turn}", number)


def _asked(state: EpisodeState, event: ev.QuestionsAsked) -> EpisodeState:
    asked = state.counts.questions
    cards = (QuestionCard(n, event.turn, q, event.frame) for n, q in enumerate(event.queries, asked + 1))
    return replace(
        state,
        cards=(*state.cards, *cards),
        review_count=state.review_count + 1,
        counts=replace(state.counts, questions=asked + len(event.queries)),
        phase=Phase.ASKING,
    )


def _planned(state: EpisodeState, change: PlanChange, accepted: bool, number: int) -> EpisodeState:
    kind = "plan" if change.new_plan.status is PlanStatus.FOUND else "no plan"
    label = str(state.plan_count + 1) if accepted else "kept"
    marked = replace(add_mark(state, TimelineTrack.PLAN, kind, label, number, change.turn), known_length=0)
    if not accepted:
        return replace(marked, offered_change=None)
    counts = replace(state.counts, replans=state.counts.replans + (1 if state.plan_count else 0))
    plans = state.plan_count + 1
    rows = merge_plan(state.plan_rows, change, plans)
    return replace(
        marked, offered_change=None, plan_change=change, plan_count=plans, plan_rows=rows, counts=counts
    )


def _proposed(state: EpisodeState, proposal: Proposal) -> EpisodeState:
    phase = {ProposalKind.HELP_NEEDED: Phase.HELP_NEEDED, ProposalKind.STOP_RELEASE: Phase.STOPPED}
    new = replace(state, proposal=proposal, phase=phase.get(proposal.kind, Phase.WAITING), late=proposal.late)
    new = change_suggested(new, proposal)
    return new if proposal.step is None else replace(new, step_reason=proposal.reason)


def _acting(state: EpisodeState, turn: int, step: Step) -> EpisodeState:
    return replace(
        state,
        acting=step,
        acting_since=state.now,
        phase=Phase.ACTING,
        corrections=(),
        plan_rows=start_row(state.plan_rows, step, state.plan_count, turn),
    )


def _acted(state: EpisodeState, event: ev.StepFinished, number: int) -> EpisodeState:
    rows = finish_row(state.plan_rows, event.result, state.now - state.acting_since)
    counts = replace(state.counts, steps=state.counts.steps + 1)
    new = replace(state, acting=None, last_step=event, plan_rows=rows, counts=counts)
    kind, label = event.result.status.value, str(event.step)
    return add_mark(new, TimelineTrack.ACTION, kind, label, number, event.turn, state.acting_since)


def _decided(state: EpisodeState, event: ev.DecisionMade, number: int) -> EpisodeState:
    decision = event.decision
    by = getattr(decision, "by", "")
    state = replace(suggestion_decided(state, decision), proposal=None)
    match decision:
        case Correct(answers):
            counts = replace(state.counts, overrides=state.counts.overrides + len(answers))
            state = replace(
                state,
                counts=counts,
                corrections=(*state.corrections, answers),
                cards=with_corrections(state.cards, answers),
                earlier_cards=with_corrections(state.earlier_cards, answers, state.belief),
            )
        case Undo():
            state = without_last_correction(state)
        case StopRaised():
            return state
    if state.stop and not state.stop.released and isinstance(decision, Proceed):
        state = replace(state, stop=replace(state.stop, released=True))
    if not by:
        return state
    kind = "override" if isinstance(decision, Correct | Undo) else "check"
    label = "continue" if isinstance(decision, Proceed) else class_words(type(decision).__name__)
    if isinstance(decision, Correct):
        label = ", ".join(map(_written, decision.answers))
    return add_mark(state, TimelineTrack.OPERATOR, kind, label, number)


def _written(answer: Answer) -> str:
    """Return what a person set as a fact that a vocabulary puts in words."""
    said = str(Literal(*answer.atom, answer.verdict is not Verdict.NO))
    return f"unknown: {said}" if answer.verdict is Verdict.UNKNOWN else said
