"""List what was told and suggested in a turn, one card each."""

from __future__ import annotations

from app.controls.layout import column
from app.presentation.suggestions import SuggestionViewModel
from app.widgets.questions.suggestion_card import SuggestionCard


class SuggestionList:
    """A column of suggestion cards, which are used again for the next turn's."""

    def __init__(self) -> None:
        self.layout = column()
        self.cards: list[SuggestionCard] = []

    def show_faces(self, faces: tuple[SuggestionViewModel, ...]) -> bool:
        """Show these; return True if one has just begun to wait for a person."""
        while len(self.cards) < len(faces):
            self.cards.append(SuggestionCard())
            self.layout.addWidget(self.cards[-1])
        fresh = False
        for card, face in zip(self.cards, faces, strict=False):
            fresh |= face.waiting and (card.face is None or not card.face.waiting)
            card.show_face(face)
            card.show()
        for card in self.cards[len(faces) :]:
            card.hide()
        return fresh

    @property
    def height(self) -> int:
        return sum(card.sizeHint().height() for card in self.cards if not card.isHidden())
