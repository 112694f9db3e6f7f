"""What must be so before the arm may move: one line for each thing, with its reason and the way out. Pure."""

from __future__ import annotations

from core.arms import Check
from robots.ur5e import limits
from robots.ur5e.kinematics import apart, flange, inverse, matrix
from robots.ur5e.modes import MOVABLE, ROBOT_WORDS, SAFETY_WORDS, RobotMode, SafetyMode
from robots.ur5e.receive import State
from robots.ur5e.setup import Setup

_OLDEST, _NEXT = (5, 10), (10,)  # PolyScope 5; what follows it, PolyScope X, has no dashboard server
_NO_TOOL = matrix((0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
_SERVICES = "enable RTDE and the dashboard server (Settings, Security, Services)"


def data(state: State | None, age: float, why: str, fresh: float) -> Check:
    """`why`: what the receiver says of a missing link; `fresh`: seconds that data may be old."""
    if state is not None and age <= fresh:
        return Check("data", True)
    reason = why or f"the last data are {age:.1f} s old"
    return Check("data", False, reason, "check cable, address and controller, and " + _SERVICES)


def stop_line(open_: bool) -> Check:
    if open_:
        return Check("stop line", True)
    return Check("stop line", False, "the line for stops is not open", _SERVICES)


def version(found: tuple[int, ...]) -> Check:
    if not found or _OLDEST <= found[:2] < _NEXT:
        return Check("version", True)
    if found >= _NEXT:
        reason = f"PolyScope {found[0]}.{found[1]} has no dashboard server, and stops go through it"
        return Check("version", False, reason, "use a controller with PolyScope 5")
    return Check("version", False, f"PolyScope {found[0]}.{found[1]} is older than 5.10", "update it")


def remote(reply: str, trouble: str = "") -> Check:
    """The dashboard's reply to `is in remote control`, or why there is none."""
    if trouble:
        return Check("remote control", False, trouble)
    if reply == "true":
        return Check("remote control", True)
    return Check(
        "remote control", False, "the arm is in local control", "switch the pendant to Remote Control"
    )


def of_state(state: State, setup: Setup) -> tuple[Check, ...]:
    """The lines that the data tell."""
    return (safety(state.safety), power(state.robot), tool(state, setup), payload(state, setup))


def safety(mode: SafetyMode) -> Check:
    if mode in MOVABLE:
        return Check("safety", True)
    ways = {
        SafetyMode.PROTECTIVE_STOP: "look what caused it, then recover",
        SafetyMode.ROBOT_EMERGENCY_STOP: "release the button when all is clear, then switch the arm on",
        SafetyMode.SYSTEM_EMERGENCY_STOP: "release the button when all is clear, then switch the arm on",
        SafetyMode.SAFEGUARD_STOP: "close the guard, then continue",
    }
    return Check("safety", False, SAFETY_WORDS[mode], ways.get(mode, "see the pendant"))


def power(mode: RobotMode) -> Check:
    if mode is RobotMode.RUNNING:
        return Check("power", True)
    return Check("power", False, f"the arm is {ROBOT_WORDS[mode]}", "start it")


def tool(state: State, setup: Setup) -> Check:
    offset = inverse(flange(state.q)) @ matrix(state.tool)
    if setup.tcp is None and max(apart(offset, _NO_TOOL)) < 0.005:
        way = "set it on the pendant (Installation, TCP) or in the setup file"
        return Check("tool", False, "no tool centre point is set", way)
    return Check("tool", True)


def payload(state: State, setup: Setup) -> Check:
    mass = setup.payload if setup.payload is not None else state.payload
    way = "set it on the pendant (Installation, Payload) or in the setup file"
    if mass == 0:
        return Check("payload", False, "no payload is set", way)
    why = limits.payload(mass, setup.limits)
    return Check("payload", not why, why, way if why else "")


def control(enabled: bool, halted: bool) -> Check:
    """Whether the control program is ours and runs; `halted`: a stop is in force."""
    if enabled:
        return Check("control program", True)
    way = "Go on releases the stop and starts it" if halted else "make the arm ready"
    return Check("control program", False, "it does not run", way)


PICTURE = 0.5  # seconds: an older one is shown as stale, and nobody moves the arm by it


def camera(age: float) -> Check:
    """`age` of the picture by which a person would move the arm."""
    if age <= PICTURE:
        return Check("camera", True)
    reason = "no picture has come yet" if age == float("inf") else f"its picture is {age:.1f} s old"
    return Check("camera", False, reason, "check the camera and its cable")


def gripper(asked: bool, trouble: str) -> Check:
    if not asked and not trouble:
        return Check("gripper", False, "it has not been asked yet", "wait a moment")
    return Check("gripper", not trouble, trouble)


def wrong(checks: tuple[Check, ...]) -> str:
    """All that is in the way in one line, "" for nothing."""
    return "; ".join(f"{c.name}: {c.reason}" + f": {c.way_out}" * bool(c.way_out) for c in checks if not c.ok)
