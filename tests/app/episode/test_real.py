"""What a person has to do before a robot that is real moves: holding, for each step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

import main
from core.config import EpisodeComponents, Settings, ignore
from core.episode_state import Phase
from core.loop.permit_issuer import PermitIssuer
from core.ports import Embodiment
from core.supervision import WATCH, SupervisionLevel, SupervisionLevels
from core.vqa.registry import make_answerer
from robots.symbolic.robot import SymbolicRobot
from tests.app.conftest import Opened


class RealLike(SymbolicRobot):
    """Moves facts only, and says that it is real: what the window must do then can be tested."""

    embodiment = Embodiment.REAL


def real(
    settings: Settings, notify: Callable[[str], None] = ignore, supervision: SupervisionLevels = WATCH
) -> EpisodeComponents:
    parts = main.make_components(settings, notify)
    parts.robot.close()
    robot = RealLike(parts.domain_spec, parts.task, openness=0.0, pace=settings.pace)
    answerer = make_answerer("perfect", truth=robot)
    permits = PermitIssuer(robot.permits, robot.embodiment)
    return replace(parts, robot=robot, answerer=answerer, permits=permits)


def test_that_on_a_real_robot_each_step_is_approved_by_holding(again: Opened) -> None:
    at = again(make=real, preset="Watch")
    at.start()
    at.phase(Phase.WAITING)
    assert (
        at.state.supervision.move >= SupervisionLevel.APPROVE
        and at.state.supervision.believe >= SupervisionLevel.ASSIST
    )
    at.key(Qt.Key.Key_Return)
    at.do("pause")
    at.do("pause")
    at.qtbot.wait(150)
    assert at.state.counts.steps == 0
    at.until(lambda: at.window.decision.primary.hold)
    at.press(Qt.Key.Key_Return)
    at.until(lambda: at.state.counts.steps == 1)
    at.release(Qt.Key.Key_Return)
    at.phase(Phase.WAITING, Phase.REVIEWING, Phase.OFFERED)
    at.qtbot.wait(100)
    assert at.state.counts.steps == 1


def test_that_no_menu_entry_no_step_key_and_no_double_click_moves_a_real_robot(again: Opened) -> None:
    at = again(make=real)
    at.start()
    at.phase(Phase.WAITING)
    at.read()
    at.controller.refresh()
    entries = [a.objectName() for menu in at.window.menu.findChildren(QMenu) for a in menu.actions()]
    assert "choose" in entries and not {"approve", "go_on"} & set(entries)
    at.key(Qt.Key.Key_S)
    at.do("choose")
    dialog = at.controller.dialog
    assert dialog is not None
    dialog._list.doubleClicked.emit(dialog._list.currentIndex())
    QTest.keyClick(dialog._list, Qt.Key.Key_Return)
    QTest.keyClick(dialog._search, Qt.Key.Key_Return)
    at.qtbot.wait(150)
    assert at.state.counts.steps == 0 and at.controller.dialog is dialog
    QTest.keyPress(dialog._search, Qt.Key.Key_Return)
    at.until(lambda: at.state.counts.steps == 1)


def test_that_the_dials_of_a_real_robot_do_not_go_below_what_is_allowed(again: Opened) -> None:
    at = again(make=real)
    at.start()
    at.phase(Phase.WAITING)
    dial = at.window.supervision._all["move"]
    dial.setFocus()
    for _ in range(3):
        QTest.keyClick(dial, Qt.Key.Key_Up)
    at.qtbot.wait(50)
    assert at.state.supervision.move is SupervisionLevel.APPROVE


def test_that_a_real_robot_is_named_in_shape_word_and_colour(again: Opened) -> None:
    from app.theme import styling

    at = again(make=real)
    at.ready()
    at.until(lambda: at.window.top.world.accessibleName() == "REAL")
    line = at.window.top.grab().toImage().pixelColor(300, 1)
    assert line == styling.colour("real")
