"""The robot: what it is, what it did, and, where it is an arm, everything a person may do with it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from app.parts.layout import column
from app.theme import glyphs, look, paint
from app.theme import tokens as t
from app.theme.states import LINE
from app.widgets.panel import Panel
from app.words import count, short
from core.arms import Status
from core.ports import Robot
from core.story import Line, LineState, Story

SHOWN = ("robot", "world", "task", "variant", "method", "answerer", "engine", "seed", "openness", "pace")
PAST = (LineState.DONE, LineState.FAILED, LineState.HALTED)
HIGH = 24
RECENT = 60


class Report(QWidget):
    """Rows of name and value, then the latest steps, newest first."""

    def __init__(self) -> None:
        super().__init__()
        self._facts: tuple[tuple[str, str], ...] = ()
        self._steps: tuple[tuple[Line, str], ...] = ()
        self.setAccessibleName("Robot")

    def show_rows(self, facts: tuple[tuple[str, str], ...], steps: tuple[tuple[Line, str], ...]) -> None:
        if (facts, steps) != (self._facts, self._steps):
            self._facts, self._steps = facts, steps
            self.setMinimumHeight((len(facts) + len(steps) + 1) * HIGH + t.S if facts else 0)
            self.setAccessibleDescription(", ".join(f"{n} {v}" for n, v in facts))
            self.update()

    def paintEvent(self, _: QPaintEvent) -> None:
        with paint.painter(self) as p:
            p.fillRect(self.rect(), look.colour("surface"))
            y = 4.0
            for name, value in self._facts:
                y = self._row(p, y, name, value)
            if self._steps:
                paint.text(p, t.M, y + 6, self.width(), 16, "LATEST STEPS", "micro", "muted")
                y += HIGH
            for line, words in self._steps:
                state = LINE[line.state]
                paint.fill(p, t.M, y + HIGH - 1, self.width() - 2 * t.M, 1, "hair")
                glyphs.draw(p, state.glyph, t.M, y + 5, 14, state.colour)
                note = line.note or (short(line.seconds) if line.seconds else "")
                room = min(paint.width(note, "small"), self.width() * 0.5)
                paint.text(p, self.width() - t.M - room, y, room, HIGH, note, "small", "muted", paint.RIGHT)
                paint.text(p, t.M + 22, y, self.width() - room - 56, HIGH, words, "label", "ink")
                y += HIGH

    def _row(self, p: QPainter, y: float, name: str, value: str) -> float:
        paint.fill(p, t.M, y + HIGH - 1, self.width() - 2 * t.M, 1, "hair")
        paint.text(p, t.M, y, 110, HIGH, name, "caption", "muted")
        paint.text(p, t.M + 116, y, self.width() - 128 - t.M, HIGH, value, "label", "ink")
        return y + HIGH


class RobotPanel(Panel):
    """`watch` gives it an arm to show and to handle; whatever else there is, is told by the story."""

    EMPTY = ("robot", "No robot yet", "It is made when an episode is set up.")
    did = Signal(str)  # what a person did with the arm, for the log
    calibrate = Signal()

    def __init__(self) -> None:
        super().__init__("Robot")
        self._report = Report()
        self.board: QWidget | None = None
        self._parts: QVBoxLayout = column(self._report, 1)
        inner = QWidget()
        inner.setLayout(self._parts)
        area = QScrollArea()
        area.setWidget(inner)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        body = QWidget()
        body.setLayout(column(area))
        self.fill(body)
        self.clear()

    def watch(self, robot: Robot | None, by: str = "") -> None:
        """Show this robot's own state, where it tells of one. None: let go of whatever is held."""
        from app.widgets.arm_board import Board

        if isinstance(self.board, Board):
            self.board.close_board()
            self._parts.removeWidget(self.board)
            self.board.deleteLater()
            self.board = None
        if robot is not None and isinstance(robot, Status):
            board = Board(robot, by)
            board.did.connect(self.did)
            board.calibrate.connect(self.calibrate)
            self._parts.insertWidget(0, board)
            self.board = board
            self.header.note.say(robot.name.upper() if robot.name == "ur5e" else robot.name)
            self.untell()

    def clear(self) -> None:
        """Nothing of an earlier episode stays; the arm goes with `watch`."""
        self._report.show_rows((), ())
        if self.board is None:
            super().clear()

    def display(self, story: Story) -> None:
        if story.started is None:
            return
        self.untell()
        settings = story.started.settings
        facts = [(name, settings[name]) for name in SHOWN if settings.get(name)]
        c = story.counts
        facts.append(
            ("so far", f"{count(c.steps, 'step')}, {count(c.replans, 're-plan')}, {count(c.stops, 'stop')}")
        )
        past = [ln for ln in story.lines if ln.state in PAST][-RECENT:]
        failed = sum(ln.state is LineState.FAILED for ln in past)
        self.header.note.say(f"{count(failed, 'step')} failed" if failed else "nothing failed")
        self._report.show_rows(tuple(facts), tuple((ln, self.naming.say(ln.step)) for ln in reversed(past)))
