"""Stopping with real key presses from a real X server, on Qt's xcb platform."""

from __future__ import annotations

import pytest

from tests.app.on_x import needs_x, run_on_x
from tests.app.xcb_person import SITUATIONS

pytestmark = [needs_x, pytest.mark.long]  # tests/app/test_xcb_keys.py has a real X server in each run


@pytest.fixture(scope="module")
def found() -> dict[str, dict[str, object]]:
    return run_on_x("tests.app.xcb_person")


def test_that_this_is_the_real_platform(found: dict[str, dict[str, object]]) -> None:
    assert found["platform"]["name"] == "xcb"


@pytest.mark.parametrize("situation", SITUATIONS)
def test_that_esc_from_the_server_stops_once(found: dict[str, dict[str, object]], situation: str) -> None:
    assert found[situation] == {"stopped": True, "stops": 1, "closed": True}


def test_that_holding_enter_on_the_keyboard_goes_on(found: dict[str, dict[str, object]]) -> None:
    assert found["hold"]["released"]


def test_that_nothing_is_left_behind(found: dict[str, dict[str, object]]) -> None:
    assert found["left"]["behind"] is False
