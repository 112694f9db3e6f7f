"""The method's own model calls of a turn, one view each."""

from __future__ import annotations

from app.controls.layout import column
from app.widgets.consulted import ConsultedView
from core.episode_state import Consultation


class CallList:
    """A column of calls whose views are used again for the next turn's."""

    def __init__(self) -> None:
        self.layout = column()
        self._views: list[ConsultedView] = []
        self._count = 0

    @property
    def views(self) -> tuple[ConsultedView, ...]:
        """Return the views that show a call."""
        return tuple(self._views[: self._count])

    def show_calls(self, calls: tuple[Consultation, ...]) -> None:
        self._count = len(calls)
        while len(self._views) < len(calls):
            view = ConsultedView()
            self.layout.addWidget(view)
            self._views.append(view)
        for view, call in zip(self._views, calls, strict=False):
            view.show_call(call)
        for view in self._views[len(calls) :]:
            view.hide()

    @property
    def height(self) -> int:
        return sum(view.sizeHint().height() for view in self.views)
