"""Jogging and freedrive: a person moves the arm, and it moves only as long as the person keeps at it."""

from __future__ import annotations

from time import monotonic

import numpy as np

from core.arm.arm_capabilities import JOG_SPEED, JOG_TIMEOUT, JogCommand, JogFrame
from core.errors import RobotNotReady
from robots.remote.wire_message import WireMessage
from robots.ur5e import limits
from robots.ur5e.arm_setup import ArmLimits
from robots.ur5e.kinematics import Transform, VectorLike, forward_kinematics, jacobian
from robots.ur5e.motion_lock import FREEDRIVE, JOG
from robots.ur5e.movable_arm import MovableArm

JOG_ROTATION_SPEED = 0.5  # rad/s of a jog, for the tool or one joint
JOG_LOOKAHEAD = 0.35  # seconds that a jog looks ahead: more than its last renewal and braking take
_BRAKING_TIME = 0.5  # seconds for which the motion lock is kept after a jog that was not renewed


def jog_joint_speeds(
    q: VectorLike, command: JogCommand, tcp: Transform, allowed: ArmLimits
) -> tuple[float, ...]:
    """Convert a jog to joint speeds (rad/s, six joints), scaled down to every speed limit; the direction is
    kept.
    """
    part = min(1.0, max(-1.0, command.speed)) if np.isfinite(command.speed) else 0.0
    unit, j = np.eye(6)[command.axis] * part, jacobian(q, tcp)
    if command.frame is JogFrame.JOINTS:
        qd = unit * JOG_ROTATION_SPEED
    else:
        wanted = unit * (JOG_SPEED if command.axis < 3 else JOG_ROTATION_SPEED)
        if command.frame is JogFrame.TOOL:
            r = forward_kinematics(q, tcp)[:3, :3]
            wanted = np.concatenate((r @ wanted[:3], r @ wanted[3:]))
        qd = j.T @ np.linalg.solve(j @ j.T + 1e-5 * np.eye(6), wanted)
    tool = float(np.linalg.norm(j[:3] @ qd)) / (0.95 * min(allowed.tool_speed, JOG_SPEED))
    over = max(1.0, tool, float(np.max(np.abs(qd))) / allowed.joint_speed)
    return tuple(float(v) for v in qd / over)


def jog_violation(q: VectorLike, qd: VectorLike, tcp: Transform, allowed: ArmLimits) -> str:
    """Return why the arm may not continue at these joint speeds, or "".

    From outside the limits, motion towards the inside is allowed.
    """
    ahead = np.asarray(q, float) + JOG_LOOKAHEAD * np.asarray(qd, float)
    reason = limits.limit_violation(ahead, tcp, allowed)
    leads_in = limits.limit_excess(ahead, tcp, allowed) < limits.limit_excess(q, tcp, allowed)
    return "" if leads_in else reason


class ManualMotion:
    """Lets one person move one arm by hand. Called from one thread, which it never blocks."""

    def __init__(self, arm: MovableArm) -> None:
        self._arm = arm
        self._jog_command: JogCommand | None = None
        self._jog_deadline = 0.0  # when a jog ends unless it is renewed
        self._losses = 0  # number of lost links when the motion began
        self._known_stop = 0  # the last stop known when the motion began
        self._refusal = ""  # why the control process refused or ended it

    def begin_jog(self, command: JogCommand) -> str:
        if not 0 <= command.axis < 6:
            return f"there is no axis {command.axis}: take 0 to 5"
        if other := self._arm.motion_lock.acquire(JOG, JOG_TIMEOUT + _BRAKING_TIME):
            return f"the arm is in use ({other}): wait for its end"
        self._jog_command, self._jog_deadline, self._refusal = command, monotonic() + JOG_TIMEOUT, ""
        self._known_stop, self._losses = self._arm.control.last_stop, self._arm.receiver.link_losses
        return self._end_if_refused(self._send_jog("begin"))

    def keep_jog_alive(self) -> str:
        if self._jog_command is None or monotonic() > self._jog_deadline:
            self._jog_command = None
            return self._refusal or "the jog has ended, as it was not renewed: let go, and press again"
        self._jog_deadline = monotonic() + JOG_TIMEOUT
        return self._end_if_refused(
            self._refusal
            or self._arm.motion_lock.acquire(JOG, JOG_TIMEOUT + _BRAKING_TIME)
            or self._send_jog("")
        )

    def end_jog(self) -> None:
        self._jog_command = None
        if self._arm.motion_lock.holder == JOG:
            self._arm.control.send("jog_end", self._known_stop)

    def _end_if_refused(self, reason: str) -> str:
        if reason:
            self.end_jog()
        return reason

    def _send_jog(self, begin: str) -> str:
        arm, way = self._arm, self._jog_command
        assert way is not None
        if arm.latch.halted:
            return arm.trouble or "a stop is in force: release it first"
        if not arm.enabled:
            return arm.trouble or "the arm is not ready: see the checks"
        state = arm.receiver.latest
        if state is None or arm.receiver.age > arm.setup.limits.fresh:
            return f"the last data are {arm.receiver.age:.2f} s old: check the cable"
        if arm.receiver.link_losses != self._losses:
            return "the link to the controller was lost: let go, and press again"
        qd = jog_joint_speeds(state.q, way, arm.tcp, arm.setup.limits)
        reason = jog_violation(state.q, qd, arm.tcp, arm.setup.limits)
        return reason or arm.control.send("jog", self._known_stop, begin=bool(begin), speed=qd)

    def begin_freedrive(self) -> str:
        """Begin freedrive. Return "" or why it cannot begin."""
        arm = self._arm
        if arm.latch.halted or not arm.enabled:
            return arm.trouble or "a stop is in force: release it before freedrive"
        if arm.receiver.age > arm.setup.limits.fresh:
            return f"the last data are {arm.receiver.age:.2f} s old: check the cable"
        if other := arm.motion_lock.acquire(FREEDRIVE):
            return f"the arm is in use ({other}): wait for its end"
        self._known_stop, self._refusal = arm.control.last_stop, ""
        reason = arm.control.send("freedrive", self._known_stop, on=1)
        if reason:
            arm.motion_lock.release(FREEDRIVE)
        return reason

    def keep_freedrive_alive(self) -> str:
        arm = self._arm
        if arm.motion_lock.holder != FREEDRIVE:
            return self._refusal or arm.trouble or "freedrive has ended: let go, and press again"
        return arm.control.send("freedrive", self._known_stop, on=1, renew=True)

    def end_freedrive(self) -> None:
        if self._arm.motion_lock.holder == FREEDRIVE:
            self._arm.control.send("freedrive", self._arm.control.last_stop, on=0)

    def on_message(self, message: WireMessage) -> None:
        """Handle a message of the control process about manual motion, on that process's reading thread."""
        operation = message.text("operation")
        if message.kind == "refused":
            self._refusal = message.text("why")
        if message.kind in ("refused", "ended"):
            self._arm.motion_lock.release(operation)

    def on_exit(self) -> None:
        """Handle the end of the control process, which has ended any manual motion."""
        for who in (JOG, FREEDRIVE):
            self._arm.motion_lock.release(who)

    def set_slider(self, fraction: float) -> float:
        """Set the speed slider, never to 0. Return the value that was set. Raises RobotNotReady."""
        try:
            return self._arm.receiver.set_slider(fraction)
        except OSError as error:
            raise RobotNotReady(f"The speed slider cannot be set: {error}.") from error
