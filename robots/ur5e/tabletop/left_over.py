"""Name what an earlier episode has left on the table. Nothing moves."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import cast

from core.arm.arm_capabilities import PreflightCheck
from core.belief import Atom
from core.planning_model import Problem
from core.robots import TABLE, StartFact, left_over, start_check
from robots.ur5e.arm_setup import ArmSetup
from robots.ur5e.emulator.admin_client import AdminClient
from robots.ur5e.scene_file import SceneFile
from robots.ur5e.tabletop.colour_segmentation import find_region
from robots.ur5e.tabletop.rgbd_image import HeightMap, RgbdImage

_MOVED_M = 0.04  # beyond the scene's own jitter
_NEAR_M = 0.05  # of a container's centre, within which a thing lies in it


def left_on_table(problem: Problem, scene: SceneFile, picture: RgbdImage) -> PreflightCheck:
    """Return the preflight's line on what the picture shows otherwise than the task begins."""
    heights = HeightMap.from_image(picture)
    found = {
        name: find_region(name, colour, picture, heights)
        for name in problem.of_type("movable")
        if (colour := scene.colours.get(name))
    }
    containers = problem.of_type("container")

    def told() -> Iterator[tuple[Atom, bool, str]]:
        for name, seen in found.items():
            if seen is None:
                yield Atom("ontable", (name,)), False, f"{name} is not seen on the table"
            elif name in containers:
                if scene.goal_area.contains(seen.x, seen.y):
                    yield Atom("ingoal", (name,)), True, f"{name} stands in the goal area"
            else:
                for other in containers:
                    where = found.get(other)
                    if where and math.dist((seen.x, seen.y), (where.x, where.y)) < _NEAR_M:
                        yield Atom("inside", (name, other)), True, f"{name} lies in {other}"

    facts = [StartFact(*each, remedy="put all as the task begins, and start") for each in told()]
    return start_check(facts, frozenset(map(str, problem.state)), TABLE)


def moved_on_emulated_table(setup: ArmSetup) -> PreflightCheck:
    """Return the same of a running emulator, whatever its scene, by its truth. Raises ConsoleError."""
    with closing(AdminClient(setup.address)) as admin:
        truth = admin.ask("truth").body
    now, first = (cast(Mapping[str, Sequence[float]], truth[key]) for key in ("things", "first"))
    moved = tuple(
        f"{name} is not where it stood at first"
        for name in first
        if math.dist(first[name][:2], now[name][:2]) > _MOVED_M
    )
    return left_over(TABLE, moved, "restart the emulator, which puts all things back")
