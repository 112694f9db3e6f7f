"""The list of the logged episodes: order, search, deletion, what is open."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtTest import QTest

from app.controls.rows import NOTE
from core.log.recorder import Recorder
from core.log.store import Store
from tests.app.review.conftest import Reader
from tests.core.log import made


def test_that_the_list_shows_the_latest_first_opens_with_enter_and_filters(
    reader: Reader, ids: list[str]
) -> None:
    assert reader.listed() == ids[::-1]
    model, rows = reader.review.episode_list.model, reader.review.episode_list.rows
    reader.until(lambda: rows.currentIndex().isValid())
    assert reader.review.episode_list.ids == () and rows.currentIndex().row() == 0
    rows.setFocus()
    QTest.keyClick(rows, Qt.Key.Key_Return)
    reader.until(lambda: reader.review.replay.opened is not None)
    latest = model.entry(0)
    assert latest is not None and reader.review.replay.opened.summary.episode == latest.summary.episode
    reader.review.episode_list.overridden.click()
    reader.until(lambda: model.rowCount() == 1)
    assert reader.listed() == [ids[2]]


@pytest.mark.long
def test_that_an_episode_that_another_program_logs_comes_into_the_list(
    reader: Reader, ids: list[str], tmp_path: Path
) -> None:
    assert reader.listed() == ids[::-1]
    with Recorder.open(tmp_path / "log.db") as recorder:
        *_, last = recorder.record_events(made.episode(3, True, "", "halve_egg"))
    reader.review._look.timeout.emit()
    reader.until(lambda: reader.review.episode_list.model.rowCount() == 4)
    assert reader.listed() == [last.episode, *ids[::-1]]


def test_that_the_panels_below_are_not_painted(reader: Reader) -> None:
    """All of them took up to 90 ms on the screen's thread, for which Esc waited."""
    painted: list[QObject] = []

    class Watch(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() is QEvent.Type.Paint:
                painted.append(watched)
            return False

    watch, belief, review = Watch(), reader.at.window.belief, reader.review
    for widget in (belief, review.episode_list):
        widget.installEventFilter(watch)
    belief.repaint()
    review.episode_list.repaint()
    assert review.episode_list in painted and belief not in painted
    review.toggle()
    belief.repaint()
    assert belief in painted
    review.toggle()


@pytest.mark.long
def test_that_a_search_finds_by_task_tag_and_note(reader: Reader, ids: list[str]) -> None:
    reader.review.episode_actions.put_tag((ids[0],), "demo")
    reader.review.episode_actions.put_note(ids[1], "look at the lid")
    for words, found in (("demo", [ids[0]]), ("the lid", [ids[1]]), ("halve", [ids[1]])):
        reader.review.episode_list._search.setText(words)
        reader.until(lambda found=found: reader.listed() == found)


def test_that_what_was_deleted_comes_back_until_the_window_closes(
    reader: Reader, ids: list[str], tmp_path: Path
) -> None:
    review = reader.review
    review.episode_list.select(ids[2])
    review.episode_actions.delete()
    reader.until(lambda: reader.listed() == ids[1::-1])
    review.episode_actions.undelete()
    reader.until(lambda: reader.listed() == ids[::-1])
    review.episode_list.select(ids[2])
    review.episode_actions.delete()
    reader.until(lambda: reader.listed() == ids[1::-1])
    reader.at.window.close()
    with Store.open(tmp_path / "log.db", read_only=True) as store:
        assert [s.episode for s in store.episodes()] == ids[1::-1]
        assert store.db.execute("select count(*) from label").fetchone() == (0,)


def test_that_an_episode_opens_at_its_first_trouble_and_stays_lit(reader: Reader, ids: list[str]) -> None:
    review = reader.open(ids[2])
    model = review.episode_list.model
    assert review.replay.player.state.counts.contradictions == 1
    assert review.replay.player.index < len(review.replay.player.replay)
    review.episode_list.rows.clearSelection()
    assert [bool(model.index(i, 0).data(NOTE).ground) for i in range(3)] == [True, False, False]
    review.refresh()
    assert reader.listed() and model.index(0, 0).data(NOTE).ground
    reader.open(ids[0])  # in which nothing went wrong: its end
    assert review.replay.player.index == len(review.replay.player.replay)
