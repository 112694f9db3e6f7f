"""The calibration of one predicate's answers, chosen in the list beside it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.review.charts.answer_charts import HEAD, HIGH
from app.review.charts.trend_charts import Charts
from core.review.belief_reliability import BeliefReliability
from core.review.statistics import BINS, Accuracy, PredicateStatistics


def judged(place: int, total: int, correct: int) -> Accuracy:
    bins = tuple((total, correct) if i == place else (0, 0) for i in range(BINS))
    return Accuracy(total, correct, bins)


TALLIES = (
    PredicateStatistics("closed", 8, 2, 0, judged(9, 10, 9)),
    PredicateStatistics("inside", 1, 3, 0, judged(5, 4, 1)),
)


def made(qtbot: QtBot) -> Charts:
    charts = Charts()
    qtbot.addWidget(charts)
    while charts.make_next_plot():
        pass
    charts.resize(900, 700)
    charts.show_tallies(TALLIES)
    return charts


def test_that_a_click_shows_one_predicates_calibration_and_a_second_one_all(qtbot: QtBot) -> None:
    charts = made(qtbot)
    assert charts.reliability is not None and len(charts.reliability.bins) == 2
    second = QPoint(20, HEAD + HIGH + 5)
    QTest.mouseClick(charts.predicates, Qt.MouseButton.LeftButton, pos=second)
    assert charts.reliability.bins == [(0.55, 0.25, 4)]
    assert charts._sure.note.text() == "inside: 4 answers"
    QTest.mouseClick(charts.predicates, Qt.MouseButton.LeftButton, pos=second)
    assert len(charts.reliability.bins) == 2 and charts._sure.note.text() == "14 answers"


def test_that_the_arrow_keys_choose_and_a_predicate_that_is_gone_is_not_kept(qtbot: QtBot) -> None:
    charts = made(qtbot)
    QTest.keyClick(charts.predicates, Qt.Key.Key_Down)
    assert charts.predicates.chosen == "closed"
    charts.show_tallies(TALLIES[1:])
    assert charts.predicates.chosen == "" and len(charts.reliability.bins) == 1  # type: ignore[union-attr]


def test_that_the_methods_beliefs_are_shown_instead_of_the_models_answers(qtbot: QtBot) -> None:
    charts = made(qtbot)
    charts.show_beliefs((BeliefReliability("inside", judged(2, 5, 1), Accuracy()),))
    charts.sure_of.choose(1)
    assert charts.reliability is not None and charts.reliability.bins == [(0.25, 0.2, 5)]
    assert charts._sure.note.text() == "5 facts"
