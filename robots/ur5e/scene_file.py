"""Read the scene of a table: the things on it, how a camera finds them, and the goal area. No simulator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Annotated, Literal, Self

from annotated_types import Interval, MaxLen
from pydantic import StringConstraints, model_validator
from pydantic.dataclasses import dataclass

from core.data_file import FILE, UnitInterval, load_toml
from core.domains import DomainSpec
from core.install_paths import resource_path
from robots.ur5e.shipped_files import ShippedFiles

DEFAULT_SCENE = "tabletop"
SCENES = ShippedFiles("scene", resource_path("resources", "scenes", "tabletop"))

Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,60}$")]
_OF_THE_ARM = {
    "hand",
    "left",
    "right",
    "cup",
    *(f"{part}{i}" for part in ("link", "joint") for i in range(6)),
}
Half = Annotated[float, Interval(gt=0, le=0.5)]  # metres
Size = tuple[Half, Half, Half]
Coordinate = Annotated[float, Interval(ge=-2, le=2)]  # metres
Paint = tuple[UnitInterval, UnitInterval, UnitInterval]  # red, green, blue
Hue = Annotated[int, Interval(ge=0, le=180)]
Byte = Annotated[int, Interval(ge=0, le=255)]


@dataclass(frozen=True, config=FILE)
class ColourRange:
    """A range of OpenCV's hue (0..180), and the minimum saturation and value (0..255)."""

    low: Hue
    high: Hue
    saturation: Byte = 110
    value: Byte = 30

    def overlaps(self, other: ColourRange) -> bool:
        """Return True if some hue is in both; above 179 comes 0."""
        return other.low in self or self.low in other

    def __contains__(self, hue: int) -> bool:
        return (hue - self.low) % 180 <= (self.high - self.low) % 180


ROOM = ((0.30, -0.30), (0.68, 0.30))  # of the table, that the arm reaches well
GREEN = ColourRange(60, 76)  # of the goal area


@dataclass(frozen=True, config=FILE)
class ThingTip:
    """What is only drawn at one end: a stem, leaves. `beyond`: its centre, in metres past the end."""

    shape: Literal["box", "cylinder"]
    beyond: Annotated[float, Interval(ge=0, le=0.5)]
    half: Size
    paint: Paint


@dataclass(frozen=True, config=FILE)
class TabletopThing:
    """A thing, or a `mark` drawn on the table: the half sizes of its box, in metres; kilograms.

    It stands at `at`, on or in the thing `on`, or else wherever the seed draws it.
    """

    shape: Literal["bin", "box", "capsule", "ball", "cup", "plate", "mark"]
    half: Size
    paint: Paint
    mass: Annotated[float, Interval(gt=0, le=5)] = 0.04
    at: tuple[Coordinate, Coordinate] | None = None
    on: str = ""
    lies: bool = False  # on its side, its axis along the table
    graspable: bool = True
    grains: Annotated[int, Interval(ge=0, le=64)] = 0  # small balls that it is filled with at first
    friction: tuple[UnitInterval, UnitInterval, UnitInterval] | None = None  # sliding, spinning, rolling
    categories: Annotated[tuple[Name, ...], MaxLen(8)] = ()  # what people call such things, such as fruit
    hue: ColourRange | None = None
    tip: ThingTip | None = None

    @property
    def is_open(self) -> bool:
        """Return True if something can be put into it."""
        return self.shape in ("bin", "cup")

    @property
    def wall(self) -> float:
        """Return half the thickness of its walls, in metres."""
        return 0.002 if self.shape == "bin" else 0.0015


@dataclass(frozen=True, config=FILE)
class GoalArea:
    """The green square: its centre, and half its side, in metres."""

    at: tuple[Coordinate, Coordinate] = (0.5, 0.0)
    half: Half = 0.12
    drawn: bool = True

    def contains(self, x: float, y: float) -> bool:
        return abs(x - self.at[0]) < self.half and abs(y - self.at[1]) < self.half


@dataclass(frozen=True, config=FILE)
class SceneFile:
    """A table's scene. Its `name` is the file's.

    A thing with a place stands up to `jitter` metres off it, and turned; at 0 exactly there. One without is
    drawn within `room`, from its lower to its upper corner.
    """

    things: Annotated[Mapping[Name, TabletopThing], MaxLen(60)] = field(default_factory=dict)
    goal_area: GoalArea = GoalArea()
    jitter: Annotated[float, Interval(ge=0, le=0.1)] = 0.02
    room: tuple[tuple[Coordinate, Coordinate], tuple[Coordinate, Coordinate]] = ROOM
    name: str = ""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if taken := _OF_THE_ARM.intersection(self.things):
            raise ValueError(f"things: {min(taken)!r} is a part of the arm, so no thing can have this name")
        hues: dict[str, ColourRange] = {**self.colours, "the goal area": GREEN}
        for one, other in combinations(hues, 2):
            if hues[one].overlaps(hues[other]):
                raise ValueError(f"things: {one} and {other} have a hue in common: nothing tells them apart")
        for name, thing in self.things.items():
            if thing.shape == "ball" and len(set(thing.half)) > 1:
                raise ValueError(f"things: {name} is a ball, which has one radius: half is that, three times")
            under = self.things.get(thing.on)
            if thing.on and (under is None or under.on or under.shape == "mark"):
                raise ValueError(
                    f"things: {name} is on {thing.on!r}, which is no thing that stands on the table"
                )
        placed = [(n, t, t.at) for n, t in self.things.items() if t.at and not t.on and t.shape != "mark"]
        for (one, a, (x, y)), (other, b, (u, v)) in combinations(placed, 2):
            if abs(x - u) < a.half[0] + b.half[0] and abs(y - v) < a.half[1] + b.half[1]:
                raise ValueError(f"things: {one} and {other} overlap")
        return self

    @property
    def colours(self) -> Mapping[str, ColourRange]:
        """Return how a camera finds each thing."""
        return {name: thing.hue for name, thing in self.things.items() if thing.hue}


def scene_of(domain_spec: DomainSpec, named: str = DEFAULT_SCENE) -> str:
    """Return the scene that a setup file names, else the domain's own `scene.toml`, else the default."""
    own = domain_spec.path / "scene.toml" if domain_spec.path else None
    return str(own) if named == DEFAULT_SCENE and own is not None and own.is_file() else named


def read_scene(named: str) -> SceneFile:
    """Read the scene's file, anew if it has changed. Raises UnknownName, BadFile."""
    path = SCENES.path(named)
    return _read_scene(path, path.stat().st_mtime_ns if path.is_file() else 0)


@lru_cache(maxsize=8)
def _read_scene(path: Path, _: int) -> SceneFile:
    return replace(load_toml(path, SceneFile), name=path.stem)
