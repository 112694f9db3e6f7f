"""What is no episode: recorded as safely, found, exported and imported, and counted nowhere."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.events import EpisodeEnded, EpisodeResult, EpisodeStarted, Event, ModelConsulted
from core.log.export import jsonl
from core.log.export.registry import export
from core.log.integrity.verify import verify
from core.log.recorder import Recorder
from core.log.search import search
from core.log.store import LATEST, EpisodeFilter, Store
from core.review.groups import facet_values, groups
from tests.core.log import made

DRAFTS = EpisodeFilter(kinds=["draft"])


def draft() -> Iterator[Event]:
    yield EpisodeStarted("a domain for tea", "", (), (), (), recorded_as="draft")
    yield ModelConsulted(1, "draft", (), "", "(define (domain teapot))", "a domain", "gpt", cost=0.5)
    yield from list(made.turn(1, made.frame(1)))  # it may ask and look
    yield EpisodeEnded(EpisodeResult.ENDED, "The person took it.")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with Recorder.open(tmp_path / "log.db") as recorder:
        list(recorder.record_events(made.episode(2)))
        list(recorder.record_events(draft()))
    return tmp_path / "log.db"


def test_that_it_is_listed_where_it_is_asked_for_and_nowhere_else(path: Path) -> None:
    with Store.open(path) as store:
        (episode,), (other,) = store.episodes(), store.episodes(DRAFTS)
        assert (episode.recorded_as, other.recorded_as) == ("episode", "draft")
        assert (store.count(), store.count(DRAFTS), store.count(EpisodeFilter(kinds=()))) == (1, 1, 2)
        assert store.summary(LATEST) == episode and store.summary(other.episode) == other
        assert [r.event for r in store.records(other.episode)] == list(draft())


def test_that_nothing_counts_it(path: Path) -> None:
    with Store.open(path) as store:
        assert [group.episodes for group in groups(store, EpisodeFilter(), ["task"])] == [1]
        assert facet_values(store)["task"] == ("boil_water",)
        for view in ("episodes", "questions", "overrides", "replans", "judged", "bookmarks"):
            rows = store.db.execute(f"select distinct episode from {view}").fetchall()
            assert rows in ([], [(store.episodes()[0].episode,)]), view
        assert store.db.execute("select sum(answers) from agreement").fetchone() == (8,)
        paid = store.db.execute("select sum(cost) from costs where recorded_as = 'draft'").fetchone()
        assert paid[0] > 0.5, "but what it cost is not hidden"


def test_that_it_is_searched_verified_and_taken_elsewhere(path: Path, tmp_path: Path) -> None:
    with Store.open(path) as store, Store.open(tmp_path / "other.db") as other:
        (summary,) = store.episodes(DRAFTS)
        assert {hit.episode for hit in search(store, "teapot")} == {summary.episode}
        assert verify(store).is_intact
        export(store, (), tmp_path / "all.jsonl")
        assert len(jsonl.import_file(other, tmp_path / "all.jsonl")) == 2
        assert other.episodes(DRAFTS) == (summary,)


def test_that_a_kill_in_the_middle_of_it_loses_nothing(tmp_path: Path) -> None:
    code = (
        "import os, sys\nfrom core.log.recorder import Recorder\n"
        "from tests.core.log.test_kinds import draft\n"
        "recorder = Recorder.open(sys.argv[1])\n"
        "for event in list(draft())[:-1]: recorder.record(event)\n"
        "os._exit(9)"
    )
    path = tmp_path / "log.db"
    run = subprocess.run([sys.executable, "-c", code, str(path)], env=os.environ, timeout=60, check=False)
    assert run.returncode == 9
    with Store.open(path) as store:
        (summary,) = store.episodes(DRAFTS)
        assert store.repaired == (summary.episode,)
        assert [r.event for r in store.records(summary.episode)][:-1] == list(draft())[:-1]
        assert (summary.result, store.count()) == (EpisodeResult.INTERRUPTED, 0)
        assert verify(store).is_intact
