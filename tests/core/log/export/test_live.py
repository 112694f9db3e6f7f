"""The log as it grows, for a second screen."""

from __future__ import annotations

from itertools import chain, islice
from pathlib import Path

import pytest

from core.errors import BadValue
from core.log.export.live import follow, serve
from core.log.recorder import Recorder
from core.log.store import Store
from tests.core.log import made


def test_that_a_follower_sees_each_record_of_this_episode_and_of_the_next_once(tmp_path: Path) -> None:
    events = list(made.episode(2, True, "ada"))
    with Recorder.open(tmp_path / "log.db") as recorder:
        recording = chain(recorder.record_events(events), recorder.record_events(events))
        given = list(islice(recording, 5))

        def meanwhile(_: float) -> None:
            given.extend(islice(recording, 7))
            recorder.flush()

        recorder.flush()
        with Store.open(tmp_path / "log.db", read_only=True) as store:
            seen = list(islice(follow(store, meanwhile), len(events) + 5))
    assert seen == given[: len(seen)]


def test_that_it_is_served_on_this_machine(tmp_path: Path) -> None:
    pytest.importorskip("foxglove")
    ports: list[int] = []
    with Recorder.open(tmp_path / "log.db") as recorder:
        list(recorder.record_events(made.episode(2, True, "ada")))
    with Store.open(tmp_path / "log.db", read_only=True) as store:

        def taken(port: int) -> None:
            ports.append(port)
            with pytest.raises(BadValue, match="name another with --port"):
                serve(store, port, iter(()), ports.append)

        serve(store, 0, store.records(store.episodes()[0].episode), taken)
    assert len(ports) == 1
