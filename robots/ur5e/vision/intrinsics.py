"""A pinhole with lens distortion, and pictures freed from it. Pixels; pure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from core.errors import RobotError
from robots.ur5e.vision.camera_source import RawFrame


@dataclass(frozen=True)
class Intrinsics:
    """OpenCV's: pixel (0, 0) has its middle at 0, 0. `distortion`: k1, k2, p1, p2, k3 ..."""

    width: int
    height: int
    fx: float
    fy: float
    cx: float
    cy: float
    distortion: tuple[float, ...] = ()

    @property
    def matrix(self) -> NDArray[np.float64]:
        return np.array([[self.fx, 0, self.cx], [0, self.fy, self.cy], [0, 0, 1]])

    @property
    def distortion_coefficients(self) -> NDArray[np.float64]:
        return np.array(self.distortion or (0.0,) * 5)

    @property
    def rectified(self) -> Intrinsics:
        """What an undistorted picture has: square pixels, the axis through the picture's middle."""
        w, h = self.width, self.height
        return Intrinsics(w, h, self.fx, self.fx, (w - 1) / 2, (h - 1) / 2)


def undistort(shot: RawFrame, intrinsics: Intrinsics) -> RawFrame:
    """The same shot through `of.straight`. Depth is along the axis, so only its place changes.

    Raises RobotError when the picture has another size than the calibration.
    """
    height, width = shot.rgb.shape[:2]
    if (width, height) != (intrinsics.width, intrinsics.height):
        raise RobotError(
            f"The camera sends {width} x {height} pixels but was calibrated with "
            f"{intrinsics.width} x {intrinsics.height}: "
            "set `size` in the setup file, or calibrate again."
        )
    across, down = _rectification_maps(intrinsics)
    rgb = cv2.remap(shot.rgb, across, down, cv2.INTER_LINEAR)
    if shot.depth is None:
        return RawFrame(np.asarray(rgb, np.uint8))
    depth = cv2.remap(shot.depth, across, down, cv2.INTER_NEAREST)
    return RawFrame(np.asarray(rgb, np.uint8), np.asarray(depth, np.float32))


@lru_cache(maxsize=4)
def _rectification_maps(intrinsics: Intrinsics) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    size = (intrinsics.width, intrinsics.height)
    across, down = cv2.initUndistortRectifyMap(
        intrinsics.matrix,
        intrinsics.distortion_coefficients,
        np.eye(3),
        intrinsics.rectified.matrix,
        size,
        cv2.CV_32FC1,
    )
    return np.asarray(across, np.float32), np.asarray(down, np.float32)
