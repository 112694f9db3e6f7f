"""Held keys that a real X server repeats, on a busy machine: one press, one decision."""

from __future__ import annotations

from typing import Any

import pytest

from tests.app.on_x import needs_x, run_on_x

pytestmark = [needs_x, pytest.mark.realtime]


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return run_on_x("tests.app.xcb_keys")


def test_that_a_held_enter_approves_one_step(found: dict[str, Any]) -> None:
    steps, *_ = found["console"]["approved"]
    assert steps == 1
    assert found["console"]["after"] == 1, "what is held to resume approves nothing"


def test_that_holding_enter_releases_a_stop_although_it_repeats(found: dict[str, Any]) -> None:
    assert found["console"]["stopped"]
    assert found["console"]["released"]
    assert found["held"] == ["held"]


def test_that_a_jog_goes_on_while_its_key_repeats_and_ends_soon_after(found: dict[str, Any]) -> None:
    assert found["jog"] == ["begin", "end"]
    assert 0 < found["late"] < 0.4, "tests run on busy machines: alone it takes 0.07 s"


@pytest.mark.parametrize("control", ["button", "enter", "action"])
def test_that_a_held_key_counts_once(found: dict[str, Any], control: str) -> None:
    assert len(found[control]) == 1


def test_that_two_quick_presses_count_twice(found: dict[str, Any]) -> None:
    assert found["twice"] == ["clicked", "clicked"]


def test_that_letters_still_repeat_where_they_are_typed(found: dict[str, Any]) -> None:
    assert found["typed"] > 5


@pytest.mark.parametrize("key", ["other key", "Alt"])
def test_that_another_key_ends_a_jog(found: dict[str, Any], key: str) -> None:
    assert found[key]


def test_that_another_window_ends_a_hold_and_a_jog_for_good(found: dict[str, Any]) -> None:
    assert found["another window"] == ["begin", "end"]
