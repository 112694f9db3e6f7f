"""The robot panel: what the robot is and did, and the controls of an arm."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import QVBoxLayout

from app.controls.layout import column, scroll_area, wrap_layout
from app.controls.painted import Painted
from app.presentation.formatting import duration
from app.theme import icons, paint
from app.theme import tokens as t
from app.theme.states import LINE
from app.widgets.panel import Panel
from core.arm.arm_capabilities import ReportsStatus
from core.episode_state import EpisodeState, PlanRow, PlanRowState
from core.loop.permit_issuer import ManualActuation, deny_actuation
from core.ports import Robot
from core.text.plural import plural

if TYPE_CHECKING:
    from app.widgets.arm.arm_view import ArmPanelView

SHOWN_SETTINGS = (
    "robot",
    "world",
    "task",
    "variant",
    "method",
    "answerer",
    "engine",
    "seed",
    "openness",
    "pace",
)
PAST = (PlanRowState.DONE, PlanRowState.FAILED, PlanRowState.HALTED)
HIGH, LINE_HIGH = 24, 16  # px of a row, and of each more line of it
VALUE, SIGN = 92, 22  # px to a fact's value; of a step's glyph
RECENT = 60


class RobotReport(Painted):
    """Rows of names and values, then the latest steps, newest first."""

    GROUND = "surface"

    def __init__(self) -> None:
        super().__init__()
        self._facts: tuple[tuple[str, str], ...] = ()
        self._steps: tuple[tuple[PlanRow, str], ...] = ()
        self.setAccessibleName("Robot")

    def show_rows(self, facts: tuple[tuple[str, str], ...], steps: tuple[tuple[PlanRow, str], ...]) -> None:
        if (facts, steps) != (self._facts, self._steps):
            self._facts, self._steps = facts, steps
            self.setAccessibleDescription(", ".join(f"{n} {v}" for n, v in facts))
            self._fit()
            self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Make the widget as high as its text, so that nothing is cut off."""
        rows = [len(self._value(v)) for _, v in self._facts]
        rows += [len(self._step(line, words)) for line, words in self._steps]
        high = HIGH * (len(rows) + 1) + LINE_HIGH * sum(n - 1 for n in rows) + t.S
        self.setMinimumHeight(high if rows else 0)

    def _value(self, value: str) -> list[str]:
        return paint.lines(value, "label", self.width() - VALUE - t.M, 3)

    def _step(self, line: PlanRow, words: str) -> list[str]:
        room = self.width() - 2 * t.M - SIGN - t.S - paint.width(_note_lines(line), "small")
        return paint.lines(words, "label", max(room, self.width() * 0.4), 3)

    def draw(self, p: QPainter) -> None:
        w, y = self.width(), 4.0
        for name, value in self._facts:
            paint.text(p, t.M, y, VALUE - t.M, HIGH, name, "caption", "muted")
            y = self._rows(p, y, VALUE, self._value(value))
        if self._steps:
            paint.text(p, t.M, y + 6, w, 16, "LATEST STEPS", "micro", "muted")
            y += HIGH
        for line, words in self._steps:
            state, note = LINE[line.state], _note_lines(line)
            icons.draw(p, state.icon, t.M, y + 5, 14, state.colour)
            room = min(paint.width(note, "small"), w * 0.6 - 2 * t.M)
            paint.text(p, w - t.M - room, y, room, HIGH, note, "small", "muted", paint.RIGHT)
            y = self._rows(p, y, t.M + SIGN, self._step(line, words))

    def _rows(self, p: QPainter, y: float, x: float, rows: list[str]) -> float:
        """Paint rows from `y` down; return where the next one begins."""
        for i, words in enumerate(rows):
            paint.text(p, x, y + i * LINE_HIGH, self.width() - x, HIGH, words, "label", "ink")
        y += HIGH + LINE_HIGH * (len(rows) - 1)
        paint.fill(p, t.M, y - 1, self.width() - 2 * t.M, 1, "hair")
        return y


def _note_lines(line: PlanRow) -> str:
    return line.note or (duration(line.seconds) if line.seconds else "")


class RobotPanel(Panel):
    """Shows the robot of the episode state, and an arm given to `watch` with its controls."""

    EMPTY = ("robot", "No robot yet", "Set up an episode to start one.")
    action_done = Signal(str)  # what a person did with the arm, for the log
    calibrate = Signal()

    def __init__(self) -> None:
        super().__init__("Robot")
        self._report = RobotReport()
        self.arm_view: ArmPanelView | None = None
        self._parts: QVBoxLayout = column(self._report, 1)
        self._body_parts: QVBoxLayout = column(scroll_area(wrap_layout(self._parts)))
        self.set_body(wrap_layout(self._body_parts))
        self.clear()

    def watch(self, robot: Robot | None, actuate: ManualActuation = deny_actuation) -> None:
        """Show and control `robot` if it is an arm. Control of the previous one is released first."""
        if self.arm_view is not None:
            self.arm_view.close_view()
            self._parts.removeWidget(self.arm_view)
            for part in filter(None, (self.arm_view, self.arm_view.handover)):
                part.hide()
                part.deleteLater()
            self.arm_view = None
        if robot is not None and isinstance(robot, ReportsStatus):
            from app.widgets.arm.arm_view import ArmPanelView

            board = ArmPanelView(robot, actuate)
            board.action_done.connect(self.action_done)
            board.calibrate.connect(self.calibrate)
            self._parts.insertWidget(0, board)
            if board.handover is not None:
                self._body_parts.insertWidget(0, board.handover)
            self.arm_view = board
            self.header.note.set_note(robot.name.upper() if robot.name == "ur5e" else robot.name)
            self.hide_placeholder()

    def clear(self) -> None:
        """Clear what is left of an earlier episode; the arm goes with `watch`."""
        self._report.show_rows((), ())
        if self.arm_view is None:
            super().clear()

    def display(self, state: EpisodeState) -> None:
        if state.started is None:
            return
        self.hide_placeholder()
        settings = state.started.settings
        facts = [(name, settings[name]) for name in SHOWN_SETTINGS if settings.get(name)]
        options = ((name.partition(".")[2], value) for name, value in settings.items() if "." in name)
        facts += [(name, value) for name, value in options if value]  # of the parts, by their short names
        c, words = state.counts, self.vocabulary
        facts.append(
            (
                "so far",
                f"{plural(c.steps, 'step')}, {plural(c.replans, 're-plan')}, {plural(c.stops, 'stop')}",
            )
        )
        past = [ln for ln in state.plan_rows if ln.state in PAST][-RECENT:]
        failed = sum(ln.state is PlanRowState.FAILED for ln in past)
        self.header.note.set_note(f"{plural(failed, 'step')} failed" if failed else "no step failed")
        self._report.show_rows(
            tuple(facts),
            tuple(
                (replace(ln, note=words.in_words(ln.note)), words.describe_in_full(ln.step))
                for ln in reversed(past)
            ),
        )
