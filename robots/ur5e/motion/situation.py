"""What the search knows after a step: where everything is, what the hand holds, how the arm got there."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from core.motion.frames import Frame, body, shift
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
    unsettled: bool = False  # something leant on what was just taken, or was in what was tipped or stood up
    falling: frozenset[str] = frozenset()  # what did, and what only reaches into what was carried off

    @property
    def rehearsed(self) -> bool:
        return self.state is not None

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

    def is_within(self, name: str, container: str) -> bool:
        """Return True if the thing's centre is in the container."""
        return is_inside(self.poses[name], self.poses[container], self.kinds[container])

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


def reaches_into(thing: TabletopThing, at: Frame, container: Frame, kind: TabletopThing) -> bool:
    """Return True if a thing's centre is in the container, or an end of a long thing."""
    along = int(np.argmax(thing.half))
    ends = (at @ shift(*(sign * thing.half[along] * np.eye(3)[along])) for sign in (-1, 1))
    return is_inside(at, container, kind) or (
        thing.shape != "ball" and any(is_inside(end, container, kind, 0.0) for end in ends)
    )


def is_inside(thing: Frame, container: Frame, kind: TabletopThing, over: float = 0.02) -> bool:
    """Return True if a thing's centre is in the container's box, or up to `over` metres above it."""
    x, y, z = (invert_transform(container) @ (*thing[:3, 3], 1))[:3]
    a, b, c = kind.half
    return bool(abs(x) < a and abs(y) < b and -c < z < c + over)
