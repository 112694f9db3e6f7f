"""The options of the table, for the registry, which loads no simulator."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from core.registry import Options


class TableFaults(Options):
    """What goes wrong at a table."""

    pose_error: float = Field(
        default=0.0,
        title="Pose error",
        description="mm and degrees by which a thing seems off, anew in each look",
        ge=0,
        le=20,
    )
    slips: float = Field(default=0.0, title="Slips", description="share of grasps that slip", ge=0, le=1)
    nudges: float = Field(
        default=0.0, title="Nudges", description="share of steps after which a thing is moved", ge=0, le=1
    )
    poses: Literal["simulator", "camera"] = Field(
        default="simulator",
        title="Poses",
        description="who says where things are: the simulator, for benches, or a camera over the table",
    )
    situation: str = Field(
        default="", title="Situation", description="what is unusual, in words: the plate is dirty"
    )
    start: str = Field(
        default="",
        title="Start",
        description="where things are at first, as a sheet writes it",
    )


NO_FAULTS = TableFaults()
