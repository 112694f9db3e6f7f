"""Read the numbers of a gripper: its size, its force, and what drives it."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Literal, Self

from annotated_types import Interval
from pydantic import model_validator
from pydantic.dataclasses import dataclass

from core.data_file import FILE, load_toml
from core.install_paths import resource_path
from robots.ur5e.shipped_files import ShippedFiles

DEFAULT_GRIPPER = "hand-e"
GRIPPERS = ShippedFiles("gripper", resource_path("resources", "grippers"))
_SPARE_STROKE_M = 0.008  # of the stroke that a grasp leaves for where the thing may be
MIN_GRASP_DEPTH_M = 0.011  # that the fingers must reach down beside the thing
SURE_HEIGHT_M = 0.02  # from which on the fingers hold a thing
CUP_HEIGHT_M = 0.005  # over the table that a cup's lip keeps

Length = Annotated[float, Interval(gt=0, le=0.5)]  # metres
Newton = Annotated[float, Interval(ge=0, le=1000)]
Pin = Annotated[int, Interval(ge=0, le=1)]


@dataclass(frozen=True, config=FILE)
class GripperModel:
    """Two fingers, or a cup that sucks if there is no stroke. SI units."""

    protocol: Literal["robotiq", "vacuum"]  # see `protocols.PROTOCOLS`
    reach: Length  # from the flange to between the finger tips, or to the cup's lip
    finger: tuple[Length, Length]  # thickness along the stroke, width across it; of a cup: its diameter twice
    force: tuple[Newton, Newton]  # the least and the most
    mass: Annotated[float, Interval(gt=0, le=5)]
    centre: Length  # of gravity, from the flange
    stroke: Annotated[float, Interval(ge=0, le=0.3)] = 0.0  # between the open pads
    speed: tuple[Length, Length] = (0.05, 0.05)  # of the stroke, m/s: the least and the most
    valve: Pin = 0  # the tool's digital output that opens the valve
    switch: Pin = 0  # the tool's digital input that is on while there is a vacuum

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.protocol == "robotiq" and self.stroke <= _SPARE_STROKE_M:
            raise ValueError(f"stroke must be above {_SPARE_STROKE_M:g}, as fingers have one")
        if self.protocol == "vacuum" and self.stroke:
            raise ValueError("stroke: a cup has none")
        return self

    @property
    def is_cup(self) -> bool:
        return not self.stroke

    @property
    def lowest(self) -> float:
        """Return how high a thing must be at least that it takes, in metres."""
        return CUP_HEIGHT_M if self.is_cup else MIN_GRASP_DEPTH_M

    @property
    def too_flat(self) -> str:
        """Say of a thing that is not high enough for the fingers what to do."""
        return f"too flat for the fingers: make it {1000 * SURE_HEIGHT_M:.0f} mm high, or use a suction cup"

    @property
    def too_wide(self) -> str:
        """Say of a thing that is not narrow enough for the fingers what to do."""
        return f"and the fingers take {1000 * self.widest:.0f} mm: lay it otherwise, or use a wider hand"

    @property
    def widest(self) -> float:
        """Return how wide a thing may be that the fingers take, in metres."""
        return max(0.0, self.stroke - _SPARE_STROKE_M)


@lru_cache(maxsize=8)
def read_gripper(named: str) -> GripperModel:
    """Read the file of a gripper, by its name or its path. Raises UnknownName, BadFile."""
    return load_toml(GRIPPERS.path(named), GripperModel, "docs/grippers.md shows one")
