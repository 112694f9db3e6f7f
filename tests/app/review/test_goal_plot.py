"""The plot of how likely the goal was, in Compare."""

from __future__ import annotations

import pytest

from app.presentation.hypothesis_rows import GoalProbabilitySeries
from app.review.goal_plot import GoalPlot

SURE = GoalProbabilitySeries(((1.0, 0.2), (2.0, 0.9), (2.5, 0.995)))
DOUBTFUL = GoalProbabilitySeries(((1.0, 0.4),))


@pytest.fixture
def plot(qapp) -> GoalPlot:
    return GoalPlot()


def test_that_both_episodes_are_drawn_turn_by_turn_in_percent(plot: GoalPlot) -> None:
    plot.show_series(SURE, DOUBTFUL)
    left, right = plot.getPlotItem().listDataItems()
    assert list(left.yData) == pytest.approx([20, 90, 99.5]) and list(left.xData) == [1, 2, 2.5, 3.5]
    assert list(right.yData) == pytest.approx([40])
    assert plot.accessibleDescription() == "left: 99.5 % in the end; right: 40 % in the end"


def test_that_one_episode_whose_method_says_nothing_leaves_the_other(plot: GoalPlot) -> None:
    plot.show_series(None, SURE)
    assert len(plot.getPlotItem().listDataItems()) == 1 and not plot.isHidden()


def test_that_it_is_hidden_where_no_method_says_anything(plot: GoalPlot) -> None:
    plot.show_series(None, None)
    assert plot.isHidden()
