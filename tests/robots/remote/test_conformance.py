"""The suite that every robot passes, on the shipped simulators through the protocol, over a real socket."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest

from core.robots import ConformanceTrial
from robots import opengl
from robots.registry import ROBOTS
from tests.robots import test_conformance as suite
from tests.robots.conformance import place
from tests.robots.remote.served import Served, serving

globals().update({name: test for name, test in vars(suite).items() if name.startswith("test_conformance_")})


@pytest.fixture(
    scope="module",
    params=[
        ("symbolic", True),
        ("symbolic", False),
        pytest.param(("kitchen", False), marks=pytest.mark.long),
        pytest.param(("kitchen", True), marks=[pytest.mark.gl, pytest.mark.long]),
    ],
    ids=["symbolic", "symbolic without pictures", "kitchen without pictures", "kitchen"],
)
def served(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Served, bool]]:
    name, pictures = request.param
    if pictures and name == "kitchen" and not opengl.backend():
        pytest.skip(opengl.REMEDY)
    with serving(name, tmp_path_factory.mktemp("token")) as server:
        yield server, pictures


@pytest.fixture
def case(served: tuple[Served, bool]) -> suite.Case:
    server, pictures = served
    at = partial(place, ConformanceTrial("boil_water"))
    return suite.Case(ROBOTS["remote"], at, pictures, server.options)
