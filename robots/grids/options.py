"""Options of the grid worlds' robot. Imports nothing heavy, so that it can be listed."""

from __future__ import annotations

from pydantic import Field

from core.registry import Options


class GridOptions(Options):
    """Options of the grid worlds."""

    map: str = Field("", title="Map", description="GAME-SIZE-SEED; empty: as the task's problem is named.")
    look: str = Field("ice", title="Look", description="ice, lava, grass, space, paper, desert, or any text.")
