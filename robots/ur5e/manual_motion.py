"""Jogging and freedrive: a person moves the arm, and it moves only as long as the person keeps at it."""

from __future__ import annotations

from time import monotonic

import numpy as np

from core.arm.arm_capabilities import JOG_SPEED, JOG_TIMEOUT, JogCommand, JogFrame
from core.errors import RobotNotReady
from core.permit import MANUAL_KINDS, Permit, PermitKind
from robots.remote.wire_message import JsonValue, WireMessage
from robots.ur5e import limits
from robots.ur5e.arm_setup import ArmLimits
from robots.ur5e.kinematics import Transform, VectorLike, forward_kinematics, jacobian
from robots.ur5e.movable_arm import MovableArm

JOG_ROTATION_SPEED_RAD_PER_S = 0.5  # of a jog, for the tool or one joint
GOAL_RATE_PER_S = 3.0  # of what is left to a goal, near it
JOG_LOOKAHEAD_S = 0.35  # that a jog looks ahead: more than its last renewal and braking take


def jog_joint_speeds(
    q: VectorLike, command: JogCommand, tcp: Transform, allowed: ArmLimits
) -> tuple[float, ...]:
    """Convert a jog to the six joint speeds (rad/s), in its direction, scaled down to every limit."""
    part = min(1.0, max(-1.0, command.speed)) if np.isfinite(command.speed) else 0.0
    unit, j = np.eye(6)[command.axis] * part, jacobian(q, tcp)
    if command.goal:
        left = np.asarray(command.goal) - np.asarray(q)
        fastest = abs(part) * JOG_ROTATION_SPEED_RAD_PER_S / max(float(np.max(np.abs(left))), 1e-9)
        qd = left * min(GOAL_RATE_PER_S, fastest)
    elif command.frame is JogFrame.JOINTS:
        qd = unit * JOG_ROTATION_SPEED_RAD_PER_S
    else:
        wanted = unit * (JOG_SPEED if command.axis < 3 else JOG_ROTATION_SPEED_RAD_PER_S)
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
    ahead = np.asarray(q, float) + JOG_LOOKAHEAD_S * np.asarray(qd, float)
    reason = limits.limit_violation(ahead, tcp, allowed)
    leads_in = limits.limit_excess(ahead, tcp, allowed) < limits.limit_excess(q, tcp, allowed)
    return "" if leads_in else reason


class ManualMotion:
    """Lets one person move one arm by hand. Called from one thread, which it never blocks."""

    def __init__(self, arm: MovableArm) -> None:
        self._arm = arm
        self._permit: Permit | None = None  # of the motion under way
        self._refusal = ""  # why the control process refused it
        self._command: JogCommand | None = None
        self._jog_deadline = 0.0  # when a jog ends unless it is renewed
        self._losses = 0  # number of lost links when the motion began

    def begin_jog(self, command: JogCommand, permit: Permit) -> str:
        if not 0 <= command.axis < 6:
            return f"there is no axis {command.axis}: take 0 to 5"
        if command.goal and (len(command.goal) != 6 or not np.isfinite(command.goal).all()):
            return "a goal is an angle for each of the six joints"
        if reason := self._begin(permit):
            return reason
        self._command, self._losses = command, self._arm.receiver.link_losses
        return self._send_jog(renew=False)

    def keep_jog_alive(self) -> str:
        if not self._moves(PermitKind.JOG) or monotonic() > self._jog_deadline:
            self.end(PermitKind.JOG)
            return self._why_ended("the jog has ended, as it was not renewed")
        return self._send_jog(renew=True)

    def begin_freedrive(self, permit: Permit) -> str:
        """Begin freedrive. Return "" or why it cannot begin."""
        return self._arm.motion_refusal() or self._begin(permit) or self._send("freedrive", renew=False)

    def keep_freedrive_alive(self) -> str:
        if not self._moves(PermitKind.FREEDRIVE):
            return self._why_ended("freedrive has ended")
        return self._send("freedrive", renew=True)

    def end(self, *kinds: PermitKind) -> None:
        """End the motion under way if it is one of these. Idempotent; any thread."""
        permit = self._permit
        if permit is not None and permit.kind in kinds:
            self._permit = None
            self._arm.control.close_permit(permit)

    def on_message(self, message: WireMessage) -> None:
        """Handle the end of a motion as the control process tells of it, on that process's reading thread."""
        permit = self._permit
        if permit is not None and permit.number == message.number("permit"):
            self._refusal = message.text("why")
            self.end(permit.kind)

    def set_slider(self, fraction: float) -> float:
        """Set the speed slider, never to 0. Return the value that was set. Raises RobotNotReady."""
        try:
            return self._arm.receiver.set_slider(fraction)
        except OSError as error:
            raise RobotNotReady(f"The speed slider cannot be set: {error}.") from error

    def _moves(self, kind: PermitKind) -> bool:
        permit = self._permit
        return permit is not None and permit.kind is kind

    def _begin(self, permit: Permit) -> str:
        if reason := self._arm.control.open_permit(permit):
            return reason
        self._permit, self._refusal = permit, ""
        return ""

    def _send_jog(self, renew: bool) -> str:
        arm, command = self._arm, self._command
        self._jog_deadline = monotonic() + JOG_TIMEOUT
        if reason := arm.motion_refusal():
            return self._end_if(reason)
        if arm.receiver.link_losses != self._losses:
            return self._end_if("the link to the controller was lost: let go, and press again")
        state = arm.receiver.latest
        assert state is not None and command is not None
        qd = jog_joint_speeds(state.q, command, arm.tcp, arm.setup.limits)
        reason = jog_violation(state.q, qd, arm.tcp, arm.setup.limits)
        return self._end_if(reason) or self._send("jog", speed=qd, renew=renew)

    def _send(self, kind: str, **body: JsonValue) -> str:
        return self._end_if(self._arm.control.send(kind, operation=kind, **body))

    def _end_if(self, reason: str) -> str:
        """End the motion if there is a reason against it."""
        if reason:
            self.end(*MANUAL_KINDS)
        return reason

    def _why_ended(self, otherwise: str) -> str:
        return self._refusal or self._arm.motion_refusal() or f"{otherwise}: let go, and press again"
