"""A camera, a recording or a network stream, through OpenCV."""

from __future__ import annotations

import sys
from time import monotonic, sleep, time
from typing import Any

import cv2
from numpy.typing import NDArray

from core.errors import RobotError
from core.measured import Measured
from robots.ur5e.vision.source_kind import SourceKind, without_credentials

_TIMEOUT_MS = 3000  # for which a stream may block its reader
_PLAUSIBLE_S = 60.0  # a time that is longer ago, or ahead, is of another clock than ours

REMEDIES = {
    SourceKind.DEVICE: "check its cable, that no other program uses it, and `source` in the setup file",
    SourceKind.FILM: "is it a video that OpenCV reads?",
    SourceKind.STREAM: "check its address, name and password",
}


class VideoStream:
    """Only a device tells when its pictures were taken: V4L2 passes on the driver's time.

    A stream's own times count from its beginning, so one that is steadily late looks like one that is not.
    """

    def __init__(self, source: int | str, kind: SourceKind, size: tuple[int, int], is_depth: bool) -> None:
        self._source, self._kind = source, kind
        self._next, self._period = 0.0, 0.0
        self._capture = _open(source, kind)
        if not self._capture.isOpened():
            raise RobotError(f"{self._description} does not open: {REMEDIES[kind]}.")
        if is_depth:
            self._capture.set(cv2.CAP_PROP_CONVERT_RGB, 0)
        if size != (0, 0) and kind is not SourceKind.FILM:
            self._capture.set(cv2.CAP_PROP_FRAME_WIDTH, size[0])
            self._capture.set(cv2.CAP_PROP_FRAME_HEIGHT, size[1])
        if kind is SourceKind.DEVICE:
            self._capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        if kind is SourceKind.FILM:
            self._period = 1 / min(120.0, max(1.0, self._capture.get(cv2.CAP_PROP_FPS) or 30.0))

    @property
    def _description(self) -> str:
        if self._kind is SourceKind.STREAM:
            return f"The camera stream {without_credentials(str(self._source))}"
        return f"The {'camera' if self._kind is SourceKind.DEVICE else 'video'} {self._source}"

    @property
    def silence(self) -> str:
        """Return why no new picture comes, though some do."""
        return f"{self._description} sends the same picture again and again: restart it."

    def read(self) -> Measured[NDArray[Any]]:
        if self._period:
            sleep(max(0.0, self._next - monotonic()))
            self._next = monotonic() + self._period
        good, picture = self._capture.read()
        if not good and self._kind is SourceKind.FILM:
            self._capture.set(cv2.CAP_PROP_POS_FRAMES, 0)
            good, picture = self._capture.read()
        if not good:
            raise RobotError(f"{self._description} sends no pictures any more: {REMEDIES[self._kind]}.")
        now = monotonic()
        is_device = self._kind is SourceKind.DEVICE
        return Measured(picture, driver_time(self._capture, now) if is_device else None, now)

    def close(self) -> None:
        self._capture.release()


def driver_time(capture: cv2.VideoCapture, now: float) -> float | None:
    """Return when the driver got the last picture, in our monotonic clock; None if it does not say so.

    V4L2 drivers stamp with the monotonic clock, few with the time of day.
    """
    stamp = capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
    ages = (now - stamp, time() - stamp)
    return next((now - max(0.0, age) for age in ages if -0.01 <= age < _PLAUSIBLE_S and stamp > 0), None)


def _open(source: int | str, kind: SourceKind) -> cv2.VideoCapture:
    match kind:
        case SourceKind.DEVICE:
            api = cv2.CAP_V4L2 if sys.platform == "linux" else cv2.CAP_ANY
            return cv2.VideoCapture(source, api)
        case SourceKind.FILM:
            return cv2.VideoCapture(source)
    limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, _TIMEOUT_MS, cv2.CAP_PROP_READ_TIMEOUT_MSEC, _TIMEOUT_MS]
    return cv2.VideoCapture(source, cv2.CAP_FFMPEG, limits)
