"""The robot panel: the controls of an arm."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout

from app.controls.button import Button
from app.controls.layout import column, row, scroll_area, wrap_layout
from app.theme import tokens as t
from app.widgets.panel import Panel
from core.arm.arm_capabilities import ReportsStatus
from core.episode_state import EpisodeState
from core.loop.permit_issuer import ManualActuation, deny_actuation
from core.ports import Robot

if TYPE_CHECKING:
    from app.widgets.arm.arm_view import ArmPanelView


class RobotPanel(Panel):
    """Shows an arm given to `watch`, with its controls."""

    EMPTY = ("robot", "Nothing to move by hand", "An arm has its controls here.")
    action_done = Signal(str)  # what a person did with the arm, for the log
    calibrate = Signal()

    def __init__(self) -> None:
        super().__init__("Robot")
        self.arm_view: ArmPanelView | None = None
        self.again = Button("Connect again", "robot", height=t.H_CONTROL)  # to an arm that was let go
        self._again = wrap_layout(row(self.again, 1, margins=(t.M, t.S, t.M, t.S)))
        self._again.hide()
        self._parts: QVBoxLayout = column(self._again, 1)
        self._body_parts: QVBoxLayout = column(scroll_area(wrap_layout(self._parts)))
        self.set_body(wrap_layout(self._body_parts))
        self.clear()

    def watch(self, robot: Robot | None, actuate: ManualActuation = deny_actuation) -> None:
        """Show and control `robot` if it is an arm. Control of the previous one is released first."""
        self._again.setVisible(robot is None and (self.arm_view is not None or self._again.isVisibleTo(self)))
        if self.arm_view is not None:
            self._parts.removeWidget(self.arm_view)
            for part in filter(None, (self.arm_view, self.arm_view.handover)):
                part.hide()  # which ends what is held
                part.deleteLater()
            self.arm_view = None
        if robot is not None and isinstance(robot, ReportsStatus):
            from app.widgets.arm.arm_view import ArmPanelView

            board = ArmPanelView(robot, actuate)
            board.action_done.connect(self.action_done)
            board.calibrate.connect(self.calibrate)
            self.arm_view = board
            self.header.note.set_note(robot.name.upper() if robot.name == "ur5e" else robot.name)
            # Each takes long, so each has a turn of the event loop of its own.
            QTimer.singleShot(0, board, board.poll)
            QTimer.singleShot(1, board, partial(self._show_arm, board))
        elif robot is not None:
            self.clear()

    def _show_arm(self, board: ArmPanelView) -> None:
        if self.arm_view is board:
            self._parts.insertWidget(0, board)
            if board.handover is not None:
                self._body_parts.insertWidget(0, board.handover)
            board.fit(self.width())
            self.hide_placeholder()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.arm_view is not None:
            self.arm_view.fit(self.width())

    def clear(self) -> None:
        """Clear what is left of an earlier episode; the arm goes with `watch`."""
        if self.arm_view is None:
            super().clear()

    def display(self, state: EpisodeState) -> None:
        """Say whether an episode runs; the arm itself is polled."""
        if self.arm_view is not None and self.arm_view.recovery is not None:
            self.arm_view.recovery.idle = not state.is_running
