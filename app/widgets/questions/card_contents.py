"""Show questions on their cards, each with the picture that was asked about and the box in it."""

from __future__ import annotations

from collections.abc import Sequence

from app.widgets.camera.frame_images import box_of, kept_still, still
from app.widgets.questions.card_view import CardView
from app.widgets.questions.draft import Draft
from core.episode_state import EARLIER_CARDS, EpisodeState, QuestionCard
from core.ports import BoundingBox


class CardContents:
    """Keeps the boxes of the latest frames for earlier cards."""

    def __init__(self, draft: Draft) -> None:
        self._draft, self._state = draft, EpisodeState()
        self._boxes: dict[str, tuple[BoundingBox, ...]] = {}

    def update(self, state: EpisodeState) -> None:
        if state.episode != self._state.episode:
            self._boxes.clear()
        self._state = state
        if state.frame is not None:
            self._boxes[state.frame.id] = state.boxes
            while len(self._boxes) > EARLIER_CARDS:
                del self._boxes[next(iter(self._boxes))]

    def show(self, views: Sequence[CardView], cards: Sequence[QuestionCard]) -> None:
        frame = self._state.frame
        for view, card in zip(views, cards, strict=True):
            ours = frame is not None and card.frame == frame.id
            picture = still(frame) if ours else kept_still(card.frame)
            boxes = self._boxes.get(card.frame, ()) if picture is not None else ()
            draft = self._draft.verdicts.get(card.query.atom) if card.pending else None
            view.show_card(card, self._state, draft, picture, box_of(boxes, card.query.atom.args))
