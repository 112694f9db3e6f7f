"""A colour and depth image with its camera's pose, its height map, and free room. Metres; pure."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from robots.ur5e.kinematics import Transform
from robots.ur5e.scene_file import GoalArea

CELL_SIZE_M = 0.002  # per cell
MAP_MIN, MAP_MAX = (0.14, -0.50), (0.90, 0.50)  # the part of the table that is mapped
MAX_HEIGHT = 0.13  # what is higher is the arm, or in the hand


@dataclass(frozen=True)
class RgbdImage:
    """A colour and depth image.

    `pose` is the camera's in the arm's base frame, z forward, y down. `focal_length` is in pixels.
    `timestamp` is when it was taken by its source's own time, on our monotonic clock; -inf if it has none.
    """

    camera: str
    timestamp: float
    rgb: NDArray[np.uint8]  # H x W x 3
    depth: NDArray[np.float32]  # H x W, metres along z, 0 for none
    focal_length: float
    pose: Transform
    boxes: dict[str, tuple[float, float, float, float]] = field(default_factory=dict)  # only from an emulator
    pixels: dict[str, int] = field(default_factory=dict)

    def points(self) -> NDArray[np.float64]:
        """Return the point seen by each pixel in the base frame, H x W x 3; NaN where depth is missing."""
        height, width = self.depth.shape
        z = np.where(self.depth > 0, self.depth, np.nan).astype(float)
        seen = np.empty((height, width, 3))
        seen[..., 0] = (np.arange(width) + 0.5 - width / 2) * z / self.focal_length
        seen[..., 1] = (np.arange(height)[:, None] + 0.5 - height / 2) * z / self.focal_length
        seen[..., 2] = z
        return np.asarray(seen @ self.pose[:3, :3].T + self.pose[:3, 3])

    def point(self, column: float, row: float, z: float) -> NDArray[np.float64]:
        """Return the point in the base frame seen at this pixel, `z` metres along the camera's axis."""
        height, width = self.depth.shape
        seen = np.array(
            ((column - width / 2) * z / self.focal_length, (row - height / 2) * z / self.focal_length, z)
        )
        return np.asarray(self.pose[:3, :3] @ seen + self.pose[:3, 3])

    def pixel(self, point: NDArray[np.float64]) -> tuple[float, float]:
        """Return column and row of a point in the base frame."""
        x, y, z = self.pose[:3, :3].T @ (point - self.pose[:3, 3])
        height, width = self.depth.shape
        return float(x / z * self.focal_length + width / 2), float(y / z * self.focal_length + height / 2)


@dataclass(frozen=True)
class HeightMap:
    """Heights over the table: `heights[i, j]` is at (x, y) = MAP_MIN + (i, j) CELL_SIZE_M."""

    heights: NDArray[np.float32]
    cells: NDArray[np.int32]  # H x W x 2: the cell of each pixel, -1 for none

    @staticmethod
    def from_image(picture: RgbdImage) -> HeightMap:
        points = picture.points()
        size = tuple(round((h - low) / CELL_SIZE_M) for low, h in zip(MAP_MIN, MAP_MAX, strict=True))
        good = (points[..., 2] < MAX_HEIGHT) & (points[..., 2] > -0.05)
        at = points[good]
        cell = np.floor((at[:, :2] - MAP_MIN) / CELL_SIZE_M)
        (i, j), (rows, columns) = cell.T, size
        within = (i >= 0) & (j >= 0) & (i < rows) & (j < columns)
        good[good] = within
        found = cell[within].astype(np.int32)
        cells = np.full((*good.shape, 2), -1, np.int32)
        cells[good] = found
        heights = np.zeros(size, np.float32)
        np.maximum.at(heights, tuple(found.T), at[within, 2].astype(np.float32))
        return HeightMap(heights, cells)

    def mask(self, pixels: NDArray[np.bool_]) -> NDArray[np.uint8]:
        """Return the cells that these pixels fall on, 0 or 1."""
        found = np.zeros(self.heights.shape, np.uint8)
        chosen = self.cells[pixels]
        chosen = chosen[chosen[:, 0] >= 0]
        found[chosen[:, 0], chosen[:, 1]] = 1
        return found


def cell_of(x: float, y: float) -> tuple[int, int]:
    return int((x - MAP_MIN[0]) / CELL_SIZE_M), int((y - MAP_MIN[1]) / CELL_SIZE_M)


def cell_centre(i: float, j: float) -> tuple[float, float]:
    """Return the centre of a cell."""
    return MAP_MIN[0] + (i + 0.5) * CELL_SIZE_M, MAP_MIN[1] + (j + 0.5) * CELL_SIZE_M


FREE_HEIGHT_M = 0.008  # over the table up to which a place counts as free
MARGIN_M = 0.03  # left round the thing, for the fingers
SPACING_M = 0.03  # between the places that are looked at
_GAP_CELLS = 9  # between two pixels that still count as seen


def free_spots(
    height_map: HeightMap, size: float, origin: tuple[float, float], goal: GoalArea
) -> Iterator[tuple[float, float]]:
    """Yield x, y of free places, seen by the camera, for a thing of this size (metres of its longer side).

    `origin` comes first, if it is free, then the nearest to it. None is in the goal area: what is put
    back there would count as placed.
    """
    reach = math.ceil((size / 2 + MARGIN_M) / CELL_SIZE_M)
    seen = height_map.mask(np.ones(height_map.cells.shape[:2], bool))
    full = (height_map.heights > FREE_HEIGHT_M) | (
        cv2.dilate(seen, np.ones((_GAP_CELLS, _GAP_CELLS), np.uint8)) == 0
    )
    around = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1))
    blocked = cv2.dilate(full.astype(np.uint8), around) > 0
    rows, columns = np.indices(blocked.shape)
    x, y = MAP_MIN[0] + (rows + 0.5) * CELL_SIZE_M, MAP_MIN[1] + (columns + 0.5) * CELL_SIZE_M
    away = goal.half + size / 2
    blocked |= (np.abs(x - goal.at[0]) < away) & (np.abs(y - goal.at[1]) < away)
    blocked[:reach], blocked[-reach:], blocked[:, :reach], blocked[:, -reach:] = True, True, True, True
    i, j = cell_of(*origin)
    if 0 <= i < blocked.shape[0] and 0 <= j < blocked.shape[1] and not blocked[i, j]:
        yield origin
    step = round(SPACING_M / CELL_SIZE_M)
    places = np.stack((x, y), axis=-1)[::step, ::step][~blocked[::step, ::step]]
    for n in np.argsort(np.hypot(*(places - origin).T), kind="stable"):
        yield float(places[n, 0]), float(places[n, 1])
