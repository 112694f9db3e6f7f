"""A fork from the review: its menu, its restored world, its episode."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.presentation.formatting import progress_text
from app.review.fork_controller import ForkController
from core import events as ev
from core.events import Record
from core.log.export.report import report
from core.log.store import Store
from tests.app.conftest import Opened
from tests.app.review.conftest import Reader
from tests.core.log import made


def menu(qtbot: QtBot, settings: dict[str, str]) -> list[tuple[str, bool]]:
    anchor = QWidget()
    qtbot.addWidget(anchor)
    started = Record("e", 1, 0.0, 0.0, replace(made.started(), settings=settings))
    replay = SimpleNamespace(opened=SimpleNamespace(replay=SimpleNamespace(records=[started])), question=None)
    shown = ForkController(replay, "ada", anchor).menu()  # type: ignore[arg-type]
    return [(action.text(), action.isEnabled()) for action in shown.actions() if action.text()]


def test_that_files_and_addresses_are_shown_before_a_fork_uses_them(qtbot: QtBot) -> None:
    shown = menu(qtbot, {"answerer": "http://192.0.2.9/v1", "cache": "/tmp/x", "robot": "symbolic"})
    assert [text for text, enabled in shown if not enabled] == [
        "Uses the answerer http://192.0.2.9/v1",
        "Uses the cache /tmp/x",
    ]
    assert menu(qtbot, {"robot": "symbolic"}) == [(text, on) for text, on in shown if on]


def test_that_a_fork_runs_on_as_a_child_in_the_same_window(
    opened: Opened, tmp_path: Path, ids: list[str]
) -> None:
    at = opened(preset="Watch", answerer="gpt-4.1-household", max_steps=6, failure_limit=0)
    at.start("Watch")
    parent = at.over().episode
    at.do("episodes")
    reader = Reader(at)
    review = reader.open(parent)
    acted = [
        i
        for i, r in enumerate(review.replay.player.replay.records, 1)
        if isinstance(r.event, ev.StepFinished)
    ]
    review.replay.player.go(acted[2])
    review.fork_controller.open_menu()
    popup = QApplication.activePopupWidget()
    assert popup is not None and popup.parent() is review.bar.fork and popup.x() > review.width() / 4
    popup.close()
    review.fork_controller.here()
    at.controller.refresh()
    if at.state.started is None:  # else the fork runs, or has even ended, by now
        assert "press Start" not in at.window.status._words.text()
        assert not at.window.actions_["start"].isEnabled()
    at.until(lambda: at.state.episode not in ("", parent) and at.state.ended)
    assert reader.faults == []
    child = at.state
    assert child.started is not None and child.started.settings["parent"] == parent
    assert type(at.controller.settings).__name__ == "Settings"
    with Store.open(tmp_path / "log.db", read_only=True) as store:
        assert store.summary(child.episode).parent == parent
        assert f"<b>Fork</b> of {parent}, after record" in report(store, child.episode)
    assert progress_text(child).startswith("Fork · ")
    at.do("episodes")
    review = reader.open(child.episode)
    assert review._fork_badge.isVisible() and parent in review._fork_badge.toolTip()
    review.compare_two(parent, child.episode)
    reader.until(lambda: review.compare.model.rowCount())
    assert [", fork" in head.note.text() for head in review.compare._heads] == [False, True]


def test_that_esc_ends_the_restoring_of_a_fork(opened: Opened) -> None:
    at = opened(preset="Watch", max_steps=6, failure_limit=0, openness=0.0)
    at.start("Watch")
    parent = at.over().episode
    at.do("episodes")
    review = Reader(at).open(parent)
    review.replay.player.go(len(review.replay.player.replay.records) - 1)
    review.fork_controller.pace = 60.0
    review.fork_controller.here()
    at.until(lambda: "Restoring the world: step 1 of" in at.window.status._words.text())
    at.key(Qt.Key.Key_Escape)
    at.until(lambda: "The world was not restored. You stopped it." in at.window.status._words.text())
