from __future__ import annotations

from collections.abc import Callable

import pytest

from core.planning import domain_library
from core.planning_model import Problem
from core.stop_token import StopToken
from tests.core.planning.shared import FOREIGN, foreign


@pytest.fixture(params=FOREIGN)
def problem(request: pytest.FixtureRequest) -> Problem:
    """Each problem of the foreign domains in turn."""
    return foreign(request.param)


@pytest.fixture
def household() -> Callable[..., Problem]:
    """household("boil_water", "printed") -> the problem."""
    return lambda name, variant=None: domain_library.load_task(name, variant)[1].problem


@pytest.fixture
def cancel() -> StopToken:
    return StopToken()
