"""The strip above the belief, and the probability beside each fact."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from app.presentation.belief_rows import belief_rows
from app.presentation.formatting import ending_text, goal_text
from app.widgets.belief.belief_panel import COLUMNS, BeliefPanel
from core import events as ev
from core.belief import BeliefEntry, BeliefSource, Hypothesis, Verdict
from core.episode_state import EpisodeState, Phase
from core.state.state_reducer import fold_records
from core.text.vocabulary import Vocabulary
from tests.core import tiny
from tests.core.tiny import CLOSED, EMPTY, HOLDING

MAY_HAVE = (
    BeliefEntry(HOLDING, Verdict.YES, BeliefSource.PREDICTED, 1, probability=0.7),
    BeliefEntry(CLOSED, Verdict.NO, BeliefSource.MODEL, 1, probability=0.03),
    BeliefEntry(EMPTY, Verdict.NO, BeliefSource.SENSOR, 1, probability=0.0),
)
HYPOTHESES = (Hypothesis(0.7), Hypothesis(0.3, (HOLDING,)))
STARTED = ev.EpisodeStarted(
    "get_key", "doors", (), tiny.PROBLEM.goal, MAY_HAVE, {"method": "careful"}, HYPOTHESES
)


@pytest.fixture
def panel(qapp: QApplication) -> BeliefPanel:
    made = BeliefPanel()
    made.vocabulary = Vocabulary.of(tiny.folder(), tiny.PROBLEM)
    made.resize(330, 400)
    return made


def begun() -> EpisodeState:
    return fold_records([ev.Record("e", 0, 0.0, 0.0, STARTED)])


def test_that_the_panel_tells_the_goals_probability_and_the_stories(panel: BeliefPanel) -> None:
    panel.display(begun())
    said = panel.hypotheses.accessibleDescription()
    assert not panel.hypotheses.isHidden() and "probably reached: 70 %" in said
    assert "Always claimed at 99.9 % or more" in said and "30 %" in said
    assert panel.hypotheses.sizeHint().height() > 60
    panel.hypotheses.grab()


def test_that_a_method_without_hypotheses_has_neither_strip_nor_column(panel: BeliefPanel) -> None:
    plain = replace(STARTED, hypotheses=(), belief=(BeliefEntry(CLOSED, Verdict.YES, BeliefSource.INITIAL),))
    panel.display(fold_records([ev.Record("e", 0, 0.0, 0.0, plain)]))
    assert panel.hypotheses.isHidden() and panel.table.isColumnHidden(COLUMNS.index("Sure"))
    panel.display(begun())
    assert not panel.table.isColumnHidden(COLUMNS.index("Sure"))


def test_that_the_strip_grows_while_an_episode_runs_and_fits_at_its_end(panel: BeliefPanel) -> None:
    running = begun()
    panel.display(running)
    high = panel.hypotheses.minimumHeight()
    certain = replace(running, belief=replace(running.belief, hypotheses=(Hypothesis(1.0),)))
    panel.display(certain)
    assert panel.hypotheses.minimumHeight() == high > 60
    ended = ev.EpisodeEnded(ev.EpisodeResult.SUCCEEDED, "", True)
    panel.display(replace(certain, ended=ended))
    assert panel.hypotheses.minimumHeight() < high


def test_that_a_fact_says_how_sure_its_own_verdict_is_and_doubts_come_first() -> None:
    words = Vocabulary.of(tiny.folder(), tiny.PROBLEM)
    shown = belief_rows(begun(), words, frozenset())
    assert [(row.atom, row.sure) for row in shown[:2]] == [(HOLDING, 0.7), (CLOSED, 0.97)]
    assert [row.doubtful for row in shown] == [True, False, False]


def test_that_the_filter_for_doubts_shows_what_is_uncertain(panel: BeliefPanel) -> None:
    panel.display(begun())
    panel._doubt.setChecked(True)
    model = panel.table.model()
    assert model.rowCount() == 1
    assert "70 % sure" in model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole)


def test_that_the_end_says_in_words_how_likely_the_goal_is() -> None:
    ended = ev.EpisodeEnded(ev.EpisodeResult.SUCCEEDED, "claimed", True, None, (), 0.983)
    state = replace(begun(), ended=ended, phase=Phase.ENDED)
    assert ending_text(state)[0] == "Goal very likely reached" and "98.3 % sure" in goal_text(state)
    out = replace(ended, result=ev.EpisodeResult.STEP_LIMIT, believed_goal=False, probability=0.48)
    assert goal_text(replace(state, ended=out)) == "the goal is perhaps reached: 48 %"
