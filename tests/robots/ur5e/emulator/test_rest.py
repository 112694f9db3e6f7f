"""What stands is not computed, until something acts on it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from robots.ur5e.emulator.controller import Controller
from robots.ur5e.emulator.plant import Plant
from robots.ur5e.emulator.ports.script_ports import start_script
from robots.ur5e.emulator.scene import make_scene
from robots.ur5e.emulator.snapshot import ControllerSnapshot


def wait(c: Controller, condition: Callable[[], bool]) -> None:
    for _ in range(4000):
        if condition():
            return
        c.tick()
    raise AssertionError(f"it never came about: {list(c.log)}")


@pytest.fixture
def c() -> Controller:
    made = Controller(Plant(make_scene("tabletop", 0)))
    made.brake_release()
    wait(made, lambda: made.plant.at_rest and made.motion_allowed)
    return made


def test_that_it_costs_no_physics_and_says_the_same(c: Controller) -> None:
    before, snapshot = c.plant.data.time, ControllerSnapshot(c)
    said = [snapshot.values(name) for name in ("actual_q", "actual_TCP_pose", "actual_TCP_force")]
    for _ in range(100):
        c.tick()
    assert c.plant.data.time == before and snapshot.holds
    c.plant.step(c.q, c.qd, c.qdd)
    for earlier, name in zip(said, ("actual_q", "actual_TCP_pose", "actual_TCP_force"), strict=True):
        assert ControllerSnapshot(c).values(name) == pytest.approx(earlier, abs=1e-5)


def test_that_a_program_moves_it(c: Controller) -> None:
    q, snapshot = c.plant.q, ControllerSnapshot(c)
    start_script(c, "def p():\n  movej([0, -1.57, 1.57, -1.57, -1.57, 0], a=4, v=3)\nend\n")
    wait(c, lambda: abs(c.plant.q[0]) < 1e-3)
    assert abs(q[0]) > 1 and not snapshot.holds


def test_that_a_thing_put_in_the_air_falls(c: Controller) -> None:
    thing = c.plant.scene.things[0].name
    c.plant.set_thing_pose(thing, (0.5, 0.3, 0.3))
    wait(c, lambda: c.plant.thing_pose(thing)[0][2] < 0.1)
    wait(c, lambda: c.plant.at_rest)
    c.plant.set_thing_velocity(thing, (0.0, 0.0, 1.0))
    wait(c, lambda: c.plant.thing_pose(thing)[0][2] > 0.1)


def test_that_its_fingers_close(c: Controller) -> None:
    def close() -> bool:
        c.plant.drive_fingers(0.02, 0.1, 50)
        return c.plant.finger_position > 0.019

    wait(c, close)


def test_that_a_hand_may_move_it_in_freedrive(c: Controller) -> None:
    c.compliant = True
    before = c.plant.data.time
    c.tick()
    assert c.plant.data.time > before and not c.plant.at_rest
