"""The log's thread: the latest question wins, long work can be stopped, the rest is never dropped."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.review.log_worker import LogHandles, LogWorker, Progress
from core.errors import Cancelled, LogError


@pytest.fixture
def library(qtbot: QtBot, tmp_path: Path) -> Iterator[LogWorker]:
    made = LogWorker(tmp_path / "log.db")
    yield made
    assert made.close()


def for_ever(desktop: LogHandles, progress: Progress) -> None:
    """A query that would take years."""
    desktop.store.db.execute(
        "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"
    ).fetchone()


def test_that_answers_come_back_on_the_screens_thread(library: LogWorker, qtbot: QtBot) -> None:
    came: list[tuple[int, bool]] = []
    main = threading.current_thread()
    library.submit(
        lambda d, _: d.store.count(), lambda n: came.append((n, threading.current_thread() is main))
    )
    qtbot.waitUntil(lambda: bool(came))
    assert came == [(0, True)]


def test_that_a_newer_question_stops_the_older_one(library: LogWorker, qtbot: QtBot) -> None:
    came: list[str] = []
    faults: list[str] = []
    library.failed.connect(faults.append)
    with qtbot.waitSignal(library.progressed):
        library.submit(for_ever, lambda _: came.append("old"), "Counting", "count")
    library.submit(lambda d, _: None, lambda _: came.append("new"), key="count")
    qtbot.waitUntil(lambda: bool(came))
    assert (came, faults) == (["new"], [])


def test_that_a_person_can_cancel_and_the_thread_goes_on(library: LogWorker, qtbot: QtBot) -> None:
    came: list[str] = []
    with qtbot.waitSignal(library.progressed):
        library.submit(for_ever, lambda _: came.append("never"), "Counting", "count")
    library.cancel()
    library.submit(lambda d, _: None, lambda _: came.append("next"))
    qtbot.waitUntil(lambda: came == ["next"])


def test_that_work_without_a_key_is_not_cancelled(library: LogWorker, qtbot: QtBot) -> None:
    came: list[str] = []
    go = threading.Event()
    library.submit(lambda d, _: go.wait(5), lambda _: came.append("kept"))
    library.cancel()
    go.set()
    qtbot.waitUntil(lambda: came == ["kept"])


def test_that_nothing_is_begun_after_the_end(library: LogWorker) -> None:
    library.close()
    library.submit(lambda d, _: None, lambda _: None)
    assert library._thread is None  # none that nobody would end


@pytest.mark.parametrize("ending", [None, LogError, Cancelled])
def test_that_what_work_holds_ends_on_the_gui_thread(
    library: LogWorker, qtbot: QtBot, ending: type[Exception] | None
) -> None:
    """Qt crashes where the log's thread destroys a widget."""
    gone: list[threading.Thread] = []

    class Held:
        pass

    def submit() -> None:
        held = Held()
        weakref.finalize(held, lambda: gone.append(threading.current_thread()))

        def work(handles: LogHandles, progress: Progress) -> object:
            if ending is not None:
                raise ending("It ends.")
            return held

        library.submit(work, lambda found: print(held, found))

    with qtbot.waitSignal(library.progressed):  # the work is over
        submit()
    came: list[int] = []
    library.submit(lambda d, _: 1, came.append)
    qtbot.waitUntil(lambda: bool(came))
    assert gone == [threading.main_thread()]


def test_that_an_error_is_one_sentence_and_the_thread_goes_on(library: LogWorker, qtbot: QtBot) -> None:
    def broken(desktop: LogHandles, progress: Progress) -> None:
        raise LogError("The log has no such thing: choose another.")

    with qtbot.waitSignal(library.failed) as failed:
        library.submit(broken, print)
    assert failed.args == ["The log has no such thing: choose another."]
    came: list[int] = []
    library.submit(lambda d, _: d.store.count(), came.append)
    qtbot.waitUntil(lambda: came == [0])


def test_that_closing_does_not_wait_for_long_work(qtbot: QtBot, tmp_path: Path) -> None:
    library = LogWorker(tmp_path / "log.db")
    with qtbot.waitSignal(library.progressed):
        library.submit(for_ever, print, "Counting", "count")
    assert library.close()
