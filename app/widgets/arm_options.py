"""The ways to do a step, drawn on the live picture: ranked, one of them taken, another one click away."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QPen

from app.theme import look, paint
from core.deciding import Proposal
from core.options import Line, Option, Options
from core.problem import Step
from core.story import Phase, Story

NEAR = 14.0  # px around a click that a drawn option is meant by it
_BAR = 9.0  # px of a finger's pad


class Offer:
    """Which way to do the step that waits is taken: the best, until a person points at another one."""

    def __init__(self) -> None:
        self.maker: Options | None = None
        self._mine: Option | None = None
        self._mine_for = 0  # the proposal that it was chosen for

    def shown(
        self, story: Story, live: QImage | None, camera: str
    ) -> tuple[tuple[Option, ...], Option | None]:
        """What is drawn on a live picture: the options that were seen on it, and the one that is taken."""
        proposal = story.proposal
        if live is None or proposal is None or story.phase is not Phase.WAITING:
            return (), None
        here = tuple(o for o in proposal.options if fits(o, live) and o.camera == camera)
        if proposal.number == self._mine_for and self._mine is not None:
            return here, self._mine
        return here, next((o for o in here if not o.reason_not), None)

    def taken(self, proposal: Proposal | None) -> Step | None:
        """The way to do this proposal's step that a person chose; None: the first is as good."""
        mine = self._mine if proposal is not None and proposal.number == self._mine_for else None
        return mine.step if mine is not None and not mine.reason_not else None

    def point(self, story: Story, column: float, row: float, k: float) -> bool:
        """Take the option that was clicked, else the best one at this place. Whether there is one."""
        proposal = story.proposal
        if proposal is None or proposal.step is None:
            return False
        mine = hit(proposal.options, column, row, NEAR * k)
        if mine is None and self.maker is not None:
            mine = self.maker.option_at(proposal.step, column, row)
        if mine is not None:
            self._mine, self._mine_for = mine, proposal.number
        return mine is not None


def fits(option: Option, image: QImage | None) -> bool:
    """Whether it was made on a picture of this size: only there its pixels mean anything."""
    return image is not None and option.size == (image.width(), image.height())


def hit(options: Sequence[Option], x: float, y: float, near: float) -> Option | None:
    """The option whose middle is closest to this place of the picture, within `near` of its pixels."""
    far, found = min(((_far(o.line, x, y), o) for o in options), key=lambda f: f[0], default=(near + 1, None))
    return found if far <= near else None


def _far(line: Line, x: float, y: float) -> float:
    return math.hypot((line[0] + line[2]) / 2 - x, (line[1] + line[3]) / 2 - y)


def draw(p: QPainter, area: QRectF, k: float, options: Sequence[Option], chosen: Option | None) -> None:
    """The chosen one last, with its number; `k` screen pixels to one of the picture."""
    for option in options:
        if option != chosen:
            _one(p, area, k, option, "on_scrim" if not option.reason_not else "scrim_fault", False)
    if chosen is not None:
        _one(p, area, k, chosen, "accent" if not chosen.reason_not else "scrim_fault", True)


def _one(p: QPainter, area: QRectF, k: float, option: Option, ink: str, strong: bool) -> None:
    a, b, c, d = option.line
    start = QPointF(area.x() + a * k, area.y() + b * k)
    end = QPointF(area.x() + c * k, area.y() + d * k)
    along = end - start
    size = max(1e-6, math.hypot(along.x(), along.y()))
    pad = QPointF(-along.y(), along.x()) * (_BAR / size / 2)
    style = Qt.PenStyle.DashLine if option.reason_not else Qt.PenStyle.SolidLine
    for colour, wide in (
        (look.colour("on_scrim" if strong else "scrim", 1.0 if strong else 0.6), 6.0 if strong else 3.5),
        (look.colour(ink), 3.0 if strong else 1.5),
    ):
        p.setPen(QPen(colour, wide, style))
        p.drawLine(start, end)
        for at in (start, end):
            p.drawLine(at - pad, at + pad)
    if strong:
        words = _words(option)
        wide = paint.width(words, "caption") + 12
        x = min(max(area.x(), (start.x() + end.x()) / 2 - wide / 2), area.right() - wide)
        y = min(max(start.y(), end.y()) + 10, area.bottom() - 22)
        paint.box(p, x, y, wide, 20, look.colour("scrim", 0.85), None, 3)
        paint.text(p, x + 6, y, wide, 20, words, "caption", "on_scrim")


def _words(option: Option) -> str:
    if option.reason_not:
        return f"{option.label}: {option.reason_not}"
    return f"{option.label} · {option.score:.2f}" if option.score else option.label
