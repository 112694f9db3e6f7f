"""Name the old and the new plan, and the answer that caused the new one."""

from __future__ import annotations

from PySide6.QtGui import QPainter, QResizeEvent

from app.controls.layout import Surface
from app.controls.tooltip import set_tooltip
from app.theme import icons, paint
from app.theme import tokens as t
from core.episode_state import EpisodeState
from core.operator import PlanChange
from core.state.causes import explain
from core.text.vocabulary import Vocabulary


class PlanDiffHeader(Surface):
    """Two lines with both plans and the cause of the new one."""

    def __init__(self) -> None:
        super().__init__("sunken", "b")
        self._old, self._new, self._size, self._cause, self._level = "", "", "", "", ""
        self._rows: list[str] = []
        self.setFixedHeight(44)

    def show_change(self, old: str, new: str, size: str, cause: str, level: str) -> None:
        if (old, new, size, cause, level) != (self._old, self._new, self._size, self._cause, self._level):
            self._old, self._new, self._size, self._cause, self._level = old, new, size, cause, level
            self.setAccessibleName(f"{old} becomes {new}: {size}. {cause}")
            set_tooltip(self, f"{old} → {new}: {size}\n{cause}")
            self._fit()
            self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Give the cause a second line if it needs one, so that it is never cut off."""
        self._rows = paint.lines(self._cause, "small", self.width() - 44, 3)
        self.setFixedHeight(28 + 16 * max(1, len(self._rows)))

    def draw(self, p: QPainter) -> None:
        super().draw(p)
        w = self.width()
        x = t.M + paint.text(p, t.M, 4, 90, 18, self._old, "label", "muted", strike=True) + 6
        icons.draw(p, "arrow", x, 7, 12, "muted")
        x += 18 + paint.text(p, x + 18, 4, 90, 18, self._new, "label", "accent") + t.S
        fits = x + paint.width(self._size, "small") <= w - t.S
        size = self._size if fits else self._size.partition(",")[0]
        paint.text(p, x, 4, w - x - t.S, 18, size, "small", "text")
        level = self._level
        icons.draw(p, "diamond" if level else "info", t.M, 24, 13, f"{level}_fill" if level else "muted")
        for i, words in enumerate(self._rows):
            paint.text(p, t.M + 19, 22 + 16 * i, w - 44, 18, words, "small", level or "text")


def cause(revision: PlanChange, state: EpisodeState, vocabulary: Vocabulary) -> tuple[str, str]:
    """Return why there is a new plan, and its level. Amber marks the contradiction behind it, not
    the plan.
    """
    because = explain(revision.reason, state, vocabulary, revision.old_steps)
    caused = revision.reason.answer is not None or revision.reason.literals
    return f"because {because.sentence}" if caused else because.head, because.level
