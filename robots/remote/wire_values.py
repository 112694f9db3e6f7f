"""Robots' values as messages carry them. What comes from the other side is checked as it is decoded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from core.belief import Atom
from core.domains import DomainSpec, Task
from core.errors import (
    Cancelled,
    ConsoleError,
    MotionRefused,
    NoPicture,
    RobotError,
    RobotNotReady,
)
from core.log.serialize import DecodeError, codec_for
from core.ports import BoundingBox
from robots.remote.wire_message import JsonValue, WireMessage

_ERRORS: Mapping[str, type[Exception]] = {
    kind.__name__: kind for kind in (Cancelled, MotionRefused, NoPicture, RobotError, RobotNotReady)
}


@dataclass(frozen=True)
class RobotTask:
    """What a robot is made for and how: the arguments of a registry entry's `make`, its options apart."""

    folder: DomainSpec
    task: Task
    seed: int = 0
    openness: float = 1.0
    rates: Mapping[str, float] | None = None
    pictures: bool = True
    pace: float = 0.0

    def needs(self) -> dict[str, Any]:
        """Return the arguments of `make`. The folder has no place on this machine."""
        folder = replace(self.folder, path=None, tasks={self.task.name: self.task})
        return {**vars(self), "folder": folder}


@dataclass(frozen=True)
class Snapshot:
    """What is so after a motion or a look. Of a robot that knows no truth, `truth` is empty."""

    senses: tuple[tuple[Atom, bool], ...] = ()
    truth: frozenset[Atom] = frozenset()
    situation: str = ""
    step_succeeded: bool | None = None
    viewpoints: tuple[str, ...] = ()
    boxes: tuple[BoundingBox, ...] = ()  # in the last picture


def encode(value: object) -> JsonValue:
    kind: Any = type(value)
    form: JsonValue = codec_for(kind).encode(value)
    return form


def encode_task(task: RobotTask) -> JsonValue:
    return encode(replace(task, folder=replace(task.folder, path=None, tasks={})))


def decode(hint: Any, message: WireMessage, key: str) -> Any:
    """Return the value under `key`. Raises RobotError for what is no value of this type."""
    try:
        return codec_for(hint).decode(message.body.get(key))
    except (DecodeError, ConsoleError, RecursionError, ValueError, TypeError) as error:
        raise RobotError(
            f"What was sent as {key!r} cannot be used ({error}): both sides need the same version."
        ) from None


def encode_error(error: Exception) -> dict[str, JsonValue]:
    """Return an error as the body of a reply. What is no error of ours keeps its class in its words."""
    kind = next((name for name, kind in _ERRORS.items() if type(error) is kind), "RobotError")
    words = str(error) if isinstance(error, ConsoleError | Cancelled) else f"{type(error).__name__}: {error}"
    return {"error": kind, "why": words}


def raise_error(reply: WireMessage) -> None:
    """Raise the error that a reply carries, if it is one."""
    if "error" in reply.body:
        raise _ERRORS.get(reply.text("error"), RobotError)(reply.text("why"))
