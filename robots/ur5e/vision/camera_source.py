"""The sources of pictures: an OpenCV device, a video, an image file that is rewritten, a stream, a RealSense.

A source is opened, read and closed by one thread. Every error is a RobotError with one sentence.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from core.errors import MissingPackage, RobotError
from robots.ur5e.vision.camera_setup import CameraSetup

IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff")
_MAX_POLL, _MIN_POLL = 0.1, 0.01  # seconds between two checks of an image file
_TIMEOUT = 3000  # ms for which a stream may block its reader


@dataclass(frozen=True)
class RawFrame:
    """A frame. `rgb` is H x W x 3; `depth` is H x W in metres, 0 for none, or None without a depth camera."""

    rgb: NDArray[np.uint8]
    depth: NDArray[np.float32] | None = None


class CameraSource(Protocol):
    def read(self) -> RawFrame:
        """Wait for the next picture, no longer than a few seconds. Raises RobotError."""
        ...

    def close(self) -> None: ...


def open_source(setup: CameraSetup) -> CameraSource:
    """Connect to a camera. Raises RobotError, MissingPackage."""
    if setup.kind == "realsense":
        return RealSense(setup)
    colour = open_stream(setup.source, setup.size)
    if setup.depth == "":
        return ColourDepth(colour, None, setup.depth_unit)
    try:
        return ColourDepth(colour, open_stream(setup.depth, setup.size, is_depth=True), setup.depth_unit)
    except RobotError:
        colour.close()
        raise


class SingleStream(Protocol):
    """Raw images as OpenCV provides them."""

    def read(self) -> NDArray[Any]: ...

    def close(self) -> None: ...


class ColourDepth:
    """Colour and aligned depth from two sources."""

    def __init__(self, colour: SingleStream, depth: SingleStream | None, unit: float) -> None:
        self._colour, self._depth, self._unit = colour, depth, unit

    def read(self) -> RawFrame:
        bgr = self._colour.read()
        raw = self._depth.read() if self._depth is not None else None
        if bgr.ndim == 2:
            bgr = cv2.cvtColor(bgr, cv2.COLOR_GRAY2BGR)
        rgb = np.ascontiguousarray(bgr[..., 2::-1], np.uint8)
        if raw is None:
            return RawFrame(rgb)
        if raw.ndim != 2 or raw.dtype != np.uint16 or raw.shape != rgb.shape[:2]:
            raise RobotError(
                f"The depth is {raw.shape} of {raw.dtype}, the colour {rgb.shape}: depth must be one channel "
                "of 16 bits, aligned with the colour."
            )
        return RawFrame(rgb, raw.astype(np.float32) * np.float32(self._unit))

    def close(self) -> None:
        self._colour.close()
        if self._depth is not None:
            self._depth.close()


def open_stream(source: int | str, size: tuple[int, int] = (0, 0), is_depth: bool = False) -> SingleStream:
    if isinstance(source, str) and Path(source).suffix.lower() in IMAGE_SUFFIXES and "%" not in source:
        return ImageFile(Path(source), is_depth)
    return VideoStream(source, size, is_depth)


class ImageFile:
    """One image file that another program rewrites again and again."""

    def __init__(self, path: Path, is_depth: bool) -> None:
        self._path, self._flag = path, cv2.IMREAD_UNCHANGED if is_depth else cv2.IMREAD_COLOR
        self._seen = 0
        if not path.exists():
            raise RobotError(f"The camera's picture {path} is not there: check `source` in the setup file.")

    def read(self) -> NDArray[Any]:
        """Return the image as soon as it was rewritten, or after a tenth of a second in any case."""
        end = monotonic() + _MAX_POLL
        while monotonic() < end and self._written() == self._seen:
            sleep(_MIN_POLL)
        for _ in range(5):  # another program may be writing it
            self._seen = self._written()
            picture = cv2.imread(str(self._path), self._flag) if self._seen else None
            if picture is not None:
                return picture
            sleep(_MIN_POLL)
        raise RobotError(
            f"The camera's picture {self._path} cannot be read: check the program that writes it."
        )

    def _written(self) -> int:
        try:
            return os.stat(self._path).st_mtime_ns
        except OSError:
            return 0

    def close(self) -> None:
        pass


class VideoStream:
    """A device, a video (looped at its own rate) or a network stream, through OpenCV."""

    def __init__(self, source: int | str, size: tuple[int, int], is_depth: bool) -> None:
        self._source = source
        self._is_video_file = isinstance(source, str) and "://" not in source
        self._next, self._period = 0.0, 0.0
        if self._is_video_file and "%" not in str(source) and not Path(str(source)).exists():
            raise RobotError(f"The video {source} is not there: check `source` in the setup file.")
        options = [] if isinstance(source, int) or self._is_video_file else _timeout_options()
        api = cv2.CAP_FFMPEG if options else cv2.CAP_ANY
        self._capture = (
            cv2.VideoCapture(source) if isinstance(source, int) else cv2.VideoCapture(source, api, options)
        )
        if not self._capture.isOpened():
            raise RobotError(f"{self._description} does not open: {self._remedy}.")
        if is_depth:
            self._capture.set(cv2.CAP_PROP_CONVERT_RGB, 0)
        if size != (0, 0) and not self._is_video_file:
            self._capture.set(cv2.CAP_PROP_FRAME_WIDTH, size[0])
            self._capture.set(cv2.CAP_PROP_FRAME_HEIGHT, size[1])
        if isinstance(source, int):
            self._capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        if self._is_video_file:
            self._period = 1 / min(120.0, max(1.0, self._capture.get(cv2.CAP_PROP_FPS) or 30.0))

    @property
    def _description(self) -> str:
        if isinstance(self._source, int):
            return f"The camera {self._source}"
        if self._is_video_file:
            return f"The video {self._source}"
        return f"The camera stream {_without_credentials(self._source)}"

    @property
    def _remedy(self) -> str:
        if isinstance(self._source, int):
            return "check its cable, that no other program uses it, and `source` in the setup file"
        if self._is_video_file:
            return "is it a video that OpenCV reads?"
        return "check its address, name and password"

    def read(self) -> NDArray[Any]:
        if self._period:
            sleep(max(0.0, self._next - monotonic()))
            self._next = monotonic() + self._period
        good, picture = self._capture.read()
        if not good and self._is_video_file:
            self._capture.set(cv2.CAP_PROP_POS_FRAMES, 0)
            good, picture = self._capture.read()
        if not good:
            raise RobotError(f"{self._description} sends no pictures any more: {self._remedy}.")
        return picture

    def close(self) -> None:
        self._capture.release()


class RealSense:
    """An Intel RealSense, with depth aligned to its colour. We have not tested it on the hardware."""

    def __init__(self, setup: CameraSetup) -> None:
        rs = _import_pyrealsense()
        self._pipeline = rs.pipeline()
        config = rs.config()
        if isinstance(setup.source, str) and setup.source:
            config.enable_device(setup.source)  # its serial number
        width, height = setup.size if setup.size != (0, 0) else (640, 480)
        config.enable_stream(rs.stream.color, width, height, rs.format.rgb8, 30)
        config.enable_stream(rs.stream.depth, width, height, rs.format.z16, 30)
        self._align = rs.align(rs.stream.color)
        try:
            profile = self._pipeline.start(config)
        except RuntimeError as error:
            raise RobotError(
                f"The RealSense does not start ({error}): check its USB 3 cable and `size`."
            ) from None
        self._unit = profile.get_device().first_depth_sensor().get_depth_scale()

    def read(self) -> RawFrame:
        try:
            frames = self._align.process(self._pipeline.wait_for_frames(_TIMEOUT))
        except RuntimeError as error:
            raise RobotError(f"The RealSense sends no pictures ({error}): check its USB 3 cable.") from None
        depth = np.asarray(frames.get_depth_frame().get_data(), np.float32) * np.float32(self._unit)
        return RawFrame(np.array(frames.get_color_frame().get_data(), np.uint8), depth)

    def close(self) -> None:
        self._pipeline.stop()


def _import_pyrealsense() -> Any:
    load: Callable[[str], Any] = __import__
    try:
        return load("pyrealsense2")
    except ImportError:
        raise MissingPackage("The RealSense", "realsense") from None


def _timeout_options() -> list[int]:
    return [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, _TIMEOUT, cv2.CAP_PROP_READ_TIMEOUT_MSEC, _TIMEOUT]


def _without_credentials(address: str) -> str:
    """Return an address without the user name and password that it may contain."""
    scheme, _, rest = address.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}"
