"""Jogging and freedrive: a person moves the arm, for as long as a person does."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

import numpy as np

from core.arm_capabilities import JOG_SPEED, JOG_TIMEOUT, JogCommand, JogFrame
from core.errors import RobotNotReady
from robots.remote.framing import Message
from robots.ur5e import limits
from robots.ur5e.kinematics import Matrix, Row, forward, jacobian
from robots.ur5e.setup import Limits
from robots.ur5e.turn import FREEDRIVE, JOG

if TYPE_CHECKING:
    from robots.ur5e.arm import Arm

TURNING = 0.5  # rad/s of a jog, of the tool or of one joint
AHEAD = 0.35  # seconds that a jog looks ahead: more than the last renewal and the braking take
_BRAKING = 0.5  # seconds that the turn is kept after a jog that was not renewed


def joint_speeds(q: Row, way: JogCommand, tcp: Matrix, allowed: Limits) -> tuple[float, ...]:
    """A jog as rad/s of the six joints, shortened to every limit of speed; the direction stays."""
    part = min(1.0, max(-1.0, way.speed)) if np.isfinite(way.speed) else 0.0
    unit, j = np.eye(6)[way.axis] * part, jacobian(q, tcp)
    if way.frame is JogFrame.JOINTS:
        qd = unit * TURNING
    else:
        wanted = unit * (JOG_SPEED if way.axis < 3 else TURNING)
        if way.frame is JogFrame.TOOL:
            r = forward(q, tcp)[:3, :3]
            wanted = np.concatenate((r @ wanted[:3], r @ wanted[3:]))
        qd = j.T @ np.linalg.solve(j @ j.T + 1e-5 * np.eye(6), wanted)
    tool = float(np.linalg.norm(j[:3] @ qd)) / (0.95 * min(allowed.tool_speed, JOG_SPEED))
    over = max(1.0, tool, float(np.max(np.abs(qd))) / allowed.joint_speed)
    return tuple(float(v) for v in qd / over)


def jog_way(q: Row, qd: Row, tcp: Matrix, allowed: Limits) -> str:
    """Why the arm may not go on at these joint speeds. From outside the limits the way in is free."""
    ahead = np.asarray(q, float) + AHEAD * np.asarray(qd, float)
    why = limits.place(ahead, tcp, allowed)
    leads_in = limits.excess(ahead, tcp, allowed) < limits.excess(q, tcp, allowed)
    return "" if leads_in else why


class ByHand:
    """One person at one arm. Called from one thread, which is never held up."""

    def __init__(self, arm: Arm) -> None:
        self._arm = arm
        self._way: JogCommand | None = None
        self._until = 0.0  # when a jog has ended unless it is renewed
        self._losses = 0  # of links, when it began
        self._after = 0  # the last stop that whoever began knew of
        self._refused = ""  # what the control process said of it

    def begin_jog(self, way: JogCommand) -> str:
        if not 0 <= way.axis < 6:
            return f"there is no axis {way.axis}: take 0 to 5"
        if other := self._arm.turn.take(JOG, JOG_TIMEOUT + _BRAKING):
            return f"the arm is in use ({other}): wait for its end"
        self._way, self._until, self._refused = way, monotonic() + JOG_TIMEOUT, ""
        self._after, self._losses = self._arm.link.last_stop, self._arm.receiver.losses
        return self._ended(self._jog("begin"))

    def keep_jog_alive(self) -> str:
        if self._way is None or monotonic() > self._until:
            self._way = None
            return self._refused or "the jog has ended, as it was not renewed: let go, and press again"
        self._until = monotonic() + JOG_TIMEOUT
        return self._ended(self._refused or self._arm.turn.take(JOG, JOG_TIMEOUT + _BRAKING) or self._jog(""))

    def end_jog(self) -> None:
        self._way = None
        if self._arm.turn.who == JOG:
            self._arm.link.send("jog_end", self._after)

    def _ended(self, why: str) -> str:
        if why:
            self.end_jog()
        return why

    def _jog(self, begin: str) -> str:
        arm, way = self._arm, self._way
        assert way is not None
        if arm.latch.halted:
            return arm.trouble or "a stop is in force: release it first"
        if not arm.enabled:
            return arm.trouble or "the arm is not ready: see the checks"
        state = arm.receiver.latest
        if state is None or arm.receiver.age > arm.setup.limits.fresh:
            return f"the last data are {arm.receiver.age:.2f} s old: check the cable"
        if arm.receiver.losses != self._losses:
            return "the link to the controller was lost: let go, and press again"
        qd = joint_speeds(state.q, way, arm.tcp, arm.setup.limits)
        why = jog_way(state.q, qd, arm.tcp, arm.setup.limits)
        return why or arm.link.send("jog", self._after, begin=bool(begin), speed=qd)

    def begin_freedrive(self, by: str) -> str:
        """Because `by` said so, or why not."""
        arm = self._arm
        if not by:
            return "only a person may start freedrive: say who"
        if arm.latch.halted or not arm.enabled:
            return arm.trouble or "a stop is in force: release it before freedrive"
        if arm.receiver.age > arm.setup.limits.fresh:
            return f"the last data are {arm.receiver.age:.2f} s old: check the cable"
        if other := arm.turn.take(FREEDRIVE):
            return f"the arm is in use ({other}): wait for its end"
        self._after, self._refused = arm.link.last_stop, ""
        why = arm.link.send("freedrive", self._after, on=1)
        if why:
            arm.turn.give_back(FREEDRIVE)
        return why

    def keep_freedrive_alive(self) -> str:
        arm = self._arm
        if arm.turn.who != FREEDRIVE:
            return self._refused or arm.trouble or "freedrive has ended: let go, and press again"
        return arm.link.send("freedrive", self._after, on=1, renew=True)

    def end_freedrive(self) -> None:
        if self._arm.turn.who == FREEDRIVE:
            self._arm.link.send("freedrive", self._arm.link.last_stop, on=0)

    def heard(self, message: Message) -> None:
        """What the control process says of it; its own thread."""
        operation = message.text("operation")
        if message.kind == "refused":
            self._refused = message.text("why")
        if message.kind in ("refused", "ended"):
            self._arm.turn.give_back(operation)

    def lost(self) -> None:
        """The control process is gone, and what it did by hand has ended with it."""
        for who in (JOG, FREEDRIVE):
            self._arm.turn.give_back(who)

    def set_slider(self, fraction: float) -> float:
        """The speed slider, never 0. Returns what was set. Raises RobotNotReady."""
        try:
            return self._arm.receiver.set_slider(fraction)
        except OSError as error:
            raise RobotNotReady(f"The speed slider cannot be set: {error}.") from error
