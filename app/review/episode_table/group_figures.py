"""Groups of episodes drawn side by side: a row for each group, a column for each figure with its interval."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter

from app.controls.painted import Painted
from app.presentation.logged_episodes import figure_text, group_name
from app.theme import icons, paint, styling
from app.theme import tokens as t
from core.review.groups import SHARES, WORDS, EpisodeGroup, Figure
from core.text.plural import plural

HIGH, HEAD, FEW = 62, 28, 10  # px; episodes below which a figure is only hinted at
NAME, LEAST, SCALE = 190, 84, 47  # px: the group's name, the narrowest column, and where its scale lies


class GroupFigures(Painted):
    """All figures of one column have one axis: 0 to 100 % for shares, 0 to the largest for means."""

    GROUND = "surface"
    chosen = Signal(object)  # the EpisodeGroup that was clicked

    def __init__(self) -> None:
        super().__init__()
        self.groups: tuple[EpisodeGroup, ...] = ()
        self.setMinimumWidth(NAME + LEAST * len(WORDS))
        self.setAccessibleName("Groups of episodes")
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_groups(self, groups: tuple[EpisodeGroup, ...]) -> None:
        self.groups = groups
        self.setMinimumHeight(HEAD + HIGH * len(groups) + t.S)
        self.setAccessibleDescription("; ".join(map(_spoken, groups)))
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = int((event.position().y() - HEAD) // HIGH)
        if 0 <= at < len(self.groups):
            self.chosen.emit(self.groups[at])

    def draw(self, p: QPainter) -> None:
        self.paint_on(p, self.width())

    def paint_on(self, p: QPainter, width: float) -> None:
        """Paint everything in this width; also on paper."""
        if not self.groups:
            paint.text(p, t.M, t.S, width, 20, "No ended episode matches.", "body", "muted")
            return
        each = (width - NAME) / len(WORDS)
        for i, (name, words) in enumerate(WORDS.items()):
            paint.text(p, NAME + i * each, 0, each - t.S, HEAD, words, "caption", "muted")
            most = max((_top(group.figures[name]) for group in self.groups), default=0.0)
            for j, group in enumerate(self.groups):
                top = 1.0 if name in SHARES else most or 1.0
                _figure(p, name, group.figures[name], top, NAME + i * each, HEAD + j * HIGH, each - t.M)
        for j, group in enumerate(self.groups):
            y = HEAD + j * HIGH
            used = paint.wrap(p, t.M, y + 5, NAME - 2 * t.M, group_name(group), "label", "ink", 2)
            count = plural(group.episodes, "episode")
            paint.text(p, t.M, y + 5 + used, NAME - 2 * t.M, 16, count, "caption", "muted")
            paint.fill(p, 0, y + HIGH - 1, width, 1, styling.colour("hair", 0.8))


def _top(figure: Figure) -> float:
    return max(figure.value or 0.0, figure.high or 0.0)


def _figure(p: QPainter, name: str, figure: Figure, top: float, x: float, y: float, w: float) -> None:
    """Paint the value and its interval in words, and below them to scale."""
    value, interval = figure_text(name, figure)
    paint.text(p, x, y + 4, w, 18, value, "label", "ink" if figure.n >= FEW else "text")
    paint.text(p, x, y + 21, w, 16, interval, "caption", "muted")
    middle = y + SCALE
    paint.line(p, x, middle, x + w, middle, "hair")
    if figure.value is None:
        return
    ink = "ink" if figure.n >= FEW else "muted"
    if figure.low is not None and figure.high is not None:
        left = x + w * max(0.0, figure.low) / top
        paint.line(p, left, middle, x + w * min(top, figure.high) / top, middle, ink, 2)
    icon = "disc" if figure.n >= FEW else "ring"
    icons.draw(p, icon, x + w * figure.value / top - 6, middle - 6, 12, ink)


def _spoken(group: EpisodeGroup) -> str:
    told = (f"{words} {' '.join(figure_text(name, group.figures[name]))}" for name, words in WORDS.items())
    return f"{group_name(group)}, {plural(group.episodes, 'episode')}: {', '.join(told)}"
