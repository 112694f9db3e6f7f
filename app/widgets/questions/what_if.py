"""What would count, and what it would change, if a person answered a question. Pure."""

from __future__ import annotations

from collections.abc import Callable

from app.widgets.questions.draft import operator_answer
from core.belief import Answer, Verdict
from core.episode_state import EpisodeState, QuestionCard

Answers = tuple[Answer, ...]
EffectPreview = Callable[[Answers], str]  # what these answers would do


def is_correctable(card: QuestionCard, state: EpisodeState) -> bool:
    """Return True if an answer to this question would change what is believed because of it."""
    return card.turn == state.turn or card.counts_in(state.belief)


def if_answered(
    card: QuestionCard | None, verdict: Verdict, state: EpisodeState, answers: Answers, by: str
) -> Answers:
    """Return what would count of `answers` with this verdict about the question's text; () if it cannot be
    given.
    """
    if card is None or card.model is None or not state.is_running or not is_correctable(card, state):
        return ()
    mine = operator_answer(card, card.query.atom_verdict(verdict), by, turn=state.turn)
    return (*(a for a in answers if a.atom != mine.atom), mine)


def other_answer(
    card: QuestionCard | None, state: EpisodeState, answers: Answers, by: str, preview: EffectPreview
) -> str:
    """Return what it would change to disagree, and by which key; "" if nothing.

    A model that cannot tell is contradicted by what was expected.
    """
    if card is None or card.model is None:
        return ""
    said = card.model.verdict
    other = card.query.text_verdict(said.opposite if said is not Verdict.UNKNOWN else card.query.expected)
    key = {Verdict.YES: "Y", Verdict.NO: "N"}.get(other)
    would_count = if_answered(card, other, state, answers, by)
    effect = preview(would_count) if key and would_count else ""
    return f"{key}: {effect}" if effect else ""
