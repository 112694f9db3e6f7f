"""Several episodes at once: two side by side, and the report of those that are listed."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QUrl

from tests.app.review.conftest import Reader


def test_that_two_episodes_stand_side_by_side(reader: Reader, ids: list[str]) -> None:
    review = reader.review
    review.compare_selected()
    assert "Select two episodes" in review._title.text()
    review._pages.setCurrentIndex(1)
    assert review.compare._stack.currentIndex() == 0  # it says what to do
    review.compare_two(ids[0], ids[2])
    reader.until(lambda: review.compare.model.rowCount())
    compare = review.compare
    assert review._stack.currentWidget() is compare
    assert compare.model.first == 5  # the last step failed in one of them
    assert compare._stack.currentIndex() == 1
    assert compare.cameras[0]._state.episode == ids[0] and compare.cameras[1]._state.episode == ids[2]


@pytest.mark.long
def test_that_the_report_is_of_the_listed_or_the_selected_episodes(
    reader: Reader, ids: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[QUrl] = []
    monkeypatch.setattr("app.review.episode_actions.QDesktopServices.openUrl", opened.append)
    review, to = reader.review, tmp_path / "episodes.html"
    for choose, which in (
        (lambda: None, ids),
        (lambda: review.episode_list.rows.selectAll(), ids),
        (lambda: review.episode_list.overridden.click(), ids[2:]),
    ):
        opened.clear()
        choose()
        reader.until(lambda which=which: len(reader.listed()) == len(which))
        review.episode_list.report.click()
        reader.until(lambda: opened == [QUrl.fromLocalFile(str(to))])
        assert [id in to.read_text("utf-8") for id in ids] == [id in which for id in ids]
    assert review._title.text() == f"The report of 1 episode is {to}, its figures beside it"


@pytest.mark.long
def test_that_the_list_sorts_by_what_the_report_tells_of(reader: Reader) -> None:
    for order in ("seed", "failures", "true_goal", "answerer"):
        reader.review.episode_list.sort_by(order)
        reader.until(lambda: len(reader.listed()) == 3)
    assert not reader.faults
