"""The sheet in the window: from a sentence to an approved plan, by keys; painted, hovered, stopped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from core.planning_model import Plan, PlanStatus
from tests.app.conftest import SYMBOLIC, Opened

pytest.importorskip("pydantic_monty")


def test_that_keys_lead_from_a_sentence_to_an_approved_plan_and_nothing_moves_and_over_changes_and_stops_back(
    again: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = again(pictures=False)

    def tap(on: QWidget, key: str, seen: Callable[[], object]) -> None:
        QTest.keySequence(on, key)
        at.until(seen)

    at.ready()
    at.do("wish")
    sheet = at.console.sheet
    picture, rows, code, halted = sheet.picture, sheet.rows, sheet.code, list[bool]()
    at.until(lambda: sheet.look)
    sheet.words.setText("frobnicate the strawberry")
    tap(sheet.words, "Return", lambda: "frobnicate" in sheet.said.text())
    sheet.words.setText("put the strawberry onto the light-grey region")
    tap(sheet.words, "Return", lambda: sheet.desk and sheet.desk.here)
    assert sheet.desk
    desk, spoken, source = sheet.desk, sheet.model.spoken, sheet.desk.row.latest.source
    assert spoken[1].startswith("Row 2: Put the strawberry onto the light grey region. passes: middle")
    assert picture.accessibleName() == "Table: strawberry: middle of the table, 1 %"
    at.until(lambda: {h.words for h in desk.hindrances} == {"it touches potted_meat_can"})
    tap(rows, "Up", lambda: desk.here and desk.here.grasps)
    picture.grab()  # the cone of the pick
    assert "of 36 grasps, leaning" in picture.accessibleName()
    assert "of 36 grasps. the strawberry is in the hand" in sheet.model.spoken[0]
    tap(rows, "Return", lambda: "1 of 4: pick up the potted meat can" in picture._caption)
    assert desk.rehearsed and len(desk.rehearsed.film) == 4
    *_, (_, last_words) = desk.rehearsed.shots(desk.sheet, desk.look.domain_spec)
    assert last_words.endswith("Then asked: is it so that the strawberry is on the light grey region?")
    tap(rows, "Down", lambda: desk.hindrances)
    assert not any(h.words for h in desk.hindrances), "once rehearsed, the can has gone from there"
    sheet.approved.disconnect()  # from the console, which would begin an episode
    with at.qtbot.waitSignal(sheet.approved) as approved:
        QTest.keySequence(rows, "Return")
    assert approved.args[0].method == "owl-tamp" and approved.args[0].knower.startswith("sheet:")
    assert sheet.isHidden() and not at.state.is_running
    sheet.toggle()  # once more
    tap(rows, "4", lambda: sheet.focusWidget() is picture)  # paints
    assert sheet.tools.tabRect(0).height() < sheet.tools.height()
    first, last = picture.projection().points(np.array([(0.49, -0.02, 0), (0.51, 0.005, 0)]))
    QTest.mousePress(picture, Qt.MouseButton.LeftButton, pos=first.toPoint())
    QTest.mouseMove(picture, last.toPoint())
    QTest.mouseRelease(picture, Qt.MouseButton.LeftButton, pos=last.toPoint())
    at.until(lambda: desk.here and "test_painted" in desk.here.tests)
    assert desk.row.latest.source == source and picture._shown.words_at((0.5, 0.0)) == "passes"
    QTest.keySequence(picture, "Down")
    tap(picture, "Right", lambda: "mm: passes" in picture.accessibleDescription())
    tap(picture, "Left", lambda: picture.accessibleDescription().endswith("refused by test_painted"))
    tap(picture, "V", lambda: "gained" in desk.shown.note and not sheet.old.isHidden())
    tap(picture, "Ctrl+Z", lambda: desk.row.latest.painted is None)
    code.setFocus()  # types
    code.setPlainText("def test_a() -> bool:\n    return plum.pose.x > 0\n")
    at.until(lambda: "plum" in sheet.lint.text() and code.toPlainText().startswith("def test_a"))
    code.setPlainText("def test_a() -> bool:\n    return strawberry.pose.x > 5\n")
    at.until(lambda: sheet.said.text().startswith("What is marked leaves no place"))
    tap(code, "Ctrl+Z", lambda: code.toPlainText() == source)
    tap(rows, "K", lambda: sheet.said.text().startswith("Kept"))  # and keeps
    code.setPlainText("")
    at.until(lambda: desk.here and desk.here.offers and sheet.said.text().startswith("Look at the rows"))
    tap(rows, "F", lambda: sheet.said.text().startswith("Forgotten"))
    monkeypatch.setattr(at.console.stop_key, "_stop", lambda: halted.append(sheet.isVisible()))
    sheet.press()  # a search, which Esc ends
    assert sheet.work.planning.running and not sheet.primary.isEnabled()
    at.key(Qt.Key.Key_Escape)
    assert halted == [True] and sheet.said.text().startswith("Stopped")
    assert not sheet.work.planning.running and sheet.step == "Find motions" and sheet.primary.isEnabled()
    sheet.press()  # and one that a change ends
    tap(code, "Ctrl+Z", lambda: sheet.said.text().startswith("The wish has changed, so the search has"))
    assert not sheet.work.planning.running and sheet.step == "Find motions" and code.toPlainText() == source
    moved = replace(desk.look, scene=replace(desk.look.scene, things=desk.look.scene.things[1:]))
    monkeypatch.setattr(sheet, "_live", lambda: moved)
    sheet.follow()
    assert sheet.desk and sheet.desk.look.scene is picture._scene is moved.scene


def test_that_another_plan_than_the_approved_one_pauses_before_it_moves(again: Opened) -> None:
    at = again()
    at.console._do_wish(SYMBOLIC, Plan(PlanStatus.FOUND))
    at.until(lambda: at.window.decision.views[2].reason.head == "Not the plan that you saw")
    assert at.state.is_running and at.state.paused and not at.state.acting and not at.state.last_step
