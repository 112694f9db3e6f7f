"""An episode out of a log that somebody else made, as the window opens it."""

from __future__ import annotations

import os
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from app.review.loaded_episode import open_episode, with_pixels
from app.review.log_worker import LogHandles
from core.log.annotations import EpisodeAnnotations
from core.log.recorder import Recorder
from core.log.store import Store
from core.log.video import segments
from tests.core.log import made


def logged(folder: Path) -> tuple[Path, str]:
    """A log, and its episode."""
    with Recorder.open(folder / "log.db") as recorder:
        given = list(recorder.record_events(made.episode(2, True)))
    return folder / "log.db", given[0].episode


def test_that_only_films_that_are_plain_files_are_shown(tmp_path: Path) -> None:
    path, id = logged(tmp_path)
    os.mkfifo(tmp_path / "pipe")  # who opens it waits for ever
    with Store.open(path) as store:
        hashes = [sha256(name).hexdigest() for name in (b"film", b"link")]
        segments.write_video(path, hashes[0], b"film")
        segments.video_path(path, hashes[1]).symlink_to(tmp_path / "pipe")
        for hash in hashes:
            segments.insert(store.db, store.nr(id), segments.Segment("top", 1.0, 2.0, hash, 4, 0))
        opened = open_episode(LogHandles(store, EpisodeAnnotations(store)), id, lambda *_: None)
    assert [clip.path.stem for clip in opened.clips] == [hashes[0]]


def test_that_a_picture_that_is_none_is_left_out(tmp_path: Path) -> None:
    path, id = logged(tmp_path)
    with Store.open(path, read_only=True) as store:
        opened = open_episode(LogHandles(store, EpisodeAnnotations(store)), id, lambda *_: None)
    state = opened.replay.final_state
    assert state.frame is not None
    assert getattr(with_pixels(state, opened).frame, "rgb", None) is not None
    name = sha256(b"no picture").hexdigest()
    other = replace(state, frame=replace(state.frame, id=name))
    assert with_pixels(other, replace(opened, pictures={name: b"no picture"})) is other
