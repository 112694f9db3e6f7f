"""What a robot says about the things around it: where they are, how large, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

Triple = tuple[float, float, float]
Pose = tuple[float, float, float, float, float, float]  # x, y, z in metres; roll, pitch, yaw in radians


@dataclass(frozen=True)
class SceneThing:
    """A thing: its centre's pose, half the size of its box, and by how many metres that may be off."""

    name: str
    pose: Pose
    half: Triple
    shape: str
    graspable: bool = True
    on: str = ""  # the thing that it is in or on
    spread: float = 0.0
    source: str = ""  # "emulator", "camera"; "hidden": it was not in view, so where it was or ought to be
    categories: tuple[str, ...] = ()  # what people call such things: "fruit"


@dataclass(frozen=True)
class Scene:
    """All things, and where the geometry of the robot that sees them is made.

    `skills` is a function, "package.module:name", of a scene and a seed. `setting` is whatever it needs.
    `view` is the camera's, 3 x 4: from (x, y, z, 1) to the column and the row of the picture, in shares of
    its width and height, and what both are to be divided by; () if no camera is known.
    """

    things: tuple[SceneThing, ...]
    skills: str
    setting: tuple[tuple[str, str], ...] = ()
    view: tuple[tuple[float, float, float, float], ...] = ()


@runtime_checkable
class ProvidesScene(Protocol):
    """Optional: a robot that can tell where things are, in metres."""

    def scene(self) -> Scene:
        """Return what is believed of the scene now. Raises RobotError."""


@dataclass(frozen=True)
class Body:
    """Where a thing is, or would be: its centre's pose, and the corners of the upright box around it."""

    pose: Pose
    lower: Triple
    upper: Triple


Bodies = Mapping[str, Body]


@dataclass(frozen=True)
class Shot:
    """A moment of a rehearsal: where the things are, and the arm's joints and its tool, from its base on."""

    bodies: Bodies
    arm: tuple[Triple, ...]
