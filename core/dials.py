"""The four dials of supervision: how much of asking, believing, re-planning and moving is a person's.

After Parasuraman, Sheridan & Wickens (2000). The program may turn a dial up, only a person down.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from types import MappingProxyType

from core.ports import World


class Level(IntEnum):
    """More is more supervision."""

    WATCH = 0
    ASSIST = 1
    APPROVE = 2
    MANUAL = 3


@dataclass(frozen=True)
class Dials:
    ask: Level = Level.ASSIST
    believe: Level = Level.ASSIST
    replan: Level = Level.ASSIST
    move: Level = Level.ASSIST

    @property
    def preset(self) -> str:
        """The preset's name, or "" when the dials differ."""
        return next((name for name, dials in PRESETS.items() if dials == self), "")

    def at_least(self, other: Dials) -> Dials:
        """Each dial at the higher of both."""
        return Dials(
            max(self.ask, other.ask),
            max(self.believe, other.believe),
            max(self.replan, other.replan),
            max(self.move, other.move),
        )

    def allowed(self, world: World) -> Dials:
        """What `world` allows: on REAL nothing is watched only, and every step is approved."""
        if world is not World.REAL:
            return self
        dials = self.at_least(PRESETS["Assist"])
        return replace(dials, move=max(dials.move, Level.APPROVE))


PRESETS: Mapping[str, Dials] = MappingProxyType(
    {level.name.capitalize(): Dials(level, level, level, level) for level in Level}
)

MEANING: Mapping[str, tuple[str, str, str, str]] = MappingProxyType(
    {
        "ask": ("what the method asks", "what the method asks", "what the method asks", "nothing; I answer"),
        "believe": (
            "answers as they come",
            "ask me on contradiction, doubt or unknown",
            "show me every call first",
            "only my answers",
        ),
        "replan": ("at once", "after my look", "after my look", "when I say"),
        "move": ("free", "until a breakpoint", "each step", "only steps I choose"),
    }
)
