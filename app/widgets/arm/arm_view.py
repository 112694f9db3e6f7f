"""The robot panel of an arm: its modes and what moves it, then recovery, failing checks and readings."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QLayout, QWidget

from app.controls.badge import Icon
from app.controls.button import Button
from app.controls.header import Header
from app.controls.layout import Surface, column, label, row, set_tone, wrap_layout
from app.controls.tooltip import set_tooltip
from app.theme import tokens as t
from app.widgets.arm.manual_controls import GripperControls, ManualControls, SpeedControl
from app.widgets.arm.readings import STALE, Checklist, JointTable, Modes, ToolRows
from app.widgets.arm.recovery import RecoveryControls
from core.arm.arm_capabilities import (
    ArmStatus,
    PreflightCheck,
    ReportsStatus,
    SupportsFreedrive,
    SupportsGripper,
    SupportsJog,
    SupportsPreflight,
    SupportsRecovery,
    SupportsSpeedSlider,
)
from core.arm.handover import HandoverChoice, SharesArm
from core.loop.permit_issuer import ManualActuation
from core.ports import Embodiment, Robot

POLL = 50  # ms
WIDE = 720  # px from which the two halves stand side by side


class ArmPanelView(QWidget):
    """Polls the arm while it is visible. `action_done` reports what a person did, for the log.

    `handover` belongs above it, where it is not scrolled out of sight.
    """

    action_done = Signal(str)
    calibrate = Signal()

    def __init__(self, robot: Robot, actuate: ManualActuation) -> None:
        super().__init__()
        assert isinstance(robot, ReportsStatus)
        self._arm: ReportsStatus = robot
        self._robot = robot
        self._real = robot.embodiment is Embodiment.REAL
        self.tiles, self.joints, self.tool = Modes(), JointTable(), ToolRows()
        self.checks = Checklist()
        self.camera = Button("Calibrate…", "camera", "", "quiet", 24)
        self.camera.setAccessibleName("Calibrate a camera")
        self.camera.activated.connect(self.calibrate)
        self._checks_head = Header("Preflight", self.camera)
        self._checks_head.set_height(t.H_CONTROL)
        self._refused = label("", "small", "doubt", wrap=True)
        self.speed = SpeedControl() if isinstance(robot, SupportsSpeedSlider) else None
        self.gripper = GripperControls(robot, actuate) if isinstance(robot, SupportsGripper) else None
        self.manual_controls: ManualControls | None = None
        if isinstance(robot, SupportsJog | SupportsFreedrive):
            self.manual_controls = ManualControls(robot, actuate)
        self.recovery = RecoveryControls(robot, actuate) if isinstance(robot, SupportsRecovery) else None
        moves = filter(None, (self.speed, self.gripper, self.manual_controls))
        joints = wrap_layout(column(self.joints, margins=(t.S, 0, t.S, 0)))
        shown = (self._refused, self.recovery, self._checks_head, self.checks, joints, self.tool)
        if self.speed is not None:
            self.speed.chosen.connect(self._slow)
        for part in (self.gripper, self.manual_controls, self.recovery):
            if part is not None:
                part.action_done.connect(self.action_done)
        for part in (self.gripper, self.manual_controls):
            if part is not None:
                part.refused.connect(self._refuse)
        self._refused.setContentsMargins(t.M, 0, t.M, t.S)
        self._refused.hide()
        self.handover = HandoverLine(robot) if isinstance(robot, SharesArm) else None
        self._halves = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._halves.setSpacing(0)
        # What moves the arm comes first: nothing that comes and goes may push it away under the pointer.
        controls = column(self.tiles, *moves, 1)
        controls.setSizeConstraint(QLayout.SizeConstraint.SetMinimumSize)  # nor may it be squashed
        self._halves.addWidget(wrap_layout(controls))
        self._halves.addWidget(wrap_layout(column(*filter(None, shown), 1)))
        self.setLayout(column(self._halves, 1))
        self._timer = QTimer(self, interval=POLL)
        self._timer.timeout.connect(self.poll)

    def _slow(self, value: float) -> None:
        assert isinstance(self._robot, SupportsSpeedSlider)
        done = f"set the speed slider to {100 * value:.0f} %"
        reason = self._robot.set_speed(value)
        self._refuse(reason) if reason else self.action_done.emit(done)

    def _refuse(self, reason: str) -> None:
        self._refused.setText(f"Not done: {reason}.")
        self._refused.show()
        QTimer.singleShot(_REFUSAL_SHOWN, self, self._refused.hide)

    # --- looking -----------------------------------------------------------------------------------------

    def poll(self) -> None:
        """Read the arm's state and show it."""
        status = self._arm.status
        if self.handover is not None:
            self.handover.poll()
        checks = self._robot.preflight() if isinstance(self._robot, SupportsPreflight) else ()
        self.tiles.show_arm(status, checks)
        self.joints.show_arm(status)
        self.tool.show_arm(status)
        self.checks.show_checks(checks)
        wrong = self.checks.wrong
        words = f"{wrong} of {len(checks)} not ready" if wrong else "all ready"
        self._checks_head.note.set_note(words if checks else "", "doubt" if wrong else "")
        if self.speed is not None:
            self.speed.show_speed(status.speed)
        if self.gripper is not None:
            self.gripper.show_arm(self._real)
        blocked = blocking_reason(status, checks)
        if self.recovery is not None:
            self.recovery.show_arm(self._real, status.last_error, not wrong, not blocked)
            blocked = blocked or ("a stop is in force" if self.recovery.offers_release else "")
        if self.manual_controls is not None:
            self.manual_controls.show_arm(status, blocked)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.poll()
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()
        self.release_all()

    def release_all(self) -> None:
        """End everything that is being held."""
        if self.manual_controls is not None:
            self.manual_controls.release_all()

    def fit(self, width: int) -> None:
        """Arrange the controls for a panel of this width in px."""
        directions = QBoxLayout.Direction
        self._halves.setDirection(directions.LeftToRight if width >= WIDE else directions.TopToBottom)
        for half in (0, 1):
            self._halves.setStretch(half, 1)
        if self.manual_controls is not None:
            self.manual_controls.fit(width)


def blocking_reason(status: ArmStatus, checks: tuple[PreflightCheck, ...]) -> str:
    """Return in one short sentence why the arm cannot be moved by hand, "" if it can."""
    if status.age > STALE:
        return "there are no fresh data"
    wrong = next((c for c in checks if not c.ok and c.by_hand), None)
    return "" if wrong is None else ": ".join(filter(None, (wrong.name, wrong.reason)))


_REFUSAL_SHOWN = 6000  # ms


class HandoverLine(Surface):
    """Visible only while another console moves the arm, asks for it, or was just answered."""

    def __init__(self, arm: SharesArm) -> None:
        super().__init__("surface", "b")
        self._arm, self._refused = arm, ""
        self._icon, self._words = Icon("person", size=14), label("", "label", wrap=True)
        self.buttons = {choice: Button(choice.value, height=t.H_CONTROL) for choice in HandoverChoice}
        for choice, button in self.buttons.items():
            button.hold = choice is HandoverChoice.TAKE
            button.activated.connect(partial(self._choose, choice))
        line = row(self._icon, self._words, *self.buttons.values(), margins=(t.M, t.S, t.M, t.S))
        line.setStretch(1, 1)
        self.setLayout(line)
        self.setMinimumHeight(t.H_CONTROL + 2 * t.S)
        self.setAccessibleName("Who moves the arm")
        self.hide()

    def poll(self) -> None:
        """Show the state of now."""
        shared = self._arm.shared
        words = "" if shared is None else self._refused or shared.sentence
        self.setVisible(bool(words))
        if shared is None or not words:
            return
        asked = shared.moves and bool(shared.asker)
        self._words.setText(words)
        self.setAccessibleDescription(words)
        set_tooltip(self, f"{shared.mover}, {shared.mover.since}." if shared.mover is not None else "")
        self._icon.show_as("person", "accent" if asked else "muted")
        set_tone(self._words, "accent" if asked else "text")
        for choice, button in self.buttons.items():
            button.setVisible(choice in shared.choices)

    def _choose(self, choice: HandoverChoice) -> None:
        reason = self._arm.choose(choice)
        if reason:
            self._refused = f"Not done: {reason}."
            QTimer.singleShot(_REFUSAL_SHOWN, self, self._forget)
        self.poll()

    def _forget(self) -> None:
        self._refused = ""
