"""What the controller tells its primary clients, as values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Text:
    """A program's `textmsg`."""

    text: str


@dataclass(frozen=True)
class Key:
    """A program has begun or ended."""

    title: str
    text: str


@dataclass(frozen=True)
class RuntimeException:
    """Why a program is refused or ends: PolyScope's word for it, and where."""

    line: int
    column: int
    text: str


@dataclass(frozen=True)
class Popup:
    text: str
    title: str
    warning: bool
    error: bool


Message = Text | Key | RuntimeException | Popup
