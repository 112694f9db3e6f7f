"""The suite that every robot passes, on the emulated UR5e: an emulator for each test, so it takes minutes."""

from __future__ import annotations

import pytest

from core.planning import shelf
from tests.robots import test_conformance as suite

globals().update({name: test for name, test in vars(suite).items() if name.startswith("test_conformance_")})

pytestmark = [pytest.mark.long, pytest.mark.gl]


@pytest.fixture
def case() -> suite.Case:
    return suite.Case("ur5e", lambda: shelf.task("collect_eggplant"))
