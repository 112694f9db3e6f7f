"""A column of views that are used again for the next turn's items."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtWidgets import QWidget

from app.controls.layout import column

V = TypeVar("V", bound=QWidget)


class ViewStack(Generic[V]):
    """`make` is called for each view that is needed for the first time."""

    def __init__(self, make: Callable[[], V]) -> None:
        self.layout = column()
        self._make = make
        self._made: list[V] = []
        self._count = 0

    @property
    def views(self) -> list[V]:
        """Return the views that show an item, from top to bottom."""
        return self._made[: self._count]

    @property
    def made(self) -> int:
        """Return how many views there are, shown or not."""
        return len(self._made)

    def views_for(self, count: int) -> list[V]:
        """Return this many views, and hide the others."""
        while len(self._made) < count:
            self._made.append(self._make())
            self.layout.addWidget(self._made[-1])
        self._count = count
        for view in self._made[count:]:
            view.hide()
        return self.views

    @property
    def height(self) -> int:
        return sum(view.sizeHint().height() for view in self.views)
