"""The suite that every robot passes, on OmniGibson over the contract fake."""

from __future__ import annotations

import sys
from functools import partial

import pytest

from core.planning import domain_library
from robots.registry import ROBOTS
from tests.robots import test_conformance as suite
from tests.robots.omnigibson.conftest import environment

globals().update({name: test for name, test in vars(suite).items() if name.startswith("test_conformance_")})


@pytest.fixture(scope="module", autouse=True)
def fake() -> object:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment("a").items():
            patch.setenv(name, value)
        yield


@pytest.fixture(params=["with pictures", "without pictures"])
def case(request: pytest.FixtureRequest) -> suite.Case:
    options = {"python": sys.executable, "scene": "a scene"}
    at = partial(domain_library.load_task, "boil_water")
    return suite.Case(ROBOTS["omnigibson"], at, request.param == "with pictures", options)
