"""A colour and depth image with its camera's pose, and the height map made from it. Metres; pure."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from robots.ur5e.kinematics import Transform

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
