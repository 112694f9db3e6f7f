"""The messages of the controller to its primary clients, as values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TextMessage:
    """The text of a program's `textmsg`."""

    text: str


@dataclass(frozen=True)
class KeyMessage:
    """A program has begun or ended."""

    title: str
    text: str


@dataclass(frozen=True)
class RuntimeExceptionMessage:
    """Why a program was refused or ended: PolyScope's text, and where in the script."""

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
