"""Robots' values as messages carry them. What comes from the other side is checked as it is decoded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from core.belief import Atom
from core.data_file import read_text
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
from core.open_world.world_file import FILE_NAME as OPEN_WORLD
from core.ports import BoundingBox
from core.stock import StockItem
from robots.remote.wire_message import JsonValue, WireMessage

_FILES = (OPEN_WORLD,)  # beside a domain, that a robot may read
_ERRORS: Mapping[str, type[Exception]] = {
    kind.__name__: kind for kind in (Cancelled, MotionRefused, NoPicture, RobotError, RobotNotReady)
}


@dataclass(frozen=True)
class RobotTask:
    """What a robot is made for and how: the arguments of a registry entry's `make`, its options apart.

    `files` are the texts of the data files beside the domain that robots read, by name.
    """

    domain_spec: DomainSpec
    task: Task
    seed: int = 0
    openness: float = 1.0
    rates: Mapping[str, float] | None = None
    pictures: bool = True
    pace: float = 0.0
    files: Mapping[str, str] = field(default_factory=dict)

    @contextmanager
    def needs(self) -> Iterator[dict[str, Any]]:
        """Yield the arguments of `make`. The domain's folder is a temporary one. Raises RobotError."""
        with TemporaryDirectory(prefix="dkprompt-domain-") as place:
            for name, text in self.files.items():
                if name not in _FILES:
                    raise RobotError(f"No robot reads a file {name!r}: both sides need the same version.")
                (Path(place) / name).write_text(text, encoding="utf-8")
            tasks = {**self.domain_spec.tasks, self.task.name: self.task}
            domain_spec = replace(self.domain_spec, path=Path(place) if self.files else None, tasks=tasks)
            yield {k: v for k, v in vars(self).items() if k != "files"} | {"domain_spec": domain_spec}


@dataclass(frozen=True)
class Snapshot:
    """What is so after a motion or a look. Of a robot that knows no truth, `truth` is empty."""

    senses: tuple[tuple[Atom, bool], ...] = ()
    truth: frozenset[Atom] = frozenset()
    situation: str = ""
    step_succeeded: bool | None = None
    viewpoints: tuple[str, ...] = ()
    boxes: tuple[BoundingBox, ...] = ()  # in the last picture
    situations: tuple[str, ...] = ()
    stock: tuple[StockItem, ...] = ()


def encode(value: object) -> JsonValue:
    kind: Any = type(value)
    form: JsonValue = codec_for(kind).encode(value)
    return form


def encode_task(task: RobotTask) -> JsonValue:
    """Encode a task with what its domain's folder holds besides. Raises BadFile."""
    place = task.domain_spec.path
    there = [] if place is None else [place / name for name in _FILES if (place / name).is_file()]
    files = {path.name: read_text(path) for path in there}
    tasks = dict(task.domain_spec.tasks) if files else {}  # which they name
    return encode(replace(task, domain_spec=replace(task.domain_spec, path=None, tasks=tasks), files=files))


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
