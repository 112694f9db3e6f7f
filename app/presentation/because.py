"""BECAUSE, the second section of the decision bar: why the program does or asks what it does. Pure."""

from __future__ import annotations

import re
from dataclasses import replace

from app.presentation.decision_section import DecisionSection, next_step, suspicious
from app.presentation.formatting import (
    HELD_UP,
    age,
    answerer_name,
    ending_text,
    goal_text,
    lacks_answers,
    not_understood,
    pending_cards,
)
from app.presentation.likelihood import is_doubtful, percent
from app.presentation.suggestions import change_face, told_by, waiting_suggestion
from core import events as ev
from core.belief import Purpose, QueryTopic, Verdict
from core.episode_state import EpisodeState, Phase, QuestionCard
from core.loop.episode_loop import GOAL_BELIEVED
from core.operator import PlanChange
from core.planning_model import Plan, PlanStatus, Step
from core.policy import same_plan
from core.reason import FIRST_PLAN, Cause
from core.state.causes import Explanation, capitalised, evidence, explain, unbelieved
from core.supervision import SupervisionLevel
from core.text.untrusted_text import one_line
from core.text.vocabulary import Vocabulary

BECAUSE = "BECAUSE"


def because_section(
    state: EpisodeState, vocabulary: Vocabulary, focused_question: QuestionCard | None = None
) -> DecisionSection:
    """Return the reason. `focused_question` is the card that a person's keys answer."""
    match state.phase:
        case Phase.REVIEWING if cards := pending_cards(state):
            if focused_question is not None and not focused_question.pending:
                return DecisionSection(BECAUSE, "You chose an earlier answer", ("J and K lead back",))
            return _review_section(state, vocabulary, focused_question or cards[0])
        case Phase.OFFERED if state.offered_change:
            return _section(_of_change(state, vocabulary, state.offered_change))
        case Phase.HELP_NEEDED:
            return _help_section(state, vocabulary)
        case Phase.STOPPED:
            return _stop_section(state)
        case Phase.ENDED:
            head, note = ending_text(state)
            crashed = bool(state.ended and state.ended.result is ev.EpisodeResult.CRASHED)
            note = "" if note in (head, GOAL_BELIEVED.rstrip(".")) else vocabulary.in_words(note)
            failed = next((c.error for c in reversed(state.cards) if c.error and c.error not in note), "")
            lines = tuple(filter(None, (goal_text(state), note, failed)))
            return DecisionSection(BECAUSE, head, lines, "fault" if crashed else "")
    if suggestion := waiting_suggestion(state):
        situation, changes = suggestion.situation, suggestion.changes
        evidence_ = change_face(changes[0], vocabulary).reason if changes else ""
        return DecisionSection(
            BECAUSE, f"“{one_line(situation.sentence, 200)}”", (evidence_ or told_by(situation, state),)
        )
    if state.phase is Phase.WAITING and state.proposal and (failing := state.proposal.failing):
        said = failing.sentence(vocabulary.describe_step, vocabulary.describe_literal)
        head, _, reason = said.partition(": ")
        return DecisionSection(BECAUSE, capitalised(head), (capitalised(reason),), "doubt")
    return _step_section(state, vocabulary)


def _section(explanation: Explanation, *more: str) -> DecisionSection:
    level = "" if explanation.level == "doubt" else explanation.level  # a new plan is an event, not a doubt
    return DecisionSection(BECAUSE, explanation.head, (*explanation.lines, *more), level)


def _of_change(state: EpisodeState, vocabulary: Vocabulary, change: PlanChange) -> Explanation:
    return explain(change.reason, state, vocabulary, change.old_steps)


def _step_section(state: EpisodeState, vocabulary: Vocabulary) -> DecisionSection:
    """Return why the step of this turn comes next."""
    if state.started and state.turn == 0:
        return _section(explain(FIRST_PLAN, state, vocabulary))
    reason, change = state.step_reason, state.plan_change
    if reason.cause not in (Cause.NEXT_IN_PLAN, Cause.OTHER):
        return _section(explain(reason, state, vocabulary))
    replanned = change is not None and state.plan_count > 1 and change.turn == state.turn
    if change is not None and replanned and state.phase is not Phase.LOOKING:
        return _section(_of_change(state, vocabulary, change))
    if not state.plan_count:
        return DecisionSection(BECAUSE, "No plan yet")
    made = "the first plan"
    if change and state.plan_count > 1:
        made = f"plan {state.plan_count}, made in turn {change.turn}"
    step = state.proposal.step if state.proposal else state.acting or next_step(state)
    return _preconditions_section(state, vocabulary, step, made)


def _preconditions_section(
    state: EpisodeState, vocabulary: Vocabulary, step: Step | None, made: str
) -> DecisionSection:
    """Return how the preconditions of a step are known, or which one is not believed."""
    needed = vocabulary.preconditions(step) if step else ()
    if not needed:
        return DecisionSection(BECAUSE, "It is next in the plan", (made,))
    if missing := unbelieved(state.belief, needed):
        fact = vocabulary.describe_literal(missing[0])
        return DecisionSection(BECAUSE, "It is next in the plan", (f"not believed: {fact}", made))
    known = evidence(state.belief, needed)
    return DecisionSection(BECAUSE, "Its preconditions are believed", (known, made))


def _help_section(state: EpisodeState, vocabulary: Vocabulary) -> DecisionSection:
    """Return why a person has to help."""
    reason = state.proposal.reason if state.proposal else None
    if state.proposal and lacks_answers(state):
        head, _, cause = state.proposal.explanation.partition(": ")
        return DecisionSection(BECAUSE, head, (cause,), "doubt")
    if useless := not_understood(state):
        return DecisionSection(
            BECAUSE, f"You told “{one_line(state.situations[-1].sentence, 60)}”", (useless,), "doubt"
        )
    if reason is None or reason.cause is not Cause.KEPT:
        fault = reason is not None and reason.cause is Cause.FAULT
        head = "A part of the program broke" if fault else "No plan reaches the goal"
        note = vocabulary.in_words(state.proposal.explanation) if state.proposal else ""
        change, cause = state.plan_change, ""
        if change and not change.new_plan.steps and change.reason.cause is not Cause.FIRST_PLAN:
            cause = f"planned because {_of_change(state, vocabulary, change).sentence}"
        return DecisionSection(BECAUSE, head, tuple(filter(None, (note, cause))), "doubt")
    rejected = explain(reason, state, vocabulary)
    return _section(replace(rejected, head="You rejected the only plan"))


def _stop_section(state: EpisodeState) -> DecisionSection:
    shown = state.proposal.stop_number if state.proposal else 0
    ours = state.stop is not None and state.stop.number == shown  # the arm may have stopped by itself since
    ago = f"{age(state.now - state.stop.requested_at)} ago" if state.stop and ours else ""
    head, *rest = re.split("[.;] ", state.proposal.explanation if state.proposal else "", maxsplit=1)
    then = HELD_UP if state.is_held_up else "a stop ends the motion, not the episode"
    lines = ("".join(rest).rstrip("."), ago, then)
    return DecisionSection(BECAUSE, capitalised(head.rstrip(".")) or "You stopped it", lines)


def _review_section(state: EpisodeState, vocabulary: Vocabulary, card: QuestionCard) -> DecisionSection:
    """Return why a person is asked about this card, and what it was asked for."""
    if card.error:
        who = answerer_name(card.model.by if card.model else "") or "the model"
        return DecisionSection(BECAUSE, f"No answer from {who}", (card.error,), "fault")
    step = next_step(state)
    asked = f"asked before “{vocabulary.describe_step(step)}”" if step else ""
    probability = state.belief.probability(card.query.atom)
    if probability is not None and is_doubtful(probability):
        held = probability >= 0.5
        sure = percent(max(probability, 1 - probability))
        asked = f"believed: {vocabulary.describe_literal(card.query.atom, held)}, {sure}"
    return DecisionSection(BECAUSE, _review_reason(state, vocabulary, card), (asked,))


def _review_reason(state: EpisodeState, vocabulary: Vocabulary, card: QuestionCard) -> str:
    if state.supervision.ask is SupervisionLevel.MANUAL:
        return "The model is not asked: you answer"
    if card.query.topic is QueryTopic.SITUATION:
        return "Only you can say so: it is not counted without you"
    if card.model is not None and card.model.is_unasked:
        return "The method asks you, not the model"
    if card.model is not None and card.model.verdict is Verdict.UNKNOWN:
        return "The model can't tell"
    step = next_step(state)
    if suspicious(card) and card.query.purpose is Purpose.EFFECT and state.last_step:
        return f"Contradicts what “{vocabulary.describe_step(state.last_step.step)}” should do"
    if suspicious(card) and card.query.purpose is Purpose.PRECONDITION and step:
        return f"“{vocabulary.describe_step(step)}” needs the opposite"
    if suspicious(card):
        return "Not the expected answer"
    if state.supervision.believe >= SupervisionLevel.APPROVE:
        return "You review every call"
    return "An answer contradicts the belief"


GO_ON = "Look at the plan; Enter goes on."


def not_as_approved(approved: Plan, event: ev.Event) -> DecisionSection | None:
    """Return why a plan that was made is another one, None if it is the approved one to the last move.

    Only those moves were seen as a ghost. An arm that sees the things itself may take one otherwise though
    the steps are the same, and it moves back from each place, so that its camera sees it.
    """
    if not isinstance(event, ev.PlanMade) or same_plan(approved.steps, event.plan):
        return None
    if event.plan.status is not PlanStatus.FOUND or approved.steps != event.plan.steps:
        lines = ("It has other steps than the rehearsal that you approved.", GO_ON)
    else:
        lines = ("Its steps are the same, but the arm moves otherwise, by what it sees now.", GO_ON)
    return DecisionSection("WHY IT PAUSED", "Not the plan that you saw", lines, "doubt")
