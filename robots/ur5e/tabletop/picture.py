"""A colour and depth picture with its camera's place, and the height map that it makes. Metres; pure."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from robots.ur5e.kinematics import Matrix

STEP = 0.002  # metres of a cell
LOW, HIGH = (0.14, -0.50), (0.90, 0.50)  # the part of the table that is mapped
CEILING = 0.13  # what is higher is the arm, or in the hand


@dataclass(frozen=True)
class Picture:
    """`pose`: the camera in the arm's base frame, z forward, y down. `focal` in pixels. `taken` at the latest
    then, our monotonic clock."""

    camera: str
    taken: float
    rgb: NDArray[np.uint8]  # H x W x 3
    depth: NDArray[np.float32]  # H x W, metres along z, 0 for nothing
    focal: float
    pose: Matrix
    boxes: dict[str, tuple[float, float, float, float]] = field(default_factory=dict)  # only from an emulator
    pixels: dict[str, int] = field(default_factory=dict)

    def points(self) -> NDArray[np.float64]:
        """Where each pixel's surface is, H x W x 3; not a number where depth is missing."""
        rows, columns = np.indices(self.depth.shape)
        height, width = self.depth.shape
        z = np.where(self.depth > 0, self.depth, np.nan).astype(float)
        seen = np.stack(
            ((columns + 0.5 - width / 2) * z / self.focal, (rows + 0.5 - height / 2) * z / self.focal, z),
            axis=-1,
        )
        return seen @ self.pose[:3, :3].T + self.pose[:3, 3]

    def point(self, column: float, row: float, z: float) -> NDArray[np.float64]:
        """Where what is seen at this place of the picture, z metres along the axis, is in the base frame."""
        height, width = self.depth.shape
        seen = np.array(((column - width / 2) * z / self.focal, (row - height / 2) * z / self.focal, z))
        return np.asarray(self.pose[:3, :3] @ seen + self.pose[:3, 3])

    def pixel(self, point: NDArray[np.float64]) -> tuple[float, float]:
        """Column and row of a point in the base frame."""
        x, y, z = self.pose[:3, :3].T @ (point - self.pose[:3, 3])
        height, width = self.depth.shape
        return float(x / z * self.focal + width / 2), float(y / z * self.focal + height / 2)


@dataclass(frozen=True)
class Relief:
    """Heights over the table on a grid: `heights[i, j]` at x = LOW[0] + i STEP, y = LOW[1] + j STEP."""

    heights: NDArray[np.float32]
    cells: NDArray[np.int32]  # H x W x 2: where each pixel went, -1 for nowhere

    @staticmethod
    def of(picture: Picture) -> Relief:
        points = picture.points()
        size = tuple(round((h - low) / STEP) for low, h in zip(LOW, HIGH, strict=True))
        with np.errstate(invalid="ignore"):
            cells = np.floor((points[..., :2] - LOW) / STEP)
            good = np.isfinite(cells).all(-1) & (cells >= 0).all(-1) & (cells < size).all(-1)
            good &= (points[..., 2] < CEILING) & (points[..., 2] > -0.05)
        cells = np.where(good[..., None], cells, -1).astype(np.int32)
        heights = np.zeros(size, np.float32)
        i, j = cells[good].T
        np.maximum.at(heights, (i, j), points[good][:, 2].astype(np.float32))
        return Relief(heights, cells)

    def mask(self, pixels: NDArray[np.bool_]) -> NDArray[np.uint8]:
        """The cells that these pixels fall on, 0 or 1."""
        found = np.zeros(self.heights.shape, np.uint8)
        chosen = self.cells[pixels]
        chosen = chosen[chosen[:, 0] >= 0]
        found[chosen[:, 0], chosen[:, 1]] = 1
        return found


def cell_of(x: float, y: float) -> tuple[int, int]:
    return int((x - LOW[0]) / STEP), int((y - LOW[1]) / STEP)


def metres(i: float, j: float) -> tuple[float, float]:
    """The middle of a cell."""
    return LOW[0] + (i + 0.5) * STEP, LOW[1] + (j + 0.5) * STEP
