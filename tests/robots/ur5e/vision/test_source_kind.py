"""What a source is, is asked of the system; which device it is, of udev's names."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, ClassVar

import cv2
import numpy as np
import pytest

from core.errors import RobotError
from robots.ur5e.vision import source_kind as kinds
from robots.ur5e.vision import video_stream
from robots.ur5e.vision.camera_setup import CameraSetup
from robots.ur5e.vision.source_kind import SourceKind, device_of, source_kind
from robots.ur5e.vision.video_stream import VideoStream


def film(path: Path) -> Path:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 30, (64, 48))
    writer.write(np.zeros((48, 64, 3), np.uint8))
    writer.release()
    return path


def test_that_the_kind_is_what_the_system_says(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "p.png"), np.zeros((4, 4, 3), np.uint8))
    (tmp_path / "p.png").rename(tmp_path / "picture")
    (tmp_path / "usb-Lab_Cam-video-index0").symlink_to("/dev/zero")  # a character device, as a camera is
    os.mkfifo(tmp_path / "pipe.png")
    film(tmp_path / "film.avi").rename(tmp_path / "film.png.avi")
    found = {
        0: SourceKind.DEVICE,
        str(tmp_path / "usb-Lab_Cam-video-index0"): SourceKind.DEVICE,
        "rtsp://lab:secret@camera/live.png": SourceKind.STREAM,
        str(tmp_path / "pipe.png"): SourceKind.STREAM,
        str(tmp_path / "picture"): SourceKind.PICTURE,
        str(tmp_path / "film.png.avi"): SourceKind.FILM,
        str(tmp_path / "%03d.png"): SourceKind.FILM,
    }
    assert {source: source_kind(source) for source in found} == found
    with pytest.raises(RobotError, match="its cable, and `source`"):
        source_kind("/dev/v4l/by-id/usb-none")


class Capture:
    """What OpenCV is asked for; `stamp` is what V4L2's driver says, in milliseconds."""

    calls: ClassVar[list[tuple[Any, ...]]] = []
    stamp = 0.0

    def __init__(self, *asked: Any) -> None:
        self.calls.append(("open", *asked))

    def isOpened(self) -> bool:
        return True

    def set(self, key: int, value: float) -> None:
        self.calls.append((key, value))

    def get(self, key: int) -> float:
        return self.stamp if key == cv2.CAP_PROP_POS_MSEC else 30.0

    def read(self) -> tuple[bool, Any]:
        return True, np.zeros((48, 64, 3), np.uint8)

    def release(self) -> None:
        pass


def test_that_a_camera_named_by_its_path_is_opened_as_a_camera(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(video_stream.cv2, "VideoCapture", Capture)
    monkeypatch.setattr(Capture, "calls", [])
    link = tmp_path / "usb-Lab_Cam-video-index0"
    link.symlink_to("/dev/zero")
    stream = VideoStream(str(link), source_kind(str(link)), (1280, 720), False)
    assert (cv2.CAP_PROP_FRAME_WIDTH, 1280) in Capture.calls
    assert (cv2.CAP_PROP_BUFFERSIZE, 1) in Capture.calls
    assert stream._period == 0, "a camera is not paced"


@pytest.mark.parametrize(("stamp", "known"), [(-0.5, True), (-70.0, False), (5.0, False), (None, False)])
def test_that_a_device_s_picture_has_its_driver_s_time(
    monkeypatch: pytest.MonkeyPatch, stamp: float | None, known: bool
) -> None:
    now = video_stream.monotonic()
    monkeypatch.setattr(Capture, "stamp", 0.0 if stamp is None else (now + stamp) * 1000)
    monkeypatch.setattr(video_stream.cv2, "VideoCapture", Capture)
    taken = VideoStream(0, SourceKind.DEVICE, (0, 0), False).read()
    assert (taken.measured_at is not None) == known
    if taken.measured_at is not None and stamp is not None:
        assert taken.measured_at == pytest.approx(now + stamp)


def test_that_a_film_and_a_stream_have_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(video_stream.cv2, "VideoCapture", Capture)
    monkeypatch.setattr(Capture, "stamp", video_stream.monotonic() * 1000)
    for kind in (SourceKind.FILM, SourceKind.STREAM):
        assert VideoStream("x", kind, (0, 0), False).read().measured_at is None


def test_that_a_device_is_named_as_after_every_reboot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    links = tmp_path / "by-id"
    links.mkdir()
    a, b = film(tmp_path / "video0"), film(tmp_path / "video1")
    (links / "usb-A").symlink_to(a)
    (links / "usb-B").symlink_to(b)
    monkeypatch.setattr(kinds, "DEVICE_LINKS", (links,))
    calibration = str(tmp_path / "overhead.toml")

    def name(source: Path, depth: Path | str = "") -> str:
        return device_of(CameraSetup(source=str(source), depth=str(depth), calibration=calibration))

    assert name(a) == name(links / "usb-A") == "usb-A"
    assert name(a, b) == "usb-A and usb-B"
    for link in ("usb-A", "usb-B"):  # after a reboot the numbers have changed places
        (links / link).unlink()
    (links / "usb-A").symlink_to(b)
    (links / "usb-B").symlink_to(a)
    assert name(a) == "usb-B"
    assert name(tmp_path / "colour.png", tmp_path / "sub" / "depth.png") != "", "a file that is not there yet"
    stream = CameraSetup(source="rtsp://lab:secret@camera/live", calibration=calibration)
    assert device_of(stream) == "rtsp://camera/live"
    assert device_of(CameraSetup(kind="realsense", source="0123")) == "RealSense 0123"
