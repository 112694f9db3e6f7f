from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robots.ur5e.kinematics import (
    HOME,
    flange_pose,
    forward_kinematics,
    inverse_kinematics,
    jacobian,
    matrix_to_pose,
    nearest_solution,
    normalise_angle,
    polish_ik,
    pose_distance,
    pose_to_matrix,
    rotation_matrix,
    rotation_vector,
    tool_speed,
    unwrap,
)

RATES = (0.3, -0.2, 0.5, 0.1, -0.4, 0.2)  # rad/s
joints = st.tuples(*[st.floats(-3.1, 3.1)] * 6)
turns = st.tuples(*[st.floats(-1.8, 1.8)] * 3)


def test_that_the_flange_is_where_universal_robots_tables_put_it() -> None:
    stretched = flange_pose((0, 0, 0, 0, 0, 0))[:3, 3]
    np.testing.assert_allclose(stretched, (-0.425 - 0.3922, -0.1333 - 0.0996, 0.1625 - 0.0997), atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(joints)
def test_that_every_inverse_solution_leads_to_the_same_flange(q: tuple[float, ...]) -> None:
    goal = flange_pose(q)
    for found in inverse_kinematics(goal):
        assert max(pose_distance(flange_pose(found), goal)) < 1e-6


@settings(max_examples=60, deadline=None)
@given(joints)
def test_that_the_joints_themselves_are_among_the_solutions(q: tuple[float, ...]) -> None:
    if min(abs(math.sin(q[4])), abs(math.sin(q[2]))) < 0.05:
        return  # singular: infinitely many, or the two elbows meet
    found = inverse_kinematics(flange_pose(q))
    assert min(max(abs(normalise_angle(a - b)) for a, b in zip(s, q, strict=True)) for s in found) < 1e-4


@pytest.mark.parametrize("joint", (2, 4))
@pytest.mark.parametrize("angle", (0, 1e-10, 1e-8, 1e-6, math.pi))
def test_that_a_stretched_arm_or_wrist_still_has_exact_solutions(joint: int, angle: float) -> None:
    q = [0.3, -1.2, 1.1, 0.4, 0.9, 0.2]
    q[joint] = angle
    goal = flange_pose(q)
    found = [pose_distance(flange_pose(solution), goal) for solution in inverse_kinematics(goal)]
    assert found and max(map(max, found)) < 1e-6


@settings(max_examples=60, deadline=None)
@given(turns)
def test_that_a_rotation_vector_survives_the_matrix(v: tuple[float, float, float]) -> None:
    back = rotation_matrix(rotation_vector(rotation_matrix(v)))
    np.testing.assert_allclose(back, rotation_matrix(v), atol=1e-8)


def test_that_tiny_and_half_turns_are_no_exception() -> None:
    for angle in (1e-9, 1e-7, 1e-5, 1e-3, math.pi - 1e-9, math.pi - 1e-6, math.pi):
        np.testing.assert_allclose(
            rotation_matrix(rotation_vector(rotation_matrix((0, angle, 0)))),
            rotation_matrix((0, angle, 0)),
            atol=1e-8,
        )


def test_that_the_jacobian_is_the_derivative() -> None:
    tool = pose_to_matrix((0, 0.02, 0.157, 0, 0, 0.3))
    base = forward_kinematics(HOME, tool)
    for i in range(6):
        q = list(HOME)
        q[i] += 1e-7
        moved = forward_kinematics(q, tool)
        slope = (
            np.concatenate((moved[:3, 3] - base[:3, 3], rotation_vector(moved[:3, :3] @ base[:3, :3].T)))
            / 1e-7
        )
        np.testing.assert_allclose(jacobian(HOME, tool)[:, i], slope, atol=1e-5)


def test_that_the_tools_speed_follows_from_the_joints() -> None:
    tool = pose_to_matrix((0, 0.02, 0.157, 0, 0, 0.3))
    moved = forward_kinematics([q + 1e-6 * v for q, v in zip(HOME, RATES, strict=True)], tool)
    metres = np.linalg.norm(moved[:3, 3] - forward_kinematics(HOME, tool)[:3, 3])
    assert tool_speed(HOME, RATES, tool) == pytest.approx(metres / 1e-6, rel=1e-4)
    assert tool_speed(HOME, (0.0,) * 6, tool) == 0


def test_that_newton_follows_a_line_a_millimetre_at_a_time() -> None:
    q: tuple[float, ...] | None = HOME
    goal = forward_kinematics(HOME)
    for _ in range(50):
        goal = goal.copy()
        goal[2, 3] -= 0.001
        assert q is not None
        q = polish_ik(goal, q)
    assert q is not None
    assert max(pose_distance(forward_kinematics(q), goal)) < 1e-8


def test_that_what_is_out_of_reach_has_no_solution() -> None:
    assert nearest_solution(pose_to_matrix((1.2, 0, 0.3, math.pi, 0, 0)), HOME) is None


def test_that_whole_turns_bring_joints_near_within_their_limits() -> None:
    turned = unwrap((0.1, 0, 0, 0, 0, -3.0), (6.2, 0, 0, 0, 0, 3.0))
    np.testing.assert_allclose(turned, (0.1, 0, 0, 0, 0, -3.0 + 2 * math.pi))


def test_that_a_pose_survives_its_matrix() -> None:
    np.testing.assert_allclose(
        matrix_to_pose(pose_to_matrix((0.1, 0.2, 0.3, 1, -1, 0.5))), (0.1, 0.2, 0.3, 1, -1, 0.5)
    )
