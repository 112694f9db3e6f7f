"""The four supervision levels: how much of asking, believing, replanning and moving a person decides.

After Parasuraman, Sheridan & Wickens (2000). The program may raise a level; only a person may lower one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass, replace
from enum import IntEnum
from types import MappingProxyType

from core.ports import Embodiment


class SupervisionLevel(IntEnum):
    """The higher, the more supervision."""

    WATCH = 0
    ASSIST = 1
    APPROVE = 2
    MANUAL = 3


@dataclass(frozen=True)
class SupervisionLevels:
    ask: SupervisionLevel = SupervisionLevel.ASSIST
    believe: SupervisionLevel = SupervisionLevel.ASSIST
    replan: SupervisionLevel = SupervisionLevel.ASSIST
    move: SupervisionLevel = SupervisionLevel.ASSIST

    @property
    def preset_name(self) -> str:
        """Return the preset's name, or "" if the levels match none."""
        return next((name for name, levels in SUPERVISION_PRESETS.items() if levels == self), "")

    def at_least(self, other: SupervisionLevels) -> SupervisionLevels:
        """Return each level at the higher of both."""
        return SupervisionLevels(*map(max, astuple(self), astuple(other)))

    def allowed_for(self, embodiment: Embodiment) -> SupervisionLevels:
        """Return the levels allowed for `embodiment`: on REAL none is WATCH, and every step needs
        approval."""
        if embodiment is not Embodiment.REAL:
            return self
        levels = self.at_least(SUPERVISION_PRESETS["Assist"])
        return replace(levels, move=max(levels.move, SupervisionLevel.APPROVE))


SUPERVISION_PRESETS: Mapping[str, SupervisionLevels] = MappingProxyType(
    {level.name.capitalize(): SupervisionLevels(level, level, level, level) for level in SupervisionLevel}
)
WATCH = SUPERVISION_PRESETS["Watch"]

LEVEL_DESCRIPTIONS: Mapping[str, tuple[str, str, str, str]] = MappingProxyType(
    {
        "ask": ("what the method asks", "what the method asks", "what the method asks", "nothing; I answer"),
        "believe": (
            "answers as they come",
            "ask me on contradiction, doubt or unknown",
            "show me every call first",
            "only my answers",
        ),
        "replan": ("at once", "after my review", "after my review", "when I say"),
        "move": ("free", "until a breakpoint", "each step", "only steps I choose"),
    }
)
