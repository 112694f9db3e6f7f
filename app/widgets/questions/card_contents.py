"""Build what each card shows: its texts, the picture that was asked about, and the box in it."""

from __future__ import annotations

from PySide6.QtGui import QImage

from app.widgets.camera.frame_images import box_of, kept_still, still
from app.widgets.questions.card_view_model import CardViewModel, card_view_model
from app.widgets.questions.draft import Draft
from core.belief import Purpose
from core.episode_state import EARLIER_CARDS, EpisodeState, QuestionCard
from core.ports import BoundingBox

CardContent = tuple[QuestionCard, CardViewModel, QImage | None]
WHY = {
    Purpose.EFFECT: "effect of last step",
    Purpose.PRECONDITION: "needed next",
    Purpose.UNCERTAIN: "in doubt",
    Purpose.CHECK: "a check",
}


class CardContents:
    """Builds the contents of the cards, and keeps the boxes of the latest frames for earlier cards."""

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

    def current(self, cards: list[QuestionCard]) -> list[CardContent]:
        frame = self._state.frame
        picture = still(frame) if frame is not None and cards and cards[0].frame == frame.id else None
        return [self._content(card, picture) for card in cards]

    def earlier(self) -> list[CardContent]:
        return [self._content(card, kept_still(card.frame)) for card in self._state.earlier_cards]

    def _content(self, card: QuestionCard, picture: QImage | None) -> CardContent:
        atom = card.query.atom
        box = box_of(self._boxes.get(card.frame, ()) if picture is not None else (), atom.args)
        draft = self._draft.verdicts.get(atom) if card.pending else None
        return card, card_view_model(card, self._state, draft, box, WHY[card.query.purpose]), picture
