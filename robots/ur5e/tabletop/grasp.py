"""Grasps from above, as values, and what plans them for a kind of hand."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from core.errors import BadValue
from core.planning_model import Json
from robots.ur5e.tabletop.colour_segmentation import Region
from robots.ur5e.tabletop.rgbd_image import CELL_SIZE_M, HeightMap, RgbdImage, cell_of

CLEARANCE_M = 0.002  # that what goes down keeps from the table and from neighbouring things
REGION_MARGIN_M = 0.012  # by which a grasp may lie outside the visible region of the thing
MIN_SPACING_M = 0.012  # between two candidates


@dataclass(frozen=True)
class Grasp:
    """A grasp pose of the tool in the base frame, metres; `turn` (radians) is the direction in which the
    fingers close. A cup's has no width.
    """

    x: float
    y: float
    z: float
    angle: float
    width: float
    score: float  # 0..1

    def to_values(self) -> dict[str, Json]:
        """Return the values for `Step.values`, by which a chosen grasp travels in its step."""
        return {
            "grasp": tuple(round(v, 5) for v in (self.x, self.y, self.z, self.angle, self.width, self.score))
        }

    @staticmethod
    def from_values(values: Json) -> Grasp:
        """Return the grasp of these values. Raises BadValue for anything but six numbers."""
        if not isinstance(values, tuple) or len(values) != 6:
            raise BadValue("A grasp is six numbers: x, y, z, turn, width and score.")
        if not all(isinstance(v, int | float) and math.isfinite(v) for v in values):
            raise BadValue("A grasp is six finite numbers: x, y, z, turn, width and score.")
        return Grasp(*(float(v) for v in values))  # type: ignore[arg-type]


class GraspPlanner(Protocol):
    """What one gripper can take."""

    def grasps(
        self, region: Region, height_map: HeightMap, picture: RgbdImage, most: int
    ) -> tuple[Grasp, ...]:
        """Return ranked grasps of this thing, best first."""

    def grasp_at(self, x: float, y: float, top: float, region: Region) -> Grasp:
        """Return the grasp at a point of the thing that is `top` metres high, good or not."""

    def refusal(self, region: Region) -> str:
        """Return why a thing that is seen like this has no grasp, as far as its size tells; else ""."""

    def collision(self, grasp: Grasp, height_map: HeightMap) -> str:
        """Return what the hand would hit on its way down, the table or a neighbour; "" for nothing."""


def off_region(grasp: Grasp, region: Region) -> bool:
    """Return True if the thing is no longer where this grasp was found."""
    i, j = cell_of(grasp.x, grasp.y)
    reach = round(REGION_MARGIN_M / CELL_SIZE_M)
    near = region.mask[max(0, i - reach) : i + reach + 1, max(0, j - reach) : j + reach + 1]
    return not near.any()
