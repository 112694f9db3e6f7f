"""The sheet in the window: from a sentence to an approved plan, by keys; painted, hovered, stopped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from app.wishes.sheet_window import SheetWindow
from app.wishes.sheet_work import SheetWork
from core.config import Settings
from core.planning_model import Plan, PlanStatus
from core.wishes.desk import Desk
from tests.app.conftest import Driver, Opened

pytest.importorskip("pydantic_monty")
Seen = Callable[[], object]
WORDS = "put the strawberry onto the light-grey region"
WISH = {"task": "berry_2", "domain": "tabletop-wishes", "method": "owl-tamp", "robot": "table"}
WISH |= {"answerer": "perfect", "pictures": False}  # type: ignore[dict-item]
SAID = Settings(**WISH, knower="grammar", options={"method.words": WORDS})  # type: ignore[arg-type]


def tap(at: Driver, on: QWidget, key: str, seen: Seen) -> None:
    QTest.keySequence(on, key)
    at.until(seen)


def written(again: Opened, words: str) -> tuple[Driver, SheetWindow, Desk]:
    """Open the sheet by its command, have a sentence written, and wait until the first region is there."""
    at = again(**WISH)
    at.ready()
    at.do("wish")
    sheet = at.console.sheet
    at.until(lambda: sheet.look)
    sheet.words.setText(words)
    sheet.desk = None
    tap(at, sheet.words, "Return", lambda: sheet.desk and sheet.desk.here)
    assert sheet.desk
    return at, sheet, sheet.desk


def test_that_three_enters_lead_from_a_sentence_to_an_approved_plan_and_nothing_moves(again: Opened) -> None:
    (at, sheet, desk), asked = written(again, WORDS), list[Settings]()
    sheet.approved.disconnect()  # from the console, which would begin an episode
    sheet.approved.connect(lambda settings, _: asked.append(settings))
    row = sheet.model.spoken[1]
    assert row.startswith("Row 2: Put the strawberry onto the light grey region. passes: middle")
    assert sheet.picture.accessibleName() == "Table: strawberry: middle of the table, 1 %"
    at.until(lambda: {h.words for h in desk.hindrances} == {"it touches potted_meat_can"})
    tap(at, sheet.rows, "Up", lambda: desk.here and desk.here.grasps)
    sheet.picture.grab()  # the cone of the pick
    assert "of 36 grasps, leaning" in sheet.picture.accessibleName()
    assert "of 36 grasps. the strawberry is in the hand" in sheet.model.spoken[0]
    tap(at, sheet.rows, "Return", lambda: "1 of 4: pick up the potted meat can" in sheet.picture._caption)
    assert desk.rehearsed and len(desk.rehearsed.film) == 4 and not asked
    *_, (_, last) = desk.rehearsed.shots(desk.sheet, desk.look.domain_spec)
    assert last.endswith("Then asked: is it so that the strawberry is on the light grey region?")
    tap(at, sheet.rows, "Down", lambda: desk.hindrances)
    assert not any(h.words for h in desk.hindrances), "once rehearsed, the can has gone from there"
    tap(at, sheet.rows, "Return", sheet.isHidden)
    assert asked[0].method == "owl-tamp" and asked[0].knower.startswith("sheet:") and not at.state.is_running


def test_that_all_is_done_by_keys_or_pointer_the_robot_is_followed_and_a_search_ends_by_esc_or_a_change(
    again: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SheetWork, "try_arm", lambda *_: None)  # which takes a second of another process
    (at, sheet, desk), halted = written(again, "put the strawberry near the can"), list[bool]()
    picture, rows, code, source = sheet.picture, sheet.rows, sheet.code, desk.row.latest.source
    tap(at, rows, "4", lambda: sheet.focusWidget() is picture)
    assert sheet.tools.tabRect(0).height() < sheet.tools.height()
    first, last = picture.projection().points(np.array([(0.52, 0.02, 0), (0.58, 0.08, 0)]))
    QTest.mousePress(picture, Qt.MouseButton.LeftButton, pos=first.toPoint())
    QTest.mouseMove(picture, last.toPoint())
    QTest.mouseRelease(picture, Qt.MouseButton.LeftButton, pos=last.toPoint())
    at.until(lambda: desk.here and "test_painted" in desk.here.tests)
    assert desk.row.latest.source == source and picture._shown.words_at((0.55, 0.05)) == "passes"
    QTest.keySequence(picture, "Down")
    tap(at, picture, "Right", lambda: picture.accessibleDescription().endswith("mm: passes"))
    tap(at, picture, "Left", lambda: picture.accessibleDescription().endswith("refused by test_painted"))
    tap(at, picture, "V", lambda: "gained" in desk.shown.note and not sheet.old.isHidden())
    tap(at, picture, "Ctrl+Z", lambda: desk.row.latest.painted is None)
    code.setFocus()
    code.setPlainText("def test_a() -> bool:\n    return plum.pose.x > 0\n")
    at.until(lambda: "plum" in sheet.lint.text() and code.toPlainText().startswith("def test_a"))
    code.setPlainText("def test_a() -> bool:\n    return strawberry.pose.x > 5\n")
    at.until(lambda: sheet.said.text().startswith("What is marked leaves no place"))
    tap(at, code, "Ctrl+Z", lambda: code.toPlainText() == source)
    tap(at, rows, "K", lambda: sheet.said.text().startswith("Kept"))
    code.setPlainText("")
    at.until(lambda: desk.here and desk.here.offers and sheet.said.text().startswith("Look at the rows"))
    tap(at, rows, "F", lambda: sheet.said.text().startswith("Forgotten"))
    sheet.words.setText(WORDS)  # as it is near the can already, no search would be long
    tap(at, sheet.words, "Return", lambda: sheet.desk is not desk)
    monkeypatch.setattr(at.console.stop_key, "_stop", lambda: halted.append(sheet.isVisible()))
    sheet.press()
    assert sheet.work.planning.running and not sheet.primary.isEnabled()
    at.key(Qt.Key.Key_Escape)
    assert halted == [True] and sheet.said.text().startswith("Stopped")
    assert not sheet.work.planning.running and sheet.step == "Find motions" and sheet.primary.isEnabled()
    sheet.press()
    code.setPlainText("")
    at.until(lambda: sheet.said.text().startswith("The wish has changed, so the search has ended"))
    assert not sheet.work.planning.running and sheet.step == "Find motions"
    moved = replace(desk.look, scene=replace(desk.look.scene, things=desk.look.scene.things[1:]))
    monkeypatch.setattr(sheet, "_live", lambda: moved)
    sheet.follow()
    assert sheet.desk and sheet.desk.look.scene is picture._scene is moved.scene
    sheet.words.setText("frobnicate the strawberry")
    tap(at, sheet.words, "Return", lambda: "frobnicate" in sheet.said.text())


@pytest.mark.long
def test_that_another_plan_than_the_approved_one_pauses_before_it_moves(again: Opened) -> None:
    at = again(**WISH)
    at.ready()
    at.console._do_wish(SAID, Plan(PlanStatus.FOUND))
    at.until(lambda: at.window.decision.views[2].reason.head == "Not the plan that you saw")
    assert at.state.is_running and at.state.paused and not at.state.acting and not at.state.last_step
