"""Work out what an answer of a person would count for, and what it would change. Pure."""

from __future__ import annotations

from collections.abc import Callable

from app.presentation.asked import is_correctable
from app.widgets.questions.draft import operator_answer
from core.belief import Answer, Verdict
from core.episode_state import EpisodeState, QuestionCard

Answers = tuple[Answer, ...]
EffectPreview = Callable[[Answers], str]  # what these answers would do


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
    """Return what it would change to disagree with what counts now, and by which key; "" if nothing.

    What nobody can tell is contradicted by what was expected.
    """
    if card is None or card.model is None:
        return ""
    atom, drafted = card.query.atom, (a.verdict for a in answers if a.atom == card.query.atom)
    counts = next(drafted, card.model.verdict) if card.pending else state.belief.verdict(atom)
    other = card.query.text_verdict(counts.opposite if counts is not Verdict.UNKNOWN else card.query.expected)
    key = {Verdict.YES: "Y", Verdict.NO: "N"}.get(other)
    would_count = if_answered(card, other, state, answers, by)
    effect = preview(would_count) if key and would_count else ""
    now = preview(if_answered(card, card.query.text_verdict(counts), state, answers, by)) if effect else ""
    if effect and effect == now and "cannot be done" in effect:
        return f"{key}: no difference, {effect.removeprefix('then ')} either way"
    return f"{key}: {effect}" if effect else ""
