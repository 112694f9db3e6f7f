"""The list, its statistics, and figures per predicate, against episodes whose counts are known."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan
from pathlib import Path

import pytest

from core.events import Result
from core.facts import Verdict
from core.log.labels import label
from core.log.recorder import Recorder
from core.log.shelf import Shelf
from core.log.store import Filter, Store
from core.review.catalog import page, statistics
from core.review.figures import BINS, curves, interval, running, tallies
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
    Shelf(store).tag(first, "demo")
    Shelf(store).note(first, "look again at the mug")
    entries = page(store, Filter(), "began", False, 2, 0)
    assert [(e.tags, e.notes) for e in entries] == [(("demo",), 1), ((), 0)]
    assert [e.summary.episode for e in page(store, Filter(words="demo"), "began", True, 9, 0)] == [first]
    assert store.count(Filter(words="look again")) == 1


def test_that_overridden_episodes_and_false_claims_are_found(store: Store) -> None:
    assert [s.overrides for s in store.episodes(Filter(overridden=True))] == [2]
    assert store.count(Filter(false_claims=True)) == 3
    assert store.count(Filter(false_claims=True, results=(Result.NO_PLAN,))) == 0


def test_that_statistics_are_of_what_is_selected(store: Store) -> None:
    everything = statistics(store, Filter())
    assert (everything.episodes, everything.believed, everything.true) == (3, 1.0, 0.0)
    assert (everything.false_claims, everything.overrides, everything.steps) == (3, 2, 3.0)
    one = statistics(store, Filter(), [store.episodes()[-1].episode])
    assert (one.episodes, one.overrides) == (1, 0)
    assert statistics(store, Filter(tasks=["none"])).believed is None


def test_that_curves_have_one_value_an_episode(store: Store) -> None:
    found = {c.name: c.values for c in curves(store, Filter())}
    assert found["turns"] == (3.0, 3.0, 3.0)
    assert found["overrides"] == (0.0, 0.0, 2.0)
    assert found["goal true"] == (0.0, 0.0, 0.0)


def test_that_a_running_mean_forgets_what_is_old_and_skips_what_is_unknown() -> None:
    means = running((None, 1.0, 0.0, None, 1.0), 2)
    assert isnan(means[0]) and means[1:] == [1.0, 0.5, 0.5, 0.5]


def test_that_answers_are_tallied_per_predicate(store: Store) -> None:
    found = {t.predicate: t for t in tallies(store, Filter())}
    assert {name: t.answers for name, t in found.items()} == dict.fromkeys(made.PREDICATES, 9)
    inside = found[made.atom(0).predicate]
    assert (inside.yes, inside.people.of, inside.people.right, inside.set) == (9, 1, 0, 1)
    assert inside.seconds_each == 2.5
    other = found[made.atom(1).predicate]
    assert (other.people.of, other.people.right, other.looked) == (1, 1, 0)  # let stand
    assert inside.people.bins[BINS - 1] == (1, 0)  # nine in ten sure, and wrong
    assert found[made.atom(2).predicate].set == 1  # the correction


def test_that_a_label_counts_before_the_operators_word(store: Store) -> None:
    id = store.episodes(Filter(overridden=True))[0].episode
    number = [r.number for r in store.records(id) if type(r.event).__name__ == "Answered"][-1]
    label(store, id, number, 0, Verdict.YES, "bob", blind=True)
    inside = next(t for t in tallies(store, Filter()) if t.predicate == made.atom(0).predicate)
    assert (inside.people.of, inside.people.right) == (1, 1)


def test_that_only_one_models_answers_are_tallied_when_one_is_named(store: Store) -> None:
    assert sum(t.answers for t in tallies(store, Filter(), model="gpt")) == 36
    assert sum(t.answers for t in tallies(store, Filter(), model="another")) == 0


def test_that_an_interval_is_wide_for_few_and_narrow_for_many() -> None:
    low, high = interval(7, 10)
    assert 0.39 < low < 0.7 < high < 0.9
    assert interval(700, 1000)[0] > 0.67
    assert interval(0, 0) == (0.0, 1.0)
