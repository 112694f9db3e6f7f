"""The still of this turn, and what the robot does, senses and did last."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtGui import QImage, QMouseEvent, QPainter
from PySide6.QtWidgets import QSizePolicy

from app.controls.painted import Painted
from app.presentation.formatting import age, duration, waits_for_person
from app.theme import icons, paint
from app.theme import tokens as t
from app.theme.states import LINE
from app.widgets.camera.frame_images import still
from app.widgets.camera.picture_view import fitted
from core.belief import BeliefSource, Verdict
from core.episode_state import EpisodeState, Phase, PlanRowState
from core.ports import StepStatus
from core.text.vocabulary import Vocabulary

NAME = 58  # px of the names' column
ENDED = {
    StepStatus.DONE: PlanRowState.DONE,
    StepStatus.FAILED: PlanRowState.FAILED,
    StepStatus.HALTED: PlanRowState.HALTED,
}


@dataclass(frozen=True)
class Readout:
    """One line: an icon and a value with their colour."""

    name: str
    value: str
    icon: str
    tone: str = "text"


class StillView(Painted):
    """The still and its read-outs; a click enlarges the still."""

    clicked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._image: QImage | None = None
        self._lines: tuple[Readout, ...] = ()
        self.setMinimumHeight(120)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("The still as asked, and the robot's state")

    def show_state(self, state: EpisodeState, vocabulary: Vocabulary, pictures: bool = True) -> None:
        """Show this state. `pictures` is False if the robot has none."""
        image = still(state.frame) if pictures else None
        lines = readouts(state, vocabulary)
        if image is not self._image or lines != self._lines:
            self._image, self._lines = image, lines
            self.setAccessibleDescription(". ".join(f"{r.name}: {r.value}" for r in lines))
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.position().x() < t.M + self._side():
            self.clicked.emit()

    def _side(self) -> float:
        return min(self.height() - 2 * t.M - 20, self.width() * (0.40 if self.width() > 400 else 0.34), 256)

    def draw(self, p: QPainter) -> None:
        side = self._side()
        words = "Nothing asked yet"
        if self._image is not None:
            p.drawImage(fitted(self._image, side, side).translated(t.M, t.M), self._image)
            words = f"As asked: {self._image.width()} × {self._image.height()}"
        else:
            paint.box(p, t.M, t.M, side, side, "sunken", "hair")
            icons.draw(p, "camera", t.M + side / 2 - 10, t.M + side / 2 - 10, 20, "faint")
        paint.text(p, t.M, t.M + side + 4, side + 20, 16, words, "caption", "muted")
        paint_readouts(p, self._lines, t.M + side + t.L, self.width(), self.height(), side + 20)


class ReadoutView(Painted):
    """The read-outs alone, beside a still that is shown elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: tuple[Readout, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("The robot's state")

    def show_lines(self, lines: tuple[Readout, ...]) -> None:
        if lines != self._lines:
            self._lines = lines
            self.setAccessibleDescription(". ".join(f"{r.name}: {r.value}" for r in lines))
            self.update()

    def draw(self, p: QPainter) -> None:
        paint_readouts(p, self._lines, t.M, self.width(), self.height(), self.height())


def paint_readouts(
    p: QPainter, lines: tuple[Readout, ...], x: float, w: float, h: float, least: float
) -> None:
    """Paint each line from `x` to `w` as high as its text needs, with fewer rows of it where `h` is low.

    All take `least` px, and at most `h`.
    """
    for most in (3, 2, 1):
        rows = [paint.lines(r.value, "label", w - x - NAME - 20 - t.S, most) for r in lines]
        more = sum(15.0 * (len(row) - 1) for row in rows)
        if 20.0 * len(rows) + more <= h - t.M:
            break
    least = min(least, 38.0 * len(rows))
    step = max(20.0, (min(h - 2.0 * t.M, least + more) - more) / max(1, len(rows)))
    y = t.M - 2.0
    for i, (r, row) in enumerate(zip(lines, rows, strict=True)):
        if i:
            paint.fill(p, x, y, w - x - t.M, 1, "hair")
        paint.text(p, x, y, NAME, step, r.name, "caption", "muted")
        tone = r.tone if r.tone != "text" else "muted"
        icons.draw(p, r.icon, x + NAME, y + step / 2 - 7, 14, tone)
        for words in row:
            paint.text(p, x + NAME + 20, y, w - x - NAME - 20 - t.S, step, words, "label", r.tone)
            y += 15
        y += step - 15


def readouts(state: EpisodeState, vocabulary: Vocabulary) -> tuple[Readout, ...]:
    """Return what the robot does, senses, did last and waits for."""
    if state.started is None:
        return (
            Readout("Robot", "nothing moves", "pause"),
            Readout("Waiting", "for Start", "person", "accent"),
        )
    moving = vocabulary.describe_step(state.acting) if state.acting else "holding still"
    situation = vocabulary.in_words(state.last_step.situation) if state.last_step else ""
    return (
        Readout("Robot", moving, "play" if state.acting else "pause"),
        Readout("Senses", _felt(state, vocabulary), "pulse"),
        _last(state, vocabulary),
        Readout("Situation", situation or "none reported", "info" if situation else "dash"),
        _waited(state),
    )


def _felt(state: EpisodeState, vocabulary: Vocabulary) -> str:
    sensed = (e.atom for e in state.belief if e.source is BeliefSource.SENSOR and e.verdict is Verdict.YES)
    return ", ".join(vocabulary.describe_literal(atom) for atom in sorted(sensed)) or "nothing sensed"


def _last(state: EpisodeState, vocabulary: Vocabulary) -> Readout:
    last = state.last_step
    if last is None:
        return Readout("Last", "no step yet", "dash")
    line = LINE[ENDED[last.result.status]]
    took = f" · {duration(last.result.seconds)}" if last.result.seconds >= 0.05 else ""
    tone = "text" if last.result.status is StepStatus.DONE else line.colour
    return Readout("Last", f"{vocabulary.describe_step(last.step)} · {line.word}{took}", line.icon, tone)


def _waited(state: EpisodeState) -> Readout:
    if waits_for_person(state):
        return Readout("Waiting", f"for you · {age(state.now - state.since)}", "person", "accent")
    if state.phase is Phase.ASKING:
        return Readout("Waiting", "for the model", "eye")
    return Readout("Waiting", "for nobody", "dash")
