"""Groups of episodes and their intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.events import EpisodeEnded, EpisodeResult
from core.intervals import wilson_interval
from core.log.annotations import EpisodeAnnotations
from core.log.recorder import Recorder
from core.log.store import EpisodeFilter, Store
from core.review.groups import facet_values, groups, mean, share
from tests.core.log import made


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models on two robots; one of the three of `gpt` reached the goal."""
    place = tmp_path_factory.mktemp("groups") / "log.db"
    with Recorder.open(place) as recorder:
        for model, robot, true in (
            ("gpt", "kitchen", True),
            ("gpt", "symbolic", False),
            ("gpt", "kitchen", False),
            ("it's", "kitchen", True),
        ):
            events = list(made.episode(1))
            settings = {"answerer": model, "robot": robot, "method": "careful", "seed": "7"}
            events[0] = replace(events[0], settings=settings)  # type: ignore[type-var]
            events[-1] = EpisodeEnded(EpisodeResult.SUCCEEDED, "", True, true)
            list(recorder.record_events(events))
    return place


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store.open(path) as store:
        yield store


def test_that_models_are_compared_with_intervals(store: Store) -> None:
    first, second = groups(store, EpisodeFilter(), ["model"])
    assert (first.values, first.episodes, second.values) == (("gpt",), 3, ("it's",))
    true = first.figures["true_goal"]
    assert (true.n, true.value, (true.low, true.high)) == (3, pytest.approx(1 / 3), wilson_interval(1, 3))
    assert first.figures["false_claims"].value == pytest.approx(2 / 3)
    assert first.figures["turns"].value == 1.0 and second.figures["turns"].low is None  # of one episode
    assert [g.values for g in groups(store, EpisodeFilter(), ["model", "robot"])] == [
        ("gpt", "kitchen"),
        ("gpt", "symbolic"),
        ("it's", "kitchen"),
    ]
    (every,) = groups(store, EpisodeFilter(), [])
    assert (every.values, every.episodes) == ((), 4)
    assert groups(store, EpisodeFilter(tasks=["none such"]), []) == ()


def test_that_a_mean_has_students_interval() -> None:
    """Of 1, 2, 3, 4: 2.5 ± 3.182 · 1.291 / 2."""
    found = mean(4, 10.0, 30.0)
    assert (found.low, found.high) == (pytest.approx(0.446, abs=1e-3), pytest.approx(4.554, abs=1e-3))
    wide, narrow = mean(9, 45.0, 285.0), mean(900, 4500.0, 28500.0)
    assert wide.low == pytest.approx(5 - 2.306 * 2.7386 / 3, rel=0.005)
    assert narrow.high == pytest.approx(5.169, abs=1e-3)
    assert share(0, 0).value is mean(0, 0.0, 0.0).value is None


def test_that_a_filter_names_facets_and_tags(store: Store) -> None:
    ids = [s.episode for s in store.episodes(EpisodeFilter(facets=[("model", "gpt"), ("robot", "kitchen")]))]
    assert len(ids) == 2
    annotations = EpisodeAnnotations(store)
    annotations.tag(ids[0], "demo")
    annotations.tag(ids[0], "paper")
    assert store.count(EpisodeFilter(facets=[("tag", "demo")])) == 1
    assert store.count(EpisodeFilter(facets=[("tag", "")])) == 3
    assert {g.values: g.episodes for g in groups(store, EpisodeFilter(), ["tag"])} == {
        ("",): 3,
        ("demo",): 1,
        ("paper",): 1,
    }
    values = facet_values(store)
    assert values["model"] == ("gpt", "it's") and values["fork"] == ("no",)
    assert values["tag"] == ("demo", "paper")
    for name in ("demo", "paper"):
        annotations.untag(ids[0], name)
