"""Find a thing by its colour. Plain segmentation: no network, no training."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from robots.ur5e.scene_file import ColourRange
from robots.ur5e.tabletop.rgbd_image import CELL_SIZE_M, HeightMap, RgbdImage, cell_centre

_MIN_CELLS = 40  # cells that a thing must cover


@dataclass(frozen=True)
class Region:
    """A thing on the table: its outline's centre, its top, and the cells that it covers."""

    name: str
    x: float
    y: float
    top: float  # metres over the table
    size: tuple[float, float]  # metres, the longer side first
    angle: float  # radians of the longer side about the vertical
    mask: NDArray[np.uint8]


def find_region(name: str, colour: ColourRange, picture: RgbdImage, height_map: HeightMap) -> Region | None:
    """Return the largest region of this colour on the table, or None."""
    hsv = cv2.cvtColor(picture.rgb, cv2.COLOR_RGB2HSV)
    hue = hsv[..., 0]
    between = (hue >= colour.low) & (hue <= colour.high)
    if colour.low > colour.high:
        between = (hue >= colour.low) | (hue <= colour.high)
    pixels = between & (hsv[..., 1] >= colour.saturation) & (hsv[..., 2] >= colour.value)
    cells = cv2.morphologyEx(height_map.mask(pixels), cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(cells)
    if count < 2:
        return None
    largest = 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA]))
    if stats[largest, cv2.CC_STAT_AREA] < _MIN_CELLS:
        return None
    mask = (labels == largest).astype(np.uint8)
    rows, columns = np.nonzero(mask)
    (i, j), (a, b), angle = cv2.minAreaRect(np.stack((rows, columns), axis=1).astype(np.float32))
    turn = np.radians(angle) + (0.0 if a >= b else np.pi / 2)
    x, y = cell_centre(i, j)
    top = float(np.percentile(height_map.heights[mask > 0], 95))
    long, short = (max(a, b) + 1) * CELL_SIZE_M, (min(a, b) + 1) * CELL_SIZE_M
    return Region(name, x, y, top, (long, short), float(turn), mask)
