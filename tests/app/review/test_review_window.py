"""The review beside a live episode, and of a log that cannot be opened."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from core.episode_state import Phase
from tests.app.conftest import Opened
from tests.app.review.conftest import Reader


def test_that_no_key_of_the_review_reaches_a_live_episode_but_the_stop(
    ids: list[str], opened: Opened
) -> None:
    at = opened()
    at.start("Approve")
    at.phase(Phase.REVIEWING, Phase.WAITING, Phase.OFFERED)
    at.do("episodes")
    reader = Reader(at)
    reader.listed()
    before = at.state.counts.steps, at.state.phase
    for key_ in (Qt.Key.Key_Return, Qt.Key.Key_Y, Qt.Key.Key_S, Qt.Key.Key_R, Qt.Key.Key_Space):
        at.key(key_)
    at.window.top.menu.setFocus()
    for key_ in (Qt.Key.Key_Y, Qt.Key.Key_S, Qt.Key.Key_R):
        at.key(key_)
    at.do("approve")
    QTest.qWait(100)
    assert (at.state.counts.steps, at.state.phase) == before
    assert not at.window.actions_["approve"].isEnabled()
    at.key(Qt.Key.Key_Escape)
    at.until(lambda: at.state.stop)
    at.do("episodes")
    assert at.console.review.isHidden()


def test_that_a_log_that_cannot_be_opened_is_one_sentence(opened: Opened, tmp_path: Path) -> None:
    at = opened()
    at.ready()
    review = at.console.review
    (tmp_path / "other.db").write_text(
        "this is no database, and it is long enough to be told from an empty one"
    )
    review.library.path = tmp_path / "other.db"
    at.do("episodes")
    at.until(lambda: "is no SQLite database" in review._title.text())
