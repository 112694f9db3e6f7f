"""Cameras as files that OpenCV writes: real films, real pictures; and how a setup file names them."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from core.errors import BadFile, BadValue, MissingPackage, RobotError
from robots.ur5e.arm_setup import read_setup
from robots.ur5e.vision.camera_setup import CameraSetup
from robots.ur5e.vision.camera_source import open_source
from tests.robots.ur5e.vision.fake_cameras import scene, write_whole


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    path = tmp_path / "camera.png"
    write_whole(path, scene(3.0))
    return path


def test_that_a_film_is_shown_over_and_over(tmp_path: Path) -> None:
    path = tmp_path / "film.avi"
    film = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 120, (64, 48))
    for value in (30, 120, 210):
        film.write(np.full((48, 64, 3), value, np.uint8))
    film.release()
    source = open_source(CameraSetup("overhead", source=str(path)))
    levels = [round(float(source.read().value.rgb.mean()) / 90) for _ in range(7)]
    source.close()
    assert levels == [0, 1, 2, 0, 1, 2, 0]


def test_that_depth_comes_in_metres_from_an_aligned_source(tmp_path: Path, picture: Path) -> None:
    depth = tmp_path / "depth.png"
    raw = np.zeros((48, 64), np.uint16)
    raw[10, 20] = 1234
    cv2.imwrite(str(depth), raw)
    source = open_source(CameraSetup("overhead", source=str(picture), depth=str(depth), depth_unit=0.001))
    shot = source.read().value
    assert shot.depth is not None
    assert (shot.depth.dtype, float(shot.depth[10, 20]), float(shot.depth[0, 0])) == (
        np.float32,
        pytest.approx(1.234),
        0.0,
    )


def test_that_depth_of_another_size_is_refused(tmp_path: Path, picture: Path) -> None:
    depth = tmp_path / "depth.png"
    cv2.imwrite(str(depth), np.zeros((24, 32), np.uint16))
    with pytest.raises(RobotError, match="aligned with the colour"):
        open_source(CameraSetup("overhead", source=str(picture), depth=str(depth))).read()


@pytest.mark.parametrize(
    ("source", "says"),
    [("none.png", "is not there"), ("none.avi", "is not there"), (77, "check its cable")],
)
def test_that_a_missing_camera_says_so_in_one_sentence(tmp_path: Path, source: int | str, says: str) -> None:
    with pytest.raises(RobotError, match=says):
        open_source(CameraSetup("overhead", source=source if source == 77 else str(tmp_path / str(source))))


def test_that_a_stream_that_fails_does_not_tell_its_password() -> None:
    with pytest.raises(RobotError) as caught:
        open_source(CameraSetup("overhead", source="rtsp://lab:secret@127.0.0.1:1/live"))
    assert "secret" not in str(caught.value)
    assert "rtsp://127.0.0.1:1/live does not open" in str(caught.value)


def test_that_a_realsense_without_its_package_says_how_to_get_it() -> None:
    try:
        import pyrealsense2  # type: ignore[import-not-found,unused-ignore]  # noqa: F401
    except ImportError:
        with pytest.raises(MissingPackage, match="realsense"):
            open_source(CameraSetup("overhead", kind="realsense"))


SETUP = """
address = "192.168.1.10"
[camera.overhead]
source = "colour.png"
depth = "depth.png"
depth_unit = 0.0001
[camera.wrist]
source = 2
size = [1280, 720]
calibration = "hand.toml"
"""


def test_that_the_setup_file_names_cameras(tmp_path: Path) -> None:
    path = tmp_path / "arm.toml"
    path.write_text(SETUP)
    overhead, wrist = read_setup(path).cameras
    assert (overhead.source, overhead.has_depth) == (str(tmp_path / "colour.png"), True)
    assert overhead.calibration == str(tmp_path / "overhead.toml")
    assert (wrist.source, wrist.size, wrist.has_depth) == (2, (1280, 720), False)
    assert wrist.calibration == str(tmp_path / "hand.toml")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[camera.ceiling]\nsource = 0", "camera.ceiling must be 'overhead' or 'wrist'"),
        ("[camera.overhead]\nlens = 1", "camera.overhead.lens is not a known key"),
        ('[camera.overhead]\nkind = "kinect"', "'kinect'"),
        ("camera = 3", "camera"),
    ],
)
def test_that_a_wrong_camera_table_is_named(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "arm.toml"
    path.write_text(text)
    with pytest.raises((BadFile, BadValue), match=says):
        read_setup(path)
