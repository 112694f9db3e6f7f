"""Robots by name. A robot's own packages are imported only when it is chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Protocol

from core.domains import Folder, Task
from core.errors import UnknownName
from core.ports import Robot


class Maker(Protocol):
    """What every simulated robot is made from.

    `openness` scales the situations' rates, 0 (none) to 1.75; `rates` replaces single ones by name.
    With `pictures` False the frames are blank. `pace`: 0 does a step at once, more slows it down.
    """

    def __call__(
        self,
        folder: Folder,
        task: Task,
        *,
        seed: int = 0,
        openness: float = 1.0,
        rates: Mapping[str, float] | None = None,
        pictures: bool = True,
        pace: float = 0.0,
    ) -> Robot: ...


def _symbolic(_: str) -> Maker:
    from robots.symbolic.robot import SymbolicRobot

    return SymbolicRobot


def _kitchen(_: str) -> Maker:
    from robots.kitchen.robot import KitchenRobot

    return KitchenRobot


def _ur5e(arm: str) -> Maker:
    from robots.ur5e.tabletop.robot import tabletop

    return partial(tabletop, arm=arm)


ROBOTS: Mapping[str, Callable[[str], Maker]] = MappingProxyType(
    {"kitchen": _kitchen, "symbolic": _symbolic, "ur5e": _ur5e}
)


def names() -> tuple[str, ...]:
    return tuple(sorted(ROBOTS))


def make_robot(
    name: str,
    *,
    folder: Folder,
    task: Task,
    seed: int = 0,
    openness: float = 1.0,
    rates: Mapping[str, float] | None = None,
    pictures: bool = True,
    pace: float = 0.0,
    arm: str = "",
) -> Robot:
    """A robot before the first step of a task; `arm` is which one, where it is a real arm or its emulator.

    Raises UnknownName, and BadValue for what is out of range.
    """
    if name not in ROBOTS:
        raise UnknownName("robot", name, ROBOTS)
    make = ROBOTS[name](arm)
    return make(folder, task, seed=seed, openness=openness, rates=rates, pictures=pictures, pace=pace)
