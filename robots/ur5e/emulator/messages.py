"""What the controller tells its primary clients, as values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TextMessage:
    """A program's `textmsg`."""

    text: str


@dataclass(frozen=True)
class KeyMessage:
    """A program has begun or ended."""

    title: str
    text: str


@dataclass(frozen=True)
class RuntimeExceptionMessage:
    """Why a program is refused or ends: PolyScope's word for it, and where."""

    line: int
    column: int
    text: str


@dataclass(frozen=True)
class PopupMessage:
    text: str
    title: str
    warning: bool
    error: bool


PrimaryMessage = TextMessage | KeyMessage | RuntimeExceptionMessage | PopupMessage
