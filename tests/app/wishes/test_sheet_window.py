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
    sheet.words.setText("put the strawberry onto the light-grey region")
    tap(sheet.words, "Return", lambda: sheet.desk and sheet.desk.here)
    desk, source = sheet.desk, sheet.desk.row.latest.source
    assert "Put the strawberry onto the light grey region, passes: middle" in sheet.model.spoken[1]
    assert picture.accessibleName() == "Table: strawberry: middle of the table, 1 %"
    at.until(lambda: desk.shown.words_at((0.5, 0.0)) == "passes, but it touches potted meat can")
    tap(rows, "Up", lambda: desk.here and desk.here.grasps)
    assert "of 36 grasps. The strawberry is in the hand" in sheet.model.spoken[0] and picture.grab()
    tap(rows, "Return", lambda: "1 of 4: pick up the potted meat can" in picture._caption)
    assert desk.rehearsed and len(desk.rehearsed.film) == 4
    *_, (_, last_words) = desk.rehearsed.shots(desk.sheet, desk.look.domain_spec)
    assert last_words.endswith("Then asked: is it so that the strawberry is on the light grey region?")
    tap(rows, "Down", lambda: desk.hindrances.cells.size)
    assert not desk.hindrances.words, "once rehearsed, the can has gone from there"
    sheet.approved.disconnect()  # from the console, which would begin an episode
    with at.qtbot.waitSignal(sheet.approved):
        QTest.keySequence(rows, "Return")
    assert sheet.isHidden() and not at.state.is_running
    sheet.toggle()  # once more
    tap(rows, "4", lambda: sheet.focusWidget() is picture)  # paints
    first, last = picture.projection().points(np.array([(0.49, -0.02, 0), (0.51, 0.005, 0)]))
    QTest.mousePress(picture, Qt.MouseButton.LeftButton, pos=first.toPoint())
    QTest.mouseMove(picture, last.toPoint())
    QTest.mouseRelease(picture, Qt.MouseButton.LeftButton, pos=last.toPoint())
    at.until(lambda: desk.here and "test_painted" in desk.here.tests)
    said = picture._shown.words_at((0.5, 0.0)), picture._shown.words_at((0.5, 0.6))
    assert desk.row.latest.source == source and said == ("passes", "off the table")
    QTest.keySequence(picture, "Down")
    tap(picture, "Right", lambda: "mm: passes" in picture.accessibleDescription())
    QTest.keySequence(picture, "Left")
    tap(picture, "Left", lambda: picture.accessibleDescription().endswith("refused by test_painted"))
    tap(picture, "Ctrl+Z", lambda: desk.row.latest.painted is None)
    code.setFocus()  # types
    code.setPlainText("def test_a() -> bool:\n    return strawberry.pose.x >\n")
    at.until(lambda: "where it says: return straw" in sheet.lint.text() and picture._shown.region)
    assert "does not run" in sheet.said.text() and "not run" in picture._shown.words_at((0.5, 0.0))
    tap(code, "Ctrl+Z", lambda: code.toPlainText() == source and "Ctrl+Y makes it" in sheet.said.text())
    tap(rows, "K", lambda: sheet.said.text().startswith("Kept"))  # and keeps
    monkeypatch.setattr(at.console.stop_key, "_stop", lambda: halted.append(sheet.isVisible()))
    code.setFocus()
    code.setPlainText(f"{source}# typed\n")
    at.until(lambda: desk.row.latest.source.endswith("typed\n"))
    QTest.keySequence(code, "Tab")  # wherever that leads, Enter undoes nothing, but begins a search
    tap(sheet.focusWidget(), "Return", lambda: sheet.work.planning.running)
    assert code.toPlainText().endswith("typed\n") and not sheet.primary.isEnabled()
    at.key(Qt.Key.Key_Escape)  # ends it
    assert halted == [True] and sheet.said.text().startswith("Stopped") and not code.hasFocus()
    assert not sheet.work.planning.running and sheet.step == "Find motions" and sheet.primary.isEnabled()
    sheet.press()  # another one, which a change ends
    tap(code, "Ctrl+Z", lambda: sheet.said.text().startswith("The wish has changed, so the search has"))
    assert not sheet.work.planning.running and sheet.step == "Find motions" and code.toPlainText() == source
    berry, *others = desk.look.scene.things
    there = replace(berry, pose=(0.4, 0.2, *berry.pose[2:])), *others
    moved = replace(desk.look, scene=replace(desk.look.scene, things=there))
    monkeypatch.setattr(sheet, "_live", lambda: moved)
    sheet.follow()
    assert sheet.desk and sheet.desk.look.scene is picture._scene is moved.scene
    monkeypatch.setattr(sheet, "_live", lambda: replace(moved, is_over=True))
    sheet.follow()  # and once that has ended, the next wish begins there
    at.until(lambda: sheet.look and sheet.look.start)
    assert sheet.look and sheet.look.scene.things[0].pose[:2] == pytest.approx((0.4, 0.2), abs=0.002)
    assert desk.look is sheet.look and sheet.said.text().startswith("The table as an episode left it")


def test_that_another_plan_than_the_approved_one_pauses_before_it_moves(again: Opened) -> None:
    at = again()
    at.console._do_wish(SYMBOLIC, Plan(PlanStatus.FOUND))
    at.until(lambda: at.window.decision.views[2].reason.head == "Not the plan that you saw")
    assert at.state.is_running and at.state.paused and not at.state.acting and not at.state.last_step
