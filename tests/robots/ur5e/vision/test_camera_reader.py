"""A picture is as old as its source says: frozen, late, dead, repeated, cut off, from two moments."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from math import inf
from pathlib import Path
from time import monotonic, time

import cv2
import numpy as np
import pytest

from core.errors import NoPicture, RobotError
from core.measured import Measured
from robots.ur5e.vision.camera_reader import CameraReader
from robots.ur5e.vision.camera_setup import CameraSetup
from robots.ur5e.vision.camera_source import CameraSource, open_source
from robots.ur5e.vision.intrinsics import RawFrame
from tests.robots.ur5e.conftest import until
from tests.robots.ur5e.vision.fake_cameras import (
    PictureWriter,
    network_camera,
    noisy_depth,
    scene,
    shown,
    write_whole,
)

Files = dict[Path, Callable[[], np.ndarray]]


@pytest.fixture
def colour(tmp_path: Path) -> Path:
    return tmp_path / "colour.png"


@pytest.fixture
def depth(tmp_path: Path) -> Path:
    return tmp_path / "depth.png"


@pytest.fixture
def writer(colour: Path, depth: Path) -> Iterator[PictureWriter]:
    made = PictureWriter({colour: lambda: scene(monotonic() % 1000), depth: noisy_depth})
    yield made
    made.close()


def reading(colour: Path, depth: Path | None = None, **options: bool) -> closing[CameraReader]:
    setup = CameraSetup("overhead", source=str(colour), depth=str(depth or ""))
    return closing(CameraReader("overhead", lambda: open_source(setup), reopen_delay=0.02, **options))


def refused(reader: CameraReader, seconds: float = 0.6) -> str:
    with pytest.raises(NoPicture) as caught:
        reader.next_frame_after(monotonic(), seconds)
    return str(caught.value)


def test_that_a_picture_after_a_moment_shows_a_later_one(
    writer: PictureWriter, colour: Path, depth: Path
) -> None:
    with reading(colour, depth) as reader:
        for _ in range(5):
            moment = monotonic()
            taken = reader.next_frame_after(moment)
            assert taken.taken_after(moment) and reader.age < 5
            assert shown(taken.value.rgb[..., ::-1]) >= round(moment % 1000, 2) - 0.01


def test_that_a_file_whose_writer_died_is_as_old_as_it_is_and_no_picture_of_now(
    colour: Path, depth: Path
) -> None:
    for path, picture in ((colour, scene()), (depth, noisy_depth())):
        write_whole(path, picture)
        os.utime(path, (time() - 3600, time() - 3600))
    with reading(colour, depth) as reader:
        until(lambda: reader.latest is not None)
        assert reader.age >= 3600
        until(lambda: "was last written 3,6" in reader.error)
        assert "start the program that writes it" in refused(reader)
        assert "colour.png was last written" in reader.trouble


def test_that_a_file_dated_ahead_is_refused(colour: Path) -> None:
    write_whole(colour, scene())
    os.utime(colour, (time() + 100, time() + 100))
    with reading(colour) as reader:
        until(lambda: "ahead of this computer" in reader.error)
        assert reader.latest is None


def test_that_a_file_written_anew_with_the_same_picture_is_the_old_one(colour: Path, depth: Path) -> None:
    still = scene()
    with (
        closing(PictureWriter({colour: lambda: still, depth: noisy_depth})),
        reading(colour, depth) as reader,
    ):
        assert "repeats itself: each picture" in refused(reader, 2.5)
        assert reader.age > 1


def test_that_depth_that_repeats_itself_is_noticed(colour: Path, depth: Path) -> None:
    deep = noisy_depth()
    with closing(PictureWriter({colour: scene, depth: lambda: deep})), reading(colour, depth) as reader:
        assert "repeats itself: each depth" in refused(reader, 2.5)


def test_that_colour_and_depth_of_two_moments_are_refused(colour: Path, depth: Path) -> None:
    write_whole(depth, noisy_depth())
    os.utime(depth, (time() - 60, time() - 60))
    with closing(PictureWriter({colour: scene})), reading(colour, depth) as reader:
        until(lambda: "depth is 6" in reader.error)
        assert "older than its colour" in refused(reader)
        assert "depth.png was last written" in reader.error


@pytest.mark.parametrize("name", ["half.png", "half.jpg"])
@pytest.mark.parametrize("part", [0.3, 0.9])
def test_that_half_a_picture_is_none(tmp_path: Path, name: str, part: float) -> None:
    path = tmp_path / name
    cv2.imwrite(str(path), scene())
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * part)])
    with reading(path) as reader:
        until(lambda: "is not whole" in reader.error)
        assert reader.latest is None
        path.write_bytes(whole)
        until(lambda: reader.latest is not None)


def test_that_an_orientation_turns_neither_colour_nor_depth(tmp_path: Path) -> None:
    path = tmp_path / "turned.jpg"
    picture = np.zeros((48, 64, 3), np.uint8)
    picture[:24] = 255
    cv2.imwrite(str(path), picture)
    plain = path.read_bytes()
    upside_down = bytes.fromhex("ffe1002245786966000049492a0008000000010012010300010000000300000000000000")
    path.write_bytes(plain[:2] + upside_down + plain[2:])
    assert cv2.imread(str(path))[5, 5, 0] < 20, "the tag is one that turns"
    source = open_source(CameraSetup("overhead", source=str(path)))
    assert source.read().value.rgb[5, 5, 0] > 240


def test_that_a_network_camera_has_no_age_and_clears_nothing_at_a_real_arm() -> None:
    with network_camera() as address:
        setup = CameraSetup("overhead", source=address)
        with closing(CameraReader("overhead", lambda: open_source(setup))) as reader:
            until(lambda: reader.latest is not None)
            assert reader.age == inf
            assert "gives no time of its own" in refused(reader)
            assert "gives no time of its own" in reader.trouble
        with closing(CameraReader("overhead", lambda: open_source(setup), by_arrival=True)) as reader:
            reader.next_frame_after(monotonic())
            assert reader.age == inf and reader.trouble == ""


@pytest.mark.long
def test_that_a_frozen_network_camera_is_noticed_where_arrival_counts() -> None:
    still = scene()
    with network_camera(lambda: still) as address:
        setup = CameraSetup("overhead", source=address)
        with closing(CameraReader("overhead", lambda: open_source(setup), by_arrival=True)) as reader:
            assert "repeats itself" in refused(reader, 2.5)


def test_that_the_end_of_a_network_camera_is_told_without_its_password() -> None:
    camera = network_camera()
    setup = CameraSetup("overhead", source=camera.__enter__())
    with closing(CameraReader("overhead", lambda: open_source(setup), 0.05, by_arrival=True)) as reader:
        try:
            assert reader.next_frame_after(0.0, 10).value.rgb.shape == (48, 64, 3)
        finally:
            camera.__exit__(None, None, None)
        until(lambda: reader.error != "", 20)
        assert "127.0.0.1" in reader.error
        assert "secret" not in reader.error


class Late:
    """A device whose driver says that its pictures are from two seconds ago."""

    device = silence = "late"

    def read(self) -> Measured[RawFrame]:
        now = monotonic()
        return Measured(RawFrame(scene(now % 1000)), now - 2.0, now)

    def close(self) -> None:
        pass


def test_that_a_late_device_gives_no_picture_of_now() -> None:
    with closing(CameraReader("overhead", Late)) as reader:
        assert "Its last picture is 2.0 s old" in refused(reader)
        moment = monotonic()
        assert reader.next_frame_after(moment, 5).taken_after(moment)
        assert monotonic() > moment + 2, "it waited until it had come"


def test_that_a_lost_camera_is_opened_again(writer: PictureWriter, colour: Path) -> None:
    writer.close()
    with reading(colour) as reader:
        until(lambda: reader.latest is not None)
        colour.unlink()
        until(lambda: "cannot be read" in reader.error or "is not there" in reader.error)
        assert "from the overhead camera" in refused(reader, 0.2)
        with closing(PictureWriter({colour: scene})):
            moment = monotonic()
            assert reader.next_frame_after(moment).taken_after(moment)
        assert reader.open_count >= 2


class Broken:
    """A camera library that raises what it likes."""

    device = silence = "broken"

    def read(self) -> Measured[RawFrame]:
        raise ZeroDivisionError("inside the library")

    def close(self) -> None:
        raise OSError("and again")


def test_that_a_camera_library_that_breaks_ends_nothing() -> None:
    made: list[CameraSource] = []

    def open_() -> CameraSource:
        made.append(Broken())
        return made[-1]

    with closing(CameraReader("wrist", open_, reopen_delay=0.01)) as reader:
        until(lambda: len(made) > 3)
        assert "inside the library" in reader.error


def test_that_a_refused_source_says_why(tmp_path: Path) -> None:
    with pytest.raises(RobotError, match="neither a device nor a file"):
        open_source(CameraSetup("overhead", source=str(tmp_path)))
