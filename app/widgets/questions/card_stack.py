"""A column of question cards whose views are used again for the next turn's cards."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtGui import QImage

from app.controls.layout import column
from app.widgets.questions.card_view import CardView
from app.widgets.questions.card_view_model import CardViewModel
from core.episode_state import QuestionCard


class CardStack:
    """`connect` is called with each view that is made."""

    def __init__(self, connect: Callable[[CardView], None]) -> None:
        self.layout = column()
        self._connect = connect
        self._views: list[CardView] = []

    @property
    def views(self) -> list[CardView]:
        """Return the views that show a card, from top to bottom."""
        return [view for view in self._views if view.card is not None]

    @property
    def numbers(self) -> list[int]:
        return [view.card.number for view in self._views if view.card is not None]

    def show_cards(self, cards: Sequence[tuple[QuestionCard, CardViewModel, QImage | None]]) -> None:
        while len(self._views) < len(cards):
            view = CardView()
            self._connect(view)
            self.layout.addWidget(view)
            self._views.append(view)
        for view, (card, face, picture) in zip(self._views, cards, strict=False):
            view.show_card(card, face, picture)
        for view in self._views[len(cards) :]:
            view.card = None
            view.hide()
