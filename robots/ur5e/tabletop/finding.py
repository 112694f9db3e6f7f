"""Where a thing is, by its colour. A plain segmentation: no network, no training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import cv2
import numpy as np
from numpy.typing import NDArray

from robots.ur5e.tabletop.picture import STEP, Picture, Relief, metres

_LEAST = 40  # cells that a thing must cover


@dataclass(frozen=True)
class Colour:
    """A range of OpenCV's hue (0..180), the least saturation and value (0..255)."""

    low: int
    high: int
    saturation: int = 110
    value: int = 30


COLOURS: Mapping[str, Colour] = MappingProxyType(
    {
        "container_blue": Colour(106, 122),
        "container_cyan": Colour(86, 102, 80),
        "toy_eggplant": Colour(132, 158, 90),
        "toy_carrot": Colour(8, 19, 170),
        "toy_block": Colour(172, 6, 130),
    }
)


@dataclass(frozen=True)
class Region:
    """A thing on the table: its outline's middle, its top, and the cells that it covers."""

    name: str
    x: float
    y: float
    top: float  # metres over the table
    size: tuple[float, float]  # metres, the longer side first
    turn: float  # radians of the longer side about the vertical
    mask: NDArray[np.uint8]


def find(name: str, colour: Colour, picture: Picture, relief: Relief) -> Region | None:
    """The largest patch of this colour on the table, or None."""
    hsv = cv2.cvtColor(picture.rgb, cv2.COLOR_RGB2HSV)
    hue = hsv[..., 0]
    between = (hue >= colour.low) & (hue <= colour.high)
    if colour.low > colour.high:
        between = (hue >= colour.low) | (hue <= colour.high)
    pixels = between & (hsv[..., 1] >= colour.saturation) & (hsv[..., 2] >= colour.value)
    cells = cv2.morphologyEx(relief.mask(pixels), cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(cells)
    if count < 2:
        return None
    largest = 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA]))
    if stats[largest, cv2.CC_STAT_AREA] < _LEAST:
        return None
    mask = (labels == largest).astype(np.uint8)
    rows, columns = np.nonzero(mask)
    (i, j), (a, b), angle = cv2.minAreaRect(np.stack((rows, columns), axis=1).astype(np.float32))
    turn = np.radians(angle) + (0.0 if a >= b else np.pi / 2)
    x, y = metres(i, j)
    top = float(np.percentile(relief.heights[mask > 0], 95))
    long, short = (max(a, b) + 1) * STEP, (min(a, b) + 1) * STEP
    return Region(name, x, y, top, (long, short), float(turn), mask)
