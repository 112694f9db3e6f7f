"""Live video in segments: real films, a robot with cameras, and everything that may go wrong with them."""

from __future__ import annotations

import sys
import threading
from importlib.util import find_spec
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from time import monotonic, sleep

import numpy as np
import pytest

from core.errors import LogError
from core.events import EpisodeEnded, EpisodeResult
from core.log.annotations import EpisodeAnnotations
from core.log.export import jsonl
from core.log.integrity.verify import verify
from core.log.lease import Lease
from core.log.quota import PruneOrder, prune, size
from core.log.recorder import Recorder
from core.log.store import Store
from core.log.video import segments
from core.log.video.live_video import LiveVideo, start_live_video
from core.ports import Frame, ProvidesLiveFrames
from tests.core.log import made
from tests.core.log.video.test_video_writer import shown

needs_av = pytest.mark.skipif(find_spec("av") is None, reason="the extra `video` is not installed")


class Eyes:
    """Two cameras that show a new picture at every look, and count the looks."""

    cameras = ("top", "hand")

    def __init__(self, enough: int = 6) -> None:
        self.looks, self.enough = 0, enough
        self.seen = threading.Event()
        self.broken: Exception | None = None

    def live(self, camera: str) -> Frame | None:
        if self.broken:
            raise self.broken
        self.looks += 1
        if self.looks >= self.enough:
            self.seen.set()
        rgb = np.full((48, 64, 3), (self.looks * 5) % 250, np.uint8)
        return Frame("", camera, monotonic(), rgb=rgb)


def filmed(path: Path, eyes: Eyes, notes: list[str], seconds: float = 0.15, rate: float = 50.0) -> str:
    """An episode that is filmed until it was looked at often enough."""
    with Recorder.open(path) as recorder:
        episode = recorder.record(made.started()).episode
        video = LiveVideo(eyes, recorder, notes.append, rate=rate, seconds=seconds)
        video.start()
        assert eyes.seen.wait(20)
        recorder.record(EpisodeEnded(EpisodeResult.SUCCEEDED, ""))
        assert video.stop(20)
    return episode


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.db"


def films(path: Path) -> list[Path]:
    return sorted(segments.folder(path).glob("*"))


@needs_av
def test_that_what_the_cameras_show_lies_beside_the_log_in_segments(path: Path) -> None:
    notes: list[str] = []
    episode = filmed(path, Eyes(60), notes)
    with Store.open(path) as store:
        kept = store.segments(episode)
        assert notes == []
        assert {s.camera for s in kept} == {"top", "hand"}
        top = [s for s in kept if s.camera == "top"]
        assert len(top) > 1
        for earlier, later in pairwise(top):
            assert earlier.started < earlier.ended <= later.started
        assert {f.stem for f in films(path)} == {s.hash for s in kept}
        for s in kept:
            assert (
                s.bytes
                == len(store.segment_video(s.hash))
                == segments.video_path(path, s.hash).stat().st_size
            )
            pictures = shown(segments.video_path(path, s.hash))
            assert len(pictures) > 1
            assert pictures[-1][0] == pytest.approx(s.ended - s.started, abs=0.02)
        first = next(store.records(episode)).monotonic
        assert first < top[0].started
        assert verify(store).is_intact


@needs_av
def test_that_a_slow_camera_costs_pictures_which_are_counted(path: Path) -> None:
    class Slow(Eyes):
        def live(self, camera: str) -> Frame | None:
            threading.Event().wait(0.05)
            return super().live(camera)

    episode = filmed(path, Slow(), [], rate=100.0, seconds=5.0)
    with Store.open(path) as store:
        assert all(s.dropped > 0 for s in store.segments(episode))


@needs_av
def test_that_a_video_that_fails_is_one_note_and_the_episode_goes_on(path: Path) -> None:
    notes: list[str] = []
    told = threading.Event()
    eyes = Eyes(1)

    def note(words: str) -> None:
        notes.append(words)
        told.set()

    with Recorder.open(path) as recorder:
        recorder.record(made.started())
        eyes.broken = OSError("the cable is out")
        video = start_live_video(True, eyes, recorder, note)
        assert video is not None
        assert told.wait(20)
        assert video.stop(20)
        recorder.record(EpisodeEnded(EpisodeResult.SUCCEEDED, ""))
    assert notes == [
        "The live video of this episode ends here, the episode goes on: OSError, the cable is out."
    ]
    assert films(path) == []
    with Store.open(path) as store:
        assert verify(store).is_intact


def test_that_without_the_extra_it_says_so_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    notes: list[str] = []
    filmed(path, Eyes(1), notes)
    assert len(notes) == 1
    assert "pip install -e '.[video]'" in notes[0]
    assert films(path) == []


def test_that_it_is_off_unless_wanted_and_says_so_where_there_is_no_camera(path: Path) -> None:
    notes: list[str] = []
    with Recorder.open(path) as recorder:
        assert start_live_video(False, Eyes(), recorder, notes.append) is None
        assert notes == []
        assert start_live_video(True, object(), recorder, notes.append) is None
        assert notes == ["There is no live video of this episode: the robot has no live camera."]
    assert isinstance(Eyes(), ProvidesLiveFrames)
    assert start_live_video(True, Eyes(), Recorder.without_log(), notes.append) is None


@needs_av
def test_that_the_next_start_removes_half_a_film_of_a_dead_writer_only(path: Path) -> None:
    filmed(path, Eyes(), [])
    whole = films(path)
    living = Lease(path)
    dead = segments.folder(path) / f"0123456789abcdef.0{segments.PART}"
    alive = segments.folder(path) / f"{living.writer}.0{segments.PART}"
    nameless = segments.folder(path) / f"{'0' * 64}.mp4"  # in its place, without its row
    for file in (dead, alive, nameless):
        file.write_bytes(b"half")
    with Store.open(path) as store:
        assert verify(store).is_intact
    assert films(path) == sorted([*whole, alive])
    living.release()


@needs_av
def test_that_a_broken_off_episode_keeps_its_finished_segments(path: Path) -> None:
    with Recorder.open(path) as recorder:
        episode = recorder.record(made.started()).episode
        video = LiveVideo(eyes := Eyes(60), recorder, [].append, rate=50.0, seconds=0.15)
        video.start()
        assert eyes.seen.wait(20)
        assert video.stop(20)
    with Store.open(path) as store:
        assert store.summary(episode).result is EpisodeResult.INTERRUPTED
        assert len(store.segments(episode)) == video.kept > 2


@needs_av
def test_that_the_quota_takes_films_first_but_never_of_a_tagged_episode(path: Path) -> None:
    tagged, plain = filmed(path, Eyes(), []), filmed(path, Eyes(8), [])
    with Store.open(path) as store:
        with EpisodeAnnotations(store) as annotations:
            annotations.tag(tagged, "paper")
        before = size(store)
        planned = prune(store, before - 1, PruneOrder.OLDEST)
        assert (planned.episodes, planned.episodes_without_video) == ((), (plain,))
        gone = prune(store, before - 1, PruneOrder.OLDEST, delete=True)
        assert gone.enough
        assert gone.size <= before - 1
        assert store.segments(plain) == ()
        assert {f.stem for f in films(path)} == {s.hash for s in store.segments(tagged)} != set()
        assert prune(store, 0, PruneOrder.OLDEST, delete=True).episodes == (plain,)
        assert {f.stem for f in films(path)} == {s.hash for s in store.segments(tagged)} != set()
        assert verify(store).is_intact


@needs_av
def test_that_a_deleted_episode_takes_its_films_with_it(path: Path) -> None:
    episode = filmed(path, Eyes(), [])
    with Store.open(path) as store, EpisodeAnnotations(store) as annotations:
        annotations.delete(episode)
        assert films(path)  # it can still be taken back
        annotations.close()
        assert films(path) == []
        assert store.db.execute("select count(*) from segment").fetchone() == (0,)


@needs_av
def test_that_verify_names_a_film_that_changed_or_went(path: Path) -> None:
    episode = filmed(path, Eyes(), [])
    changed, gone = films(path)[:2]
    changed.write_bytes(b"something else")
    gone.unlink()
    with Store.open(path) as store:
        found = {f.problem: f.episode for f in verify(store).findings}
        with pytest.raises(LogError, match="cannot be read beside the log"):
            store.segment_video(gone.stem)
    assert found == {
        f"video {changed.stem[:12]} is not as it was written": episode,
        f"video {gone.stem[:12]} is no longer beside the log": episode,
    }


@needs_av
def test_that_an_export_carries_the_films_and_an_import_has_them_again(path: Path, tmp_path: Path) -> None:
    episodes = [filmed(path, Eyes(), []), filmed(path, Eyes(8), [])]
    out, other = tmp_path / "out.jsonl", tmp_path / "other.db"
    with Store.open(path) as store, Store.open(other) as into:
        assert jsonl.export(store, episodes, out) == 4
        assert jsonl.import_file(into, out) == tuple(episodes)
        for episode in episodes:
            assert into.segments(episode) == store.segments(episode) != ()
            for s in into.segments(episode):
                assert into.segment_video(s.hash) == store.segment_video(s.hash)
        assert verify(into).is_intact
        assert jsonl.import_file(into, out) == ()


@needs_av
def test_that_neither_the_start_nor_the_episode_waits_for_the_video(path: Path) -> None:
    class Stuck(Eyes):
        def __init__(self) -> None:
            super().__init__(1)
            self.free = threading.Event()

        def live(self, camera: str) -> Frame | None:
            self.seen.set()
            assert self.free.wait(20)
            return super().live(camera)

    eyes = Stuck()
    with Recorder.open(path) as recorder:
        recorder.record(made.started())
        video = LiveVideo(eyes, recorder, [].append)
        video.start()
        assert eyes.seen.wait(20)
        recorder.record(EpisodeEnded(EpisodeResult.SUCCEEDED, ""))
        assert not video.stop(0.05)
        eyes.free.set()
        assert video.stop(20)


def film_for_ever(path: Path) -> None:
    """The program that is killed."""
    recorder = Recorder.open(path)
    recorder.record(made.started())
    LiveVideo(Eyes(), recorder, pytest.fail, rate=50.0, seconds=0.1).start()
    threading.Event().wait(60)


@needs_av
def test_that_kill_9_costs_no_finished_segment_and_leaves_no_half_one(path: Path) -> None:
    program = get_context("spawn").Process(target=film_for_ever, args=(path,))
    program.start()
    enough = monotonic() + 60
    while len([f for f in films(path) if f.suffix == ".mp4"]) < 6:
        assert monotonic() < enough
        sleep(0.01)
    program.kill()
    program.join()
    whole = {f.stem for f in films(path) if f.suffix == ".mp4"}
    with Store.open(path) as store:
        (episode,) = store.repaired
        kept = {s.hash for s in store.segments(episode)}
        assert len(kept) >= 5
        assert kept <= whole
        assert {f.name for f in films(path)} == {f"{hash}.mp4" for hash in kept}
        assert verify(store).is_intact
