"""Keeping the log small: by a rule a person chose, never an unfinished or tagged episode."""

from pathlib import Path

import pytest

from core.log.annotations import EpisodeAnnotations
from core.log.integrity.verify import verify
from core.log.quota import PruneOrder, prune, size
from core.log.recorder import Recorder
from core.log.store import Store
from tests.core.log import made


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.db"


def written(path: Path, *turns: int) -> list[str]:
    with Recorder.open(path) as recorder:
        runs = [list(recorder.record_events(made.episode(n))) for n in turns]
        return [records[0].episode for records in runs]


@pytest.mark.parametrize(
    ("first", "goes"), [(PruneOrder.OLDEST, 0), (PruneOrder.LARGEST, 2), (PruneOrder.SUCCEEDED, 0)]
)
def test_that_the_rule_says_what_goes_first(path: Path, first: PruneOrder, goes: int) -> None:
    ids = written(path, 20, 20, 60, 20)
    with Store.open(path) as store:
        pruning = prune(store, size(store) - 1, first)
        assert pruning.episodes == (ids[goes],)
        assert store.count() == 4
        assert prune(store, size(store) - 1, first, delete=True).episodes == (ids[goes],)
        assert store.count() == 3
        assert verify(store).is_intact


def test_that_the_log_gets_as_small_as_it_was_told(path: Path) -> None:
    written(path, *[30] * 12)
    with Store.open(path) as store:
        before = size(store)
        pruning = prune(store, before // 2, PruneOrder.OLDEST, delete=True)
        assert pruning.enough
        assert before // 4 < pruning.size <= before * 0.6
        assert path.stat().st_size == pruning.size
        assert prune(store, before, PruneOrder.OLDEST).episodes == ()


def test_that_tagged_and_unfinished_episodes_stay_whatever_the_quota(path: Path) -> None:
    tagged, plain = written(path, 20, 20)
    with Recorder.open(path) as recorder:
        live = recorder.record(made.started()).episode
        with Store.open(path) as store:
            with EpisodeAnnotations(store) as annotations:
                annotations.tag(tagged, "paper")
            pruning = prune(store, 0, PruneOrder.OLDEST, delete=True)
            assert pruning.episodes == (plain,)
            assert not pruning.enough
            assert {e.episode for e in store.episodes()} == {tagged, live}
        recorder.record(made.plan(0, 2))
    with Store.open(path) as store:
        assert verify(store).is_intact
