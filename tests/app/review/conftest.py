"""A person at the review."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.review.review_window import ReviewWindow
from tests.app.conftest import Driver, Opened


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


@pytest.fixture
def reader(ids: list[str], opened: Opened) -> Iterator[Reader]:
    """At the list of the episodes that the test's file has put into the log."""
    reader = Reader(opened())
    reader.at.ready()
    reader.at.do("episodes")
    reader.listed()
    yield reader
    assert reader.faults == []
