"""Places for a suction cup, found in the depth image: where a thing is even, near its middle."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from robots.ur5e.gripper.model import CUP_HEIGHT_M, GripperModel
from robots.ur5e.tabletop.colour_segmentation import Region
from robots.ur5e.tabletop.grasp import CLEARANCE_M, MIN_SPACING_M, Grasp
from robots.ur5e.tabletop.rgbd_image import CELL_SIZE_M, HeightMap, RgbdImage, cell_centre, cell_of

UNEVENNESS_M = 0.005  # between the highest and the lowest point under a cup that its lip makes up for
_FILL = np.ones((5, 5), np.uint8)
BODY = (0.042, 0.03)  # metres: the radius of what the cup hangs from, and how far that ends above the lip


class SuctionPlanner:
    """Plans for one cup, straight from above."""

    def __init__(self, hand: GripperModel) -> None:
        self._cup = _disc(hand.finger[0] / 2)

    def grasps(
        self, region: Region, height_map: HeightMap, picture: RgbdImage | None = None, most: int = 5
    ) -> tuple[Grasp, ...]:
        """See `GraspPlanner`."""
        filled = cv2.morphologyEx(height_map.heights, cv2.MORPH_CLOSE, _FILL)  # cells that no pixel falls on
        highest, lowest = cv2.dilate(filled, self._cup), cv2.erode(filled, self._cup)
        inside = cv2.erode(region.mask, self._cup) > 0
        rows, columns = np.nonzero(inside & (highest - lowest <= UNEVENNESS_M))
        i0, j0 = cell_of(region.x, region.y)
        off = np.hypot(rows - i0, columns - j0) * CELL_SIZE_M / max(region.size[0] / 2, CELL_SIZE_M)
        kept: list[Grasp] = []
        for n in np.argsort(off, kind="stable"):
            x, y = cell_centre(int(rows[n]), int(columns[n]))
            if all(math.hypot(x - k.x, y - k.y) > MIN_SPACING_M for k in kept):
                top = float(highest[rows[n], columns[n]])
                kept.append(self._grasp(x, y, top, max(0.0, 1 - float(off[n]))))
            if len(kept) == most:
                break
        return tuple(kept)

    def grasp_at(self, x: float, y: float, top: float, region: Region) -> Grasp:
        """See `GraspPlanner`."""
        return self._grasp(x, y, top, 0.0)

    def refusal(self, region: Region) -> str:
        """See `GraspPlanner`."""
        return f"nowhere is it even enough for a cup of {len(self._cup) * 1000 * CELL_SIZE_M:.0f} mm"

    def collision(self, grasp: Grasp, height_map: HeightMap) -> str:
        """See `GraspPlanner`."""
        i, j = cell_of(grasp.x, grasp.y)
        heights = height_map.heights
        for mask, room in ((self._cup, CLEARANCE_M), (_disc(BODY[0]), BODY[1])):
            reach = len(mask) // 2
            if not (reach <= i < heights.shape[0] - reach and reach <= j < heights.shape[1] - reach):
                return "the cup would leave the part of the table that is seen"
            under = heights[i - reach : i + reach + 1, j - reach : j + reach + 1]
            if (highest := float(under[mask > 0].max())) > grasp.z + room:
                return f"the cup would meet something {highest * 1000:.0f} mm high"
        return ""

    @staticmethod
    def _grasp(x: float, y: float, top: float, score: float) -> Grasp:
        return Grasp(x, y, max(CUP_HEIGHT_M, top), 0.0, 0.0, score)


def _disc(radius: float) -> NDArray[np.uint8]:
    side = 2 * round(radius / CELL_SIZE_M) + 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side)), np.uint8)
