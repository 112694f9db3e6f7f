"""The scene as values; `loader.py` reads them from TOML.

`docs/kitchen.md` describes every field for those who add a room or an object. Lengths are in metres, angles
in degrees unless stated otherwise; x points right along the kitchen wall, y into the house, z up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from annotated_types import Ge, Gt, Interval
from pydantic.dataclasses import dataclass

from core.data_file import FILE, UnitInterval

Vec2 = tuple[float, float]
Vec3 = tuple[float, float, float]
Rect = tuple[Vec2, Vec2]  # lower left, upper right


@dataclass(frozen=True, config=FILE)
class PartSpec:
    """A shape, or several copies of it. Exactly one of the first seven fields is given."""

    box: Vec3 | None = None  # full size
    cylinder: Vec2 | None = None  # radius, height
    tube: tuple[Vec3, ...] | None = None  # capsules along a path through these points
    ball: Vec3 | None = None  # the three radii
    sheet: Vec2 | None = None  # a flat picture, visible from both sides: width, height
    turned: tuple[Vec2, ...] | None = None  # a lathe profile: radius, height; up the outside, down the inside
    hull: tuple[Vec3, ...] | None = None  # the convex hull of these points
    material: str = ""
    at: Vec3 = (0, 0, 0)
    radius: Annotated[float, Gt(0)] = 0.01  # of a tube
    axis: Vec3 = (0, 0, 1)  # of a cylinder, a ball or a turned thing
    turn: float = 0  # about z
    stretch: Vec3 = (1, 1, 1)  # of a turned thing
    solid: bool = False  # other things rest on it and collide with it
    shadow: bool = True
    look: str = ""  # drawn only while this look is on; "!look": only while it is off
    mirror: str = ""  # "x", "y" or "xy": copies on the other side
    copies: Annotated[int, Interval(ge=1, le=1000)] = 1
    step: Vec3 = (0, 0, 0)  # offset from copy to copy
    ring: float = 0  # radius of a circle on which the copies stand, if not 0
    scatter: float = 0  # radius within which the copies lie at random, if not 0


@dataclass(frozen=True, config=FILE)
class CollisionShape:
    """A collision shape of a thing; never drawn."""

    box: Vec3 | None = None
    cylinder: Vec2 | None = None
    at: Vec3 = (0, 0, 0)


@dataclass(frozen=True, config=FILE)
class GraspSpec:
    """How a thing is held. `shift` leads from the gripper to the thing's origin, in the hand's frame."""

    shift: Vec3
    gap: float  # metres between a finger and the middle
    roll: float = 0
    turn: float = 0


@dataclass(frozen=True, config=FILE)
class ThingSpec:
    """A thing that can be carried, its origin at or above its underside."""

    mass: Annotated[float, Gt(0)]
    rest: float  # height of the origin above the supporting surface
    solids: tuple[CollisionShape, ...]
    parts: tuple[PartSpec, ...]
    grip: GraspSpec | None = None
    lies: float = 0  # height of the origin when it has fallen over; 0: it cannot
    turns: Vec2 = (-180, 180)  # allowed range of its yaw
    variants: tuple[Vec3, ...] = ()  # scales of the first, second, ... instance
    made_of: tuple[Mapping[str, str], ...] = ()  # materials of each instance in place of those of the parts
    halves: bool = False  # made of two mirrored bodies that one weld holds together
    distractor: bool = False  # placed at random by the seed
    on: tuple[str, ...] = ()  # kinds of furniture on which a distractor may lie


@dataclass(frozen=True, config=FILE)
class DoorSpec:
    hinge: Vec3
    axis: Vec3
    open: float  # degrees
    handle: Vec3
    parts: tuple[PartSpec, ...]


@dataclass(frozen=True, config=FILE)
class ViewSpec:
    """The poses from which furniture of this kind is looked at."""

    aim: Vec3
    near: float
    far: float
    stand: Vec2 = (-90, 25)  # direction from the piece to the robot, in the piece's frame, and its tolerance
    open_side: float = 0  # rotation of that direction away from an open door
    region: tuple[Vec3, Vec3] | None = None  # two corners of a level area, which alone counts as the piece


@dataclass(frozen=True, config=FILE)
class SpotSpec:
    """A place for one thing: where its underside rests."""

    at: Vec3
    jitter: Vec2 = (0, 0)


@dataclass(frozen=True, config=FILE)
class FurnitureSpec:
    room: str
    at: Vec3
    parts: tuple[PartSpec, ...]
    view: ViewSpec
    turn: float = 0
    jitter: Vec3 = (0, 0, 0)  # by the seed: x, y and degrees
    door: DoorSpec | None = None
    inside: tuple[Vec3, Vec3] | None = None  # the box of positions that count as inside
    tops: tuple[tuple[Vec3, Vec3], ...] = ()  # boxes of positions that count as on top
    spots: tuple[SpotSpec, ...] = ()
    clutter: tuple[SpotSpec, ...] = ()  # places of distractors
    button: Vec3 | None = None  # where the hand goes to switch it on or open its tap


@dataclass(frozen=True, config=FILE)
class StartSpec:
    """Where the robot may stand before the first step, and what it looks at."""

    at: Vec2
    towards: Vec3


@dataclass(frozen=True, config=FILE)
class RoomSpec:
    area: Rect
    ground: str  # material
    free: Rect  # where robot and things may be
    spots: tuple[Vec2, ...]
    edges: tuple[Rect, ...] = ()  # parts of the area with another ground
    edge: str = ""
    starts: tuple[StartSpec, ...] = ()  # best first


@dataclass(frozen=True, config=FILE)
class SceneSpec:
    name: str
    rooms: Mapping[str, RoomSpec]
    furniture: Mapping[str, FurnitureSpec]
    things: Mapping[str, ThingSpec]
    decor: tuple[PartSpec, ...]
    materials: Mapping[str, MaterialSpec]
    light: LightSpec
    robot: RobotSpec


@dataclass(frozen=True, config=FILE)
class MaterialSpec:
    colours: tuple[Vec3, ...] = ((1, 1, 1),)  # the seed selects one
    texture: str = ""
    contrast: float | None = None
    frost: float | None = None
    count: int | None = None
    repeat: float = 1  # copies per metre
    fit: bool = False  # one copy stretched over the whole shape instead
    like: str = ""  # the colour of another material ...
    shade: float = 1  # factor on its brightness
    alpha: UnitInterval = 1
    specular: UnitInterval = 0.1
    shininess: UnitInterval = 0.3
    emission: Annotated[float, Ge(0)] = 0


@dataclass(frozen=True, config=FILE)
class LightSpec:
    """The light. The seed selects a value from each range."""

    heading: Vec2  # x of the sun's direction
    height: Vec2  # z of it, negative
    strength: Vec2
    warmth: Vec2
    ambient: float
    headlight: float
    fill: Vec2


@dataclass(frozen=True, config=FILE)
class RobotSpec:
    parts: tuple[PartSpec, ...]
    head: tuple[PartSpec, ...]
    upper: tuple[PartSpec, ...]
    fore: tuple[PartSpec, ...]
    wrist: tuple[PartSpec, ...]
    hand: tuple[PartSpec, ...]
    finger: tuple[PartSpec, ...]
    shoulder: Vec3
    lift: Vec2  # range of the shoulder's height relative to its origin
    lengths: Vec3  # upper arm, forearm, hand to grip point
    eye: Vec3  # position of the camera in the head's frame
    eye_height: Vec2  # range for the seed
    footprint: Annotated[float, Gt(0)]  # radius
    fov: Annotated[float, Interval(gt=0, lt=180)]  # of the camera, vertical
    speed: Annotated[float, Gt(0)]  # metres per second
    turning: Annotated[float, Gt(0)]  # degrees per second
