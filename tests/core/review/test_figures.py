"""The list, its statistics, and figures per predicate, against episodes whose counts are known."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan
from pathlib import Path

import pytest

from core.belief import Verdict
from core.events import AnswersReceived, EpisodeResult
from core.intervals import wilson_interval
from core.log.annotations import EpisodeAnnotations
from core.log.labels import add_label
from core.log.recorder import Recorder
from core.log.store import EpisodeFilter, Store
from core.review.catalog import page
from core.review.groups import groups
from core.review.statistics import BINS, predicate_statistics, running_means, running_shares
from tests.core.log import made


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Two episodes alone, one that ada looked at; four questions a turn, three turns."""
    path = tmp_path / "log.db"
    with Recorder.open(path) as recorder:
        for by, task in (("", "boil_water"), ("", "halve_egg"), ("ada", "boil_water")):
            for _ in recorder.record_events(made.episode(3, False, by, task)):
                pass
    with Store.open(path) as store:
        yield store


def test_that_a_page_brings_tags_and_notes(store: Store) -> None:
    first = store.episodes(descending=False)[0].episode
    EpisodeAnnotations(store).tag(first, "demo")
    EpisodeAnnotations(store).add_note(first, "look again at the mug")
    entries = page(store, EpisodeFilter(), "began", False, 2, 0)
    assert [(e.tags, e.notes) for e in entries] == [(("demo",), 1), ((), 0)]
    assert [e.summary.episode for e in page(store, EpisodeFilter(text="demo"), "began", True, 9, 0)] == [
        first
    ]
    assert store.count(EpisodeFilter(text="look again")) == 1


def test_that_overridden_episodes_and_false_claims_are_found(store: Store) -> None:
    assert [s.overrides for s in store.episodes(EpisodeFilter(overridden=True))] == [2]
    assert store.count(EpisodeFilter(false_claims=True)) == 3
    assert store.count(EpisodeFilter(false_claims=True, results=(EpisodeResult.NO_PLAN,))) == 0


def test_that_figures_are_of_what_is_selected(store: Store) -> None:
    (everything,) = groups(store, EpisodeFilter(), ())
    found = {name: (figure.value, figure.total) for name, figure in everything.figures.items()}
    assert everything.episodes == 3 and found["believed_goal"][0] == 1.0 and found["true_goal"][0] == 0.0
    assert (found["false_claims"][1], found["overrides"][1], found["steps"][0]) == (3, 2, 3.0)
    (one,) = groups(store, EpisodeFilter(ids=[store.episodes()[-1].episode]), ())
    assert (one.episodes, one.figures["overrides"].total) == (1, 0)
    assert not groups(store, EpisodeFilter(tasks=["none"]), ())


def test_that_a_course_has_one_value_an_episode(store: Store) -> None:
    found = running_shares(store, EpisodeFilter())
    assert found == {"true_goal": [0.0] * 3, "believed_goal": [1.0] * 3, "false_claims": [1.0] * 3}


def test_that_a_running_mean_forgets_what_is_old_and_skips_what_is_unknown() -> None:
    means = running_means((None, 1.0, 0.0, None, 1.0), 2)
    assert isnan(means[0]) and means[1:] == [1.0, 0.5, 0.5, 0.5]


def test_that_answers_are_tallied_per_predicate(store: Store) -> None:
    found = {t.predicate: t for t in predicate_statistics(store, EpisodeFilter())}
    assert {name: t.answers for name, t in found.items()} == dict.fromkeys(made.PREDICATES, 9)
    inside = found[made.atom(0).predicate]
    assert (inside.yes, inside.judged_by_people.total, inside.judged_by_people.correct, inside.overrides) == (
        9,
        1,
        0,
        1,
    )
    assert inside.mean_operator_seconds == 2.5
    other = found[made.atom(1).predicate]
    assert (other.judged_by_people.total, other.judged_by_people.correct, other.operator_answers) == (
        1,
        1,
        0,
    )  # let stand
    assert inside.judged_by_people.bins[BINS - 1] == (1, 0)  # nine in ten sure, and wrong
    assert found[made.atom(2).predicate].overrides == 1  # the correction


def test_that_a_label_counts_before_the_operators_word(store: Store) -> None:
    id = store.episodes(EpisodeFilter(overridden=True))[0].episode
    number = [r.number for r in store.records(id) if isinstance(r.event, AnswersReceived)][-1]
    add_label(store, id, number, 0, Verdict.YES, "bob", blind=True)
    inside = next(
        t for t in predicate_statistics(store, EpisodeFilter()) if t.predicate == made.atom(0).predicate
    )
    assert (inside.judged_by_people.total, inside.judged_by_people.correct) == (1, 1)


def test_that_an_interval_is_wide_for_few_and_narrow_for_many() -> None:
    low, high = wilson_interval(7, 10)
    assert 0.39 < low < 0.7 < high < 0.9
    assert wilson_interval(700, 1000)[0] > 0.67
    assert wilson_interval(0, 0) == (0.0, 1.0)
