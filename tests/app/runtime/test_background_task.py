"""Only the latest task is heard, and what a task holds ends on the GUI thread."""

from __future__ import annotations

import threading
import weakref

import pytest
from pytestqt.qtbot import QtBot

from app.runtime.background_task import BackgroundTask, Report
from core.errors import BadValue, Cancelled
from core.stop_token import StopToken


@pytest.fixture
def heard() -> list[object]:
    return []


@pytest.fixture
def task(qtbot: QtBot, heard: list[object]) -> BackgroundTask:
    made = BackgroundTask("a test's task")
    made.done.connect(lambda result: heard.append(("done", result)))
    made.progressed.connect(lambda words: heard.append(("progressed", words)))
    return made


def say_and_end(task: BackgroundTask, what: str) -> None:
    """Run a task to its end while the GUI thread is busy, so that what it says waits."""

    def work(cancel: StopToken, report: Report) -> str:
        report(f"{what} runs")
        return what

    task.start(work)
    assert task.join(10)
    assert not task.running


def test_that_progress_and_result_arrive_in_order(
    qtbot: QtBot, task: BackgroundTask, heard: list[object]
) -> None:
    say_and_end(task, "one")
    assert heard == []
    qtbot.waitUntil(lambda: len(heard) == 2)
    assert heard == [("progressed", "one runs"), ("done", "one")]


def test_that_a_task_that_has_ended_is_not_heard_once_another_is_wanted(
    qtbot: QtBot, task: BackgroundTask, heard: list[object]
) -> None:
    say_and_end(task, "one")
    say_and_end(task, "two")
    qtbot.waitUntil(lambda: len(heard) >= 2)
    assert heard == [("progressed", "two runs"), ("done", "two")]
    say_and_end(task, "three")
    task.cancel()
    qtbot.wait(0)
    assert len(heard) == 2


def test_that_a_new_task_cancels_the_one_that_runs(
    qtbot: QtBot, task: BackgroundTask, heard: list[object]
) -> None:
    ended = threading.Event()

    def wait(cancel: StopToken, report: Report) -> None:
        assert cancel.wait(10)
        ended.set()
        raise Cancelled("as asked")

    task.start(wait)
    assert task.running
    say_and_end(task, "two")
    qtbot.waitUntil(lambda: ("done", "two") in heard)
    assert ended.wait(10) and heard == [("progressed", "two runs"), ("done", "two")]


def test_that_a_fault_in_a_sentence_is_a_result(
    qtbot: QtBot, task: BackgroundTask, heard: list[object]
) -> None:
    fault = BadValue("It is out of range.")

    def fail(cancel: StopToken, report: Report) -> None:
        raise fault

    task.start(fail)
    qtbot.waitUntil(lambda: bool(heard))
    assert heard == [("done", fault)]


def test_that_what_a_task_holds_ends_on_the_gui_thread(qtbot: QtBot) -> None:
    """Qt crashes where a worker's thread destroys a widget, or an object that still gets signals."""
    gone: list[threading.Thread] = []
    dropped = threading.Event()

    class Held:
        pass

    def start() -> None:
        held, task = Held(), BackgroundTask("a test's task")
        weakref.finalize(held, lambda: gone.append(threading.current_thread()))
        task.start(lambda cancel, report: (dropped.wait(10), held))

    start()
    dropped.set()  # from here on, the task alone holds all of it
    qtbot.waitUntil(lambda: bool(gone))
    assert gone == [threading.main_thread()]
