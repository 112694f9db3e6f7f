"""Manual control of an arm: speed, gripper, jog, freedrive; each if the arm supports it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QGridLayout, QWidget

from app.controls.button import Button
from app.controls.input_fields import ComboBox
from app.controls.layout import column, label, row
from app.controls.painted import Painted
from app.controls.tooltip import set_tooltip
from app.theme import icons, paint
from app.theme import tokens as t
from app.widgets.arm.hold_button import HoldButton
from core.arm.arm_capabilities import (
    ACTIVATION,
    FREEDRIVE,
    MIN_SPEED_FRACTION,
    ArmStatus,
    GripperCommand,
    GripperStatus,
    JogCommand,
    JogFrame,
    SupportsFreedrive,
    SupportsGripper,
    SupportsJog,
)
from core.loop.permit_issuer import ManualActuation
from core.permit import PermitKind

PART = 0.4  # of the fastest jog: 100 mm/s
FRAMES = {JogFrame.BASE: "Base", JogFrame.TOOL: "Tool", JogFrame.JOINTS: "Joints"}
AXES = ("X", "Y", "Z", "RX", "RY", "RZ")


class SpeedControl(Painted):
    """The controller's speed slider, 2 to 100 %, sent when it is released."""

    GROUND = "surface"

    chosen = Signal(float)

    def __init__(self) -> None:
        super().__init__()
        self._value, self._dragged = 1.0, False
        self.setFixedHeight(58)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName("Speed slider")

    def show_speed(self, value: float) -> None:
        if not self._dragged and value != self._value:
            self._put(value)

    @property
    def value(self) -> float:
        return self._value

    def _put(self, value: float) -> None:
        self._value = min(1.0, max(MIN_SPEED_FRACTION, value))
        self.setAccessibleDescription(f"{100 * self._value:.0f} %")
        self.update()

    def _at(self, event: QMouseEvent) -> None:
        room = self.width() - 2 * t.M
        self._put(round((event.position().x() - t.M) / max(1, room), 2))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._dragged = True
            self._at(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragged:
            self._at(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._dragged:
            self._dragged = False
            self.chosen.emit(self._value)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = {Qt.Key.Key_Left: -0.05, Qt.Key.Key_Right: 0.05}.get(Qt.Key(event.key()))
        if by is None:
            super().keyPressEvent(event)
        else:
            self._put(self._value + by)
            self.chosen.emit(self._value)

    def draw(self, p: QPainter) -> None:
        w = self.width()
        paint.fill(p, 0, 0, w, 1, "hair")
        paint.text(p, t.M, 6, 80, 16, "Speed", "label", "text")
        words = f"{100 * self._value:.0f} % of a step's own speed"
        paint.text(p, t.M, 6, w - 2 * t.M, 16, words, "small", "text", paint.RIGHT)
        room = w - 2 * t.M
        paint.box(p, t.M, 30, room, 4, "raised", None, 2)
        paint.box(p, t.M, 30, room * self._value, 4, "muted", None, 2)
        at = t.M + room * self._value
        paint.box(p, at - 7, 25, 14, 14, "surface", "accent" if self.hasFocus() else "muted", 7, 1.5)
        for part in (MIN_SPEED_FRACTION, 0.25, 0.5, 0.75, 1.0):
            x = t.M + room * part - 20
            x = min(max(x, t.M), w - t.M - 40)
            align = paint.LEFT if part == MIN_SPEED_FRACTION else paint.RIGHT if part == 1 else paint.CENTRE
            paint.text(p, x, 41, 40, 14, f"{100 * part:.0f} %", "caption", "muted", align)


class GripperGauge(Painted):
    """Shows how far the gripper is open and whether it holds something."""

    GROUND = "surface"

    def __init__(self) -> None:
        super().__init__()
        self._hand: GripperStatus | None = None
        self.setFixedHeight(32)
        self.setAccessibleName("Gripper")

    def show_state(self, hand: GripperStatus | None) -> None:
        if hand != self._hand:
            self._hand = hand
            self.setAccessibleDescription(gripper_text(hand))
            self.update()

    def draw(self, p: QPainter) -> None:
        w = self.width()
        words, hand = gripper_text(self._hand), self._hand
        bad = hand is None or bool(hand.fault)
        took = paint.width(words, "small")
        left, right = t.M + 74.0, max(t.M + 110.0, w - took - 2 * t.M - 20)
        paint.text(p, t.M, 0, 70, 32, "Gripper", "label", "text")
        paint.box(p, left, 14, right - left, 4, "raised", None, 2)
        if hand is not None:
            half = (right - left) / 2 * min(1.0, hand.opening / hand.stroke)
            for side in (-1, 1):
                x = (left + right) / 2 + side * half
                paint.box(p, x - 3, 7, 6, 18, "ink", None, 2)
        x = w - t.M - took
        if bad:
            icons.draw(p, "diamond", x - 18, 9, 13, "doubt_fill")
        paint.text(p, x, 0, took + 2, 32, words, "small", "doubt" if bad else "text")


def gripper_text(hand: GripperStatus | None) -> str:
    if hand is None:
        return "does not answer"
    if hand.fault:
        return hand.fault
    held = {True: "holds something", False: "no object", None: "unknown what it holds"}[hand.holding]
    return f"open {hand.opening * 1000:.0f} mm · {'moving' if hand.moving else held} · active"


class GripperControls(QWidget):
    refused = Signal(str)
    action_done = Signal(str)

    def __init__(self, gripper: SupportsGripper, actuate: ManualActuation) -> None:
        super().__init__()
        self._gripper, self._actuate = gripper, actuate
        self._gauge = GripperGauge()
        self.open_, self.close_ = Button("Open", height=t.H_CONTROL), Button("Close", height=t.H_CONTROL)
        self.activate = Button("Activate", height=t.H_CONTROL)
        self.activate.hold = True
        self.activate.setToolTip("Hold: the gripper opens and closes once")
        self.open_.activated.connect(self._open)
        self.close_.activated.connect(self._close)
        self.activate.activated.connect(self._activate)
        buttons = row(self.open_, self.close_, self.activate, 1, margins=(t.M + 74, 0, t.M, t.S))
        self.setLayout(column(self._gauge, buttons))

    def show_arm(self, real: bool) -> None:
        hand = self._gripper.gripper_status
        self._gauge.show_state(hand)
        self.open_.hold = self.close_.hold = real
        ready = hand is not None and hand.active
        for button in (self.open_, self.close_):
            button.setEnabled(ready)
            button.setToolTip("" if ready else "the gripper is not activated")
        self.activate.setVisible(not ready)

    def _open(self) -> None:
        hand = self._gripper.gripper_status
        self._move(GripperCommand(hand.stroke if hand else 1.0), "opened the gripper")

    def _close(self) -> None:
        self._move(GripperCommand(0.0), "closed the gripper")

    def _move(self, command: GripperCommand, words: str) -> None:
        reason = self._actuate(PermitKind.GRIPPER, command, partial(self._gripper.move_gripper, command))
        self._report(reason, words)

    def _activate(self) -> None:
        reason = self._actuate(PermitKind.GRIPPER, ACTIVATION, self._gripper.activate_gripper)
        self._report(reason, "activated the gripper")

    def _report(self, reason: str, words: str) -> None:
        self.refused.emit(reason) if reason else self.action_done.emit(words)


class ManualControls(QWidget):
    """Twelve jog buttons and a freedrive button; every motion ends when its button is released."""

    refused = Signal(str)
    action_done = Signal(str)

    def __init__(self, robot: SupportsJog | SupportsFreedrive, actuate: ManualActuation) -> None:
        super().__init__()
        self._robot, self._actuate = robot, actuate
        self.jogs: list[HoldButton] = []
        self.frame = ComboBox("Jog in the frame of", 92)
        for frame, words in FRAMES.items():
            self.frame.addItem(words, frame)
        self.frame.currentIndexChanged.connect(self._named)
        grid = QGridLayout()
        grid.setSpacing(t.XS)
        if isinstance(robot, SupportsJog):
            for axis in range(6):
                for column_, sign in ((0, 1), (1, -1)):
                    button = self._jog(axis, sign)
                    grid.addWidget(button, column_, axis)
        self.freedrive: HoldButton | None = None
        if isinstance(robot, SupportsFreedrive):
            renew, end = robot.keep_freedrive_alive, robot.end_freedrive
            self.freedrive = HoldButton("Freedrive", self._begin_free, renew, end, "hand")
            self.freedrive.refused.connect(self.refused)
        self._head = label("Jog", "label", "text")
        self._why = label("", "small", "muted", wrap=True)
        self._limits_text = "Moves only while held, at 100 mm/s; at most 250 mm/s."
        head = row(self._head, 1, *((self.freedrive,) if self.freedrive else ()), self.frame)
        self.setLayout(column(head, grid, self._why, spacing=t.S, margins=(t.M, t.S, t.M, t.M)))
        self._named()

    def _jog(self, axis: int, sign: int) -> HoldButton:
        robot = self._robot
        assert isinstance(robot, SupportsJog)
        button = HoldButton("", lambda: self._begin_jog(axis, sign), robot.keep_jog_alive, robot.end_jog)
        button.refused.connect(self.refused)
        self.jogs.append(button)
        return button

    def _named(self) -> None:
        joints = self.frame.currentData() is JogFrame.JOINTS
        for i, button in enumerate(self.jogs):
            axis, plus = i // 2, i % 2 == 0
            button.relabel((f"J{axis + 1}" if joints else AXES[axis]) + ("+" if plus else "−"))
            along = f"joint {axis + 1}" if joints else AXES[axis]
            button.setAccessibleName(f"Jog {along} {'plus' if plus else 'minus'}")

    def _begin_jog(self, axis: int, sign: int) -> str:
        robot = self._robot
        assert isinstance(robot, SupportsJog)
        self._show_reason("")
        command = JogCommand(self.frame.currentData(), axis, sign * PART)
        reason = self._actuate(PermitKind.JOG, command, partial(robot.begin_jog, command))
        if not reason:
            self.action_done.emit("jogged the arm")
        return reason

    def _begin_free(self) -> str:
        robot = self._robot
        assert isinstance(robot, SupportsFreedrive)
        self._show_reason("")
        reason = self._actuate(PermitKind.FREEDRIVE, FREEDRIVE, robot.begin_freedrive)
        if not reason:
            self.action_done.emit("used freedrive")
        return reason

    def show_arm(self, status: ArmStatus, reason: str) -> None:
        """Update the controls. `why` says why the arm cannot be moved by hand, "" if it can."""
        reason = reason or (
            f"busy with {status.activity}" if status.activity not in ("", "jogging", "freedrive") else ""
        )
        for button in (*self.jogs, *((self.freedrive,) if self.freedrive else ())):
            button.setEnabled(not reason)
            set_tooltip(button, reason or "Active only while held")
        self._show_reason(f"Off: {reason}." if reason else "")

    def _show_reason(self, reason: str) -> None:
        words = reason or self._limits_text
        if words != self._why.text():
            self._why.setText(words)

    def release_all(self) -> None:
        for button in (*self.jogs, *((self.freedrive,) if self.freedrive else ())):
            button.end_hold()
