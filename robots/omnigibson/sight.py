"""See by geometry alone, where OmniGibson has no segmentation to tell: frustum and rays. Pure.

A thing is in view if a point of its box lies in the camera's frustum and nothing else stops the ray to it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from robots.omnigibson.observed_facts import Box

Point = tuple[float, ...]
_NEAR = 0.05  # metres before the camera
_INSET = 0.6  # of the way from a box's middle to its corners: the corners themselves are mostly air
_FLOOR_HEIGHT = 0.1  # metres up to which a box is that of a floor


@dataclass(frozen=True)
class Lens:
    """A camera that looks along its -z axis with y up: position (metres), x, y, z, w, and width (radians)."""

    position: Sequence[float]
    orientation: Sequence[float]
    width: float

    def shows(self, point: Sequence[float]) -> bool:
        """Return True if the point is in the frustum of a square picture."""
        across, up, back = _turned_back(
            self.orientation, [p - q for p, q in zip(point, self.position, strict=True)]
        )
        reach = -back * math.tan(self.width / 2)
        return -back > _NEAR and max(abs(across), abs(up)) <= reach

    def ahead(self, height: float) -> Point | None:
        """Return where the middle of the picture meets a floor at this height, None if it does not."""
        x, y, z, w = self.orientation
        forward = [-v for v in (2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y))]
        if forward[2] >= -1e-6:
            return None
        far = (height - self.position[2]) / forward[2]
        return tuple(p + far * f for p, f in zip(self.position, forward, strict=True))


def sight_points(lens: Lens, boxes: Mapping[str, Box]) -> dict[str, list[Point]]:
    """Return for each thing the points that would show it, as far as they are in the frustum."""
    return {name: [p for p in _points(lens, box) if lens.shows(p)] for name, box in boxes.items()}


def _points(lens: Lens, box: Box) -> Iterator[Point]:
    point = lens.ahead(box.high[2]) if box.high[2] - box.low[2] <= _FLOOR_HEIGHT else None
    if point is not None and box.contains((point[0], point[1], box.high[2])):
        yield point
    middle, corners = box.centre, product(*zip(box.low, box.high, strict=True))
    yield middle
    for corner in corners:
        yield tuple(m + _INSET * (c - m) for m, c in zip(middle, corner, strict=True))


def seen_names(stopped_by: Mapping[str, Iterable[str | None]]) -> frozenset[str]:
    """Return what is in view: `stopped_by` has what stops each ray to a thing, None for nothing."""
    return frozenset(name for name, stops in stopped_by.items() if any(s in (None, name) for s in stops))


def _turned_back(orientation: Sequence[float], vector: Sequence[float]) -> Point:
    """Return a vector of the world as the camera has it."""
    x, y, z, w = orientation
    a, b, c = vector
    return (
        (1 - 2 * (y * y + z * z)) * a + 2 * (x * y + w * z) * b + 2 * (x * z - w * y) * c,
        2 * (x * y - w * z) * a + (1 - 2 * (x * x + z * z)) * b + 2 * (y * z + w * x) * c,
        2 * (x * z + w * y) * a + 2 * (y * z - w * x) * b + (1 - 2 * (x * x + y * y)) * c,
    )
