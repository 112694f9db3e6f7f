"""The scene as values; `scene_files.py` reads them from TOML.

`docs/kitchen.md` describes every field for those who add a room or an object. Lengths are metres,
angles degrees unless said otherwise, x right along the kitchen wall, y into the house, z up.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

Vec2 = tuple[float, float]
Vec3 = tuple[float, float, float]
Rect = tuple[Vec2, Vec2]  # lower left, upper right
_FORBID_EXTRA = ConfigDict(extra="forbid")


@dataclass(frozen=True, config=_FORBID_EXTRA)
class PartSpec:
    """One shape, or several like it. Just one of the first seven fields says which."""

    box: Vec3 | None = None  # full size
    cylinder: Vec2 | None = None  # radius, height
    tube: tuple[Vec3, ...] | None = None  # capsules along these points
    ball: Vec3 | None = None  # three radii
    sheet: Vec2 | None = None  # a flat picture, seen from both sides: width, height
    turned: tuple[Vec2, ...] | None = None  # a lathe profile: radius, height; up outside, down inside
    hull: tuple[Vec3, ...] | None = None  # the convex hull of these points
    material: str = ""
    at: Vec3 = (0, 0, 0)
    radius: float = 0.01  # of a tube
    axis: Vec3 = (0, 0, 1)  # of a cylinder, a ball or a turned thing
    turn: float = 0  # about z
    stretch: Vec3 = (1, 1, 1)  # of a turned thing
    solid: bool = False  # other things rest on it and collide with it
    shadow: bool = True
    look: str = ""  # drawn only while this look is on; "!look": only while it is off
    mirror: str = ""  # "x", "y" or "xy": copies on the other side
    copies: int = 1
    step: Vec3 = (0, 0, 0)  # from copy to copy
    ring: float = 0  # or the copies stand on a circle of this radius
    scatter: float = 0  # or they lie anywhere within this radius


@dataclass(frozen=True, config=_FORBID_EXTRA)
class CollisionShape:
    """A collision shape of a thing; never drawn."""

    box: Vec3 | None = None
    cylinder: Vec2 | None = None
    at: Vec3 = (0, 0, 0)


@dataclass(frozen=True, config=_FORBID_EXTRA)
class GraspSpec:
    """How a thing is held. `shift` leads from the gripper to the thing's origin, in the hand's frame."""

    shift: Vec3
    gap: float  # between a finger and the middle
    roll: float = 0
    turn: float = 0


@dataclass(frozen=True, config=_FORBID_EXTRA)
class ThingSpec:
    """What can be carried, its origin at or above its underside."""

    mass: float
    rest: float  # height of the origin above what it stands on
    solids: tuple[CollisionShape, ...]
    parts: tuple[PartSpec, ...]
    grip: GraspSpec | None = None
    lies: float = 0  # height of the origin where it has fallen over; 0: it never does
    turns: Vec2 = (-180, 180)  # how it may be turned about z where it stands
    variants: tuple[Vec3, ...] = ()  # scales of the first, second, ... of its kind
    halves: bool = False  # made of two mirrored bodies, that one weld holds together
    distractor: bool = False  # lies about by chance
    on: tuple[str, ...] = ()  # where a distractor may lie


@dataclass(frozen=True, config=_FORBID_EXTRA)
class DoorSpec:
    hinge: Vec3
    axis: Vec3
    open: float  # degrees
    handle: Vec3
    parts: tuple[PartSpec, ...]


@dataclass(frozen=True, config=_FORBID_EXTRA)
class ViewSpec:
    """From where a thing of this kind is looked at."""

    aim: Vec3
    near: float
    far: float
    stand: Vec2 = (-90, 25)  # direction to stand in, in the piece's frame, and how far it may vary
    open_side: float = 0  # turned by this much, away from the open door
    region: tuple[Vec3, Vec3] | None = None  # what counts is this level piece of it, between two corners


@dataclass(frozen=True, config=_FORBID_EXTRA)
class SpotSpec:
    """A place for one thing: where its underside rests."""

    at: Vec3
    jitter: Vec2 = (0, 0)


@dataclass(frozen=True, config=_FORBID_EXTRA)
class FurnitureSpec:
    room: str
    at: Vec3
    parts: tuple[PartSpec, ...]
    view: ViewSpec
    turn: float = 0
    jitter: Vec3 = (0, 0, 0)  # by seed: x, y and degrees
    door: DoorSpec | None = None
    inside: tuple[Vec3, Vec3] | None = None  # what is in this box is inside
    tops: tuple[tuple[Vec3, Vec3], ...] = ()  # what rests in one of these boxes is on top
    spots: tuple[SpotSpec, ...] = ()
    clutter: tuple[SpotSpec, ...] = ()  # places for distractors
    button: Vec3 | None = None  # where the hand goes to switch it on, or to open its tap


@dataclass(frozen=True, config=_FORBID_EXTRA)
class StartSpec:
    """Where the robot may stand before the first step, and what it looks at."""

    at: Vec2
    towards: Vec3


@dataclass(frozen=True, config=_FORBID_EXTRA)
class RoomSpec:
    area: Rect
    ground: str  # material
    free: Rect  # where robot and things may be
    spots: tuple[Vec2, ...]
    edges: tuple[Rect, ...] = ()  # parts of the area that belong to it, but have another ground
    edge: str = ""
    starts: tuple[StartSpec, ...] = ()  # best first


@dataclass(frozen=True, config=_FORBID_EXTRA)
class SceneSpec:
    name: str
    rooms: Mapping[str, RoomSpec]
    furniture: Mapping[str, FurnitureSpec]
    things: Mapping[str, ThingSpec]
    decor: tuple[PartSpec, ...]
    materials: Mapping[str, MaterialSpec]
    light: LightSpec
    robot: RobotSpec


@dataclass(frozen=True, config=_FORBID_EXTRA)
class MaterialSpec:
    colours: tuple[Vec3, ...] = ((1, 1, 1),)  # one is picked by the seed
    texture: str = ""
    contrast: float | None = None
    frost: float | None = None
    count: int | None = None
    repeat: float = 1  # copies a metre
    fit: bool = False  # one copy over the whole shape instead
    like: str = ""  # the colour of another material ...
    shade: float = 1  # ... times this
    alpha: float = 1
    specular: float = 0.1
    shininess: float = 0.3
    emission: float = 0


@dataclass(frozen=True, config=_FORBID_EXTRA)
class LightSpec:
    """Ranges are picked from by the seed."""

    heading: Vec2  # x of the sun's direction
    height: Vec2  # z of it, negative
    strength: Vec2
    warmth: Vec2
    ambient: float
    headlight: float
    fill: Vec2


@dataclass(frozen=True, config=_FORBID_EXTRA)
class RobotSpec:
    parts: tuple[PartSpec, ...]
    head: tuple[PartSpec, ...]
    upper: tuple[PartSpec, ...]
    fore: tuple[PartSpec, ...]
    wrist: tuple[PartSpec, ...]
    hand: tuple[PartSpec, ...]
    finger: tuple[PartSpec, ...]
    shoulder: Vec3
    lift: Vec2  # range of the shoulder's height about its place
    lengths: Vec3  # upper arm, forearm, hand to grip point
    eye: Vec3  # of the camera in the head's frame
    eye_height: Vec2  # range by seed
    footprint: float  # radius
    fov: float  # of the eye, vertical
    speed: float  # metres a second
    turning: float  # degrees a second
