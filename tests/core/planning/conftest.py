"""Four domains that nobody planned for, and the shipped household."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from core.cancel import Cancel
from core.planning import shelf
from core.problem import Problem

ROOT = Path(__file__).parents[3]
FIXTURES = ROOT / "tests" / "fixtures" / "domains"
FOREIGN = (
    "blocks/turn_around",
    "blocks/tower_of_three",
    "gripper/problem1",
    "ferry/problem",
    "switches/problem",
)
HOUSEHOLD = ("boil_water", "bring_in_bottles", "cook_frozen_pie", "halve_egg", "store_firewood")

needs_fast_downward = pytest.mark.skipif(
    find_spec("up_fast_downward") is None, reason="the extra fast-downward is not installed"
)


def foreign(name: str) -> Problem:
    folder, _, task = name.partition("/")
    return shelf.folder(FIXTURES / folder).tasks[task].problem


@pytest.fixture(params=FOREIGN)
def problem(request: pytest.FixtureRequest) -> Problem:
    """Each problem of the foreign domains in turn."""
    return foreign(request.param)


@pytest.fixture
def household() -> Callable[..., Problem]:
    """household("boil_water", "printed") -> the problem."""
    return lambda name, variant=None: shelf.task(name, variant)[1].problem


@pytest.fixture
def cancel() -> Cancel:
    return Cancel()
