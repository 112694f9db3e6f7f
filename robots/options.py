"""The options of robots, for the registry, which loads no simulator."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from core.registry import Options
from robots.ur5e.arm_name import arm_name


class Ur5eOptions(Options):
    """Options of the UR5e."""

    arm: Annotated[str, AfterValidator(arm_name)] = Field(
        "",
        title="Arm",
        description="A UR5e's address or setup file; empty: the one that DKPROMPT_UR5E names, else an "
        "emulator of its own.",
    )
    poses: Literal["camera", "emulator"] = Field(
        "camera",
        title="Poses",
        description="Who says where things are for a wish: the camera, or the emulator's truth, for benches.",
    )


class SymbolicOptions(Options):
    """Options of the symbolic robot."""

    truth: str = Field(
        "",
        title="Truth",
        description="A file of the domain's folder `truth`: how the world differs from what the domain says.",
    )


class OpenWorldOptions(Options):
    """Options of the robot in an open world."""

    situation: str = Field(
        "",
        title="Situation",
        description="Something unusual at the start, in one sentence; nothing else will go wrong.",
    )
    stock: tuple[str, ...] = Field(
        (), title="At hand", description="The things at hand; left out: a random half of the domain's things."
    )
    chance: float | None = Field(
        None, ge=0, le=1, title="Chance",
        description="Chance per step that a situation arises (one per episode); default: from the domain.",
    )  # fmt: skip


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
