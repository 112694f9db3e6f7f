"""How sure a method was, and how often rightly: bins of facts, in a text, a row and the report."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.belief import Belief, BeliefEntry, BeliefSource, Query, QueryTopic, Verdict
from core.config import Settings
from core.evaluation.outcome import (
    EMPTY,
    TrialOutcome,
    as_text,
    believed_before,
    calibration_error,
    pooled,
    with_truth,
)
from core.evaluation.report import report_page
from core.evaluation.table import Results
from core.evaluation.trial import Design
from core.events import GroundTruthFact
from tests.core.tiny import CLOSED, HOLDING, INSIDE

OUTCOME = TrialOutcome("succeeded", "", True, True, 8, 3, 12, 1, 0, 10, 9, 0.01, 0.1)


def test_that_only_facts_with_a_probability_count_and_those_about_steps_do_not() -> None:
    entries = [
        BeliefEntry(CLOSED, Verdict.NO, BeliefSource.MODEL, probability=0.2),
        BeliefEntry(HOLDING, Verdict.YES, BeliefSource.SENSOR),
        BeliefEntry(INSIDE, Verdict.YES, BeliefSource.MODEL, probability=0.9),
    ]
    queries = (Query(CLOSED, ""), Query(HOLDING, ""), Query(INSIDE, "", topic=QueryTopic.STEP_SUCCEEDED))
    assert believed_before(Belief().with_entries(entries), queries) == {CLOSED: 0.2}


def test_that_the_error_is_the_distance_between_belief_and_truth() -> None:
    facts = [GroundTruthFact(CLOSED, so, True) for so in (True, False, False, False)]
    bins = with_truth(EMPTY, {CLOSED: 0.25}, facts)
    assert calibration_error(bins) == 0 and calibration_error(EMPTY) is None
    sure = with_truth(bins, {CLOSED: 1.0}, facts)
    assert calibration_error(sure) == pytest.approx(0.75 * 4 / 8)


def test_that_the_text_is_read_back_and_a_strange_one_counts_nothing() -> None:
    bins = with_truth(EMPTY, {CLOSED: 0.7}, [GroundTruthFact(CLOSED, True, True)])
    assert pooled([as_text(bins), as_text(bins)])[7].facts == 2 and as_text(EMPTY) == ""
    for strange in ("x", "1/2", "1/nan/1 " * 10, "5/1/9 " * 10, "0/0/0"):
        assert pooled([strange]) == EMPTY


def test_that_the_report_draws_it_and_a_row_has_its_error() -> None:
    bins = with_truth(EMPTY, {CLOSED: 0.7}, [GroundTruthFact(CLOSED, so, True) for so in (True, False)])
    design = Design(("careful",), ("halve_egg",), ("perfect",), trials=1, base=Settings(pictures=False))
    (trial,) = design.all_trials()
    told = Results(design, {trial: replace(OUTCOME, calibration=as_text(bins))})
    assert told.as_json()[0]["belief_error"] == pytest.approx(0.2)
    assert "How sure it was" in report_page(told) and "20.0 %, 2 facts" in report_page(told)
    plain = Results(design, {trial: OUTCOME})
    assert plain.as_json()[0]["belief_error"] is None and "How sure it was" not in report_page(plain)
