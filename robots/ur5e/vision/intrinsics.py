"""A pinhole camera with lens distortion, its frames, and undistorted ones. Pixels; pure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

import cv2
import numpy as np
from annotated_types import Interval
from numpy.typing import NDArray

from core.errors import RobotError

MAX_PIXELS = 100_000


@dataclass(frozen=True)
class Intrinsics:
    """As in OpenCV: the centre of pixel (0, 0) is at 0, 0; `distortion` is k1, k2, p1, p2, k3 ..."""

    width: Annotated[int, Interval(gt=0, le=MAX_PIXELS)]
    height: Annotated[int, Interval(gt=0, le=MAX_PIXELS)]
    fx: Annotated[float, Interval(gt=0, le=MAX_PIXELS)]
    fy: Annotated[float, Interval(gt=0, le=MAX_PIXELS)]
    cx: Annotated[float, Interval(ge=-MAX_PIXELS, le=MAX_PIXELS)]
    cy: Annotated[float, Interval(ge=-MAX_PIXELS, le=MAX_PIXELS)]
    distortion: tuple[float, ...] = ()

    @property
    def matrix(self) -> NDArray[np.float64]:
        return np.array([[self.fx, 0, self.cx], [0, self.fy, self.cy], [0, 0, 1]])

    @property
    def distortion_coefficients(self) -> NDArray[np.float64]:
        return np.array(self.distortion or (0.0,) * 5)

    @property
    def rectified(self) -> Intrinsics:
        """Return the intrinsics of the undistorted picture: square pixels, the optical axis at its centre."""
        w, h = self.width, self.height
        return Intrinsics(w, h, self.fx, self.fx, (w - 1) / 2, (h - 1) / 2)


@dataclass(frozen=True)
class RawFrame:
    """A frame. `rgb` is H x W x 3; `depth` is H x W in metres, 0 for none, or None without a depth camera."""

    rgb: NDArray[np.uint8]
    depth: NDArray[np.float32] | None = None


def size_fault(size: tuple[int, int], intrinsics: Intrinsics) -> str:
    """Return in one sentence that pictures of this width and height do not fit their calibration."""
    return (
        f"The camera sends {size[0]} x {size[1]} pixels but was calibrated with "
        f"{intrinsics.width} x {intrinsics.height}: set `size` in the setup file, or calibrate again."
    )


def undistort(shot: RawFrame, intrinsics: Intrinsics) -> RawFrame:
    """Undistort a shot to `intrinsics.rectified`.

    Depth is measured along the axis, so only its pixel changes.

    Raises RobotError if the picture's size differs from the calibration's.
    """
    height, width = shot.rgb.shape[:2]
    if (width, height) != (intrinsics.width, intrinsics.height):
        raise RobotError(size_fault((width, height), intrinsics))
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
