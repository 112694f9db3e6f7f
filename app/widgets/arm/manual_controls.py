"""Manual control of an arm: speed, gripper, jog, move to joints, freedrive; each if the arm supports it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QSlider, QStyle, QWidget

from app.controls.badge import Icon
from app.controls.button import Button
from app.controls.input_fields import ComboBox
from app.controls.layout import column, label, row, set_tone, wrap_layout
from app.controls.number_fields import NumberField, typing_fault
from app.controls.tooltip import set_tooltip
from app.theme import tokens as t
from app.widgets.arm.hold_button import HoldButton
from app.widgets.arm.readings import JOINTS
from core.arm.arm_capabilities import (
    ACTIVATION,
    FREEDRIVE,
    MIN_SPEED_FRACTION,
    ArmStatus,
    GripperCommand,
    GripperStatus,
    JogCommand,
    JogFrame,
    NamesPoses,
    SupportsFreedrive,
    SupportsGripper,
    SupportsJog,
)
from core.loop.permit_issuer import ManualActuation
from core.permit import PermitKind

NAME = 62  # px of a control's name
ROOMY = 300  # px of a panel that has room for six jog buttons side by side
PART = 0.4  # of the fastest jog: 100 mm/s
FRAMES = {JogFrame.BASE: "Base", JogFrame.TOOL: "Tool", JogFrame.JOINTS: "Joints"}
AXES = ("X", "Y", "Z", "RX", "RY", "RZ")
LIMITS = "Moves only while held, at 100 of at most 250 mm/s."
MOVE_TO, NOW = "Move to", "as it stands"
ARROWS = ("↘↖", "↗↙", "↑↓")  # plus and minus, as the 3-D view shows the base


class _Slider(QSlider):
    """A slider that a click moves to the pointer at once."""

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            at = round(event.position().x())
            self.setSliderDown(True)
            self.setValue(QStyle.sliderValueFromPosition(self.minimum(), self.maximum(), at, self.width()))
        super().mousePressEvent(event)


class SpeedControl(QWidget):
    """The controller's speed slider, 2 to 100 %, sent when it is released."""

    chosen = Signal(float)

    def __init__(self) -> None:
        super().__init__()
        self.slider = _Slider(Qt.Orientation.Horizontal)
        self.slider.setRange(round(100 * MIN_SPEED_FRACTION), 100)
        self.slider.setSingleStep(5)
        self.slider.setMinimumWidth(40)
        self.slider.setAccessibleName("Speed slider, percent of a step's own speed")
        self._words = label("", "label", "ink")
        self._words.setFixedWidth(40)
        set_tooltip(self, "Percent of a step's own speed")
        self.setLayout(row(named("Speed"), (self.slider, 1), self._words, margins=(t.M, t.XS, t.M, t.XS)))
        self.slider.valueChanged.connect(self._changed)
        self.slider.sliderReleased.connect(self._choose)

    def show_speed(self, value: float) -> None:
        if not self.slider.isSliderDown():
            with QSignalBlocker(self.slider):
                self.slider.setValue(round(100 * value))
        self._words.setText(f"{self.slider.value()} %")

    def _changed(self) -> None:
        self._words.setText(f"{self.slider.value()} %")
        if not self.slider.isSliderDown():
            self._choose()

    def _choose(self) -> None:
        self.chosen.emit(self.slider.value() / 100)


def named(words: str) -> QWidget:
    """Return the name at the left of a control, as wide as the other ones."""
    name = label(words, "label")
    name.setFixedWidth(NAME)
    return name


def gripper_text(hand: GripperStatus | None) -> str:
    if hand is None:
        return "does not answer"
    if hand.fault:
        return hand.fault
    held = {True: "holds something", False: "no object", None: "unknown what it holds"}[hand.holding]
    return f"open {hand.opening * 1000:.0f} mm · {'moving' if hand.moving else held}"


class GripperControls(QWidget):
    """How far the gripper is open and what it holds, and the buttons that move it."""

    refused = Signal(str)
    action_done = Signal(str)

    def __init__(self, gripper: SupportsGripper, actuate: ManualActuation) -> None:
        super().__init__()
        self._gripper, self._actuate = gripper, actuate
        self._icon, self._words = Icon("diamond", "doubt_fill", 13), label(role="small")
        self._words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)  # moves nothing
        names = ("Open", "Close", "Activate")
        self.open_, self.close_, self.activate = (Button(name, height=t.H_CONTROL) for name in names)
        self.activate.hold = True
        self.activate.setToolTip("Hold: the gripper opens and closes once")
        self.open_.activated.connect(self._open)
        self.close_.activated.connect(lambda: self._move(GripperCommand(0.0), "closed the gripper"))
        self.activate.activated.connect(self._activate)
        buttons = row(named("Gripper"), 1, self.open_, self.close_, spacing=t.XS)
        words = row(self._icon, (self._words, 1), self.activate)
        self.setLayout(column(buttons, words, spacing=t.XS, margins=(t.M, t.XS, t.M, t.XS)))
        self.setAccessibleName("Gripper")

    def show_arm(self, real: bool) -> None:
        hand = self._gripper.gripper_status
        self._words.setText(gripper_text(hand))
        set_tooltip(self._words, gripper_text(hand))
        self.setAccessibleDescription(gripper_text(hand))
        bad = hand is None or bool(hand.fault)
        self._icon.setVisible(bad)
        set_tone(self._words, "doubt" if bad else "text")
        self.open_.hold = self.close_.hold = real
        ready = hand is not None and hand.active
        for button in (self.open_, self.close_):
            button.allow("" if ready else "the gripper is not activated")
        self.activate.setVisible(not ready)

    def _open(self) -> None:
        hand = self._gripper.gripper_status
        self._move(GripperCommand(hand.stroke if hand else 1.0), "opened the gripper")

    def _move(self, command: GripperCommand, words: str) -> None:
        reason = self._actuate(PermitKind.GRIPPER, command, partial(self._gripper.move_gripper, command))
        self._report(reason, words)

    def _activate(self) -> None:
        reason = self._actuate(PermitKind.GRIPPER, ACTIVATION, self._gripper.activate_gripper)
        self._report(reason, "activated the gripper")

    def _report(self, reason: str, words: str) -> None:
        self.refused.emit(reason) if reason else self.action_done.emit(words)


def _grid() -> QGridLayout:
    grid = QGridLayout()
    grid.setSpacing(t.XS)
    grid.setContentsMargins(0, 0, 0, 0)
    return grid


class JointGoal(QWidget):
    """Six joint angles in degrees, as typed or of a named pose, above the button that goes there."""

    def __init__(self, poses: Mapping[str, tuple[float, ...]], go: HoldButton) -> None:
        super().__init__()
        self.joints: tuple[float, ...] = ()  # rad: as the arm stands
        self._poses = poses
        self.angles = [NumberField(f"{name}, degrees", -360, 360, 0, 1) for name in JOINTS]
        for angle in self.angles:
            angle.setMinimumWidth(36)
            set_tooltip(angle, angle.accessibleName())
        self.pose = ComboBox("Pose", 96)
        self.pose.addItems((NOW, *poses))
        self.pose.textActivated.connect(self.show_pose)
        self._grid = _grid()
        self.setLayout(column(self._grid, row((self.pose, 1), (go, 2), spacing=t.XS), spacing=t.XS))

    @property
    def goal(self) -> tuple[float, ...]:
        return tuple(math.radians(angle.value()) for angle in self.angles)

    def show_pose(self, name: str = NOW) -> None:
        """Fill in the angles of this pose."""
        for angle, joint in zip(self.angles, self._poses.get(name, self.joints), strict=False):
            angle.setValue(round(math.degrees(joint), 1))

    def fit(self, across: int) -> None:
        for i, angle in enumerate(self.angles):
            self._grid.addWidget(angle, i // across, i % across)


class ManualControls(QWidget):
    """Jog buttons, a goal to move to and freedrive; every motion ends when its button is released."""

    refused = Signal(str)
    action_done = Signal(str)

    def __init__(self, robot: SupportsJog | SupportsFreedrive, actuate: ManualActuation) -> None:
        super().__init__()
        self._robot, self._actuate = robot, actuate
        self.jogs: list[HoldButton] = []
        self.frame = ComboBox("Jog in the frame of", 80)
        self.frame.show_items((words, frame) for frame, words in FRAMES.items())
        self.frame.currentIndexChanged.connect(self._named)
        self._grid = _grid()
        self.goal: JointGoal | None = None
        self._joints: tuple[float, ...] = ()
        self._across = 6  # jog buttons side by side
        self._held: list[HoldButton] = []
        if isinstance(robot, SupportsJog):
            self.jogs = [self._jog(axis, sign) for axis in range(6) for sign in (1, -1)]
            self.frame.addItem(MOVE_TO)
        self.freedrive: HoldButton | None = None
        if isinstance(robot, SupportsFreedrive):
            renew, end = robot.keep_freedrive_alive, robot.end_freedrive
            self.freedrive = HoldButton("Freedrive", self._begin_free, renew, end, "hand")
            self.freedrive.refused.connect(self.refused)
            self._held.append(self.freedrive)
        self._head = label("Jog", "label", "text")
        self._why = label("", "small", "muted", wrap=True)
        head = row(self._head, 1, *((self.freedrive,) if self.freedrive else ()), self.frame)
        self._keys = wrap_layout(self._grid)
        self._column = column(head, self._keys, self._why, spacing=t.XS, margins=(t.M, t.XS, t.M, t.XS))
        self.setLayout(self._column)
        self._named()
        self.fit(ROOMY)

    def fit(self, width: int) -> None:
        """Put the jog buttons of three axes below those of the others where the panel is narrow."""
        self._across = across = 6 if width >= ROOMY else 3
        self._head.setVisible(across == 6)
        for i, button in enumerate(self.jogs):
            axis, minus = divmod(i, 2)
            self._grid.addWidget(button, axis // across * 2 + minus, axis % across)
        if self.goal is not None:
            self.goal.fit(across)

    def _jog(self, axis: int, sign: int) -> HoldButton:
        return self._hold("", lambda: JogCommand(self.frame.currentData(), axis, sign * PART))

    def _add_goal(self) -> None:
        """Make the fields of a goal, which take long, when they are first wanted."""
        self.go = self._hold("Hold: move there", self._goal_command)
        poses = self._robot.poses if isinstance(self._robot, NamesPoses) else {}
        self.goal = JointGoal(poses, self.go)
        self.goal.joints = self._joints
        self.goal.fit(self._across)
        self._column.insertWidget(2, self.goal)

    def _goal_command(self) -> JogCommand:
        assert self.goal is not None
        return JogCommand(JogFrame.JOINTS, 0, PART, self.goal.goal)

    def _hold(self, words: str, command: Callable[[], JogCommand]) -> HoldButton:
        robot = self._robot
        assert isinstance(robot, SupportsJog)
        begin = lambda: self._begin_jog(robot, command())  # noqa: E731
        button = HoldButton(words, begin, robot.keep_jog_alive, robot.end_jog)
        button.refused.connect(self.refused)
        self._held.append(button)
        return button

    def _named(self) -> None:
        frame = self.frame.currentData()
        moves_to = self.frame.currentText() == MOVE_TO
        self._keys.setVisible(not moves_to)
        if moves_to and self.goal is None:
            self._add_goal()
        if self.goal is not None:
            self.goal.setVisible(moves_to)
            self.goal.show_pose(self.goal.pose.currentText())
        joints = frame is JogFrame.JOINTS
        for i, button in enumerate(self.jogs):
            axis, plus = i // 2, i % 2 == 0
            arrow = f" {ARROWS[axis][i % 2]}" if frame is JogFrame.BASE and axis < len(ARROWS) else ""
            button.relabel((f"J{axis + 1}" if joints else AXES[axis]) + ("+" if plus else "−") + arrow)
            along = f"joint {axis + 1}" if joints else AXES[axis]
            button.setAccessibleName(f"Jog {along} {'plus' if plus else 'minus'}")

    def _begin_jog(self, robot: SupportsJog, command: JogCommand) -> str:
        if fault := typing_fault(self):  # of the goal, where it is in sight
            return fault.rstrip(".")
        reason = self._actuate(PermitKind.JOG, command, partial(robot.begin_jog, command))
        return self._begun(reason, "moved the arm to joints" if command.goal else "jogged the arm")

    def _begin_free(self) -> str:
        robot = self._robot
        assert isinstance(robot, SupportsFreedrive)
        reason = self._actuate(PermitKind.FREEDRIVE, FREEDRIVE, robot.begin_freedrive)
        return self._begun(reason, "used freedrive")

    def _begun(self, reason: str, done: str) -> str:
        self._why.setText(LIMITS)
        if not reason:
            self.action_done.emit(done)
        return reason

    def show_arm(self, status: ArmStatus, reason: str) -> None:
        """Update the controls. `why` says why the arm cannot be moved by hand, "" if it can."""
        reason = reason or (
            f"busy with {status.activity}" if status.activity not in ("", "jogging", "freedrive") else ""
        )
        for button in self._held:
            button.setEnabled(not reason)
            set_tooltip(button, reason or "Active only while held")
        self._joints = status.joints
        if self.goal is not None:
            self.goal.joints = status.joints
        self._why.setText(f"Off: {reason}." if reason else LIMITS)

    def release_all(self) -> None:
        for button in self._held:
            button.end_hold()
