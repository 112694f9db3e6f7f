"""Robots by name. A robot's own packages are imported only when it is made.

A robot's `make` takes, by name, `options, folder, task, seed, openness, rates, pictures, pace`.
`openness` scales the situations' rates, 0 (none) to 1.75; `rates` replaces single ones by name. With
`pictures` False the frames are blank. `pace`: 0 does a step at once, more slows it down.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from core.domains import DomainSpec, Task
from core.ports import Embodiment, Robot
from core.registry import Options, requires_package
from core.robots import ConformanceTrial, RobotEntry, RobotRegistry, simulated_embodiment


class Ur5eOptions(Options):
    """Of the UR5e."""

    arm: str = Field(
        "",
        title="Arm",
        description="A UR5e's address or setup file; empty: the one that DKPROMPT_UR5E names, else an "
        "emulator of its own.",
    )


def _make_symbolic(options: Options, **needs: Any) -> Robot:
    from robots.symbolic.robot import SymbolicRobot

    return SymbolicRobot(**needs)


def _make_kitchen(options: Options, **needs: Any) -> Robot:
    from robots.kitchen.robot import KitchenRobot

    return KitchenRobot(**needs)


def _make_ur5e(options: Ur5eOptions, **needs: Any) -> Robot:
    from robots.ur5e.tabletop.emulated_robot import make_tabletop_robot

    return make_tabletop_robot(**needs, arm=options.arm)


def _ur5e_embodiment(options: Options) -> Embodiment | None:
    """Its own emulator where no arm is named; of a named one only its serial number tells."""
    named = getattr(options, "arm", "") or os.environ.get("DKPROMPT_UR5E", "")
    return None if named else Embodiment.EMULATED


def _kitchen_supports(folder: DomainSpec, task: Task) -> tuple[str, ...]:
    from robots.kitchen.task_support import unsupported_reasons

    return unsupported_reasons(folder, task)


def _symbolic_supports(folder: DomainSpec, task: Task) -> tuple[str, ...]:
    from robots.symbolic.task_support import unsupported_reasons

    return unsupported_reasons(folder, task)


def _tabletop_supports(folder: DomainSpec, task: Task) -> tuple[str, ...]:
    from robots.ur5e.tabletop.task_support import unsupported_reasons

    return unsupported_reasons(folder, task)


ROBOTS = RobotRegistry(
    (
        RobotEntry(
            "kitchen",
            "Kitchen simulator",
            "A household in 3-D on this computer.",
            _make_kitchen,
            incompatibilities=_kitchen_supports,
            embodiment=simulated_embodiment,
            trials=(ConformanceTrial("boil_water"),),
        ),
        RobotEntry(
            "symbolic",
            "Symbolic robot",
            "Any domain; its pictures are the facts, written out.",
            _make_symbolic,
            incompatibilities=_symbolic_supports,
            embodiment=simulated_embodiment,
            trials=(ConformanceTrial("boil_water"),),
        ),
        RobotEntry(
            "ur5e",
            "UR5e",
            "An arm at a table, real or emulated; the top bar says which.",
            _make_ur5e,
            Ur5eOptions,
            requires_package("rtde_control", "ur5e"),
            _tabletop_supports,
            embodiment=_ur5e_embodiment,
        ),
    ),
    "robots.registry:ROBOTS",
)


def robot_names() -> tuple[str, ...]:
    return tuple(sorted(ROBOTS.names()))


def make_robot(
    name: str,
    *,
    folder: DomainSpec,
    task: Task,
    seed: int = 0,
    openness: float = 1.0,
    rates: Mapping[str, float] | None = None,
    pictures: bool = True,
    pace: float = 0.0,
    options: Mapping[str, str] | None = None,
) -> Robot:
    """A robot before the first step of a task. Raises UnknownName, and BadValue for what is out of range."""
    entry = ROBOTS[name]
    chosen = entry.read_options(options or {})
    return entry.make(
        options=chosen,
        folder=folder,
        task=task,
        seed=seed,
        openness=openness,
        rates=rates,
        pictures=pictures,
        pace=pace,
    )
