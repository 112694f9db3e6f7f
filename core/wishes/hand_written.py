"""Wishes written by hand (`hand_written.toml`), and the relations in which they say where things are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial

from pydantic import RootModel
from pydantic.dataclasses import dataclass as file_dataclass

from core.data_file import FILE, load_toml
from core.install_paths import resource_path
from core.planning_model import Literal, Step
from core.scene import Bodies, Body
from core.wish import Test, Wish

_UPRIGHT = 0.1  # radians
_OVER_M, _RIM_M = 0.01, 0.1


def _over(a: Body, b: Body) -> bool:
    return all(b.lower[i] <= a.pose[i] <= b.upper[i] for i in (0, 1))


def on_top(thing: str, under: str, bodies: Bodies) -> bool:
    """Return True if the thing's centre is over what is under it, and as near to it as it can lie."""
    a, b = bodies[thing], bodies[under]
    half = max(high - low for low, high in zip(a.lower, a.upper, strict=True)) / 2
    return _over(a, b) and b.upper[2] <= a.pose[2] <= b.upper[2] + half + _OVER_M


def inside(thing: str, container: str, bodies: Bodies) -> bool:
    a, b = bodies[thing], bodies[container]
    return _over(a, b) and b.lower[2] <= a.pose[2] <= b.upper[2] + _RIM_M


def upright(thing: str, bodies: Bodies) -> bool:
    return all(abs(angle) < _UPRIGHT for angle in bodies[thing].pose[3:5])


def left_of(thing: str, other: str, bodies: Bodies) -> bool:
    return bodies[thing].pose[1] >= bodies[other].upper[1]


def right_of(thing: str, other: str, bodies: Bodies) -> bool:
    return bodies[thing].pose[1] <= bodies[other].lower[1]


def near(thing: str, other: str, bodies: Bodies, within: float = 0.12) -> bool:
    """Return True if the centres are not more than so many metres apart along any axis."""
    a, b = bodies[thing].pose, bodies[other].pose
    return all(abs(a[i] - b[i]) <= within for i in range(3))


def tipped_over(thing: str, target: str, bodies: Bodies) -> bool:
    """Return True if the thing is tipped, so that it pours, with its centre over the target."""
    a, b = bodies[thing], bodies[target]
    return abs(a.pose[3]) > 1.2 and _over(a, b) and a.pose[2] >= b.upper[2]


def tipped(thing: str, bodies: Bodies) -> bool:
    return abs(bodies[thing].pose[3]) > 1.9


def _line(text: str) -> tuple[str, tuple[str, ...]]:
    """Read "name(argument, argument)"."""
    name, _, arguments = text.rstrip(")").partition("(")
    return name, tuple(arguments.split(", "))


_RELATIONS = (on_top, inside, upright, left_of, right_of, near, tipped_over, tipped)
_BY_NAME: Mapping[str, Callable[..., bool]] = {relation.__name__: relation for relation in _RELATIONS}


def _tests(texts: Sequence[str]) -> tuple[Test, ...]:
    return tuple(partial(_BY_NAME[name], *arguments) for name, arguments in map(_line, texts))


@file_dataclass(frozen=True, config=FILE)
class _Written:
    steps: list[str]
    goal: list[str]
    tests: dict[str, list[str]]
    end: list[str] | None = None


class _File(RootModel[dict[str, _Written]]):
    pass


@cache
def _wishes() -> Mapping[str, _Written]:
    return load_toml(resource_path("resources", "wishes", "hand_written.toml"), _File).root


def hand_written(task: str, words: str) -> Wish | None:
    """Return the wish of a task of `tabletop-wishes`, or None if nobody has written it."""
    if (written := _wishes().get(task)) is None:
        return None
    tests = {int(number): _tests(texts) for number, texts in written.tests.items()}
    ends = sum(tests.values(), ()) if written.end is None else _tests(written.end)
    steps = tuple(Step(*_line(text)) for text in written.steps)
    return Wish(words, steps, tuple(Literal(*_line(text)) for text in written.goal), tests, ends)
