"""What a robot elsewhere sends beside the answers to requests."""

from __future__ import annotations

from math import inf
from types import SimpleNamespace
from typing import Any

import pytest

from robots.remote import remote_capabilities
from robots.remote.wire_message import UNKNOWN_AGE, JsonValue, WireMessage


def shown(shape: JsonValue, **more: JsonValue) -> dict[str, Any]:
    robot: Any = SimpleNamespace(_frames={})
    message = WireMessage({"camera": "top", "shape": shape, **more}, (bytes(18),))
    remote_capabilities._Live._show(robot, message, 100.0)
    return robot._frames


@pytest.mark.parametrize(
    "shape", [[float("inf"), 3, 3], [float("nan"), 3, 3], [2.5, 3, 3], [-2, -3, 3], [6, 3], "x"]
)
def test_that_a_live_picture_of_no_size_is_not_shown(shape: JsonValue) -> None:
    assert shown(shape) == {}


def test_that_a_live_picture_is_shown() -> None:
    assert shown([2, 3, 3])["top"].rgb.shape == (2, 3, 3)


def test_that_a_live_picture_is_as_old_as_its_robot_says_whenever_it_came() -> None:
    assert shown([2, 3, 3], age=7.0)["top"].timestamp == 93.0
    assert shown([2, 3, 3])["top"].timestamp == -inf, "a robot that does not say how old"
    assert shown([2, 3, 3], age=UNKNOWN_AGE)["top"].timestamp == -inf
