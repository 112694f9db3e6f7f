"""An episode as a film: each caption is on the picture of its moment."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from core.events import Record
from core.log.export.video import CAPTION, HEIGHT, MIN_CAPTION_SECONDS, WIDTH, captions
from core.log.recorder import Recorder
from core.log.store import Store
from tests.core.log import made


@pytest.fixture
def given(tmp_path: Path) -> list[Record]:
    with Recorder.open(tmp_path / "log.db") as recorder:
        return list(recorder.record_events(made.episode(3, True, "ada")))


def test_that_questions_steps_overrides_and_the_end_are_captions(given: list[Record]) -> None:
    said = [f"{head} / {line}" for _, head, line in captions(given)]
    assert "Turn 1: Is it so (0)? / gpt: yes" in said
    assert any("ada corrects" in words for words in said)
    assert said[-1].startswith("false claim / goal: ")


def test_that_the_film_shows_every_caption_long_enough_to_be_read(
    given: list[Record], tmp_path: Path
) -> None:
    av = pytest.importorskip("av")
    from core.log.export import video

    to = tmp_path / "out.mp4"
    with Store.open(tmp_path / "log.db", read_only=True) as store:
        count = video.export(store, given[0].episode, to)
    with av.open(str(to)) as film:
        stream = film.streams.video[0]
        assert (stream.codec_context.name, stream.width, stream.height) == ("h264", WIDTH, HEIGHT + CAPTION)
        times = [float(frame.time) for frame in film.decode(video=0)]
    assert len(times) == count + 1
    assert all(b - a >= MIN_CAPTION_SECONDS - 0.01 for a, b in pairwise(times))
