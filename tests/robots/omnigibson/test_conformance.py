"""The suite that every robot passes, on OmniGibson over the contract fake of each API version."""

from __future__ import annotations

import sys
from functools import partial
from itertools import product

import pytest

from core.planning import domain_library
from robots.registry import ROBOTS
from tests.robots import test_conformance as suite
from tests.robots.omnigibson.conftest import environment

globals().update({name: test for name, test in vars(suite).items() if name.startswith("test_conformance_")})


@pytest.fixture(
    params=[
        ("a", False),  # drawing its pictures takes most of the time
        *(
            pytest.param((api, pictures), marks=pytest.mark.long)
            for api, pictures in product("abc", (True, False))
            if (api, pictures) != ("a", False)
        ),
    ],
    ids=lambda value: f"API {value[0].upper()}{'' if value[1] else ' without pictures'}",
)
def case(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> suite.Case:
    api, pictures = request.param
    for name, value in environment(api).items():
        monkeypatch.setenv(name, value)
    options = {"python": sys.executable, "scene": f"a scene of API {api.upper()}"}
    at = partial(domain_library.load_task, "boil_water")
    return suite.Case(ROBOTS["omnigibson"], at, pictures, options)
