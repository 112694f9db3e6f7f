"""Plans over real scenes, without physics where that suffices."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from core.belief import Atom
from core.motion.frames import Frame, frame, rotation
from core.motion.search import Hints, Miss
from core.planning.domain_library import load_domain_spec
from core.planning_model import PlanStatus, Step
from core.scene import Scene
from core.stop_token import StopToken
from core.wish import WishOptions
from core.wishes.hand_written import hand_written, near, on_top
from core.wishes.motion_process import MotionRequest, plan_here
from core.wishes.wish_planner import WishPlan
from robots.ur5e.arm_setup import ArmLimits
from robots.ur5e.emulator.plant import Plant
from robots.ur5e.emulator.scene import make_scene
from robots.ur5e.gripper.model import DEFAULT_GRIPPER
from robots.ur5e.kinematics import PARKED, forward_kinematics, invert_transform, pose_to_matrix
from robots.ur5e.limits import limit_violation
from robots.ur5e.motion.collisions import LIMIT, Collisions
from robots.ur5e.motion.rehearsal import Rehearsal
from robots.ur5e.motion.skills import TableSkills
from robots.ur5e.motion.table_scene import first_poses, table_scene

SPEC = load_domain_spec("tabletop-wishes")
TCP = pose_to_matrix((0, 0, 0.157, 0, 0, 0))
ON = (partial(on_top, "strawberry", "light_grey_region"),)
GEOMETRY = WishOptions(rehearsal=False)


def seen(task: str, seed: int = 0, **moved: tuple[float, float]) -> Scene:
    """The scene at first, some of its things moved to x, y."""
    table = make_scene(task, seed)
    poses = first_poses(table)
    for name, at in moved.items():
        poses[name][:2, 3] = at
    return table_scene(table, task, seed, DEFAULT_GRIPPER, poses, "test")


def planned(task: str, scene: Scene, options: WishOptions = GEOMETRY, **changes: Any) -> WishPlan:
    wish = hand_written(task, "")
    assert wish is not None
    request = MotionRequest(SPEC.tasks[task].problem, replace(wish, **changes), scene, options)
    return plan_here(request, StopToken())


def test_that_a_can_on_the_region_is_moved_away_and_no_way_touches_anything() -> None:
    scene = seen("berry_2")
    found = planned("berry_2", scene)
    assert [step.name for step in found.plan.steps] == ["pick", "place_ontop"] * 2
    assert found.plan.steps[0].args == ("potted_meat_can",) and found.skeletons == 2
    skills = TableSkills(scene)
    first = skills.start()
    moves = found.plan.steps[0].values["moves"]
    assert isinstance(moves, tuple)
    (_, *way), (_, *come) = moves[0], moves[1]
    for a, b in pairwise((*way, *come[:-1])):
        for s in np.linspace(0, 1, 8):
            q = (1 - s) * np.array(a) + s * np.array(b)
            assert not skills._collisions.touched(first.poses, q)
    assert way[-1] == come[0] and all(a != b for a, b in pairwise(way))


def test_that_a_plan_that_is_found_holds_in_physics() -> None:
    found = planned("coffee", seen("coffee", 1), WishOptions())
    assert found.plan.status is PlanStatus.FOUND and found.plan.expanded == found.samples > 0
    table = make_scene("coffee", 1)
    physics = Rehearsal(table, np.eye(4))
    physics.begin(first_poses(table))
    for step in found.plan.steps:
        physics.carry_out(step.values["moves"])
    assert physics.poses()["mug"][2, 2] > 0.95


def test_that_the_same_scene_gives_the_same_plan() -> None:
    one, other = (planned("berry_1", seen("berry_1", 4)) for _ in range(2))
    assert one.plan.steps[1].values == other.plan.steps[1].values and one.samples == other.samples


def test_that_a_goal_already_reached_is_claimed_at_once() -> None:
    found = planned("berry_1", seen("berry_1", strawberry=(0.5, 0.0)))
    assert found.plan.status is PlanStatus.FOUND and found.plan.steps == () and found.samples == 0


@pytest.mark.parametrize(
    ("scene", "changes", "reason"),
    [
        (seen("berry_1", strawberry=(1.2, 0.3)), {}, "Bringing it nearer to the arm would free it."),
        (
            seen("berry_1"),
            {"tests": {1: (partial(near, "strawberry", "strawberry", within=-1.0),)}, "goal_tests": ON},
            "did not pass its tests. A test that allows more places would free it.",
        ),
        (
            seen("berry_cook"),
            {"steps": (Step("pick", ("skillet",)),), "tests": {}, "goal_tests": ()},
            "No order of steps contains the wish's: the hand cannot hold skillet.",
        ),
    ],
)  # fmt: skip
def test_that_it_is_told_why_there_is_no_plan(scene: Scene, changes: dict[str, Any], reason: str) -> None:
    task = dict(scene.setting)["scene"]
    hopeless = changes.get("tests")  # which no other skeleton passes either
    found = planned(task, scene, replace(GEOMETRY, skeletons=8 if hopeless else 1), **changes)
    assert found.plan.status is PlanStatus.TIMEOUT and found.plan.steps == () and found.skeletons <= 2
    assert reason in found.plan.reason and "\n" not in found.plan.reason


def test_that_a_full_can_is_carried_upright() -> None:
    steps = (Step("pick", ("tomato_soup_can",)), Step("place_ontop", ("tomato_soup_can", "table_surface")))
    scene = seen("soup_pour")
    found = planned(
        "soup_pour", scene, replace(GEOMETRY, planner=False), steps=steps, tests={}, goal_tests=()
    )
    assert found.plan.status is PlanStatus.FOUND
    start, tilts = TableSkills(scene).start(), []
    (_, *come), _, (_, *lift) = found.plan.steps[0].values["moves"][1:]
    grasp = invert_transform(start.poses["tomato_soup_can"]) @ forward_kinematics(come[-1], TCP)
    for _kind, *way in (("", *lift), *found.plan.steps[1].values["moves"][:2]):
        tilts += [(forward_kinematics(q, TCP) @ invert_transform(grasp))[2, 2] for q in way]
    assert min(tilts) > 0.8


def test_that_what_physics_does_otherwise_is_told() -> None:
    skills = TableSkills(seen("coffee"))
    start = skills.start()
    lifted = start.poses["mug"].copy()
    lifted[2, 3] += 0.1
    believed = replace(start, poses={**start.poses, "mug": lifted}, moves=(("wait", 0.05),))
    said = skills.rehearse(start, believed, Step("pick", ("mug",)))
    assert isinstance(said, str) and said.startswith("the mug slips in the hand by")


def test_that_the_view_of_a_scene_is_that_of_the_overhead_camera() -> None:
    scene, plant = seen("berry_2"), Plant(make_scene("berry_2", 0))
    camera = plant.model.camera("overhead")
    point = np.array((0.6, 0.2, 0.07))
    x, y, z = np.array(plant.data.camera("overhead").xmat).reshape(3, 3).T @ (point - camera.pos)
    focal = 0.5 / np.tan(np.radians(camera.fovy[0]) / 2)
    u, v, w = np.array(scene.view) @ (*point, 1)
    assert (u / w, v / w) == pytest.approx((0.5 + 0.75 * focal * x / -z, 0.5 - focal * y / -z))


def test_that_what_hinders_a_place_is_told_and_a_plan_can_be_filmed() -> None:
    scene = seen("berry_2", strawberry=(0.45, 0.15))
    skills, flat = TableSkills(scene), (0.0, 0.0, 0.0)
    poses = ((0.5, 0.0, 0.02, *flat), (0.5, 0.2, 0.02, *flat), (0.9, 0.5, 0.02, *flat))
    touches, free, far = skills.hindrances("strawberry", poses, False)
    assert touches == "it touches potted_meat_can" and not free and far == "out of the arm's reach"
    steps = planned("berry_1", seen("berry_1")).plan.steps
    pick, place = TableSkills(seen("berry_1")).film(steps)
    assert len(pick) > 5 and len(place[0].arm) == 7
    at = place[-1].bodies["strawberry"].pose
    assert at[:2] == pytest.approx((0.5, 0), abs=0.03) and pick[0].bodies["strawberry"].pose != at


def test_that_a_plan_goes_on_with_what_is_in_the_hand() -> None:
    scene = seen("coffee")
    picked = planned("coffee", scene).plan.steps[0]
    skills = TableSkills(scene)
    moves: Any = picked.values["moves"]
    table, tool = make_scene("coffee", 0), forward_kinematics(moves[-1][-1], TCP)
    grasp = invert_transform(skills.start().poses["mug"]) @ forward_kinematics(moves[1][-1], TCP)
    poses = first_poses(table) | {"mug": tool @ invert_transform(grasp)}
    held = table_scene(table, "coffee", 0, DEFAULT_GRIPPER, poses, "test", joints=moves[-1][-1], held="mug")
    now = TableSkills(held).start()
    assert now.held == "mug" and now.opening > 0 and now.grasp is not None
    assert np.allclose(now.poses["mug"] @ now.grasp, tool)
    problem = SPEC.tasks["coffee"].problem
    state = problem.state - {Atom("handempty"), Atom("on", ("mug", "table_surface"))} | {
        Atom("holding", ("mug",))
    }
    wish = replace(hand_written("coffee", ""), steps=(), tests={})  # type: ignore[type-var]
    request = MotionRequest(problem.with_state(state), wish, held, GEOMETRY)
    found = plan_here(request, StopToken()).plan
    assert found.steps and found.steps[0].name == "place_ontop"


def test_that_no_way_leads_where_the_arm_itself_would_refuse_to_go() -> None:
    table = make_scene("berry_1", 0)
    collisions, poses = Collisions(table, ArmLimits()), first_poses(table)
    folded = (2.6, -2.2, 2.8, -1.0, -0.7, -0.6)
    assert "the tool and the upper arm" in limit_violation(folded, collisions.tcp, ArmLimits())
    assert collisions.touched(poses, folded) == {LIMIT} and not collisions.touched(poses, PARKED)


def laid(task: str, **poses: Frame) -> Scene:
    """The scene at first, some of its things at these poses, after a moment in physics."""
    table = make_scene(task, 0)
    physics = Rehearsal(table, np.eye(4))
    physics.begin({**first_poses(table), **poses})
    return table_scene(table, task, 0, DEFAULT_GRIPPER, physics.poses(), "test")


def test_that_what_lies_tilted_is_taken_with_both_fingers_over_the_table() -> None:
    scene = seen("mug_2")
    skills, pick = TableSkills(scene), Step("pick", ("knife",))
    tilted = {**skills.start().poses, "knife": frame(rotation(1.455, 0, 0.9), (0.55, -0.06, 0.004))}
    node = replace(skills.start(), poses=tilted)
    draws = [skills.draw(node, pick, Hints()) for _ in range(10)]
    assert sum(not isinstance(skills.attempt(node, pick, draw), Miss) for draw in draws if draw) >= 8


def test_that_what_leans_on_a_thing_is_left_to_physics_when_that_is_taken() -> None:
    away = frame(np.eye(3), (0.3, 0.3, 0.03))
    mug, knife = (
        frame(rotation(0, np.pi / 2, 0), (0.5, 0.1, 0.02)),
        frame(rotation(0, -0.5, 1.5), (0.5, 0.06, 0.04)),
    )
    skills, pick = TableSkills(laid("mug_2", mug=mug, orange=away, knife=knife)), Step("pick", ("mug",))
    node = skills.start()
    assert node.poses["knife"][2, 3] > 0.015
    tries = (
        skills.attempt(node, pick, draw) for _ in range(30) if (draw := skills.draw(node, pick, Hints()))
    )
    taken = next(one for one in tries if not isinstance(one, Miss))
    assert taken.unsettled and taken.falling == {"knife"}
    came = skills.rehearse(node, taken, pick)
    assert not isinstance(came, str) and not came.unsettled
    assert not np.allclose(came.poses["knife"], taken.poses["knife"], atol=0.005)


def test_that_what_lies_is_stood_up_before_something_is_put_into_it() -> None:
    away = frame(np.eye(3), (0.3, 0.3, 0.03))
    lying = laid("mug_2", mug=frame(rotation(0, np.pi / 2, 0), (0.5, 0.1, 0.02)), orange=away)
    found = planned(
        "mug_2", lying, steps=(Step("place_inside", ("fork", "mug")),), tests={}, goal=(), goal_tests=()
    )
    assert [step.args[0] for step in found.plan.steps] == ["mug", "mug", "fork", "fork"]


def test_that_a_place_keeps_off_a_regions_edge_by_how_unsure_poses_are() -> None:
    sure = seen("berry_1")
    unsure = replace(sure, things=tuple(replace(thing, spread=0.005) for thing in sure.things))
    place = Step("place_ontop", ("strawberry", "light_grey_region"))
    for scene, most in ((sure, 0.028), (unsure, 0.023)):
        skills = TableSkills(scene)
        draws = [skills.draw(skills.start(), place, Hints()) for _ in range(60)]
        far = max(abs(v - c) for draw in draws for v, c in zip(draw.pose[:2, 3], (0.5, 0.0), strict=True))
        assert most - 0.004 < far <= most
