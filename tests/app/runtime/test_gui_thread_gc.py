"""Garbage is collected on the screen's thread, whoever made it."""

from __future__ import annotations

import gc
import threading

from pytestqt.qtbot import QtBot

from app.runtime.memory import YOUNG, GuiThreadCollector


class Cycle:
    """Only the collector can free it; says on which thread it was freed."""

    freed: list[threading.Thread]

    def __init__(self, freed: list[threading.Thread]) -> None:
        self.freed, self.me = freed, self

    def __del__(self) -> None:
        self.freed.append(threading.current_thread())


def busy(freed: list[threading.Thread]) -> None:
    """Makes far more cycles than Python's own collector would wait for."""
    for _ in range(20 * YOUNG):
        Cycle(freed)


def test_that_a_busy_thread_frees_nothing_of_the_screens(qtbot: QtBot) -> None:
    freed: list[threading.Thread] = []
    collector = GuiThreadCollector()
    try:
        thread = threading.Thread(target=busy, args=(freed,))
        thread.start()
        thread.join()
        assert not freed
        qtbot.waitUntil(lambda: bool(freed), timeout=5000)
        assert set(freed) == {threading.main_thread()}
    finally:
        collector.close()


def test_that_what_was_there_when_it_first_settled_is_not_looked_through_again(qtbot: QtBot) -> None:
    collector = GuiThreadCollector()
    try:
        kept: list[object] = []
        assert any(one is kept for one in gc.get_objects())
        collector.collect_all()
        assert not any(one is kept for one in gc.get_objects())
    finally:
        collector.close()


def test_that_what_came_later_is_freed_when_it_settles_again(qtbot: QtBot) -> None:
    freed: list[threading.Thread] = []
    collector = GuiThreadCollector()
    try:
        collector.collect_all()
        part = Cycle(freed)
        collector.collect_all()
        assert not freed
        del part
        collector.collect_all()
        assert freed
    finally:
        collector.close()


def test_that_python_collects_again_when_the_window_is_closed(qtbot: QtBot) -> None:
    gc.enable()
    collector = GuiThreadCollector()
    assert not gc.isenabled()
    collector.close()
    collector.close()
    assert gc.isenabled()
