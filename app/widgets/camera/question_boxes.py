"""The boxes of what was asked about, on the still or on a live picture, each with what was answered of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtGui import QImage

from app.presentation.decision_section import suspicious
from app.widgets.camera.frame_images import box_of
from app.widgets.camera.picture_view import BoxMark
from core.belief import Verdict
from core.episode_state import EpisodeState, QuestionCard, TimelineTrack
from core.ports import BoundingBox
from core.text.vocabulary import Vocabulary


def question_boxes(state: EpisodeState, vocabulary: Vocabulary) -> tuple[BoxMark, ...]:
    """Return a mark, in the still's pixels, for each object that this turn asks about and the robot locates.

    It shows the first uncertain question about the object, or else the first one.
    """
    by_object: dict[str, tuple[BoundingBox, QuestionCard]] = {}
    for card in sorted(state.cards, key=lambda card: not _doubtful(card)):
        if (box := box_of(state.boxes, card.query.atom.args)) is not None:
            by_object.setdefault(box.name, (box, card))
    return tuple(
        BoxMark(box, _words(card, box, vocabulary), "doubt" if _doubtful(card) else "")
        for box, card in by_object.values()
    )


def _doubtful(card: QuestionCard) -> bool:
    unasked = card.model is not None and card.model.is_unasked
    return suspicious(card) and not unasked and not card.overridden


def _words(card: QuestionCard, box: BoundingBox, vocabulary: Vocabulary) -> str:
    """Return the answer as a statement, such as "the cabinet is not closed"; before it, the object's name."""
    answer = card.final or card.model
    if answer is None or answer.is_unasked:
        return vocabulary.object_name(box.name)
    if answer.verdict is Verdict.UNKNOWN:
        return f"{vocabulary.object_name(box.name)}: can't tell"
    return vocabulary.describe_literal(card.query.atom, answer.verdict is Verdict.YES)


def has_moved(state: EpisodeState) -> bool:
    """Return True if a step was started since the still was taken, so that its boxes may be elsewhere."""
    for mark in reversed(state.marks):
        if mark.kind == "turn":
            return False
        if mark.track is TimelineTrack.ACTION:
            return True
    return state.acting is not None


def on_live(marks: Sequence[BoxMark], still: tuple[int, int], live: QImage) -> tuple[BoxMark, ...]:
    """Place marks of a still (height, width) on a live picture of which it is the middle, at full height."""
    k = live.height() / still[0]
    cut = (live.width() - k * still[1]) / 2

    def placed(b: BoundingBox) -> BoundingBox:
        return BoundingBox(b.name, b.left * k + cut, b.top * k, b.right * k + cut, b.bottom * k)

    return tuple(replace(mark, box=placed(mark.box)) for mark in marks)
