"""The sheet in the window: from a sentence to an approved plan, by keys; painted, hovered, stopped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

import main
from app.controls.real_keys import BOUNCE
from app.wishes.sheet_window import SheetWindow
from app.wishes.sheet_work import SheetWork
from core.config import Settings
from core.errors import BadValue
from core.planning_model import Plan, PlanStatus
from core.wishes.desk import BOX
from tests.app.conftest import Driver, Opened

pytest.importorskip("pydantic_monty")
K = Qt.Key
WORDS = "put the strawberry onto the light-grey region"
WISH = {"task": "berry_2", "domain": "tabletop-wishes", "method": "owl-tamp", "robot": "table"}
WISH |= {"answerer": "perfect", "pictures": False}  # type: ignore[dict-item]


@pytest.fixture
def at(again: Opened) -> Driver:
    made = again(**WISH)
    made.ready()
    return made


@pytest.fixture
def without_arm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the arm's tries at each region, which take a second of another process."""
    monkeypatch.setattr(SheetWork, "try_arm", lambda *_: None)


def opened(at: Driver, words: str) -> SheetWindow:
    """Open the sheet by its command and type a sentence."""
    sheet = at.console.sheet
    if sheet.isHidden():
        at.do("wish")
    at.until(lambda: sheet.look is not None)
    sheet.words.setText(words)
    return sheet


def key(on: QWidget, which: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(on, which, modifier)


def written(at: Driver, sheet: SheetWindow) -> None:
    """Press Enter, and wait until the first region is there."""
    key(sheet.words, K.Key_Return)
    at.until(lambda: sheet.desk and sheet.desk.sheet.words == sheet.words.text() and sheet.desk.here)


def idle(at: Driver, sheet: SheetWindow) -> None:
    at.until(lambda: not any(task.running for task in sheet.work.tasks) and not sheet._typed.isActive())


def point(sheet: SheetWindow, x: float, y: float) -> QPoint:
    (place,) = sheet.picture.projection().points(np.array([(x, y, 0.0)]))
    return place.toPoint()


def test_that_three_enters_lead_from_a_sentence_to_an_approved_plan_and_nothing_moves_before(
    at: Driver,
) -> None:
    asked: list[Settings] = []

    def note(settings: Settings, plan: Plan) -> None:
        asked.extend([settings] * (len(plan.steps) == 4))

    sheet = opened(at, WORDS)
    sheet.approved.disconnect(at.console._do_wish)
    sheet.approved.connect(note)
    try:
        written(at, sheet)
        assert sheet.model.spoken[1].startswith(
            "Row 2: Put the strawberry onto the light grey region. passes: middle"
        )
        assert sheet.picture.accessibleName() == "Table: strawberry: middle of the table, 1 %"
        idle(at, sheet)
        assert sheet.desk and all(h.words == "it touches potted_meat_can" for h in sheet.desk.hindrances)
        key(sheet.rows, K.Key_Up)
        at.until(lambda: sheet.desk and sheet.desk.here and sheet.desk.here.grasps)
        sheet.picture.grab()  # the cone of the pick
        assert "of 36 grasps, leaning" in sheet.picture.accessibleName()
        assert "of 36 grasps. the strawberry is in the hand" in sheet.model.spoken[0]
        key(sheet.rows, K.Key_Return)
        at.until(lambda: sheet.desk and sheet.desk.rehearsed)
        assert len(sheet.desk.rehearsed.film) == 4 and sheet._ghost.isActive() and not asked  # type: ignore[union-attr]
        at.until(lambda: sheet.picture._caption.startswith("1 of 4: pick up the potted meat can"))
        key(sheet.rows, K.Key_Down)  # once rehearsed, the can has gone from there
        at.until(lambda: sheet.desk and sheet.desk.hindrances)
        assert not any(h.words for h in sheet.desk.hindrances)
        key(sheet.rows, K.Key_Return)
        (settings,) = asked
        assert settings.method == "owl-tamp" and settings.knower.startswith("sheet:") and sheet.isHidden()
        assert not at.state.is_running
    finally:
        sheet.approved.disconnect(note)
        sheet.approved.connect(at.console._do_wish)


def test_that_a_region_is_painted_hovered_typed_and_undone_with_its_words_kept(
    at: Driver, without_arm: None
) -> None:
    sheet = opened(at, "put the strawberry near the can")
    written(at, sheet)
    desk, picture = sheet.desk, sheet.picture
    assert desk is not None and desk.here
    source, wide = desk.row.latest.source, desk.here.region
    key(sheet.rows, K.Key_4)
    assert sheet.tools.current_index == BOX and sheet.focusWidget() is picture
    QTest.mousePress(picture, Qt.MouseButton.LeftButton, pos=point(sheet, 0.52, 0.02))
    QTest.mouseMove(picture, point(sheet, 0.58, 0.08))
    QTest.mouseRelease(picture, Qt.MouseButton.LeftButton, pos=point(sheet, 0.58, 0.08))
    at.until(lambda: desk.here and desk.here.region is not wide)
    assert desk.here.tests[-1] == "test_painted" and desk.row.latest.source == source
    assert picture._shown.words_at((0.55, 0.05)).startswith("passes")
    assert picture._shown.words_at((0.45, 0.0)) == "refused by test_painted"
    key(picture, K.Key_Up, Qt.KeyboardModifier.ShiftModifier)
    assert "mm: passes" in picture.accessibleDescription() or "refused" in picture.accessibleDescription()
    key(sheet, K.Key_V)
    at.until(lambda: desk.here and desk.here.before)
    assert "gained" in desk.shown.note and not sheet.old.isHidden()
    key(sheet, K.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert desk.row.latest.painted is None
    sheet.code.setFocus()
    sheet.code.setPlainText("def test_a() -> bool:\n    return plum.pose.x > 0\n")
    at.until(lambda: desk.here and desk.here.fault)
    assert "plum" in sheet.lint.text() and sheet.code.toPlainText().startswith("def test_a")
    key(sheet.code, K.Key_Z, Qt.KeyboardModifier.ControlModifier)
    at.until(lambda: sheet.code.toPlainText() == source)
    key(sheet, K.Key_K)
    at.until(lambda: sheet.said.text().startswith("Kept"))
    sheet.code.setPlainText("")
    at.until(lambda: desk.here and desk.here.offers)
    for said, offered in (("Forgotten", 0), ("Kept again", 1), ("Forgotten", 0)):
        sheet.setFocus()
        sheet.carry_out("forget")
        at.until(lambda: sheet.said.text().startswith(said) and len(desk.here.offers) == offered)  # noqa: B023
    idle(at, sheet)
    at.do("wish")


def test_that_esc_or_a_change_ends_a_search_of_the_sheet_and_words_that_nobody_understands_are_named(
    at: Driver, without_arm: None
) -> None:
    sheet = opened(at, "frobnicate the strawberry")
    key(sheet.words, K.Key_Return)
    at.until(lambda: "frobnicate" in sheet.said.text())
    halted = []
    at.console.stop_key._stop, stop = lambda: halted.append(True), at.console.stop_key._stop
    try:
        at.press(K.Key_Escape)
        assert halted == [True] and sheet.isVisible()
        at.release(K.Key_Escape)
        sheet.words.setText(WORDS)
        written(at, sheet)
        sheet.press()
        assert sheet.work.planning.running and not sheet.primary.isEnabled()
        at.qtbot.wait(round(1100 * BOUNCE))  # sooner it would be a repeat
        at.press(K.Key_Escape)
        assert halted == [True] * 2 and sheet.said.text().startswith("Stopped")
        assert not sheet.work.planning.running and sheet.step == "Find motions" and sheet.primary.isEnabled()
        sheet.press()
        mine = f"{sheet.code.toPlainText()}\n# mine"
        sheet.code.setPlainText(mine)
        at.until(lambda: sheet.said.text().startswith("The wish has changed, so the search has ended"))
        assert not sheet.work.planning.running and sheet.step == "Find motions" and sheet.primary.isEnabled()
        assert sheet.desk is not None and sheet.desk.row.latest.source == mine
    finally:
        at.release(K.Key_Escape)
        at.console.stop_key._stop = stop
    at.do("wish")


@pytest.mark.long
def test_that_another_plan_than_the_approved_one_pauses_and_the_sheet_sees_what_the_robot_saw(
    at: Driver, without_arm: None
) -> None:
    wish = Settings(**WISH, knower="grammar", options={"method.words": WORDS})  # type: ignore[arg-type]
    at.console._do_wish(wish, Plan(PlanStatus.FOUND))
    at.until(lambda: at.state.paused and at.state.plan_rows)
    assert at.state.is_running and at.state.scene and not at.state.acting and not at.state.last_step
    at.until(lambda: at.window.decision.views[2].reason.head == "Not the plan that you saw")
    sheet, asked = at.console.sheet, at.console.sheet.work.looking
    sheet.look = sheet.desk = None
    at.do("wish")
    assert sheet.look and sheet.look.scene is at.state.scene and not asked.running
    sheet.words.setText(WORDS)
    written(at, sheet)
    moved = replace(at.state.scene, things=at.state.scene.things[1:])
    at.controller.state = replace(at.state, scene=moved)
    sheet.follow()
    assert sheet.desk and sheet.desk.look.scene is sheet.picture._scene is moved
    at.controller.refresh()  # the robot's own scene again
    idle(at, sheet)
    at.do("wish")
    at.do("end")
    at.over()


def test_that_without_a_display_there_is_no_sheet_and_no_episode_in_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("app.runtime.display.find_display", lambda: ("", "There is no display"))
    asked = Settings(**WISH, knower="grammar", options={"method.words": WORDS})  # type: ignore[arg-type]
    with pytest.raises(BadValue, match="There is no display: a sheet needs a window"):
        main.open_console(asked, Path("log.db"))
