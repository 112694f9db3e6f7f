"""Choose the card that the keys answer: the first doubtful one, unless a person chooses another."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QScrollArea

from app.controls.layout import ViewStack
from app.presentation.asked import is_correctable
from app.presentation.decision_section import suspicious
from app.widgets.questions.card_view import CardView
from core.episode_state import EpisodeState, QuestionCard

READ = 0.5  # seconds that a question has to have the focus before a key can correct its answer
HOLD = 3.0  # seconds for which a doubtful question keeps the focus though its answer no longer counts


class CardFocus(QObject):
    """The focused card among those of this turn, `current`, and of earlier ones; it is kept in view."""

    changed = Signal()  # the keys answer another question
    placed = Signal()  # a card got the focus, even if it had it

    def __init__(self, area: QScrollArea, current: ViewStack[CardView], earlier: ViewStack[CardView]) -> None:
        super().__init__(area)
        self.view: CardView | None = None
        self._area, self._current, self._earlier = area, current, earlier
        self.chosen = False  # by the person, since the program last began to wait for one
        self.since = 0.0  # when another question got the focus other than by the person, or its answer came
        self.taken = 0.0  # when the program last took it from the person's choice

    @property
    def card(self) -> QuestionCard | None:
        return self.view.card if self.view is not None else None

    @property
    def views(self) -> list[CardView]:
        return self._current.views + self._earlier.views

    def was_read(self, pending: bool) -> bool:
        """Return False while a key may be meant for the question before; of pending ones, for the chosen."""
        return time.monotonic() - (self.taken if pending else self.since) > READ

    def choose(self, view: CardView) -> None:
        """Focus a card because the person wants it."""
        self.focus(view, True)

    def focus(self, view: CardView, chosen: bool = False) -> None:
        if (self.view, self.chosen) != (view, chosen):
            if self.view is not None and self.view is not view:
                self.view.set_focused(False)
            self.view, self.chosen = view, chosen
            self.changed.emit()
        view.set_focused(True)
        self.placed.emit()
        self._area.ensureWidgetVisible(view, 0, 0)

    def focus_first(self, held: QuestionCard | None, state: EpisodeState) -> None:
        """Focus the first doubtful card, or the first, unless the person's own choice can still be corrected.

        The doubtful card `held` keeps the focus while it counts, or if it has only just got it and nothing
        waits for the person: the key that they are about to press is meant for it.
        """
        if not (views := self.views):
            return
        is_mine = self.chosen and held is not None and is_correctable(held, state)
        if mine := [v for v in views if is_mine and v.card and held and v.card.number == held.number]:
            self.choose(mine[0])
            return
        doubted = [v for v in views if v.card and suspicious(v.card) and v.card.pending]
        if not doubted and held is not None and suspicious(held) and self._is_held(held, state):
            doubted = [v for v in views if v.card and v.card.number == held.number and not v.card.overridden]
        before = held.number if held is not None else None
        view = next(iter(doubted), views[0])
        if view.card is not None and view.card.number != before:
            self.since = time.monotonic()
        self.focus(view)
        if self._current.views and view not in self._current.views:
            self._area.ensureWidgetVisible(self._current.views[0], 0, 0)  # what is new is seen first

    def follow(self, card: QuestionCard | None) -> None:
        """Focus this card, if it is another one: the program asks about it now."""
        if card is None or (self.card is not None and self.card.number == card.number):
            return
        for view in self.views:
            if view.card is not None and view.card.number == card.number:
                self.since = time.monotonic()
                self.focus(view)

    def _is_held(self, card: QuestionCard, state: EpisodeState) -> bool:
        outdone = card.turn < state.turn and any(map(suspicious, state.cards))  # by a doubt of this turn
        return (card.counts_in(state.belief) and not outdone) or time.monotonic() - self.since < HOLD

    def move(self, by: int) -> None:
        """Focus the next or the previous of the cards that the filter shows."""
        shown = [v for v in self.views if v.isVisibleTo(self._area)]
        if shown:
            at = shown.index(self.view) if self.view in shown else -1
            self.choose(shown[max(0, min(len(shown) - 1, at + by))])

    def share_room(self, taken: int) -> None:
        """Give the picture of the focused card the height that the other cards of this turn, and what takes
        `taken` px, leave.
        """
        current = self._current.views
        others = sum(v.usual_height for v in current if v is not self.view)
        left = self._area.viewport().height() - others - taken
        for view in self.views:
            view.set_room(left if view is self.view and view in current else 0)
