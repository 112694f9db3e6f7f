"""The grasps that a pick may take: ranked, with their obstacles, or one at a point that a person picks."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from core.arm.step_candidates import LineSegment, StepCandidate
from core.planning_model import Step
from robots.ur5e.tabletop.colour_segmentation import Region
from robots.ur5e.tabletop.grasp import Grasp, off_region
from robots.ur5e.tabletop.reach import GRASP_DEPTH_M, TIP_LENGTH_M
from robots.ur5e.tabletop.rgbd_image import HeightMap, RgbdImage
from robots.ur5e.tabletop.skills import TabletopSkills

MAX_OPTIONS = 5
_MAX_GRASPS, _MAX_TRIED = 40, 6  # grasps sought on the thing, and tried at a point
_POINT_RADIUS_M = 0.025  # around the point in which a grasp is sought


@dataclass(frozen=True)
class GraspScene:
    """What the last options were computed from."""

    step: Step
    region: Region
    relief: HeightMap
    picture: RgbdImage
    grasps: list[Grasp]  # all grasps on the thing, computed when a person first picks a point


class GraspOptions:
    """Call `options` from the loop's thread, `option_at` from any."""

    def __init__(
        self,
        skills: TabletopSkills,
        skill_of: Callable[[Step], tuple[str, tuple[str, ...]]],
        last: Callable[[], RgbdImage],
    ) -> None:
        self._skills, self._last, self._find = skills, last, skills.planner.grasps
        self._skill_of = skill_of
        self._scene: GraspScene | None = None

    def options(self, step: Step) -> tuple[StepCandidate, ...]:
        """Take one picture and return the options, the feasible ones first, each group ordered by score."""
        skill, things = self._skill_of(step)
        if skill != "pick":
            return ()
        region, height_map = self._skills.locate(things[0])
        self._scene = None
        if region is None:
            return ()
        self._scene = seen = GraspScene(step, region, height_map, self._last(), [])
        found = [self._option(seen, g) for g in self._find(region, height_map, seen.picture, MAX_OPTIONS)]
        found.sort(key=lambda o: (bool(o.unavailable_reason), -o.score))
        return tuple(replace(o, label=f"grasp {number}") for number, o in enumerate(found, 1))

    def option_at(self, step: Step, column: float, row: float) -> StepCandidate | None:
        """Return the best grasp at this pixel; if none is good the one straight down, with its obstacle."""
        seen = self._scene
        if seen is None or seen.step != step:
            return None
        height, width = seen.picture.depth.shape
        if not (0 <= column < width and 0 <= row < height):
            return None
        z = float(seen.picture.depth[int(row), int(column)])
        if z <= 0:
            return None
        x, y, top = seen.picture.point(column, row, z)
        if not seen.grasps:
            seen.grasps.extend(self._find(seen.region, seen.relief, seen.picture, _MAX_GRASPS))
        near = [g for g in seen.grasps if math.hypot(g.x - x, g.y - y) < _POINT_RADIUS_M]
        near.sort(key=lambda g: math.hypot(g.x - x, g.y - y) - 0.02 * g.score)
        own = self._skills.planner.grasp_at(float(x), float(y), float(top), seen.region)
        if off_region(own, seen.region):
            near = []  # beside the thing: reported as its obstacle
        made = (self._option(seen, g) for g in near[:_MAX_TRIED])
        first = next((o for o in made if not o.unavailable_reason), None) or self._option(seen, own)
        return replace(first, label="yours")

    def _option(self, seen: GraspScene, grasp: Grasp) -> StepCandidate:
        reason = "it is beside the thing" if off_region(grasp, seen.region) else ""
        reason = reason or self._skills.obstruction(grasp, seen.relief)
        height, width = seen.picture.depth.shape
        return StepCandidate(
            "",
            Step(seen.step.name, seen.step.args, grasp.to_values()),
            round(grasp.score, 3),
            reason,
            seen.picture.camera,
            (width, height),
            _grasp_line(grasp, seen.picture),
        )


def _grasp_line(grasp: Grasp, picture: RgbdImage) -> LineSegment:
    """Return the line from one finger to the other, in pixels."""
    half = grasp.width / 2 + 0.006
    along = np.array((math.cos(grasp.angle), math.sin(grasp.angle), 0.0)) * half
    top = grasp.z + (GRASP_DEPTH_M - TIP_LENGTH_M if grasp.width else 0.0)
    middle = np.array((grasp.x, grasp.y, top))
    (a, b), (c, d) = picture.pixel(middle - along), picture.pixel(middle + along)
    return (round(a, 1), round(b, 1), round(c, 1), round(d, 1))
