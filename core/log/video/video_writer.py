"""Write an episode as H.264 video in MP4, from a robot's live pictures. Extra: `video`."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import BadFile, MissingPackage
from core.ports import ProvidesLiveFrames

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


class VideoRecorder:
    """`with VideoRecorder(writer, robot):` records the robot's live pictures side by side, in its own thread.

    With `ProvidesLiveFrames` the video runs in real time. For a robot without them, or at pace 0, `add_still`
    (any thread) adds a picture that stays for a moment. Its end raises BadFile for a video that broke off.
    """

    def __init__(self, video: VideoWriter, robot: object, rate: int = 15, still_seconds: float = 0.8) -> None:
        self._writer, self._rate, self._still_seconds = video, rate, still_seconds
        self._robot = robot if isinstance(robot, ProvidesLiveFrames) else None
        self._done = Event()
        self._error: OSError | None = None
        self._stills = 0
        self._thread: Thread | None = None

    def __enter__(self) -> VideoRecorder:
        if self._robot is not None:
            self._thread = Thread(target=self._run, args=(self._robot,), name="video", daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        if self._thread:
            self._thread.join()
        try:
            self._writer.close()
        except OSError as error:
            self._error = self._error or error
        if self._error is not None:
            reason = f"the video cannot be written there ({self._error.strerror})"
            raise BadFile(self._writer.path, reason) from self._error

    def _add(self, picture: Image, seconds: float) -> None:
        """Add a picture; an error waits for the end, because the episode goes on without its video."""
        try:
            self._writer.add(picture, seconds)
        except OSError as error:
            self._error = self._error or error

    def add_still(self, picture: Image) -> None:
        """Show this picture for a moment; ignored if the robot has live pictures."""
        if self._thread is None:
            self._add(picture, self._stills * self._still_seconds)
            self._stills += 1
            self._add(picture, self._stills * self._still_seconds - 0.01)

    def _run(self, robot: ProvidesLiveFrames) -> None:
        begin, shot = monotonic(), 0
        while not self._done.wait(max(0.0, begin + shot / self._rate - monotonic())):
            pictures = [frame.rgb for name in robot.cameras[::-1] if (frame := robot.live(name))]
            if len(pictures) == len(robot.cameras) and all(p is not None for p in pictures):
                self._add(side_by_side(pictures), monotonic() - begin)  # type: ignore[arg-type]
            shot = int((monotonic() - begin) * self._rate) + 1


def side_by_side(pictures: Sequence[Image]) -> Image:
    """Return the pictures in one row, scaled to the height of the lowest."""
    height = min(p.shape[0] for p in pictures)
    return np.hstack([_framed(p, height, round(p.shape[1] * height / p.shape[0])) for p in pictures])


def _framed(picture: Image, height: int, width: int) -> Image:
    import cv2

    if picture.shape[:2] == (height, width):
        return np.ascontiguousarray(picture)
    return np.asarray(cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
