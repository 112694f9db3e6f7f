"""The robot panel on an emulated arm: a real controller's protocols, the real ur_rtde, the real widgets."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QFocusEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMainWindow
from pytestqt.qtbot import QtBot

from app.theme import styling
from app.theme.styling import ColourMode
from app.widgets.arm.arm_view import ArmPanelView
from app.widgets.arm.hold_button import HoldButton
from app.widgets.arm.manual_controls import MOVE_TO
from app.widgets.arm.readings import JointTable
from app.widgets.arm.robot_panel import RobotPanel
from core import events as ev
from core.arm.arm_capabilities import FREEDRIVE_TIMEOUT, ArmStatus, JogFrame, RecoveryStep
from core.episode_state import EpisodeState, Phase
from core.loop.permit_issuer import PermitIssuer
from core.ports import Embodiment
from robots.ur5e.arm import Arm
from robots.ur5e.arm_services import ArmServices
from robots.ur5e.emulator.admin_client import switch_on
from robots.ur5e.emulator.process import EmulatorProcess
from robots.ur5e.gripper.gripper import Gripper
from robots.ur5e.kinematics import PARKED
from tests.robots.ur5e.conftest import Bench, connected, fresh_address, patiently_ready

WAIT = 20_000


class OneArm(ArmServices):
    """An arm as a robot that only its panel is shown of."""

    name = "ur5e"
    embodiment = Embodiment.EMULATED

    def __init__(self, arm: Arm, gripper: Gripper) -> None:
        super().__init__(arm, gripper)
        self.arm, self.gripper = arm, gripper


class Person:
    """At the window, with mouse and keys."""

    def __init__(self, window: QMainWindow, panel: RobotPanel, robot: OneArm, bench: Bench, qtbot: QtBot):
        self.window, self.panel, self.robot, self.bench, self.qtbot = window, panel, robot, bench, qtbot
        assert isinstance(panel.arm_view, ArmPanelView)
        self.board: ArmPanelView = panel.arm_view
        self.did: list[str] = []
        panel.action_done.connect(self.did.append)

    def until(self, seen) -> None:
        self.qtbot.waitUntil(lambda: bool(seen()), timeout=WAIT)

    @property
    def moving(self) -> bool:
        return self.robot.status.moving

    def jog(self, name: str) -> HoldButton:
        assert self.board.manual_controls is not None
        return next(b for b in self.board.manual_controls.jogs if b.accessibleName() == f"Jog {name}")

    def stands(self) -> None:
        self.until(lambda: not self.bench.moving)

    def hold(self, button) -> None:
        """For as long as it takes."""
        QTest.mousePress(button, Qt.MouseButton.LeftButton)
        self.until(lambda: not button.holding)
        QTest.mouseRelease(button, Qt.MouseButton.LeftButton)


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    made = Bench(EmulatorProcess(fresh_address(), "empty", cameras=False))
    made.power_up()
    yield made
    made.close()


@pytest.fixture(scope="module")
def watched(bench: Bench, qapp: QApplication) -> Iterator[tuple[QMainWindow, RobotPanel, OneArm]]:
    """One panel on one arm for all tests of the file: it takes long until a control process can move one."""
    bench.mend()
    with ExitStack() as left:  # another arm of this process would only watch
        arm = left.enter_context(closing(connected(bench)))
        robot = OneArm(arm, left.enter_context(closing(Gripper(arm))))
        switch_on(bench.address)
        styling.apply(qapp, ColourMode.LIGHT)
        window, panel = QMainWindow(), RobotPanel()
        window.setCentralWidget(panel)
        issuer = PermitIssuer(robot.permits, robot.embodiment)
        panel.watch(robot, issuer.manual_actuation("kim"))  # type: ignore[arg-type]
        window.show()
        yield window, panel, robot
        panel.watch(None)
        window.close()
        window.deleteLater()
        robot.close_services()
    bench.mend()


@pytest.fixture
def person(bench: Bench, watched: tuple[QMainWindow, RobotPanel, OneArm], qtbot: QtBot) -> Iterator[Person]:
    """The arm is ready to move, and it and the bench are put right again afterwards."""
    window, panel, robot = watched
    window.resize(900, 760)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    patiently_ready(robot.arm, robot.arm.latch.last_halt())
    made = Person(window, panel, robot, bench, qtbot)
    assert made.board.manual_controls is not None
    made.board.manual_controls.frame.setCurrentIndex(0)
    made.until(lambda: made.board.checks.wrong == 0 and robot.gripper_status is not None)
    yield made
    panel.action_done.disconnect(made.did.append)
    robot.arm.halt()
    bench.mend()


def test_that_modes_joints_and_tool_are_shown_in_words(person: Person) -> None:
    assert person.board.tiles.accessibleDescription() == (
        "Robot mode running, Safety mode normal, Program playing, Control remote"
    )
    q = [round(math.degrees(v), 1) for v in person.robot.status.joints]
    assert f"Base {q[0]} degrees" in person.board.joints.accessibleDescription()
    assert "mm" in person.board.tool.accessibleDescription()
    assert person.board.checks.accessibleDescription().count("ready") >= 8


@pytest.mark.parametrize("end", ["key up", "focus loss", "leaving", "mouse up"])
def test_that_a_jog_runs_while_held_and_ends_at_once(person: Person, end: str) -> None:
    before = person.robot.status.tool[2]
    button = person.jog("Z plus")
    if end in ("leaving", "mouse up"):
        press = lambda: QTest.mousePress(button, Qt.MouseButton.LeftButton)  # noqa: E731
    else:
        button.setFocus()
        press = lambda: QTest.keyPress(button, Qt.Key.Key_Space)  # noqa: E731

    def runs() -> bool:
        """As a person who presses again: on a busy machine late data end a jog."""
        if not button.active:
            button.end_hold()
            press()
        return button.active and person.robot.status.tool[2] > before + 0.002

    person.until(runs)
    match end:
        case "key up":
            QTest.keyRelease(button, Qt.Key.Key_Space)
        case "focus loss":
            QApplication.sendEvent(button, QFocusEvent(QEvent.Type.FocusOut))
        case "leaving":
            QApplication.sendEvent(button, QEvent(QEvent.Type.Leave))
        case "mouse up":
            QTest.mouseRelease(button, Qt.MouseButton.LeftButton)
    assert not button.active
    person.stands()
    assert "jogged the arm" in person.did


def test_that_a_jog_ends_by_itself_when_the_window_does_not_renew_it(person: Person) -> None:
    button = person.jog("Z minus")
    QTest.mousePress(button, Qt.MouseButton.LeftButton)
    person.until(lambda: person.moving)
    button._timer.stop()  # as a window that hangs
    person.stands()
    button.end_hold()


def test_that_a_held_key_jogs_until_it_is_let_go(person: Person) -> None:
    button = person.jog("Z plus")
    button.setFocus()
    QTest.keyPress(button, Qt.Key.Key_Space)
    assert button.active
    QTest.keyRelease(button, Qt.Key.Key_Space)
    assert not button.active
    person.stands()


def test_that_the_frame_of_a_jog_can_be_chosen(person: Person) -> None:
    assert person.board.manual_controls is not None
    person.board.manual_controls.frame.setCurrentIndex(2)
    assert person.board.manual_controls.frame.currentData() is JogFrame.JOINTS
    before = person.robot.status.joints
    button = person.jog("joint 6 plus")
    assert button.text() == "J6+"
    QTest.mousePress(button, Qt.MouseButton.LeftButton)
    person.until(lambda: abs(person.robot.status.joints[5] - before[5]) > 0.02)
    QTest.mouseRelease(button, Qt.MouseButton.LeftButton)
    person.stands()
    after = person.robot.status.joints
    assert max(abs(a - b) for a, b in zip(after[:5], before[:5], strict=True)) < 0.01


def test_that_the_arm_moves_to_joints_while_the_button_is_held(person: Person) -> None:
    controls = person.board.manual_controls
    assert controls is not None
    controls.frame.setCurrentText(MOVE_TO)
    assert controls.goal is not None
    goal, before = controls.goal, person.robot.status.joints
    assert [angle.value() for angle in goal.angles] == [round(math.degrees(q), 1) for q in before]
    goal.angles[5].setValue(goal.angles[5].value() + 4)

    def arrives() -> bool:
        """As a person who presses again: on a busy machine late data end a jog."""
        if not controls.go.active:
            QTest.mouseRelease(controls.go, Qt.MouseButton.LeftButton)
            QTest.mousePress(controls.go, Qt.MouseButton.LeftButton)
        return abs(person.robot.status.joints[5] - goal.goal[5]) < 0.01

    person.until(arrives)
    QTest.mouseRelease(controls.go, Qt.MouseButton.LeftButton)
    person.stands()
    assert "moved the arm to joints" in person.did
    goal.show_pose("parked")
    assert goal.goal == pytest.approx(PARKED, abs=1e-3)


def test_that_a_stop_ends_a_jog_and_refuses_the_next(person: Person) -> None:
    button = person.jog("Z plus")
    QTest.mousePress(button, Qt.MouseButton.LeftButton)
    person.until(lambda: person.moving)
    number = person.robot.arm.halt()
    person.until(lambda: not button.active)
    person.stands()
    QTest.mouseRelease(button, Qt.MouseButton.LeftButton)
    assert not button.active
    person.robot.arm.release_stop(number)


def test_that_freedrive_lasts_as_long_as_it_is_held(person: Person) -> None:
    assert person.board.manual_controls is not None
    free = person.board.manual_controls.freedrive
    assert free is not None
    QTest.mousePress(free, Qt.MouseButton.LeftButton)
    person.until(lambda: person.robot.status.activity == "freedrive")
    person.qtbot.wait(round(2000 * FREEDRIVE_TIMEOUT))
    assert person.robot.status.activity == "freedrive"
    QTest.mouseRelease(free, Qt.MouseButton.LeftButton)
    person.until(lambda: person.robot.status.activity == "")
    assert "used freedrive" in person.did


def test_that_the_speed_slider_is_never_zero(person: Person) -> None:
    speed = person.board.speed
    assert speed is not None
    for x, expected in ((0, 0.02), (speed.slider.width() // 2, 0.51)):
        QTest.mouseClick(speed.slider, Qt.MouseButton.LeftButton, pos=QPoint(x, 8))
        assert speed.slider.value() / 100 == pytest.approx(expected, abs=0.01)
        person.until(lambda want=expected: abs(person.robot.status.speed - want) < 0.011)


def test_that_the_gripper_opens_and_closes(person: Person) -> None:
    assert person.board.gripper is not None
    QTest.mouseClick(person.board.gripper.close_, Qt.MouseButton.LeftButton)
    person.until(lambda: person.robot.gripper_status and person.robot.gripper_status.opening < 0.005)
    person.until(lambda: person.robot.status.activity == "")
    QTest.mouseClick(person.board.gripper.open_, Qt.MouseButton.LeftButton)
    person.until(lambda: person.robot.gripper_status and person.robot.gripper_status.opening > 0.045)
    assert person.did[-2:] == ["closed the gripper", "opened the gripper"]


def test_that_local_control_is_named_and_jogging_is_off(person: Person) -> None:
    person.bench.own.inject_fault("local")
    person.until(lambda: "local control" in person.board.checks.accessibleDescription())
    assert "Switch the pendant" in person.board.checks.accessibleDescription()
    assert not person.jog("X plus").isEnabled()
    assert "local control" in person.jog("X plus").toolTip()
    person.bench.own.inject_fault("remote")
    person.until(person.jog("X plus").isEnabled)


def test_that_a_stop_is_released_by_a_hold_where_no_episode_asks_for_it(person: Person) -> None:
    recovery = person.board.recovery
    assert recovery is not None
    started = ev.EpisodeStarted("t", "d", (), (), ())
    person.panel.display(EpisodeState(phase=Phase.STOPPED, started=started))
    person.robot.arm.halt()
    person.board.poll()
    assert not recovery.isVisible(), "the episode asks"
    person.panel.display(EpisodeState())
    person.until(lambda: recovery.isVisible() and recovery.button.isEnabled())
    person.until(lambda: not person.jog("X plus").isEnabled())
    assert "a stop is in force" in person.jog("X plus").toolTip()
    QTest.mouseClick(recovery.button, Qt.MouseButton.LeftButton)
    assert person.robot.arm.latch.halted, "a click is no hold"
    person.hold(recovery.button)
    person.until(lambda: not person.robot.arm.latch.halted and not recovery.isVisible())
    person.until(person.jog("X plus").isEnabled)
    assert person.did == ["released the stop"]
    person.robot.arm.halt()
    recovery.show_arm(real=False, cause="", ready=False, by_hand=True)
    assert recovery.isVisible(), "what only an episode needs keeps nobody from it"


@pytest.mark.long
def test_that_a_protective_stop_is_recovered_from_step_by_step_by_a_person(person: Person) -> None:
    recovery = person.board.recovery
    assert recovery is not None
    assert not recovery.isVisible()
    person.window.resize(300, 330)
    person.bench.own.inject_fault("protective")
    person.until(recovery.isVisible)
    person.until(lambda: not recovery.button.visibleRegion().isEmpty())  # in sight in so low a window
    person.window.resize(900, 760)
    assert recovery._way is RecoveryStep.ACKNOWLEDGE
    assert "protective stop" in person.board.tiles.accessibleDescription()
    QTest.mouseClick(recovery.button, Qt.MouseButton.LeftButton)
    person.until(lambda: recovery._way is RecoveryStep.UNLOCK)
    assert person.robot.recovery.wait_seconds > 2
    assert not recovery.button.isEnabled(), "the wait cannot be skipped"
    person.until(recovery.button.isEnabled)
    QTest.mouseClick(recovery.button, Qt.MouseButton.LeftButton)
    assert person.robot.recovery.next_step is RecoveryStep.UNLOCK, "a click is no hold"
    person.hold(recovery.button)
    person.until(lambda: "Safety mode normal" in person.board.tiles.accessibleDescription())
    assert not person.robot.status.moving
    assert person.robot.arm.latch.halted, "the stop stays until it is released"
    assert person.did == ["looked at the cell and confirmed", "released the protective stop"]


def test_that_after_an_emergency_stop_the_panel_sends_to_the_pendant(person: Person) -> None:
    recovery = person.board.recovery
    assert recovery is not None
    person.bench.own.inject_fault("emergency stop")
    person.until(recovery.isVisible)
    said = recovery.accessibleDescription()
    assert "release the button when all is clear" in said
    assert not recovery.button.isVisible(), "nothing can be done from here"
    person.bench.own.inject_fault("emergency stop released")
    for way in (RecoveryStep.POWER_ON, RecoveryStep.RELEASE_BRAKES):
        person.until(lambda way=way: recovery._way is way and recovery.button.isEnabled())
        person.hold(recovery.button)
    person.until(lambda: person.robot.status.mode == "running")
    assert person.robot.arm.latch.halted, "the stop stays until it is released"


def test_that_a_pointer_that_slips_off_ends_a_jog(person: Person) -> None:
    button = person.jog("Z plus")
    QTest.mousePress(button, Qt.MouseButton.LeftButton)
    assert button.active
    outside = QPointF(-5, -5)
    move = QMouseEvent(
        QEvent.Type.MouseMove,
        outside,
        outside,
        Qt.MouseButton.NoButton,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(button, move)
    assert not button.active
    person.stands()


def test_that_torque_and_motors_stand_out_where_they_are_high(qapp: QApplication) -> None:
    table = JointTable()
    still = ArmStatus("running", "normal", "playing", (0.0,) * 6, (0.0,) * 6, 1, 1, 0, False, True)
    for load, celsius, tone in ((0.2, 30, "ink"), (0.95, 80, "doubt")):
        table.show_arm(replace(still, joint_loads=(load,) * 6, joint_temperatures=(celsius,) * 6))
        *_, torque, motor = (table.model().index(5, i) for i in range(4))
        assert (torque.data(), motor.data()) == (f"{100 * load:.0f} %", f"{celsius} °C")
        ink = Qt.ItemDataRole.ForegroundRole
        assert torque.data(ink) == motor.data(ink) == styling.colour(tone)
    assert "near its maximum torque" in table.accessibleDescription()


@pytest.mark.long
def test_that_a_check_that_flickers_moves_no_control_and_can_be_read(person: Person) -> None:
    """One late picture used to push gripper and jog keys out from under the pointer."""
    board, button = person.board, person.jog("Z plus")
    place = button.mapTo(board, QPoint())
    person.bench.own.inject_fault("local")
    person.until(lambda: board.checks.rows)
    assert button.mapTo(board, QPoint()) == place
    person.bench.own.inject_fault("remote")
    person.until(lambda: "ready again" in board.checks.rows[0].text)
    person.until(lambda: board.checks.isHidden())
    assert button.mapTo(board, QPoint()) == place
