"""Settings for an episode of the loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from core.loop.gate import AutoOperator
from robots.symbolic.robot import SymbolicRobot
from tests.core import tiny
from tests.core.looping import Setting, Truthful


@pytest.fixture
def setting() -> Iterator[Callable[..., Setting]]:
    robots = []

    def made(open_fails: float = 0.0, take_fails: float = 0.0, seed: int = 0, **parts: object) -> Setting:
        robot = SymbolicRobot(tiny.folder(open_fails, take_fails), tiny.TASK, seed=seed, pictures=False)
        robots.append(robot)
        operator = parts.pop("operator", None) or AutoOperator()
        answerer = Truthful(robot, parts.pop("blind", frozenset()))
        return replace(Setting(robot, answerer, operator), **parts)

    yield made
    for robot in robots:
        robot.close()
