"""An Intel RealSense, with depth aligned to its colour. We have not tested it on the hardware."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic, time
from typing import Any

import numpy as np

from core.errors import MissingPackage, RobotError
from core.measured import Measured
from robots.ur5e.vision.camera_setup import CameraSetup
from robots.ur5e.vision.intrinsics import RawFrame

_AHEAD_S = 0.1  # by which a picture may be ahead of our clock
_TIMEOUT_MS = 3000  # for which it may block its reader


class RealSense:
    """Its colour and depth come in one set, with one time."""

    silence = "The RealSense sends the same picture again and again: unplug it and plug it in again."

    def __init__(self, setup: CameraSetup) -> None:
        self._rs = rs = _import_pyrealsense()
        self._pipeline = rs.pipeline()
        config = rs.config()
        if isinstance(setup.source, str) and setup.source:
            config.enable_device(setup.source)  # its serial number
        width, height = setup.size if setup.size != (0, 0) else (640, 480)
        config.enable_stream(rs.stream.color, width, height, rs.format.rgb8, 30)
        config.enable_stream(rs.stream.depth, width, height, rs.format.z16, 30)
        self._align = rs.align(rs.stream.color)
        try:
            device = self._pipeline.start(config).get_device()
        except RuntimeError as error:
            raise RobotError(
                f"The RealSense does not start ({error}): check its USB 3 cable and `size`."
            ) from None
        self.device = f"RealSense {device.get_info(rs.camera_info.serial_number)}"
        self._unit = device.first_depth_sensor().get_depth_scale()

    def read(self) -> Measured[RawFrame]:
        try:
            frames = self._align.process(self._pipeline.wait_for_frames(_TIMEOUT_MS))
        except RuntimeError as error:
            raise RobotError(f"The RealSense sends no pictures ({error}): check its USB 3 cable.") from None
        colour, deep = frames.get_color_frame(), frames.get_depth_frame()
        depth = np.asarray(deep.get_data(), np.float32) * np.float32(self._unit)
        return Measured(
            RawFrame(np.array(colour.get_data(), np.uint8), depth), self._taken(colour, deep), monotonic()
        )

    def _taken(self, *frames: Any) -> float | None:
        """Return when the older of these was taken; None if they are timed by a clock that is not ours."""
        domains = self._rs.timestamp_domain
        ours = (domains.system_time, domains.global_time)  # milliseconds of the time of day
        if any(frame.get_frame_timestamp_domain() not in ours for frame in frames):
            return None
        age = time() - min(frame.get_timestamp() for frame in frames) / 1000
        return monotonic() - max(0.0, age) if age > -_AHEAD_S else None

    def close(self) -> None:
        self._pipeline.stop()


def _import_pyrealsense() -> Any:
    load: Callable[[str], Any] = __import__
    try:
        return load("pyrealsense2")
    except ImportError:
        raise MissingPackage("The RealSense", "realsense") from None
