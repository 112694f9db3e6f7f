"""The options of the robot in an open world."""

from __future__ import annotations

from pydantic import Field

from core.registry import Options


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
