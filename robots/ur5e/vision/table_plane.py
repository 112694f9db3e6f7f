"""Measure the table in a depth picture: where it seems to be tells whether the camera is where it was."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from robots.ur5e.tabletop.rgbd_image import MAP_MAX, MAP_MIN, MAX_HEIGHT

_FEWEST = 400  # points, fewer of which show no table
_WITHIN_M = (0.05, 0.03, 0.02, 0.02)  # of the plane found so far, within which points count, step by step


def measure_table(points: NDArray[np.float64]) -> tuple[float, float] | None:
    """Return the table's height at its middle in metres, and its tilt in radians; None if too little shows
    it.

    `points` are in the base frame, any shape x 3, NaN for none. Things that stand on the table count less the
    better the plane is known.
    """
    flat = points.reshape(-1, 3)
    over = np.all((flat[:, :2] > MAP_MIN) & (flat[:, :2] < MAP_MAX), axis=-1)
    near = flat[over & (np.abs(flat[:, 2]) < MAX_HEIGHT)]
    if len(near) < _FEWEST:
        return None
    at = np.column_stack((near[:, :2] - np.add(MAP_MIN, MAP_MAX) / 2, np.ones(len(near))))
    plane = np.array((0.0, 0.0, float(np.median(near[:, 2]))))
    for within in _WITHIN_M:
        kept = np.abs(near[:, 2] - at @ plane) < within
        if np.count_nonzero(kept) < _FEWEST:
            return None
        plane = np.linalg.lstsq(at[kept], near[kept, 2], rcond=None)[0]
    return float(plane[2]), math.atan(math.hypot(plane[0], plane[1]))
