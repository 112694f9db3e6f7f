"""The suite that every robot passes, on the emulated UR5e."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext

import pytest

from core.domains import DomainSpec, Task
from core.planning import domain_library
from robots.registry import ROBOTS
from robots.ur5e.emulator.process import EmulatorProcess
from tests.robots import test_conformance as suite
from tests.robots.ur5e.conftest import fast_arms, fresh_address

globals().update({name: test for name, test in vars(suite).items() if name.startswith("test_conformance_")})

pytestmark = pytest.mark.gl


def eggplant() -> tuple[DomainSpec, Task]:
    return domain_library.load_task("collect_eggplant")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    process = EmulatorProcess(fresh_address())
    yield process.address
    process.close()


@pytest.fixture(scope="module", params=["quick", pytest.param("thorough", marks=pytest.mark.long)])
def case(address: str, request: pytest.FixtureRequest) -> Iterator[suite.Case]:
    """Quick: fewer steps, done faster. Thorough: at the speeds at which the arm works beside people."""
    quick = request.param == "quick"
    with fast_arms() if quick else nullcontext():
        yield suite.Case(ROBOTS["ur5e"], eggplant, shared={"arm": address}, quick=quick)
