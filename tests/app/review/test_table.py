"""The table of episodes: sorted, filtered and grouped, charts of one model, and what leaves as a file."""

from __future__ import annotations

import csv
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from app.presentation.logged_episodes import figure_text
from app.review.episode_table.columns import COLUMNS
from app.review.figure_export import svg
from app.review.review_window import CHARTS, TABLE
from core.log.recorder import Recorder
from core.review.groups import Figure
from tests.app.review.conftest import Reader
from tests.core.log import made


@pytest.fixture
def ids(tmp_path: Path) -> list[str]:
    """Three episodes of `gpt` and one of `qwen`, two of them in the kitchen."""
    found = []
    with Recorder.open(tmp_path / "log.db") as recorder:
        for model, robot in (
            ("gpt", "kitchen"),
            ("gpt", "symbolic"),
            ("qwen", "kitchen"),
            ("gpt", "symbolic"),
        ):
            events = list(made.episode(2))
            settings = {"answerer": model, "robot": robot, "method": "careful", "seed": "7"}
            events[0] = replace(events[0], settings=settings)  # type: ignore[type-var]
            *_, last = recorder.record_events(events)
            found.append(last.episode)
    return found


def column(reader: Reader, title: str) -> list[object]:
    model = reader.review.multi_episode.table.table.episodes
    place = [c.title for c in COLUMNS].index(title)
    return [model.data(model.index(i, place), Qt.ItemDataRole.DisplayRole) for i in range(model.rowCount())]


def test_that_the_table_sorts_opens_and_selects_as_the_list(reader: Reader, ids: list[str]) -> None:
    review, table = reader.review, reader.review.multi_episode.table.table
    review._pages.choose(TABLE)
    assert column(reader, "model") == ["gpt", "qwen", "gpt", "gpt"]
    table.horizontalHeader().sectionClicked.emit([c.title for c in COLUMNS].index("model"))
    reader.until(lambda: reader.listed() and column(reader, "model") == ["qwen", "gpt", "gpt", "gpt"])
    assert "↓" in str(table.episodes.headerData(2, Qt.Orientation.Horizontal, Qt.ItemDataRole.DisplayRole))
    table.selectRow(0)
    assert review.episode_list.ids == (ids[2],)
    QTest.keyClick(table, Qt.Key.Key_Return)
    reader.until(lambda: review.replay.opened and review.replay.opened.summary.episode == ids[2])
    assert review._stack.currentWidget() is review.replay


def test_that_groups_keep_the_models_apart_until_a_person_joins_them(reader: Reader, ids: list[str]) -> None:
    pages = reader.review.multi_episode
    reader.review._pages.choose(TABLE)

    def groups() -> dict[tuple[str, ...], int]:
        return {group.values: group.episodes for group in pages.table.figures.groups}

    pages.table.grouping.choose(2)  # by robot
    reader.until(lambda: len(groups()) == 3)
    assert groups() == {("gpt", "symbolic"): 2, ("gpt", "kitchen"): 1, ("qwen", "kitchen"): 1}
    pages.table.together.click()
    reader.until(lambda: groups() == {("kitchen",): 2, ("symbolic",): 2})
    (group,) = [g for g in pages.table.figures.groups if g.values == ("symbolic",)]
    pages.table.figures.chosen.emit(group)
    reader.until(lambda: len(reader.listed()) == 2)
    assert set(column(reader, "robot")) == {"symbolic"} and pages.table.by is None
    reader.review.episode_list.filters.click()
    reader.until(lambda: len(reader.listed()) == 4)


def test_that_charts_are_of_one_model_until_a_person_asks_for_all_and_leave_as_figures(
    reader: Reader, ids: list[str], tmp_path: Path
) -> None:
    pages = reader.review.multi_episode
    reader.review._pages.choose(CHARTS)
    reader.until(lambda: pages.charts and pages.charts.head.note.text())
    assert pages.charts is not None
    assert pages.charts.models.text() == "gpt" and "3 of 4 ended episodes" in pages.charts.head.note.text()
    assert "goal true 0 % (0 to 56 %)".replace(" %)", ")") in pages.charts.head.note.text()
    reader.until(lambda: pages.charts and pages.charts.predicates._tallies)
    page = pages.charts_export()
    with closing(sqlite3.connect(tmp_path / "log.db")) as db:
        rows = db.execute(page.query()).fetchall()
    assert {row[0] for row in rows} == {"gpt"} and sum(row[2] for row in rows) == 3 * 8
    assert page.figures is not None and b"<svg" in svg(page.figures)
    pages.choose_model("qwen")
    reader.until(lambda: "1 of 4" in pages.charts.head.note.text())
    pages.choose_model(None)
    reader.until(lambda: "4 of 4" in pages.charts.head.note.text())


def test_that_table_and_figures_leave_as_files_and_as_a_query(
    reader: Reader, ids: list[str], tmp_path: Path
) -> None:
    review, pages = reader.review, reader.review.multi_episode
    review._pages.choose(TABLE)
    review.figure_export.write_table(pages.table_export(), tmp_path / "flat.csv")
    reader.until(lambda: "4 rows written" in review._title.text())
    with (tmp_path / "flat.csv").open(encoding="utf-8") as file:
        assert [row["episode"] for row in csv.DictReader(file)] == ids[::-1]
    pages.table.grouping.choose(1)
    reader.until(lambda: len(pages.table.figures.groups) == 2)
    page = pages.table_export()
    review.figure_export.write_table(page, tmp_path / "groups.csv")
    reader.until(lambda: "2 rows written" in review._title.text())
    with (tmp_path / "groups.csv").open(encoding="utf-8") as file:
        first = next(csv.DictReader(file))
    assert (first["model"], first["true_goal"], first["true_goal_n"]) == ("gpt", "0.0", "3")
    assert float(first["true_goal_high"]) == pytest.approx(0.5615, abs=1e-3)
    review.figure_export.write_svg(page, tmp_path / "groups.svg")
    texts = "".join(ElementTree.parse(tmp_path / "groups.svg").getroot().itertext())
    assert "gpt" in texts and "0 to 56" in texts
    review.figure_export.copy_query(page)
    with closing(sqlite3.connect(tmp_path / "log.db")) as db:
        assert [row[:2] for row in db.execute(QGuiApplication.clipboard().text())] == [
            ("gpt", 3),
            ("qwen", 1),
        ]
    review.figure_export.write_svg(page, tmp_path / "no" / "groups.svg")
    assert "cannot be written" in review._title.text()


def test_that_a_figure_reads_with_its_interval() -> None:
    assert figure_text("true_goal", Figure(22, 0.5, 0.3072, 0.6928)) == ("50 %", "31 to 69")
    assert figure_text("turns", Figure(4, 2.5, 0.446, 4.554)) == ("2.5", "0.4 to 4.6")
    assert figure_text("turns", Figure(1, 2.0)) == ("2.0", "one episode")
    assert figure_text("cost", Figure(0)) == ("–", "")
