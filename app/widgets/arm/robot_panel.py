"""The robot panel: what the robot is and did, and the controls of an arm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout

from app.controls.button import Button
from app.controls.layout import column, row, scroll_area, wrap_layout
from app.controls.text_rows import TextRow, TextRows
from app.presentation.formatting import method_title, spaced
from app.theme import tokens as t
from app.widgets.panel import Panel
from core.arm.arm_capabilities import ReportsStatus
from core.episode_state import EpisodeState, PlanRowState
from core.loop.permit_issuer import ManualActuation, deny_actuation
from core.ports import Robot
from core.text.plural import plural

if TYPE_CHECKING:
    from app.widgets.arm.arm_view import ArmPanelView

SHOWN = ("robot", "world", "task", "variant", "method", "answerer", "engine", "seed", "openness", "pace")
NAMES = 76  # px of a fact's name


class RobotPanel(Panel):
    """Shows the robot of the episode state, and an arm given to `watch` with its controls."""

    EMPTY = ("robot", "No robot yet", "Set up an episode to start one.")
    action_done = Signal(str)  # what a person did with the arm, for the log
    calibrate = Signal()

    def __init__(self) -> None:
        super().__init__("Robot")
        self.facts = TextRows("Robot", NAMES)
        self.arm_view: ArmPanelView | None = None
        self.again = Button("Connect again", "robot", height=t.H_CONTROL)  # to an arm that was let go
        self._again = wrap_layout(row(self.again, 1, margins=(t.M, t.S, t.M, t.S)))
        self._again.hide()
        self._parts: QVBoxLayout = column(self._again, self.facts, 1)
        self._body_parts: QVBoxLayout = column(scroll_area(wrap_layout(self._parts)))
        self.set_body(wrap_layout(self._body_parts))
        self.clear()

    def watch(self, robot: Robot | None, actuate: ManualActuation = deny_actuation) -> None:
        """Show and control `robot` if it is an arm. Control of the previous one is released first."""
        self._again.setVisible(robot is None and (self.arm_view is not None or self._again.isVisibleTo(self)))
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
            board.fit(self.width())
            self.header.note.set_note(robot.name.upper() if robot.name == "ur5e" else robot.name)
            self.hide_placeholder()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.arm_view is not None:
            self.arm_view.fit(self.width())

    def clear(self) -> None:
        """Clear what is left of an earlier episode; the arm goes with `watch`."""
        self.facts.show_rows(())
        if self.arm_view is None:
            super().clear()

    def display(self, state: EpisodeState) -> None:
        if state.started is None:
            return
        self.hide_placeholder()
        settings = state.started.settings
        named = {**settings, "method": method_title(settings.get("method", ""))}
        named["task"] = spaced(settings.get("task", ""))
        facts = [(name, named[name]) for name in SHOWN if named.get(name)]
        options = ((spaced(name.partition(".")[2]), value) for name, value in settings.items() if "." in name)
        facts += [(name, value) for name, value in options if value]  # of the parts, by their short names
        c = state.counts
        so_far = ((c.steps, "step"), (c.replans, "re-plan"), (c.stops, "stop"))
        facts.append(("so far", ", ".join(plural(n, thing) for n, thing in so_far)))
        failed = sum(line.state is PlanRowState.FAILED for line in state.plan_rows)
        self.header.note.set_note(f"{plural(failed, 'step')} failed" if failed else "no step failed")
        self.facts.show_rows([TextRow(value, name) for name, value in facts])
