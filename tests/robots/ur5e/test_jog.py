"""Hold to run: how fast and how far a jog goes, and all that ends it."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from threading import Event, Thread
from time import monotonic

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.arm import arm_capabilities
from core.arm.arm_capabilities import JogCommand, JogFrame
from core.ports import StepStatus
from robots.ur5e import limits
from robots.ur5e.arm import Arm
from robots.ur5e.arm_services import ArmServices
from robots.ur5e.arm_setup import EMULATED_SETUP, ArmLimits
from robots.ur5e.gripper.gripper import Gripper
from robots.ur5e.kinematics import HOME, PARKED, jacobian, pose_to_matrix
from robots.ur5e.manual_motion import (
    JOG_LOOKAHEAD_S,
    JOG_ROTATION_SPEED_RAD_PER_S,
    jog_joint_speeds,
    jog_violation,
)
from tests.permitted import grip, jog, lead, move_joints
from tests.robots.ur5e.conftest import UP, Bench, Mover, stays, until

TCP = pose_to_matrix(EMULATED_SETUP.tcp or ())
ways = st.builds(JogCommand, st.sampled_from(JogFrame), st.integers(0, 5), st.floats(-5, 5))
joints = st.tuples(*[st.floats(-3, 3)] * 6)


class Key:
    """A key that is held: renews every 30 ms until it is let go, as a panel does."""

    def __init__(self, panel: ArmServices, way: JogCommand) -> None:
        self.panel, self.why, self._up = panel, "", Event()
        self.refused = jog(panel, way)
        self._thread = Thread(target=self._hold)
        self._thread.start()

    def _hold(self) -> None:
        while not self._up.wait(0.03) and not self.why:
            self.why = self.panel.keep_jog_alive()

    def let_go(self, end: bool = True) -> None:
        self._up.set()
        self._thread.join()
        if end:
            self.panel.end_jog()


@given(joints, ways)
@settings(max_examples=60, deadline=None)
def test_that_no_jog_is_faster_than_its_limits(q: tuple[float, ...], way: JogCommand) -> None:
    allowed = ArmLimits(tool_speed=1.0)
    qd = np.array(jog_joint_speeds(q, way, TCP, allowed))
    assert np.all(np.isfinite(qd))
    assert np.max(np.abs(qd)) <= allowed.joint_speed + 1e-9
    assert np.linalg.norm(jacobian(q, TCP)[:3] @ qd) <= arm_capabilities.JOG_SPEED


@given(joints, ways)
@settings(max_examples=60, deadline=None)
def test_that_a_jog_leads_out_of_no_limit_and_into_every_one(q: tuple[float, ...], way: JogCommand) -> None:
    allowed = ArmLimits()
    qd = jog_joint_speeds(q, way, TCP, allowed)
    ahead = np.array(q) + JOG_LOOKAHEAD_S * np.array(qd)
    if not jog_violation(q, qd, TCP, allowed) and limits.limit_violation(ahead, TCP, allowed):
        assert limits.limit_excess(ahead, TCP, allowed) < limits.limit_excess(q, TCP, allowed)


def test_that_a_jog_goes_along_the_axis_of_its_frame() -> None:
    for axis in range(6):
        for frame, turn in ((JogFrame.BASE, np.eye(3)), (JogFrame.TOOL, None)):
            qd = np.array(jog_joint_speeds(HOME, JogCommand(frame, axis, 0.4), TCP, ArmLimits()))
            moved = jacobian(HOME, TCP) @ qd
            if turn is None:
                turn = (pose_to_matrix((0,) * 6) @ _tool())[:3, :3]
            wanted = np.zeros(6)
            start = 0 if axis < 3 else 3
            wanted[start : start + 3] = turn[:, axis % 3]
            assert moved @ wanted / np.linalg.norm(moved) > 0.999


def test_that_a_jog_to_a_goal_arrives_with_all_joints_together_and_stays() -> None:
    q, way = np.array(HOME), JogCommand(JogFrame.JOINTS, 0, 0.4, PARKED)
    apart = np.array(PARKED) - HOME
    for _ in range(400):  # of 40 ms
        qd = np.array(jog_joint_speeds(q, way, TCP, ArmLimits()))
        assert np.max(np.abs(qd)) <= 0.4 * JOG_ROTATION_SPEED_RAD_PER_S + 1e-9
        q = q + 0.04 * qd
        done = (q - HOME)[1:4] / apart[1:4]
        assert np.ptp(done) < 1e-6
    assert np.max(np.abs(q - PARKED)) < 1e-3


def _tool() -> np.ndarray:
    from robots.ur5e.kinematics import forward_kinematics

    return forward_kinematics(HOME, TCP)


def test_that_a_held_key_moves_the_arm_and_letting_go_ends_it(panel: ArmServices, bench: Bench) -> None:
    before = panel.status.tool
    key = Key(panel, UP)
    assert not key.refused
    until(lambda: panel.status.tool[2] > before[2] + 0.02)
    assert panel.status.activity == "jogging"
    key.let_go()
    assert not key.why
    stays(bench)
    after = panel.status.tool
    assert max(abs(a - b) for a, b in zip(before[:2], after[:2], strict=True)) < 2e-3
    until(lambda: panel.status.activity == "")


def test_that_a_key_that_is_no_longer_renewed_ends_the_motion_within_a_moment(
    panel: ArmServices, bench: Bench, arm: Arm
) -> None:
    key = Key(panel, UP)
    until(lambda: bench.moving)
    key.let_go(end=False)
    last = monotonic()
    assert arm.receiver.wait(lambda s: s.at_standstill, 3)
    assert monotonic() - last < 1.0  # 0.1 s of renewal, the braking, and a busy machine
    assert "press again" in panel.keep_jog_alive()
    stays(bench)


@pytest.mark.parametrize("seconds", [0.2])
def test_that_a_late_renewal_does_not_take_the_motion_up_again(
    panel: ArmServices, bench: Bench, seconds: float
) -> None:
    assert not jog(panel, UP)
    Event().wait(seconds)
    assert "press again" in panel.keep_jog_alive()
    stays(bench, 0.3)


def test_that_a_stop_ends_a_jog_and_the_key_that_is_still_held_moves_nothing(
    panel: ArmServices, bench: Bench, arm: Arm
) -> None:
    key = Key(panel, UP)
    until(lambda: bench.moving)
    number = arm.halt()
    until(lambda: bool(key.why))
    assert "stop" in key.why
    stays(bench)
    arm.release_stop(number)
    stays(bench, 0.3)
    key.let_go()
    again = Key(panel, UP)
    again.let_go()
    assert not again.refused


def test_that_a_stop_that_was_released_at_once_still_ends_the_held_key(panel: ArmServices, arm: Arm) -> None:
    assert not jog(panel, UP)
    arm.latch.release(arm.halt())
    until(lambda: bool(panel.keep_jog_alive()))


def test_that_a_jog_stops_at_the_box_and_goes_back_in(panel: ArmServices, bench: Bench, arm: Arm) -> None:
    z = panel.status.tool[2]
    arm.setup = replace(arm.setup, limits=replace(arm.setup.limits, lower=(0.12, -0.55, z - 0.06)))
    key = Key(panel, JogCommand(JogFrame.BASE, 2, -1.0))
    until(lambda: bool(key.why) or bool(key.refused))
    assert "outside the box" in key.why + key.refused
    key.let_go()
    stays(bench)
    assert panel.status.tool[2] > z - 0.06
    back = Key(panel, JogCommand(JogFrame.BASE, 2, 0.5))
    assert not back.refused
    back.let_go()


def test_that_nobody_jogs_or_grips_while_a_step_moves_the_arm(
    panel: ArmServices, bench: Bench, arm: Arm
) -> None:
    move = Mover(arm)
    assert "a step" in jog(panel, UP)
    assert "a step" in grip(panel, 0.02)
    assert "a step" in lead(panel)
    arm.halt()
    assert move.ended().status is StepStatus.HALTED


def test_that_no_step_begins_while_a_hand_moves_the_arm(panel: ArmServices, bench: Bench, arm: Arm) -> None:
    key = Key(panel, UP)
    assert arm.state is not None
    outcome = move_joints(arm, arm.state.q)
    key.let_go()
    assert (outcome.status, "in use (jogging)" in outcome.detail) == (StepStatus.HALTED, True)


def test_that_old_data_and_the_death_of_the_process_end_a_jog(
    panel: ArmServices, bench: Bench, arm: Arm
) -> None:
    key = Key(panel, UP)
    until(lambda: bench.moving)
    os.kill(arm.control.pid, signal.SIGKILL)
    until(lambda: bool(key.why))
    key.let_go()
    stays(bench)
    assert arm.latch.halted


def test_that_a_frozen_controller_ends_a_jog(panel: ArmServices, bench: Bench) -> None:
    key = Key(panel, UP)
    until(lambda: bench.moving)
    bench.own.inject_fault("freeze", seconds=1.0)
    until(lambda: bool(key.why))
    assert "old" in key.why
    key.let_go()
    bench.own.inject_fault("thaw")
    stays(bench)


class Watched(ArmServices):
    """Somebody looks at a picture of it."""

    age = 0.1

    @property
    def picture_age(self) -> float | None:
        return self.age


def test_that_a_jog_needs_a_picture_of_now_where_there_is_one(
    gripper: Gripper, arm: Arm, bench: Bench
) -> None:
    seen = Watched(arm, gripper)
    try:
        until(lambda: seen.preflight()[3].ok)
        key = Key(seen, UP)
        assert not key.refused
        seen.age = 0.8
        until(lambda: key.why != "")
        assert "picture is 0.8 s old" in key.why
        key.let_go()
        stays(bench)
        assert "picture is 0.8 s old" in jog(seen, UP)
        assert not next(c for c in seen.preflight() if c.name == "camera").ok
    finally:
        seen.close_services()
