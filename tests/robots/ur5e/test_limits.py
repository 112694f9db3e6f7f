from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import mujoco
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from robots.ur5e import limits
from robots.ur5e.arm_setup import ArmLimits
from robots.ur5e.emulator.plant import Plant
from robots.ur5e.emulator.scene import make_scene
from robots.ur5e.kinematics import (
    HOME,
    PARKED,
    forward_kinematics,
    frame_origins,
    jacobian,
    nearest_solution,
    pose_to_matrix,
)
from robots.ur5e.links import self_collision

TCP = pose_to_matrix((0, 0, 0.157, 0, 0, 0))
LIMITS = ArmLimits()
joints = st.tuples(*[st.floats(-6.2, 6.2)] * 6)


@settings(max_examples=60, deadline=None)
@given(joints, joints, st.floats(0.1, 1))
def test_that_no_joint_move_takes_the_tool_past_its_speed(a: tuple, b: tuple, scale: float) -> None:
    pace = limits.joint_move_speed(a, b, TCP, LIMITS, scale)
    assert 0 < pace.speed <= LIMITS.joint_speed
    way = np.subtract(b, a)
    if not np.any(way):
        return
    direction = way / np.max(np.abs(way))
    for s in np.linspace(0, 1, 24):
        tool = jacobian(np.add(a, s * way), TCP)[:3] @ direction * pace.speed
        assert np.linalg.norm(tool) <= LIMITS.tool_speed + 1e-9


@settings(max_examples=80, deadline=None)
@given(joints)
def test_that_a_place_is_allowed_only_inside_the_box(q: tuple) -> None:
    inside = all(
        low <= value <= high
        for low, value, high in zip(
            LIMITS.lower, forward_kinematics(q, TCP)[:3, 3], LIMITS.upper, strict=True
        )
    )
    if not limits.limit_violation(q, TCP, LIMITS):
        assert inside


@settings(max_examples=40, deadline=None)
@given(joints)
def test_that_a_joint_move_is_allowed_only_to_an_allowed_place(q: tuple) -> None:
    if not limits.joint_path_violation(HOME, q, TCP, LIMITS):
        assert not limits.limit_violation(q, TCP, LIMITS)


@settings(max_examples=60, deadline=None)
@given(joints, joints)
def test_that_a_way_from_outside_leads_nowhere_further_out(a: tuple, b: tuple) -> None:
    if limits.joint_path_violation(a, b, TCP, LIMITS):
        return
    way = [np.add(a, s * np.subtract(b, a)) for s in np.linspace(0, 1, 24)]
    out = [limits.limit_excess(q, TCP, LIMITS) for q in way]
    assert all(later <= earlier + 1e-3 for earlier, later in pairwise(out))


def test_that_the_arm_may_come_back_from_outside_but_not_by_a_way_further_out() -> None:
    low = forward_kinematics(HOME, TCP)
    low[2, 3] = -0.01
    start = nearest_solution(low, HOME, TCP)
    assert start is not None
    assert limits.joint_path_violation(start, HOME, TCP, LIMITS) == ""
    beside = (1.7 - math.pi, *HOME[1:])  # out of the box; its near side is a whole turn away from HOME
    assert "jog it in first" in limits.joint_path_violation(beside, HOME, TCP, LIMITS)
    assert limits.joint_path_violation(beside, (-math.pi, *HOME[1:]), TCP, LIMITS) == ""
    behind = limits.joint_path_violation(HOME, (-math.pi, *HOME[1:]), TCP, LIMITS)
    assert behind.startswith("on the way") and "jog" not in behind


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_that_the_slider_stays_between_2_percent_and_1(fraction: float) -> None:
    assert 0.02 <= limits.clamp_slider(fraction) <= 1


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_that_only_a_payload_above_0_and_up_to_the_limit_passes(mass: float) -> None:
    said = limits.payload_violation(mass, LIMITS)
    assert said == "" if 0 < mass <= 5 else said.endswith(" kg is outside 0 to 5 kg")


def test_that_the_excess_is_0_inside_and_otherwise_what_is_missing() -> None:
    assert limits.limit_excess(HOME, TCP, LIMITS) == 0
    floor = forward_kinematics(HOME, TCP)[2, 3] - 0.01
    high = replace(LIMITS, lower=(*LIMITS.lower[:2], floor), clearance=0.5)
    low = min(float(p[2]) for p in frame_origins(HOME)[2:6])
    assert floor + 0.5 > low and math.isclose(limits.limit_excess(HOME, TCP, high), floor + 0.5 - low)


def test_that_not_a_number_is_no_place() -> None:
    assert "past its limit" in limits.limit_violation((math.nan, *HOME[1:]), TCP, LIMITS)


def test_that_a_way_on_which_the_arm_would_touch_itself_is_refused_and_one_out_of_it_is_not() -> None:
    wide = replace(LIMITS, lower=(-1, -1, -1), upper=(1, 1, 2), clearance=0)
    folded, beyond = ((*HOME[:2], elbow, *HOME[3:]) for elbow in (2.9, 3.6))
    assert limits.limit_violation(folded, TCP, wide) == "the tool and the upper arm would touch"
    assert limits.limit_violation(beyond, TCP, wide) == ""
    assert limits.joint_path_violation(HOME, beyond, TCP, wide).startswith("on the way the tool and the")
    assert limits.joint_path_violation(folded, HOME, TCP, wide) == ""


def test_that_no_pose_at_which_the_emulated_arm_touches_itself_is_allowed() -> None:
    plant = Plant(make_scene("empty"))
    draw, touched = np.random.default_rng(1), 0
    for q in draw.uniform(-math.pi, math.pi, (300, 6)):
        plant.data.qpos[:6] = q
        mujoco.mj_forward(plant.model, plant.data)
        touched += bool(plant.self_contact())
        assert not plant.self_contact() or self_collision(q, TCP)[1], q
    assert touched > 40
    assert self_collision(HOME, TCP) == self_collision(PARKED, TCP) == (0.0, "")


def test_that_a_line_through_the_table_is_refused_and_one_above_it_gives_its_joints() -> None:
    goal = forward_kinematics(HOME, TCP)
    goal[2, 3] = 0.05
    why, q = limits.line_path_violation(HOME, goal, TCP, LIMITS)
    assert why == ""
    assert q is not None
    np.testing.assert_allclose(forward_kinematics(q, TCP), goal, atol=1e-6)
    goal[2, 3] = -0.05
    why, q = limits.line_path_violation(HOME, goal, TCP, LIMITS)
    assert "outside the box" in why
    assert q is None


def test_that_a_line_out_of_reach_is_refused() -> None:
    goal = forward_kinematics(HOME, TCP)
    goal[0, 3] = 1.5
    assert (
        "does not reach" in limits.line_path_violation(HOME, goal, TCP, replace(LIMITS, upper=(2, 1, 1)))[0]
    )


def test_that_a_low_elbow_alone_is_an_excess() -> None:
    low = (2.56, 0.73, -2.3, -2.32, -0.2, -2.45)
    heights = [float(p[2]) for p in frame_origins(low)[2:6]]
    assert limits.limit_excess(low, TCP, LIMITS) == LIMITS.lower[2] + LIMITS.clearance - heights[0] > 0
    assert min(heights[1:]) > heights[0] + 0.3


def test_that_the_slider_slows_straight_moves_as_well() -> None:
    full, half = (limits.line_move_speed(LIMITS, scale).speed for scale in (1, 0.5))
    assert half == full / 2 < LIMITS.tool_speed / 2
