"""Compute what a question's card shows from the episode state and the person's draft. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from app.presentation.decision_section import suspicious
from app.presentation.formatting import duration, money, worth_text
from core.belief import BeliefSource, Purpose, Verdict
from core.episode_state import EpisodeState, QuestionCard
from core.ports import BoundingBox


@dataclass(frozen=True)
class CardViewModel:
    """What a card shows. All verdicts are about the question's text, not about the atom."""

    question: str = ""
    model_verdict: Verdict | None = None
    quote: str = ""
    expected: Verdict = Verdict.UNKNOWN
    operator_verdict: Verdict | None = None
    note: str = ""
    icon: str = ""
    tone: str = "muted"
    foot: str = ""
    box: BoundingBox | None = None
    decides: str = ""  # what would be done after yes and after no
    answerable: bool = True  # whether a person's answer would change anything

    @property
    def note_and_expected(self) -> str:
        """Return the note, with the expected answer where the model gave another one."""
        surprising = self.model_verdict not in (None, self.expected, Verdict.UNKNOWN)
        if not surprising or self.expected is Verdict.UNKNOWN or "expected" in self.note:
            return self.note
        return f"{self.note}, expected {self.expected.value}"


def card_view_model(
    card: QuestionCard, state: EpisodeState, draft: Verdict | None, box: BoundingBox | None, reason: str
) -> CardViewModel:
    """Return what a card shows. `draft` is a person's verdict about the atom that is not yet submitted."""
    about = card.query.text_verdict
    yours = draft
    if yours is None and card.overridden and card.final is not None:
        yours = card.final.verdict
    earlier = card.turn != state.turn
    icon, tone, note = _earlier_note(card, state) if earlier else _note(card, state, draft)
    turn = f"turn {card.turn}" if earlier else ""
    numbers = [f"Q{card.number}", turn, reason, worth_text(card.query.worth)]
    if card.model is not None and card.seconds:
        numbers.append(duration(card.seconds))
    if card.model is not None and card.model.confidence is not None:
        numbers.append(f"{100 * card.model.confidence:.0f} % sure, calibrated")
    elif card.raw_confidence is not None:
        numbers.append(f"raw {100 * card.raw_confidence:.0f} %")
    if card.model is not None and "eye" in _answerers(state):  # its version
        numbers.append(card.model.by)
    if card.cost:
        numbers.append(money(card.cost))
    return CardViewModel(
        card.query.text,
        about(card.model.verdict) if card.model and not card.error and not card.model.is_unasked else None,
        _quote(card),
        about(card.query.expected),
        about(yours) if yours is not None else None,
        note,
        icon,
        tone,
        " · ".join(filter(None, numbers)),
        box,
        card.query.decides,
        not earlier or card.counts_in(state.belief),
    )


def _answerers(state: EpisodeState) -> list[str]:
    return state.started.settings.get("answerer", "").split("+") if state.started else []


def _quote(card: QuestionCard) -> str:
    said = card.model.raw_reply if card.model else ""
    return " ".join(said.split())[:60]


LATER = {
    BeliefSource.MODEL: "asked again in turn {}",
    BeliefSource.SENSOR: "sensed since, in turn {}",
    BeliefSource.OPERATOR: "set by you in turn {}",
    BeliefSource.PREDICTED: "changed by the step of turn {}",
}


def _earlier_note(card: QuestionCard, state: EpisodeState) -> tuple[str, str, str]:
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


def _note(card: QuestionCard, state: EpisodeState, draft: Verdict | None) -> tuple[str, str, str]:
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
