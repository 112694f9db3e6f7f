"""Read the scene of a table: the things on it, how a camera finds them, and the goal area. No simulator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from functools import lru_cache
from itertools import combinations
from typing import Annotated, Literal, Self

from annotated_types import Interval, MaxLen
from pydantic import StringConstraints, model_validator
from pydantic.dataclasses import dataclass

from core.data_file import FILE, UnitInterval, load_toml
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


_GREEN = ColourRange(60, 76)  # of the goal area


@dataclass(frozen=True, config=FILE)
class ThingTip:
    """What is only drawn at one end: a stem, leaves. `beyond`: its centre, in metres past the end."""

    shape: Literal["box", "cylinder"]
    beyond: Annotated[float, Interval(ge=0, le=0.5)]
    half: Size
    paint: Paint


@dataclass(frozen=True, config=FILE)
class TabletopThing:
    """A thing that can be picked up: its centre, and the half sizes of its box, in metres; kilograms."""

    shape: Literal["bin", "box", "capsule"]
    at: tuple[Coordinate, Coordinate]
    half: Size
    mass: Annotated[float, Interval(gt=0, le=5)]
    paint: Paint
    hue: ColourRange
    tip: ThingTip | None = None


@dataclass(frozen=True, config=FILE)
class GoalArea:
    """The green square: its centre, and half its side, in metres."""

    at: tuple[Coordinate, Coordinate] = (0.5, 0.0)
    half: Half = 0.12

    def contains(self, x: float, y: float) -> bool:
        return abs(x - self.at[0]) < self.half and abs(y - self.at[1]) < self.half


@dataclass(frozen=True, config=FILE)
class SceneFile:
    """A table's scene. Its `name` is the file's."""

    things: Annotated[Mapping[Name, TabletopThing], MaxLen(60)] = field(default_factory=dict)
    goal_area: GoalArea = GoalArea()
    name: str = ""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if taken := _OF_THE_ARM.intersection(self.things):
            raise ValueError(f"things: {min(taken)!r} is a part of the arm, so no thing can have this name")
        hues = {**self.colours, "the goal area": _GREEN}
        for one, other in combinations(hues, 2):
            if hues[one].overlaps(hues[other]):
                raise ValueError(f"things: {one} and {other} have a hue in common: nothing tells them apart")
        return self

    @property
    def colours(self) -> Mapping[str, ColourRange]:
        """Return how a camera finds each thing."""
        return {name: thing.hue for name, thing in self.things.items()}


@lru_cache(maxsize=8)
def read_scene(named: str) -> SceneFile:
    """Read the scene's file. Raises UnknownName, BadFile."""
    path = SCENES.path(named)
    return replace(load_toml(path, SceneFile), name=path.stem)
