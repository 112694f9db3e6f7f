"""Wishes through the controller of an emulated UR5e."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from core.belief import Atom
from core.planning.domain_library import load_domain_spec
from core.planning_model import Step
from core.ports import StepStatus
from core.stop_token import StopToken
from core.wish import WishOptions
from core.wishes.hand_written import hand_written
from core.wishes.motion_process import MotionRequest, plan_here
from robots.table.arm_robot import is_as_wide, is_even, make_wish_arm
from robots.ur5e.arm_setup import ArmLimits
from robots.ur5e.emulator.scene import make_scene
from robots.ur5e.gripper.model import read_gripper
from robots.ur5e.kinematics import PARKED
from robots.ur5e.motion.faults import aside, believed
from robots.ur5e.motion.table_scene import first_poses
from tests.permitted import do

SPEC = load_domain_spec("tabletop-wishes")


def test_that_a_line_near_a_singularity_is_done_joint_by_joint() -> None:
    slow = [replace_joint(0, PARKED[0] + 0.02 * k) for k in range(4)]
    assert is_even(slow, np.eye(4), ArmLimits())
    swing = [replace_joint(5, 0.5 * k) for k in range(4)]  # the wrist turns, the tool stays
    assert not is_even(swing, np.eye(4), ArmLimits(joint_speed=0.2))


@pytest.mark.parametrize(
    ("task", "name", "opening", "fits"),
    [
        ("coffee", "mug", 0.0394, True),
        ("coffee", "mug", 0.02, False),
        ("mug_1", "fork", 0.0071, True),
        ("mug_1", "fork", 0.04, False),
        ("berry_1", "strawberry", 0.029, True),
    ],
)
def test_that_a_hand_that_closed_on_something_else_has_not_taken_it(
    task: str, name: str, opening: float, fits: bool
) -> None:
    kind = next(thing.kind for thing in make_scene(task, 0).things if thing.name == name)
    assert is_as_wide(opening, kind, read_gripper("hand-e")) is fits


def replace_joint(number: int, angle: float) -> tuple[float, ...]:
    return tuple(angle if k == number else q for k, q in enumerate(PARKED))


def test_that_faults_move_a_thing_with_what_is_in_it() -> None:
    table = make_scene("mug_3", 0)
    poses, kinds = first_poses(table), {thing.name: thing.kind for thing in table.things}
    seen = believed(poses, kinds, 5.0, np.random.default_rng(1))
    off = {name: seen[name][:3, 3] - poses[name][:3, 3] for name in poses}
    assert all(np.max(np.abs(d)) <= 0.008 and abs(d[2]) < 1e-9 for d in off.values())
    ball, mug = "golf_ball", "mug"
    apart = np.linalg.norm(poses[ball][:3, 3] - poses[mug][:3, 3])
    assert math.isclose(
        float(np.linalg.norm(seen[ball][:3, 3] - seen[mug][:3, 3])), float(apart), abs_tol=1e-9
    )
    moved = aside("fork", poses, kinds, np.random.default_rng(1))
    assert moved is not None and 0.03 <= np.linalg.norm(moved[:3, 3] - poses["fork"][:3, 3]) <= 0.05


@pytest.mark.long
@pytest.mark.arm
@pytest.mark.gl
def test_that_an_emulated_arm_does_a_wish_through_its_controller() -> None:
    task = SPEC.tasks["coffee"]
    robot = make_wish_arm(SPEC, task, seed=0, pictures=False)
    try:
        wish = hand_written("coffee", "")
        assert wish is not None
        plan = plan_here(MotionRequest(task.problem, wish, robot.scene(), WishOptions()), StopToken()).plan
        bare = Step("pick", ("mug",))
        assert "has no moves" in do(robot, bare).detail
        for step in plan.steps:
            assert do(robot, step).status is StepStatus.DONE
            assert robot.step_succeeded() and robot.sense()[Atom("holding", ("mug",))] == (
                step.name == "pick"
            )
        assert Atom("achieved") in robot.truth()
        robot.halt()
        assert do(robot, replace(bare, values={"moves": (("wait", 1.0),)})).status is StepStatus.HALTED
    finally:
        robot.close()
