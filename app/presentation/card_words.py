"""The words of a question's card, and of the panel's head and foot, from state and draft. Pure."""

from __future__ import annotations

import re

from app.presentation.decision_section import suspicious
from app.presentation.formatting import duration, pending_cards, worth_text
from core.belief import BeliefSource, Purpose, Verdict
from core.episode_state import EpisodeState, Phase, QuestionCard
from core.text.numbers import money
from core.text.plural import plural
from core.vqa.replies.cleaning import final_words

WHY = {
    Purpose.EFFECT: "effect of last step",
    Purpose.PRECONDITION: "needed next",
    Purpose.UNCERTAIN: "in doubt",
    Purpose.CHECK: "a check",
}
Note = tuple[str, str, str]  # icon, tone and text


def card_note(card: QuestionCard, state: EpisodeState, draft: Verdict | None) -> Note:
    """Return what the answer does. `draft` is a person's verdict about the atom that is not yet submitted."""
    return _note(card, state, draft) if card.turn == state.turn else _earlier_note(card, state)


def card_foot(card: QuestionCard, state: EpisodeState) -> str:
    """Return the question's number, why it was asked, and what the answer took."""
    model, quote = card.model, card_quote(card)
    numbers = [f"Q{card.number}", f"turn {card.turn}" if card.turn != state.turn else ""]
    numbers += [WHY[card.query.purpose], worth_text(card.query.worth)]
    if model is not None:
        numbers.append(duration(card.seconds) if card.seconds else "")
        if "%" not in quote and model.confidence is not None:
            numbers.append(f"{100 * model.confidence:.0f} % sure")
        elif "%" not in quote and card.raw_confidence is not None:
            numbers.append(f"raw {100 * card.raw_confidence:.0f} %")
        if state.started and "eye" in state.started.settings.get("answerer", "").split("+"):  # its version
            numbers.append(model.by)
    return " · ".join(filter(None, (*numbers, money(card.cost) if card.cost else "")))


def expected_words(card: QuestionCard, note: str) -> str:
    """Return the note, with the expected answer where the model gave another one."""
    expected = card.query.expected
    surprising = card.model is not None and card.model.verdict not in (expected, Verdict.UNKNOWN)
    if not surprising or expected is Verdict.UNKNOWN or "expected" in note or card.error:
        return note
    return f"{note}, expected {card.query.text_verdict(expected).value}"


def model_verdict(card: QuestionCard) -> Verdict | None:
    """Return what the model said about the question's text, None if it said nothing."""
    if card.model is None or card.error or card.model.is_unasked:
        return None
    return card.query.text_verdict(card.model.verdict)


def operator_verdict(card: QuestionCard, draft: Verdict | None) -> Verdict | None:
    """Return what a person says about the question's text, None if they say nothing."""
    if draft is None and card.overridden and card.final is not None:
        draft = card.final.verdict
    return None if draft is None else card.query.text_verdict(draft)


def card_quote(card: QuestionCard) -> str:
    said = card.model.raw_reply if card.model else ""
    return final_words(said, 60)


def said_beside(card: QuestionCard) -> str:
    """Return what stands beside the verdict: the reply, or only the percentage of one that repeats it."""
    quote, verdict = card_quote(card), model_verdict(card)
    plain = re.fullmatch(r"(\w+)[.]?(?: \((\d+ %)\))?", quote)
    if plain and verdict is not None and plain[1].lower() == verdict.value:
        return plain[2] or ""
    return f"“{quote}”" if quote else ""


LATER = {
    BeliefSource.MODEL: "asked again in turn {}",
    BeliefSource.SENSOR: "sensed since, in turn {}",
    BeliefSource.OPERATOR: "set by you in turn {}",
    BeliefSource.PREDICTED: "changed by the step of turn {}",
}


def _earlier_note(card: QuestionCard, state: EpisodeState) -> Note:
    """Return whether the answer of an earlier turn still counts, and otherwise what came after it."""
    entry = state.belief.entry(card.query.atom)
    if card.model is None or card.final is None:
        return "dash", "muted", "not answered"
    if card.overridden:
        return "person", "accent", "set by you"
    if card.error:
        return "fault", "fault", "the model gave no answer"
    if not card.counts_in(state.belief):
        return "dash", "muted", LATER.get(entry.source, "no longer counts").format(entry.since)
    if suspicious(card):
        expected = card.query.text_verdict(card.query.expected).value
        return "diamond", "doubt", f"still counts, although {expected} was expected"
    return "check", "muted", "still counts"


def _note(card: QuestionCard, state: EpisodeState, draft: Verdict | None) -> Note:
    """Return what the answer does: icon, colour and text."""
    if card.model is None:
        return "clock", "muted", "waiting for the model"
    if draft is not None:
        same = draft is card.model.verdict and not card.model.is_unasked
        return "person", "accent", "you agree" if same else "your answer, pending"
    doubted = next((c for c in state.contradictions if card.query.atom in c.atoms), None)
    if card.pending and card.error:
        return "fault", "fault", "no answer from the model"
    if card.pending and card.model.is_unasked:
        return "person", "accent", "a question to you"
    if card.pending:
        words = "not applied yet"
        return ("diamond", "doubt", words) if suspicious(card) else ("clock", "muted", words)
    if card.overridden:
        return "person", "accent", "set by you"
    if card.model.verdict is Verdict.UNKNOWN:
        kept = card.query.text_verdict(state.belief.verdict(card.query.atom))
        icon, tone = ("fault", "fault") if card.error else ("undo", "muted")
        return icon, tone, f"old value kept: {kept.value}"
    if doubted is not None:
        expected = card.query.text_verdict(card.query.expected)  # in the question's words, not the atom's
        reason = f"expected {expected.value}" if suspicious(card) else doubted.reason
        return "diamond", "doubt", f"contradicts: {reason}"
    if not suspicious(card):
        return "check", "muted", "as expected"
    if card.query.purpose is Purpose.PRECONDITION:
        return "diamond", "doubt", "the next step needs the opposite"
    return "info", "text", "unexpected"


BEFORE = (Phase.IDLE, Phase.LOOKING, Phase.ASKING)  # of a turn's questions


def head_note(state: EpisodeState) -> tuple[str, str]:
    """Return what was asked or how many answers wait for a person, and its level."""
    cards = state.cards
    if waiting := len(pending_cards(state)):
        return f"{waiting} to answer", "doubt" if any(map(suspicious, cards)) else ""
    asked = plural(len(cards), "question") if cards else ""
    calls = f"{plural(len(state.consultations), 'call')} of the method" if state.consultations else ""
    none = "" if state.phase in BEFORE else "nothing asked"
    said = ", ".join(filter(None, (asked, calls))) or none
    late = "waiting" if any(card.model is None for card in cards) else ""
    return " · ".join(filter(None, (f"turn {state.turn}", said, late))), ""
