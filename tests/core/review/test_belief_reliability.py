"""How likely a method held a fact to be, and how often it was so."""

from __future__ import annotations

from pathlib import Path

from core.belief import Answer, Atom, BeliefEntry, BeliefSource, Query, Verdict
from core.events import (
    AnswersReceived,
    BeliefChanged,
    EpisodeEnded,
    EpisodeResult,
    Event,
    GroundTruthFact,
    GroundTruthRecorded,
    QuestionsAsked,
)
from core.log.recorder import Recorder
from core.log.store import EpisodeFilter, Store
from core.ports import ModelCall
from core.review.statistics import Accuracy, BeliefReliability, belief_reliability
from tests.core.log import made

ATOM = Atom("open", ("door",))


def believed(probability: float | None) -> Event:
    verdict = Verdict.from_bool((probability or 0) > 0.5)
    return BeliefChanged(1, (BeliefEntry(ATOM, verdict, BeliefSource.PREDICTED, 1, probability=probability),))


def asked(holds: bool) -> list[Event]:
    answer = Answer(ATOM, Verdict.YES, BeliefSource.MODEL, turn=1)
    return [
        QuestionsAsked(1, "", (Query(ATOM, "Is the door open?"),)),
        AnswersReceived(1, "", ModelCall((answer,), by="a model")),
        GroundTruthRecorded(1, "", (GroundTruthFact(ATOM, holds, True),)),
    ]


def found(path: Path, *events: Event) -> tuple[BeliefReliability, ...]:
    end = EpisodeEnded(EpisodeResult.STEP_LIMIT, "the end")
    with Recorder.open(path) as recorder:
        list(recorder.record_events(iter([next(made.episode(1)), *events, end])))
    with Store.open(path, read_only=True) as store:
        return belief_reliability(store, EpisodeFilter())


def test_that_a_fact_counts_with_the_probability_before_the_answer(tmp_path: Path) -> None:
    course = [believed(0.72), *asked(True), believed(0.94), *asked(False)]
    (doors,) = found(tmp_path / "log.db", *course)
    bins = tuple({7: (1, 1), 9: (1, 0)}.get(place, (0, 0)) for place in range(10))
    assert doors.judged_by_simulator == Accuracy(2, 1, bins) and not doors.judged_by_people.total


def test_that_a_method_without_probabilities_has_no_reliability(tmp_path: Path) -> None:
    assert found(tmp_path / "log.db", believed(None), *asked(True)) == ()
