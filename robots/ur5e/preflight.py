"""What must be so before the arm may move: one line for each thing, with its reason and the way out. Pure."""

from __future__ import annotations

from core.arm_capabilities import PreflightCheck
from robots.ur5e import limits
from robots.ur5e.kinematics import apart, flange, inverse, matrix
from robots.ur5e.modes import MOVABLE, ROBOT_WORDS, SAFETY_WORDS, RobotMode, SafetyMode
from robots.ur5e.receive import State
from robots.ur5e.setup import Setup

_OLDEST, _NEXT = (5, 10), (10,)  # PolyScope 5; what follows it, PolyScope X, has no dashboard server
_NO_TOOL = matrix((0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
_SERVICES = "enable RTDE and the dashboard server (Settings, Security, Services)"


def data(state: State | None, age: float, why: str, fresh: float) -> PreflightCheck:
    """`why`: what the receiver says of a missing link; `fresh`: seconds that data may be old."""
    if state is not None and age <= fresh:
        return PreflightCheck("data", True)
    reason = why or f"the last data are {age:.1f} s old"
    return PreflightCheck("data", False, reason, "check cable, address and controller, and " + _SERVICES)


def stop_line(open_: bool) -> PreflightCheck:
    if open_:
        return PreflightCheck("stop line", True)
    return PreflightCheck("stop line", False, "the line for stops is not open", _SERVICES)


def version(found: tuple[int, ...]) -> PreflightCheck:
    if not found or _OLDEST <= found[:2] < _NEXT:
        return PreflightCheck("version", True)
    if found >= _NEXT:
        reason = f"PolyScope {found[0]}.{found[1]} has no dashboard server, and stops go through it"
        return PreflightCheck("version", False, reason, "use a controller with PolyScope 5")
    return PreflightCheck(
        "version", False, f"PolyScope {found[0]}.{found[1]} is older than 5.10", "update it"
    )


def remote(reply: str, trouble: str = "") -> PreflightCheck:
    """The dashboard's reply to `is in remote control`, or why there is none."""
    if trouble:
        return PreflightCheck("remote control", False, trouble)
    if reply == "true":
        return PreflightCheck("remote control", True)
    return PreflightCheck(
        "remote control", False, "the arm is in local control", "switch the pendant to Remote Control"
    )


def of_state(state: State, setup: Setup) -> tuple[PreflightCheck, ...]:
    """The lines that the data tell."""
    return (safety(state.safety), power(state.robot), tool(state, setup), payload(state, setup))


def safety(mode: SafetyMode) -> PreflightCheck:
    if mode in MOVABLE:
        return PreflightCheck("safety", True)
    ways = {
        SafetyMode.PROTECTIVE_STOP: "look what caused it, then recover",
        SafetyMode.ROBOT_EMERGENCY_STOP: "release the button when all is clear, then switch the arm on",
        SafetyMode.SYSTEM_EMERGENCY_STOP: "release the button when all is clear, then switch the arm on",
        SafetyMode.SAFEGUARD_STOP: "close the guard, then continue",
    }
    return PreflightCheck("safety", False, SAFETY_WORDS[mode], ways.get(mode, "see the pendant"))


def power(mode: RobotMode) -> PreflightCheck:
    if mode is RobotMode.RUNNING:
        return PreflightCheck("power", True)
    return PreflightCheck("power", False, f"the arm is {ROBOT_WORDS[mode]}", "start it")


def tool(state: State, setup: Setup) -> PreflightCheck:
    offset = inverse(flange(state.q)) @ matrix(state.tool)
    if setup.tcp is None and max(apart(offset, _NO_TOOL)) < 0.005:
        way = "set it on the pendant (Installation, TCP) or in the setup file"
        return PreflightCheck("tool", False, "no tool centre point is set", way)
    return PreflightCheck("tool", True)


def payload(state: State, setup: Setup) -> PreflightCheck:
    mass = setup.payload if setup.payload is not None else state.payload
    way = "set it on the pendant (Installation, Payload) or in the setup file"
    if mass == 0:
        return PreflightCheck("payload", False, "no payload is set", way)
    why = limits.payload(mass, setup.limits)
    return PreflightCheck("payload", not why, why, way if why else "")


def control(enabled: bool, halted: bool) -> PreflightCheck:
    """Whether the control program is ours and runs; `halted`: a stop is in force."""
    if enabled:
        return PreflightCheck("control program", True)
    way = "Go on releases the stop and starts it" if halted else "make the arm ready"
    return PreflightCheck("control program", False, "it does not run", way)


PICTURE = 0.5  # seconds: an older one is shown as stale, and nobody moves the arm by it


def camera(age: float) -> PreflightCheck:
    """`age` of the picture by which a person would move the arm."""
    if age <= PICTURE:
        return PreflightCheck("camera", True)
    reason = "no picture has come yet" if age == float("inf") else f"its picture is {age:.1f} s old"
    return PreflightCheck("camera", False, reason, "check the camera and its cable")


def gripper(asked: bool, trouble: str) -> PreflightCheck:
    if not asked and not trouble:
        return PreflightCheck("gripper", False, "it has not been asked yet", "wait a moment")
    return PreflightCheck("gripper", not trouble, trouble)


def wrong(checks: tuple[PreflightCheck, ...]) -> str:
    """All that is in the way in one line, "" for nothing."""
    return "; ".join(f"{c.name}: {c.reason}" + f": {c.remedy}" * bool(c.remedy) for c in checks if not c.ok)
