"""The options of the robot in an open world."""

from __future__ import annotations

from pydantic import Field

from core.registry import Options


class OpenWorldOptions(Options):
    """Options of the robot in an open world."""

    situation: str = Field(
        "",
        title="Situation",
        description="What is unusual from the beginning, in a sentence; no other arises.",
    )
    stock: tuple[str, ...] = Field(
        (), title="At hand", description="The things at hand; left out: a random half of the domain's things."
    )
    chance: float | None = Field(
        None, ge=0, le=1, title="Chance",
        description="That a situation arises in a step, at most one an episode; left out: the domain's own.",
    )  # fmt: skip
