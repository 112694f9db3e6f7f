"""Draw the candidates of a step on the live picture, ranked, and choose one with a click."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QPen

from app.theme import paint, styling
from core.arm.step_candidates import LineSegment, ProvidesCandidates, StepCandidate
from core.episode_state import EpisodeState, Phase
from core.operator import Proposal
from core.planning_model import Step

NEAR = 14.0  # px around a click that a drawn option is meant by it
CROSSING = 4.0  # px: options that a click is equally near to; clicked again, it means the next of them
YOURS = "yours"  # an option that a person pointed at
_BAR = 9.0  # px of a finger's pad


class GraspOverlay:
    """Knows which candidate is chosen for the proposed step: the best, until a person clicks another."""

    def __init__(self) -> None:
        self.option_source: ProvidesCandidates | None = None
        self._mine: StepCandidate | None = None
        self._refused: StepCandidate | None = None  # what was pointed at last, where it cannot be done
        self._mine_for = 0  # the proposal that they were chosen for

    def visible_options(
        self, state: EpisodeState, live: QImage | None, camera: str
    ) -> tuple[tuple[StepCandidate, ...], StepCandidate | None]:
        """Return the candidates drawn on a live picture: those found on it, and the chosen one.

        A clicked candidate that cannot be executed comes last and is not chosen.
        """
        proposal = state.proposal
        if live is None or proposal is None or state.phase is not Phase.WAITING:
            return (), None
        here = tuple(o for o in proposal.candidates if fits(o, live) and o.camera == camera)
        mine, refused = self._pointed(proposal)
        if refused is not None:
            here = (*(o for o in here if o.line != refused.line), refused)
        return here, mine or next((o for o in here if not o.unavailable_reason), None)

    def _pointed(self, proposal: Proposal | None) -> tuple[StepCandidate | None, StepCandidate | None]:
        now = proposal is not None and proposal.number == self._mine_for
        return (self._mine, self._refused) if now else (None, None)

    def chosen_step(self, proposal: Proposal | None) -> Step | None:
        """Return the proposal's step with the candidate that a person chose, None if that is the first."""
        mine, _ = self._pointed(proposal)
        return mine.step if mine is not None else None

    def choose_at(self, state: EpisodeState, column: float, row: float, k: float) -> bool:
        """Choose the candidate that was clicked, else the best one at this place; keep the choice if it
        cannot be executed. Return True if there is one.
        """
        proposal = state.proposal
        if proposal is None or proposal.step is None:
            return False
        taken, refused = self._pointed(proposal)
        found = hit(proposal.candidates, column, row, k, refused or taken)
        if found is None and self.option_source is not None:
            found = self.option_source.candidate_at(proposal.step, column, row)
        if found is None:
            return False
        self._mine_for = proposal.number
        self._mine = taken if found.unavailable_reason else found
        self._refused = replace(found, label=YOURS) if found.unavailable_reason else None
        return True


def fits(option: StepCandidate, image: QImage | None) -> bool:
    """Return True if the candidate was found on a picture of this size, so that its pixels apply."""
    return image is not None and option.size == (image.width(), image.height())


def hit(
    options: Sequence[StepCandidate], x: float, y: float, k: float = 1.0, last: StepCandidate | None = None
) -> StepCandidate | None:
    """Return the candidate closest to this place of the picture, within NEAR screen pixels, of which a
    picture pixel has `k`.

    Where several cross, return the one after `last`, so that further clicks reach each of them.
    """
    far = {id(o): _far(o.line, x, y) for o in options}
    near = sorted((o for o in options if far[id(o)] <= NEAR * k), key=lambda o: far[id(o)])
    if not near:
        return None
    crossing = [o for o in near if far[id(o)] <= far[id(near[0])] + CROSSING * k]
    lines = [o.line for o in crossing]
    after = lines.index(last.line) + 1 if last is not None and last.line in lines else 0
    return crossing[after % len(crossing)]


def _far(line: LineSegment, x: float, y: float) -> float:
    """Return the distance of a point from the line between two fingertips, in picture pixels."""
    a, b, c, d = line
    along = (c - a) ** 2 + (d - b) ** 2
    part = min(1.0, max(0.0, ((x - a) * (c - a) + (y - b) * (d - b)) / along)) if along else 0.0
    return math.hypot(a + part * (c - a) - x, b + part * (d - b) - y)


def draw(
    p: QPainter, area: QRectF, k: float, options: Sequence[StepCandidate], chosen: StepCandidate | None
) -> None:
    """Draw the candidates, the chosen one last with its number, and why others cannot be executed. `k` is
    screen pixels per picture pixel.
    """
    for option in options:
        if option != chosen:
            _one(p, area, k, option, "on_scrim" if not option.unavailable_reason else "scrim_fault", False)
    if chosen is not None:
        _one(p, area, k, chosen, "accent" if not chosen.unavailable_reason else "scrim_fault", True)


def _one(p: QPainter, area: QRectF, k: float, option: StepCandidate, ink: str, strong: bool) -> None:
    a, b, c, d = option.line
    start = QPointF(area.x() + a * k, area.y() + b * k)
    end = QPointF(area.x() + c * k, area.y() + d * k)
    along = end - start
    size = max(1e-6, math.hypot(along.x(), along.y()))
    pad = QPointF(-along.y(), along.x()) * (_BAR / size / 2)
    style = Qt.PenStyle.DashLine if option.unavailable_reason else Qt.PenStyle.SolidLine
    for colour, wide in (
        (styling.colour("on_scrim" if strong else "scrim", 1.0 if strong else 0.6), 6.0 if strong else 3.5),
        (styling.colour(ink), 3.0 if strong else 1.5),
    ):
        p.setPen(QPen(colour, wide, style))
        p.drawLine(start, end)
        for at in (start, end):
            p.drawLine(at - pad, at + pad)
    if strong or option.label == YOURS:
        words = _words(option)
        wide = paint.width(words, "caption") + 12
        x = min(max(area.x(), (start.x() + end.x()) / 2 - wide / 2), area.right() - wide)
        y = min(max(start.y(), end.y()) + 10, area.bottom() - 22)
        paint.box(p, x, y, wide, 20, styling.colour("scrim", 0.85), None, 3)
        paint.text(p, x + 6, y, wide, 20, words, "caption", "on_scrim")


def _words(option: StepCandidate) -> str:
    if option.unavailable_reason:
        return f"{option.label}: {option.unavailable_reason}"
    return f"{option.label} · {option.score:.2f}" if option.score else option.label
