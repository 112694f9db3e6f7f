"""A person at the review of a log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copytree

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.review.review_window import ReviewWindow
from core.log.recorder import Recorder
from tests.app.conftest import Driver, Opened
from tests.core.log import made


class Reader:
    def __init__(self, at: Driver) -> None:
        self.at, self.review = at, at.console.review
        self.faults: list[str] = []
        self.review.library.failed.connect(self.faults.append)

    def until(self, seen: Callable[[], object]) -> None:
        self.at.until(seen)

    def listed(self) -> list[str]:
        model = self.review.episode_list.model
        self.until(lambda: model.rowCount() and model.entry(0))
        return [e.summary.episode for i in range(model.rowCount()) if (e := model.entry(i))]

    def open(self, episode: str) -> ReviewWindow:
        self.review.open(episode)
        self.until(lambda: self.review.replay.opened and self.review.replay.opened.summary.episode == episode)
        return self.review

    def key(self, key: Qt.Key) -> None:
        QTest.keyClick(self.review, key)


@pytest.fixture(scope="session")
def logged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A folder with the log of three episodes; ada overrode the last one."""
    folder, found = tmp_path_factory.mktemp("logged"), []
    with Recorder.open(folder / "log.db") as recorder:
        for by, task in (("", "boil_water"), ("", "halve_egg"), ("ada", "boil_water")):
            *_, last = recorder.record_events(made.episode(6, True, by, task))
            found.append(last.episode)
    return folder, found


@pytest.fixture
def ids(tmp_path: Path, logged: tuple[Path, list[str]]) -> list[str]:
    """In a copy of the log, before the window opens."""
    copytree(logged[0], tmp_path, dirs_exist_ok=True)
    return logged[1]


@pytest.fixture
def reader(ids: list[str], opened: Opened) -> Iterator[Reader]:
    """At the list of the episodes that the test's file has put into the log."""
    reader = Reader(opened())
    reader.at.ready()
    reader.at.do("episodes")
    reader.listed()
    yield reader
    assert reader.faults == []
