"""The source of a camera's pictures: colour alone, colour with aligned depth, or a RealSense.

A source is opened, read and closed by one thread. Every error is a RobotError with one sentence.
"""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from core.errors import RobotError
from core.measured import Measured
from robots.ur5e.vision.camera_setup import CameraSetup
from robots.ur5e.vision.image_file import ImageFile
from robots.ur5e.vision.intrinsics import RawFrame
from robots.ur5e.vision.realsense import RealSense
from robots.ur5e.vision.source_kind import SourceKind, device_of, source_kind
from robots.ur5e.vision.video_stream import VideoStream

MAX_APART_S = 0.25  # between a colour picture and its depth
_PAIRING_S = 1.0  # within which the two have to come


class CameraSource(Protocol):
    @property
    def device(self) -> str:
        """Return the name of the device that is open, which it keeps after a reboot."""
        ...

    @property
    def silence(self) -> str:
        """Return in one sentence why no new picture comes."""
        ...

    def read(self) -> Measured[RawFrame]:
        """Return the next picture, or the last one again if there is no new one for a moment.

        Waits no longer than a few seconds. Raises RobotError.
        """
        ...

    def close(self) -> None: ...


def open_source(setup: CameraSetup) -> CameraSource:
    """Connect to a camera. Raises RobotError, MissingPackage."""
    if setup.kind == "realsense":
        return RealSense(setup)
    colour = open_stream(setup.source, setup.size)
    if setup.depth == "":
        return ColourDepth(setup, colour, None)
    try:
        return ColourDepth(setup, colour, open_stream(setup.depth, setup.size, is_depth=True))
    except RobotError:
        colour.close()
        raise


Raw = Measured[NDArray[Any]]


class SingleStream(Protocol):
    """Raw images as OpenCV provides them; `read` and `silence` as of a CameraSource."""

    @property
    def silence(self) -> str: ...

    def read(self) -> Raw: ...

    def close(self) -> None: ...


def open_stream(source: int | str, size: tuple[int, int] = (0, 0), is_depth: bool = False) -> SingleStream:
    kind = source_kind(source)
    if kind is SourceKind.PICTURE:
        return ImageFile(Path(str(source)), is_depth)
    return VideoStream(source, kind, size, is_depth)


class ColourDepth:
    """Colour, and depth of the same moment that is aligned with it, from two sources."""

    def __init__(self, setup: CameraSetup, colour: SingleStream, depth: SingleStream | None) -> None:
        self.device = device_of(setup)
        self._colour, self._depth, self._unit = colour, depth, setup.depth_unit

    @property
    def silence(self) -> str:
        return self._colour.silence

    def read(self) -> Measured[RawFrame]:
        colour = self._colour.read()
        if self._depth is None:
            return Measured(RawFrame(_to_rgb(colour.value)), colour.measured_at, colour.received_at)
        colour, depth = self._pair(colour, self._depth.read(), self._depth)
        rgb, raw = _to_rgb(colour.value), depth.value
        if raw.ndim != 2 or raw.dtype != np.uint16 or raw.shape != rgb.shape[:2]:
            raise RobotError(
                f"The depth is {raw.shape} of {raw.dtype}, the colour {rgb.shape}: depth must be one channel "
                "of 16 bits, aligned with the colour."
            )
        times = (colour.measured_at, depth.measured_at)
        known = [at for at in times if at is not None]
        return Measured(
            RawFrame(rgb, raw.astype(np.float32) * np.float32(self._unit)),
            min(known) if len(known) == len(times) else None,
            max(colour.received_at, depth.received_at),
        )

    def _pair(self, colour: Raw, depth: Raw, source: SingleStream) -> tuple[Raw, Raw]:
        """Return the two as soon as they are of one moment, by their own times. Raises RobotError."""
        end = monotonic() + _PAIRING_S
        while colour.measured_at is not None and depth.measured_at is not None:
            apart = colour.measured_at - depth.measured_at
            if abs(apart) <= MAX_APART_S:
                break
            if monotonic() > end:
                old, new = ("depth", "colour") if apart > 0 else ("colour", "depth")
                silence = source.silence if apart > 0 else self._colour.silence
                raise RobotError(f"Its {old} is {abs(apart):,.1f} s older than its {new}. {silence}")
            if apart > 0:
                depth = source.read()
            else:
                colour = self._colour.read()
        return colour, depth

    def close(self) -> None:
        self._colour.close()
        if self._depth is not None:
            self._depth.close()


def _to_rgb(bgr: NDArray[Any]) -> NDArray[np.uint8]:
    if bgr.ndim == 2:
        bgr = cv2.cvtColor(bgr, cv2.COLOR_GRAY2BGR)
    return np.ascontiguousarray(bgr[..., 2::-1], np.uint8)
