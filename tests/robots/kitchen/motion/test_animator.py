"""The body: how skills end, whatever the pace, and whatever stops them."""

from __future__ import annotations

from threading import Timer
from time import monotonic

import mujoco
import numpy as np
import pytest

from core.belief import Atom
from core.planning import domain_library
from core.stop_token import StopToken
from robots.kitchen.household.state import HAND
from robots.kitchen.motion import drop_motion
from robots.kitchen.robot import KitchenRobot
from robots.kitchen.simulation.settling import settle_all
from tests.permitted import do
from tests.robots.kitchen.conftest import TASK_SAMPLE, KitchenHarness, Make, make_household
from tests.robots.kitchen.test_agreement import disagreements

MUG, CABINET = "mug-n-04_1", "cabinet-n-01_1"
FETCH = (("find", "cabinet"), ("openit", "cabinet"), ("find", "mug"), ("graspin", "mug", "cabinet"))


@pytest.mark.parametrize("task", TASK_SAMPLE)
def test_that_what_happens_does_not_depend_on_the_pace(household: Make, task: str) -> None:
    ends = []
    for pace in (0.0, 0.02):
        home = household(task, seed=5, openness=1.75, pace=pace)
        for step in home.random_steps(10, 5):
            home.do(step)
        ends.append((home.world.state, home.body.snapshot))
    (state, shown), (paced_state, paced_shown) = ends
    assert state == paced_state
    np.testing.assert_allclose(shown.qpos, paced_shown.qpos, atol=0.02)
    np.testing.assert_array_equal(shown.groups, paced_shown.groups)


@pytest.mark.long
def test_that_the_same_seed_gives_the_same_kitchen_and_another_one_another(household: Make) -> None:
    def looks(seed: int) -> tuple[np.ndarray, np.ndarray, float]:
        home = household(seed=seed)
        home.play(*FETCH[:3])
        model = home.body.built.model
        return home.body.snapshot.qpos, model.mat_rgba.copy(), float(model.body("head").pos[2])

    first, again, other = looks(4), looks(4), looks(9)
    np.testing.assert_array_equal(first[0], again[0])
    np.testing.assert_array_equal(first[1], again[1])
    assert first[0].shape != other[0].shape or not np.allclose(first[0], other[0])
    assert not np.allclose(first[1], other[1])
    assert first[2] != other[2]


def test_that_a_held_thing_hangs_on_an_equality_constraint(household: Make) -> None:
    home = household()
    home.play(*FETCH)
    stage = home.body.sim
    weld = stage.model.equality(f"hand+{MUG}").id
    assert stage.data.eq_active[weld]
    before = stage.body_pose(MUG)[0]
    for _ in range(100):
        joints = stage.joints
        mujoco.mj_step(stage.model, stage.data)
        stage.set_joints(joints)
    assert np.linalg.norm(stage.body_pose(MUG)[0] - before) < 0.01, "it should not fall while it is held"
    stage.release_from_hand(MUG)
    for _ in range(100):
        mujoco.mj_step(stage.model, stage.data)
        stage.set_joints(joints)
    assert stage.body_pose(MUG)[0][2] < before[2] - 0.1, "it should fall once it is let go"


def test_that_a_dropped_thing_lies_on_the_floor_at_rest_and_out_of_the_eye(household: Make) -> None:
    home = household(only="the object drops nearby")
    home = _until(home, FETCH, "the object drops nearby")
    place = home.world.state.places[MUG]
    assert place == "floor-n-01_1"
    at = home.body.sim.body_pose(MUG)[0]
    settle_all(home.body.sim, (), lambda: None)
    assert np.linalg.norm(home.body.sim.body_pose(MUG)[0] - at) < 0.01
    assert home.body.visibility.visible_share(MUG) == 0
    assert home.body.corrections == 0


def test_that_a_drop_with_no_place_to_land_says_so(household: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = "no fall of mug-n-04_1 ended in a free place out of view, so it was laid on floor-n-01_1"
    home = _until(household(only="the object drops nearby"), FETCH[:3], "")
    monkeypatch.setattr(drop_motion, "_candidate_throws", lambda *_: iter(()))
    _, played = home.do(home.step(*FETCH[3]))
    assert played.remark == nowhere
    assert (
        home.body.geometry.location_of(MUG) == "floor-n-01_1" and home.body.visibility.visible_share(MUG) == 0
    )
    assert home.do(home.step("find", "mug"))[1].remark == "", "the next step has nothing to say of it"


@pytest.mark.gl
@pytest.mark.usefixtures("needs_gl")
def test_that_the_result_of_the_step_tells_of_a_drop_with_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    folder, task = domain_library.load_task("boil_water")
    rates = {s.name: float(s.name == "the object drops nearby") for s in folder.skills["graspin"].situations}
    quiet = {s.name: 0.0 for skill in folder.skills.values() for s in skill.situations}
    robot = KitchenRobot(folder, task, rates=quiet | rates)
    monkeypatch.setattr(drop_motion, "_candidate_throws", lambda *_: iter(()))
    home = make_household()
    try:
        outcomes = [do(robot, home.step(*step)) for step in FETCH]
    finally:
        robot.close()
    assert outcomes[-1].detail == (
        "the object drops nearby; "
        "no fall of the mug ended in a free place out of view, so it was laid on the floor"
    )


def test_that_a_door_that_does_not_open_stands_half_open_and_shows_nothing(household: Make) -> None:
    home = household(only="it does not open wide")
    home = _until(home, FETCH[:2], "it does not open wide")
    assert 0.1 < home.body.sim.door_opening("cabinet") < 0.4
    assert home.body.visibility.visible_share(MUG) <= 0.05
    assert home.world.state.holds("closed", CABINET)


def test_that_a_door_that_does_not_close_stands_open_for_the_most_part(household: Make) -> None:
    home = household(only="it stays open")
    home = _until(home, (*FETCH[:2], ("closeit", "cabinet")), "it stays open")
    assert home.body.sim.door_opening("cabinet") >= 0.7
    assert home.body.visibility.visible_share(MUG) > 0.2


def test_that_a_cut_egg_is_two_bodies_side_by_side(household: Make) -> None:
    home = household("halve_egg")
    egg = "hard__boiled_egg-n-01_1"
    bodies = home.body.built.bodies[egg]

    def apart() -> float:
        return float(
            np.linalg.norm(home.body.sim.body_pose(bodies[0])[0] - home.body.sim.body_pose(bodies[1])[0])
        )

    home.play(("find", "carving"), ("graspon", "carving", "countertop"), ("find", "hard"))
    assert home.body.sim.is_whole(egg) and apart() < 0.005
    home.play(("cut_into_half", "carving", "hard"))
    assert not home.body.sim.is_whole(egg) and apart() > 0.07


def test_that_heat_water_and_frost_show(household: Make) -> None:
    home = household("cook_frozen_pie")
    stage, pie = home.body.sim, "pie-n-01_1"
    assert stage.looks(pie) == {"frozen"}
    home.play(
        ("find", "electric"), ("openit", "electric"), ("find", "pie"), ("graspin", "pie", "electric"),
        ("find", "oven"), ("openit", "oven"), ("placein", "pie", "oven"),
        ("heat_food_with_oven", "oven", "pie"),
    )  # fmt: skip
    assert stage.looks(pie) == {"hot"}
    assert stage.looks("oven") == {"turnedon"}


def test_that_the_microwaves_window_is_misted_while_something_boils_in_it(household: Make) -> None:
    home = household()
    full, boiled = Atom("filled", (MUG, "water-n-06_1")), Atom("cooked", ("water-n-06_1",))
    turned = Atom("turnedon", ("microwave-n-02_1",))

    def is_misted(place: str, *facts: Atom) -> bool:
        home.body.update_looks(home.world.state.with_thing_at(MUG, place).with_facts(*facts))
        return "steaming" in home.body.sim.looks("microwave")

    assert is_misted("microwave-n-02_1", full, boiled)
    assert is_misted("microwave-n-02_1", full, boiled, turned)
    assert not is_misted("microwave-n-02_1", full, turned), "it does not boil yet"
    assert not is_misted("microwave-n-02_1", boiled, turned), "the mug is empty"
    assert not is_misted(CABINET, full, boiled, turned), "the mug is elsewhere"


@pytest.mark.parametrize("after", [0.05, 0.9, *(pytest.param(s, marks=pytest.mark.long) for s in (0.4, 1.3))])
def test_that_a_halt_takes_hold_within_a_frame_and_leaves_a_state_like_any_other(
    household: Make, monkeypatch: pytest.MonkeyPatch, after: float
) -> None:
    home = household(pace=1.0)
    begin = home.world.state
    halted_at: list[float] = []
    frames: list[float] = []
    monkeypatch.setattr(home.body.clock, "_publish", lambda: frames.append(monotonic()))
    timer = Timer(after, lambda: (home.latch.halt(), halted_at.append(monotonic())))
    timer.start()
    _, played = home.do(home.step("find", "cabinet"))
    timer.join()
    assert played.halted and not played.committed
    assert sum(frame > halted_at[0] for frame in frames) <= 1, "no frame but the one under way"
    assert home.world.state.places == begin.places
    assert home.world.state.focus == ""
    home.latch.release(1)
    home.body.clock.pace = 0.0
    home.play(*FETCH)
    assert disagreements(home) == []
    assert home.world.state.places[MUG] == HAND


def test_that_a_thing_that_falls_when_a_halt_comes_falls_to_its_end(
    household: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = household(only="the object drops nearby", pace=0.0)
    home.play(*FETCH[:3])
    home.body.clock.pace = 1.0
    settle, halts = drop_motion.settle_bodies, []

    def halted_on_the_way(*args: object) -> None:
        halts.append(home.latch.halt())
        settle(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(drop_motion, "settle_bodies", halted_on_the_way)
    _, played = home.do(home.step("graspin", "mug", "cabinet"))
    assert halts and played.halted and played.committed
    assert home.body.geometry.location_of(MUG) == home.world.state.places[MUG] == "floor-n-01_1"
    assert home.body.sim.max_speed([MUG]) == 0
    assert home.body.corrections == 0


def test_that_a_cancelled_step_changes_nothing(household: Make) -> None:
    home = household()
    cancel = StopToken()
    cancel.stop(1, "stop")
    before = home.world.state
    _, played = home.do(home.step("find", "cabinet"), cancel)
    assert played.halted and not played.committed
    assert home.world.state == before


def _until(home: KitchenHarness, steps: tuple[tuple[str, ...], ...], situation: str) -> KitchenHarness:
    """Does these steps; the last one must have met the situation."""
    happenings = home.play(*steps)
    assert happenings[-1].situation == situation
    return home
