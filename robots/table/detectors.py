"""Whether a wish was fulfilled, by the true poses after each step (`detectors.toml`); no search reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from pydantic import RootModel

from core.data_file import load_toml
from core.install_paths import resource_path
from core.motion.frames import Frame
from robots.ur5e.motion.rehearsal import SHARE_POURED
from robots.ur5e.motion.situation import is_inside
from robots.ur5e.scene_file import TabletopThing

_UPRIGHT, _STRAIGHT = 0.95, 0.95  # cosines
_NEAR_M, _THERE_M, _IN_LINE_M = 0.16, 0.03, 0.012


class _Detectors(RootModel[dict[str, list[str]]]):
    pass


@cache
def _detectors() -> Mapping[str, Sequence[str]]:
    return load_toml(resource_path("domains", "tabletop-wishes", "detectors.toml"), _Detectors).root


def is_done(task: str, course: Sequence[Mapping[str, Frame]], kinds: Mapping[str, TabletopThing]) -> bool:
    """Return True if a task with a detector is done. `course`: all poses, at first and after each step."""
    moments = [Moment(poses, course[0], kinds) for poses in course]
    tests = _detectors().get(task, ())
    return bool(tests) and all(_holds(test, moments) for test in tests)


def _holds(test: str, moments: Sequence[Moment]) -> bool:
    words, _, arguments = test.rstrip(")").partition("(")
    *how, name = words.split()
    given = [float(one) if one[0] in "-.0123456789" else one for one in arguments.split(", ")]
    said = (getattr(moment, name)(*given) for moment in (moments if how == ["once"] else moments[-1:]))
    return any(said) != (how == ["not"])


@dataclass(frozen=True)
class Moment:
    """Where everything is, and was at first. The arm looks along x; y is to its left."""

    poses: Mapping[str, Frame]
    first: Mapping[str, Frame]
    kinds: Mapping[str, TabletopThing]

    def _at(self, name: str) -> tuple[float, float, float]:
        x, y, z = self.poses[name][:3, 3]
        return float(x), float(y), float(z)

    def _apart(self, one: str, other: str) -> tuple[float, float, float]:
        x, y, z = np.subtract(self._at(one), self._at(other))
        return float(x), float(y), float(z)

    def over(self, name: str, x: float, y: float, half: float) -> bool:
        """Return True if a thing's centre is over a square on the table."""
        u, v, _ = self._at(name)
        return abs(u - x) < half and abs(v - y) < half

    def lies(self, name: str) -> bool:
        """Return True if a fruit is on the table itself."""
        return self._at(name)[2] < 0.03

    def high(self, name: str, z: float, within: float) -> bool:
        return abs(self._at(name)[2] - z) < within

    def stands(self, name: str) -> bool:
        return bool(self.poses[name][2, 2] > _UPRIGHT)

    def straight(self, name: str) -> bool:
        """Return True if a long thing lies along the way that the robot looks."""
        return bool(abs(self.poses[name][0, 0]) > _STRAIGHT)

    def inside(self, name: str, container: str) -> bool:
        return is_inside(self.poses[name], self.poses[container], self.kinds[container])

    def on(self, name: str, under: str) -> bool:
        """Return True if a thing is over what it was put onto, and higher."""
        (x, y, z), (a, b, c) = self._apart(name, under), self.kinds[under].half
        return abs(x) < a and abs(y) < b and 0 < z < c + 0.09

    def both_on_one(self, one: str, other: str, *under: str) -> bool:
        return any(self.on(one, each) and self.on(other, each) for each in under)

    def poured(self, name: str, container: str) -> bool:
        grains = [n for n in self.poses if n.startswith(f"{name}_grain_")]
        return sum(self.inside(grain, container) for grain in grains) >= SHARE_POURED * len(grains)

    def near(self, one: str, other: str) -> bool:
        return bool(np.hypot(*self._apart(one, other)[:2]) < _NEAR_M)

    def left(self, name: str, y: float) -> bool:
        return self._at(name)[1] > y

    def left_of(self, one: str, other: str, by: float) -> bool:
        return self._apart(one, other)[1] > by

    def behind(self, one: str, other: str, by: float) -> bool:
        return self._apart(one, other)[0] > by

    def beside(self, name: str, plate: str) -> bool:
        x, y, _ = self._apart(name, plate)
        return 0.05 < abs(y) < 0.16 and abs(x) < 0.13

    def where_was(self, name: str, other: str) -> bool:
        return bool(np.hypot(*(self.poses[name] - self.first[other])[:2, 3]) < _THERE_M)

    def two_in_front(self, *names: str) -> bool:
        """Return True if two of these are in the nearer half of the last."""
        *some, container = names
        return sum(self.inside(n, container) and self.behind(container, n, 0) for n in some) == 2

    def in_line(self, one: str, first: str, last: str) -> bool:
        (x, y, _), (a, b, _) = self._apart(one, first), self._apart(last, first)
        return bool(abs(x * b - y * a) / np.hypot(a, b) < _IN_LINE_M)
