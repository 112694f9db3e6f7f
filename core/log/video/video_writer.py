"""Write pictures as H.264 video in MP4. Extra: `video`."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import BadFile, MissingPackage

Image = NDArray[np.uint8]
_TICKS = 90_000  # per second, as in MP4


class VideoWriter:
    """One video file. Every picture is shown until the next one. Not thread-safe.

    `quick` gives a larger file but uses only one core. Raises MissingPackage without PyAV, BadFile if the
    file cannot be written.
    """

    def __init__(self, path: Path, width: int, height: int, rate: int = 15, quick: bool = False) -> None:
        try:
            import av
        except ImportError as error:
            raise MissingPackage("A video of the episode", "video") from error
        self.path = path
        try:
            path.open("wb").close()  # PyAV would report the error only later
            self._file: Any = av.open(str(path), "w", format="mp4")
        except OSError as error:
            raise BadFile(path, f"the video cannot be written there ({error.strerror or error})") from error
        self._frame: Any = av.VideoFrame
        options = {"crf": "23", "preset": "ultrafast" if quick else "veryfast"}
        self._stream: Any = self._file.add_stream("libx264", rate=rate, options=options)
        if quick:
            self._stream.codec_context.thread_count = 1
        self._stream.width, self._stream.height = width + width % 2, height + height % 2
        self._stream.pix_fmt = "yuv420p"
        self._stream.codec_context.time_base = Fraction(1, _TICKS)
        self._last = -1
        self._failed = False

    def add(self, picture: Image, seconds: float) -> None:
        """Add a picture, H x W x 3, uint8, at video time `seconds`; ignored unless later than the last."""
        tick = round(seconds * _TICKS)
        if tick <= self._last:
            return
        self._last = tick
        frame = self._frame.from_ndarray(
            _framed(picture, self._stream.height, self._stream.width), format="rgb24"
        )
        frame.pts, frame.time_base = tick, Fraction(1, _TICKS)
        self._write(frame)

    def _write(self, frame: Any) -> None:
        """Write a frame, None for what is left; a file that failed takes no more, for PyAV would crash."""
        if not self._failed:
            self._failed = True
            self._file.mux(self._stream.encode(frame))
            self._failed = False

    def close(self) -> None:
        """Write what is left. Idempotent. Raises OSError."""
        if self._file is None:
            return
        try:
            self._write(None)
        finally:
            self._file.close()
            self._file = None


def _framed(picture: Image, height: int, width: int) -> Image:
    import cv2

    if picture.shape[:2] == (height, width):
        return np.ascontiguousarray(picture)
    return np.asarray(cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
