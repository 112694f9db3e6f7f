"""The values of a script, and why one cannot be parsed or go on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

ScriptValue: TypeAlias = "float | int | bool | str | list[ScriptValue] | PoseValue | ThreadHandle | None"


class ScriptError(Exception):
    """A script that cannot be parsed or cannot continue: PolyScope's message, and where."""

    def __init__(self, text: str, line: int = 0) -> None:
        super().__init__(text)
        self.text, self.line = text, line


class PoseValue(list[float]):
    """p[x, y, z, rx, ry, rz]: metres and a rotation vector in radians."""


@dataclass(frozen=True)
class ThreadHandle:
    """A thread that runs, or has run."""

    number: int
