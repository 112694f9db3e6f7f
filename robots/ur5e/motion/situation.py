"""What the search knows after a step: where everything is, what the hand holds, how the arm got there."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from core.motion.frames import Frame, body
from core.scene import Bodies, Body
from robots.ur5e.kinematics import Joints, invert_transform
from robots.ur5e.scene_file import TabletopThing

Poses = Mapping[str, Frame]
UPRIGHT = math.cos(0.6)  # of a thing's own axis: it stands
Move = tuple[Any, ...]  # ("free" or "line", joints...), ("grip", metres between the pads), ("wait", seconds)


@dataclass(frozen=True)
class Situation:
    """`loose` things rolled somewhere, so that geometry no longer knows of them; physics does."""

    q: Joints
    poses: Poses
    kinds: Mapping[str, TabletopThing] = field(repr=False)
    inside: Mapping[str, str] = field(default_factory=dict)  # content -> container
    held: str = ""
    grasp: Frame | None = None  # of the hand, in the held thing's frame
    opening: float = 0.0  # metres that each finger has closed
    loose: tuple[str, ...] = ()
    full: frozenset[str] = frozenset()  # things with grains in them
    moves: tuple[Move, ...] = ()  # of the step that led here
    state: Any = field(default=None, repr=False)  # the plant's, once it was rehearsed

    @cached_property
    def bodies(self) -> Bodies:
        return bodies(self.poses, self.kinds)

    def bodies_with(self, name: str, pose: Frame) -> Bodies:
        """Return `bodies`, the same values but for this thing's, which would be there."""
        kind = self.kinds[name]
        return {**self.bodies, name: body(pose, kind.half, kind.shape == "ball")}

    def carried(self, name: str) -> tuple[str, ...]:
        """Return a thing with what is in it."""
        return (name, *(content for content, container in self.inside.items() if container == name))

    def is_level(self, name: str) -> bool:
        """Return True if a thing must stay upright on its way: it stands, and something is in it."""
        stands = self.poses[name][2, 2] >= UPRIGHT
        return bool(stands and (name in self.full or len(self.carried(name)) > 1))

    def along(self, name: str, grasp: Frame) -> Callable[[Frame], Poses]:
        """Return the poses of everything for each pose of the hand that carries a thing and its contents."""
        back = invert_transform(self.poses[name])
        within = {n: back @ self.poses[n] for n in self.carried(name)}
        from_hand = invert_transform(grasp)

        def at(hand: Frame) -> Poses:
            thing = hand @ from_hand
            return {**self.poses, **{n: thing @ f for n, f in within.items()}}

        return at


TABLE = "table_surface"  # what the domain calls the table
_TABLE = Body((0.52, 0, 0, 0, 0, 0), (0.12, -0.52, -0.04), (0.92, 0.52, 0))


def bodies(poses: Poses, kinds: Mapping[str, TabletopThing]) -> Bodies:
    return {TABLE: _TABLE} | {
        n: body(f, kinds[n].half, kinds[n].shape == "ball") for n, f in poses.items() if n in kinds
    }
