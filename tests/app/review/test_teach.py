"""The dialog that teaches an eye: nothing is used that a person did not keep."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.main_window import MainWindow
from app.review.teach import teach_dialog, teach_process
from app.review.teach.teach_dialog import TeachDialog, read_material
from app.review.teach.teach_page import labels_page, taught_page
from app.review.teach.teach_process import TeachingJob, TeachingResult
from app.runtime.background_process import Report
from core.log.store import Store
from core.stop_token import StopToken
from core.vqa.data_files import user_dir
from core.vqa.eye import eye_file
from core.vqa.eye.eye import Eye
from core.vqa.eye.teaching import head_training, versions
from tests.core.vqa.eye.teaching.kit import untaught_eye, write_log


def test_that_the_page_counts_labels_and_shows_before_and_after() -> None:
    assert "blind review" in labels_page({})
    page = labels_page({"lit": (3, 4, 0), "<open>": (1, 0, 0)})
    assert "&lt;open&gt;" in page and "<b>8</b>" in page
    page = taught_page(TeachingResult(Path(), "2", [("<lit>", "7"), ("all", "7")], ["Not learnt: open"]))
    assert "&lt;lit&gt;" in page and "<b>all</b>" in page and "Not learnt: open" in page


@pytest.fixture
def dialog(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TeachDialog]:
    """The dialog on a log, with the teaching on a thread of this process and its work done at once."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(eye_file, "RESOURCES", tmp_path / "shipped")
    monkeypatch.setattr(head_training, "EPOCHS", 30)
    monkeypatch.setattr(head_training, "RATE", 5e-3)
    monkeypatch.setattr(teach_dialog, "teach_in_process", in_this_process)
    untaught_eye(user_dir("eye") / "mine")
    with Store.open(write_log(tmp_path / "log.db")) as store:
        material = read_material(store, ())
    window = MainWindow()
    qtbot.addWidget(window)
    dialog = TeachDialog(window, material)
    yield dialog
    dialog.reject()
    QApplication.processEvents()


def in_this_process(job: TeachingJob, cancel: StopToken, report: Report) -> TeachingResult:
    return teach_process._teach(job, report)


def in_force() -> list[str]:
    return [v.card.version for v in versions.versions() if v.in_force]


def test_that_it_is_taught_and_only_used_if_kept(qtbot: QtBot, dialog: TeachDialog) -> None:
    assert [s.value for s in dialog.sources] == ["simulator's truth"]
    qtbot.waitUntil(lambda: "lit" in dialog._page.toPlainText())
    dialog.teach.click()
    qtbot.waitUntil(lambda: dialog._taught is not None, timeout=20_000)
    assert "right before" in dialog._page.toPlainText() and in_force() == ["1"]
    dialog.keep.click()
    qtbot.waitUntil(lambda: "in force from the next episode" in dialog._status.text(), timeout=20_000)
    assert in_force() != ["1"] and len(dialog._list.items) == 2


@pytest.mark.parametrize("end", ["discard", "close_"])
def test_that_what_is_not_kept_leaves_nothing_behind(
    qtbot: QtBot, dialog: TeachDialog, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    eye = Eye(user_dir("eye") / "mine")
    staged = versions.stage_version(eye, user_dir("eye") / "mine" / "trunk.onnx")
    taught = TeachingResult(staged, "2", [])
    monkeypatch.setattr(teach_dialog, "teach_in_process", lambda *_: taught)
    dialog.teach.click()
    qtbot.waitUntil(lambda: dialog._taught is not None)
    getattr(dialog, end).click()
    qtbot.waitUntil(lambda: not staged.exists())
    assert in_force() == ["1"]


def test_that_what_cannot_be_taught_is_one_sentence(qtbot: QtBot, dialog: TeachDialog) -> None:
    for chip in dialog._chips.values():
        chip.setChecked(False)
    dialog.teach.click()
    qtbot.waitUntil(lambda: "no label to learn from" in dialog._status.text(), timeout=20_000)
    assert in_force() == ["1"] and dialog.teach.isEnabled()
