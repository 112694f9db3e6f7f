"""The robot panel of an arm: what it tells on the left, what is in the way and the way out on the right."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from app.parts.button import Button
from app.parts.header import Header
from app.parts.layout import Rule, column, holder, label, row
from app.theme import tokens as t
from app.widgets.arm_hands import ByHand, GripperPart, Speed
from app.widgets.arm_readings import STALE, Checklist, JointRows, Tiles
from app.widgets.arm_recovery import RecoveryPart
from core.arm_capabilities import (
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
from core.ports import Embodiment, Robot

POLL = 50  # ms
WIDE = 720  # px from which the two halves stand side by side


class Board(QWidget):
    """Polls the arm while it is on the screen. `did` tells what a person did, for the log."""

    did = Signal(str)
    calibrate = Signal()

    def __init__(self, robot: Robot, by: str) -> None:
        super().__init__()
        assert isinstance(robot, ReportsStatus)
        self._arm: ReportsStatus = robot
        self._robot, self.by = robot, by
        self._real = robot.embodiment is Embodiment.REAL
        self.tiles, self.joints = Tiles(), JointRows()
        self.checks = Checklist()
        self._checks_head = Header("Preflight")
        self._refused = label("", "small", "doubt", wrap=True)
        left: list[QWidget] = [self.joints]
        right: list[QWidget] = []
        self.speed = self._speed(left)
        self.gripper: GripperPart | None = None
        self.by_hand: ByHand | None = None
        self.recovery: RecoveryPart | None = None
        if isinstance(robot, SupportsGripper):
            self.gripper = GripperPart(robot, by)
            left += [Rule(), self.gripper]
        if isinstance(robot, SupportsJog | SupportsFreedrive):
            self.by_hand = ByHand(robot, by)
            left += [Rule(), self.by_hand]
        if isinstance(robot, SupportsRecovery):
            self.recovery = RecoveryPart(robot, by)
            right.append(self.recovery)
        if isinstance(robot, SupportsPreflight):
            right += [self._checks_head, self.checks]
        for part in (self.gripper, self.by_hand, self.recovery):
            if part is not None:
                part.did.connect(self.did)
        for part in (self.gripper, self.by_hand):
            if part is not None:
                part.refused.connect(self._refuse)
        self.camera = Button("Calibrate a camera…", "camera", height=t.H_CONTROL)
        self.camera.done.connect(self.calibrate)
        self._refused.setContentsMargins(t.M, 0, t.M, t.S)
        self._refused.hide()
        left += [self._refused, Rule(), holder(row(self.camera, 1, margins=(t.M, t.M, t.M, t.M)))]
        self._halves = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._halves.setSpacing(0)
        self.setLayout(column(self.tiles, Rule(), self._halves))
        self._left, self._right = holder(column(*left, 1)), holder(column(*right, 1))
        self._halves.addWidget(self._right)
        self._halves.addWidget(self._left)
        self._timer = QTimer(self, interval=POLL)
        self._timer.timeout.connect(self.look)

    def _speed(self, left: list[QWidget]) -> Speed | None:
        if not isinstance(self._robot, SupportsSpeedSlider):
            return None
        made = Speed()
        made.chosen.connect(self._slow)
        left.append(made)
        return made

    def _slow(self, value: float) -> None:
        assert isinstance(self._robot, SupportsSpeedSlider)
        why = self._robot.set_speed(value)
        self._refuse(why) if why else self.did.emit(f"set the speed slider to {value:.0%}")

    def _refuse(self, why: str) -> None:
        self._refused.setText(f"Not done: {why}.")
        self._refused.show()
        QTimer.singleShot(6000, self, self._refused.hide)

    # --- looking -----------------------------------------------------------------------------------------

    def look(self) -> None:
        """Ask the arm, and show what it says."""
        status = self._arm.status
        checks = self._robot.preflight() if isinstance(self._robot, SupportsPreflight) else ()
        self.tiles.show_arm(status, checks)
        self.joints.show_arm(status)
        self.checks.show_checks(checks)
        self.checks.setVisible(self.width() >= WIDE or self.checks.wrong > 0)
        wrong = self.checks.wrong
        words = f"{wrong} of {len(checks)} not ready" if wrong else "all ready"
        self._checks_head.note.say(words, "doubt" if wrong else "")
        if self.speed is not None:
            self.speed.show_speed(status.speed)
        if self.gripper is not None:
            self.gripper.show_arm(self._real)
        if self.by_hand is not None:
            self.by_hand.show_arm(status, in_the_way(status, checks))
        if self.recovery is not None:
            self.recovery.show_arm(self._real, status.last_error, not wrong)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.look()
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()
        self.let_go()

    def let_go(self) -> None:
        """Whatever is held ends."""
        if self.by_hand is not None:
            self.by_hand.let_go()

    def close_board(self) -> None:
        self._timer.stop()
        self.let_go()

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        wide = self.width() >= WIDE
        directions = QBoxLayout.Direction
        way = directions.RightToLeft if wide else directions.TopToBottom
        if way is not self._halves.direction():
            self._halves.setDirection(way)
            self._halves.setStretch(0, 1)
            self._halves.setStretch(1, 1)


def in_the_way(status: ArmStatus, checks: tuple[PreflightCheck, ...]) -> str:
    """Why the arm cannot be moved by hand, in one short sentence."""
    if status.age > STALE:
        return "there are no fresh data"
    wrong = next((c for c in checks if not c.ok and c.name != "gripper"), None)
    return "" if wrong is None else wrong.reason or wrong.name
