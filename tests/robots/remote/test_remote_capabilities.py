"""What a robot elsewhere sends beside the answers to requests."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from robots.remote import remote_capabilities
from robots.remote.wire_message import JsonValue, WireMessage


def shown(shape: JsonValue) -> dict[str, Any]:
    robot: Any = SimpleNamespace(_frames={})
    remote_capabilities._Live._show(robot, WireMessage({"camera": "top", "shape": shape}, (bytes(18),)))
    return robot._frames


@pytest.mark.parametrize(
    "shape", [[float("inf"), 3, 3], [float("nan"), 3, 3], [2.5, 3, 3], [-2, -3, 3], [6, 3], "x"]
)
def test_that_a_live_picture_of_no_size_is_not_shown(shape: JsonValue) -> None:
    assert shown(shape) == {}


def test_that_a_live_picture_is_shown() -> None:
    assert shown([2, 3, 3])["top"].rgb.shape == (2, 3, 3)
