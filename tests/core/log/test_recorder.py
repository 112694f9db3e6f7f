"""One order for everything, decisions on disk before they count, and a stop that waits for nothing."""

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import LogError
from core.events import (
    AnswersReviewed,
    Bookmarked,
    DecisionMade,
    EpisodeEnded,
    EpisodeResult,
    EpisodeStarted,
    Event,
    FrameCaptured,
    Notice,
    Record,
    StandstillMeasured,
    StopRequested,
)
from core.log.recorder import Recorder
from core.log.store import Store
from core.log.writer import LogWriter, PendingRecord
from core.operator import Approve
from tests.core.log import made
from tests.core.log.disks import Disk


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.db"


def on_disk(path: Path, episode: str) -> list[Record]:
    with Store.open(path, read_only=True) as store:
        return list(store.records(episode))


def test_that_beginning_end_and_decisions_are_on_disk_before_they_are_handed_on(path: Path) -> None:
    handed: list[Record] = []
    with Recorder.open(path) as recorder, Store.open(path, read_only=True) as store:
        for record in recorder.record_events(made.episode(2, by="ada")):
            handed.append(record)
            decision = record.event.decision if isinstance(record.event, DecisionMade) else None
            if decision == Approve("ada") or isinstance(record.event, EpisodeStarted | EpisodeEnded):
                assert list(store.records(record.episode)) == handed
    assert Approve("ada") in [r.event.decision for r in handed if isinstance(r.event, DecisionMade)]
    assert [r.number for r in handed] == list(range(1, len(handed) + 1))


def test_that_a_hanging_disk_does_not_hold_up_the_loop(path: Path) -> None:
    disk = Disk()
    with Recorder.open(path, connect=disk.connect) as recorder:
        events = recorder.record_events(made.episode(2))
        episode = next(events).episode
        disk.free.clear()
        assert len([next(events) for _ in range(3)]) == 3
        assert [r.event for r in on_disk(path, episode)] == [made.started()]
        disk.free.set()


def test_that_a_listener_hears_of_a_record_once_it_is_on_disk(path: Path) -> None:
    heard: list[Record] = []
    missing: list[Record] = []

    def listener(record: Record) -> None:
        heard.append(record)
        if record not in on_disk(path, record.episode):
            missing.append(record)

    with Recorder.open(path) as recorder:
        recorder.listen(listener)
        given = list(recorder.record_events(made.episode(2)))
    assert heard == given
    assert not missing


def test_that_who_no_longer_listens_hears_nothing_and_who_settles_has_been_told(path: Path) -> None:
    heard: list[Record] = []
    with Recorder.open(path) as recorder:
        unlisten = recorder.listen(heard.append)
        first = recorder.record(made.started(), wait=False)
        recorder.flush()
        assert heard == [first]
        unlisten()
        unlisten()
        recorder.record(Notice("info", "unheard"), wait=False)
        recorder.flush()
    assert heard == [first]


def test_that_an_episode_left_behind_writes_nothing_into_the_next(path: Path) -> None:
    with Recorder.open(path) as recorder:
        old = recorder.record_events(made.episode(3))
        first = next(old).episode
        new = recorder.record_events(made.episode(3))
        second = next(new).episode
        with pytest.raises(LogError, match="Another episode began"):
            next(old)
        assert len(list(new)) == len(list(made.episode(3))) - 1
    assert [type(r.event) for r in on_disk(path, first)] == [EpisodeStarted, EpisodeEnded]
    assert [r.event for r in on_disk(path, second)] == list(made.episode(3))


def test_that_both_streams_get_one_order_without_gaps(path: Path) -> None:
    with Recorder.open(path) as recorder:
        events = recorder.record_events(made.episode(20))
        episode = next(events).episode
        go = threading.Barrier(5)

        def person(name: str) -> None:
            go.wait()
            for i in range(50):
                recorder.record(Bookmarked(f"{name} {i}"), wait=False)

        people = [threading.Thread(target=person, args=(name,)) for name in "abcd"]
        for thread in people:
            thread.start()
        go.wait()
        rest = list(events)
        for thread in people:
            thread.join()
    records = on_disk(path, episode)
    assert len(records) == 1 + len(rest) + 200
    assert [r.number for r in records] == list(range(1, len(records) + 1))
    assert [r.monotonic for r in records] == sorted(r.monotonic for r in records)
    for name in "abcd":
        notes = [r.event.note for r in records if isinstance(r.event, Bookmarked) and r.event.note[0] == name]
        assert notes == [f"{name} {i}" for i in range(50)]


def test_that_a_stop_never_waits_for_the_disk_and_is_written_after(path: Path) -> None:
    disk = Disk()
    recorder = Recorder.open(path, connect=disk.connect)
    episode = recorder.record(made.started()).episode
    disk.free.clear()
    recorder.record(Notice("info", "in the way"), wait=False)
    recorder.record(StopRequested(1, "key"))  # returns although nothing can be committed
    recorder.record(StandstillMeasured(1, 0.2))
    assert recorder.lag > 0
    assert [r.event for r in on_disk(path, episode)] == [made.started()]
    disk.free.set()
    recorder.close()
    kinds = [type(r.event) for r in on_disk(path, episode)][1:]
    assert kinds == [Notice, StopRequested, StandstillMeasured, EpisodeEnded]


def test_that_a_stop_that_cannot_be_written_is_told_and_tried_again_by_itself(path: Path) -> None:
    """Nothing else may come: a screen that waits for its release shows what is on disk."""
    disk, faults, told = Disk(), [], threading.Event()

    def on_fault(fault: LogError) -> None:
        faults.append(str(fault))
        told.set()

    recorder = Recorder.open(path, on_fault, disk.connect)
    episode = recorder.record(made.started()).episode
    disk.full = True
    recorder.record(StopRequested(1, "key"))
    assert told.wait(10)
    assert "log.db" in faults[0]
    written = threading.Event()
    recorder.listen(lambda record: written.set())
    disk.full = False
    assert written.wait(10)
    recorder.close()
    numbers = [r.event.number for r in on_disk(path, episode) if isinstance(r.event, StopRequested)]
    assert numbers == [1]


def test_that_a_persons_word_is_synced_before_it_counts_and_the_rest_is_not(path: Path) -> None:
    disk = Disk()
    with Recorder.open(path, connect=disk.connect) as recorder:
        for wait in (True, False):
            for event, full in (
                (made.started(), False),
                (DecisionMade(1, 1, Approve()), False),
                (DecisionMade(1, 1, Approve("ada")), True),
                (AnswersReviewed(1, ()), True),
            ):
                disk.levels.clear()
                record = recorder.record(event, wait)
                if wait or full:
                    assert disk.levels[-1] == (2 if full else 1)
                    assert on_disk(path, record.episode)[-1] == record


def test_that_a_large_picture_is_synced_with_the_decision_that_follows_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    with Recorder.open(path) as recorder:
        recorder.record(made.started())
        recorder.record(FrameCaptured(1, made.LARGE), True)
        assert not synced, "nobody decided by it yet"
        recorder.record(DecisionMade(1, 1, Approve("ada")))
        assert len(synced) == 1


def test_that_a_full_disk_stops_the_loop_instead_of_losing_a_record(path: Path) -> None:
    disk, closed = Disk(), []

    def loop() -> Iterator[Event]:
        try:
            yield from made.episode(5)
        finally:
            closed.append(True)

    recorder = Recorder.open(path, connect=disk.connect)
    handed: list[Record] = []
    with pytest.raises(LogError, match=r"log\.db"):
        for record in recorder.record_events(loop()):
            handed.append(record)
            disk.full = len(handed) >= 7
    assert closed == [True]
    with pytest.raises(LogError, match="could not be written"):
        recorder.close()
    disk.full = False
    assert not any(isinstance(record.event, EpisodeEnded) for record in handed)
    written = on_disk(path, handed[0].episode)
    assert written == handed[: len(written)]
    with Store.open(path) as store:
        assert store.repaired == (handed[0].episode,)


def test_that_a_log_that_falls_behind_stops_the_loop(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.log.writer.MAX_BACKLOG", 10)
    disk = Disk()
    recorder = Recorder.open(path, connect=disk.connect)
    disk.free.clear()
    with pytest.raises(LogError, match="too slow"):
        for _ in recorder.record_events(made.episode(50)):
            disk.free.clear()
            if recorder.lag > 5:
                pytest.fail("nobody noticed")
    disk.free.set()
    recorder.close()
    with Store.open(path) as store:
        (summary,) = store.episodes()
        assert summary.result is EpisodeResult.INTERRUPTED


def test_that_a_log_that_hangs_at_its_close_is_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Recorder.open(path).close()
    disk = Disk()
    monkeypatch.setattr("core.log.writer.WRITE_TIMEOUT", 0.05)
    writer = LogWriter(disk.connect(path), path, disk.connect)
    disk.free.clear()
    writer.put(PendingRecord(Record("", 1, 1.0, 1.0, Notice("info", "")), "{}", False))
    for wait in (writer.flush, writer.close):
        with pytest.raises(LogError, match="too slow"):
            wait()
    disk.free.set()
    writer._thread.join(10)


def test_that_the_write_ahead_log_moves_into_the_log_while_more_is_written(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.log.writer.CHECKPOINT_RECORDS", 5)
    with Recorder.open(path) as recorder:
        before = path.stat().st_size
        list(recorder.record_events(made.episode(30)))
        end = time.monotonic() + 10
        while path.stat().st_size == before and time.monotonic() < end:
            time.sleep(0.01)
        assert path.stat().st_size > before


def test_that_an_episode_left_in_its_middle_is_closed_and_ended(path: Path) -> None:
    closed = []

    def loop() -> Iterator[Event]:
        try:
            yield from made.episode(5)
        finally:
            closed.append(True)

    with Recorder.open(path) as recorder:
        records = recorder.record_events(loop())
        episode = next(records).episode
        records.close()  # type: ignore[attr-defined]
        assert closed == [True]
        last = on_disk(path, episode)[-1].event
        assert isinstance(last, EpisodeEnded)
        assert last.result is EpisodeResult.INTERRUPTED


def test_that_closing_ends_what_is_open_and_can_be_done_twice(path: Path) -> None:
    threads = set(threading.enumerate())
    recorder = Recorder.open(path)
    first = recorder.record(made.started()).episode
    second = recorder.record(made.started()).episode
    recorder.close()
    recorder.close()
    assert set(threading.enumerate()) <= threads
    assert [p.name for p in path.parent.iterdir()] == ["log.db"]
    for episode in (first, second):
        assert isinstance(on_disk(path, episode)[-1].event, EpisodeEnded)


def test_that_what_comes_before_the_first_episode_belongs_to_none(path: Path) -> None:
    with Recorder.open(path) as recorder:
        early = recorder.record(Notice("info", "hello"))
        list(recorder.record_events(made.episode(1)))
        late = recorder.record(StandstillMeasured(1, 0.1))
        recorder.record(Notice("info", "written"))
    with Recorder.open(path) as recorder:
        again = recorder.record(Notice("info", "hello again"))
    assert early.episode == again.episode == ""
    assert on_disk(path, "") == [early, again]
    assert late in on_disk(path, late.episode)


def test_that_a_jumping_clock_changes_neither_the_order_nor_the_seconds(path: Path) -> None:
    walls = iter([1e9, 1e9, 5e8, 2e9, *[1.5e9] * 100])
    ticks = iter(float(i) for i in range(1000))
    with Recorder.open(path, wall=lambda: next(walls), monotonic=lambda: next(ticks)) as recorder:
        given = list(recorder.record_events(made.episode(1)))
    with Store.open(path, read_only=True) as store:
        (summary,) = store.episodes()
        assert list(store.records(summary.episode)) == given
        assert summary.seconds == len(given) - 1


def test_that_without_a_log_the_same_records_come(path: Path) -> None:
    heard: list[Record] = []
    with Recorder.without_log() as recorder:
        recorder.listen(heard.append)
        given = list(recorder.record_events(made.episode(2)))
    assert heard == given
    assert [r.event for r in given] == list(made.episode(2))
    assert [r.number for r in given] == list(range(1, len(given) + 1))


def test_that_a_screen_that_breaks_does_not_take_the_log_with_it(path: Path) -> None:
    faults: list[str] = []

    def broken(record: Record) -> None:
        raise RuntimeError("painted itself into a corner")

    with Recorder.open(path, lambda fault: faults.append(str(fault))) as recorder:
        recorder.listen(broken)
        given = list(recorder.record_events(made.episode(1)))
    assert on_disk(path, given[0].episode) == given
    assert "corner" in faults[0]
