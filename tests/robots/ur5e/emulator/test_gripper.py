from __future__ import annotations

import pytest

from robots.ur5e.emulator.ports.gripper_port import EmulatedGripper
from tests.robots.ur5e.emulator.conftest import Desk


@pytest.mark.parametrize(("asked", "kept"), [(300, 255), (-5, 0), (10**300, 255), (17, 17)])
def test_that_a_register_is_a_byte(desk: Desk, asked: int, kept: int) -> None:
    gripper = EmulatedGripper(desk.c.plant)
    assert gripper.set("SPE", asked)
    assert gripper.get("SPE") == f"SPE {kept}"


@pytest.mark.parametrize("name", ["STA", "OBJ", "FLT", "PRE", "XYZ"])
def test_that_what_the_hand_reports_cannot_be_set(desk: Desk, name: str) -> None:
    gripper = EmulatedGripper(desk.c.plant)
    before = gripper.get(name)
    assert not gripper.set(name, 3)
    assert gripper.get(name) == before
