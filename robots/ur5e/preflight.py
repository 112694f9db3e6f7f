"""What must hold before the arm may move: one check for each condition, with its reason and remedy. Pure."""

from __future__ import annotations

from core.arm.arm_capabilities import PreflightCheck
from robots.ur5e import limits
from robots.ur5e.arm_setup import ArmSetup
from robots.ur5e.kinematics import flange_pose, invert_transform, pose_distance, pose_to_matrix
from robots.ur5e.modes import MOTION_ALLOWED, ROBOT_MODE_TEXT, SAFETY_MODE_TEXT, RobotMode, SafetyMode
from robots.ur5e.rtde_receiver import ArmState

_MIN_VERSION, _UNSUPPORTED_VERSION = (
    (5, 10),
    (10,),
)  # PolyScope 5; its successor PolyScope X has no dashboard server
_NO_TOOL = pose_to_matrix((0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
_SERVICES = "enable RTDE and the dashboard server (Settings, Security, Services)"


def data_check(state: ArmState | None, age: float, why: str, fresh: float) -> PreflightCheck:
    """Check that data arrive.

    `why` is the receiver's reason for a missing link, `fresh` the age in seconds that data may have.
    """
    if state is not None and age <= fresh:
        return PreflightCheck("data", True)
    reason = why or f"the last data are {age:.1f} s old"
    return PreflightCheck("data", False, reason, "check cable, address and controller, and " + _SERVICES)


def stop_channel_check(open_: bool) -> PreflightCheck:
    if open_:
        return PreflightCheck("stop line", True)
    return PreflightCheck("stop line", False, "the line for stops is not open", _SERVICES)


def version_check(found: tuple[int, ...]) -> PreflightCheck:
    if not found or _MIN_VERSION <= found[:2] < _UNSUPPORTED_VERSION:
        return PreflightCheck("version", True)
    if found >= _UNSUPPORTED_VERSION:
        reason = f"PolyScope {found[0]}.{found[1]} has no dashboard server, and stops go through it"
        return PreflightCheck("version", False, reason, "use a controller with PolyScope 5")
    return PreflightCheck(
        "version", False, f"PolyScope {found[0]}.{found[1]} is older than 5.10", "update it"
    )


def remote_control_check(reply: str, trouble: str = "") -> PreflightCheck:
    """Interpret the dashboard's reply to `is in remote control`; `trouble` says why there is none."""
    if trouble:
        return PreflightCheck("remote control", False, trouble)
    if reply == "true":
        return PreflightCheck("remote control", True)
    return PreflightCheck(
        "remote control", False, "the arm is in local control", "switch the pendant to Remote Control"
    )


def console_check(refusal: str) -> PreflightCheck:
    """Check that no other console moves the arm; `refusal` says who does."""
    reason, _, remedy = refusal.partition(": ")
    return PreflightCheck("consoles", not refusal, reason, remedy)


def state_checks(state: ArmState, setup: ArmSetup) -> tuple[PreflightCheck, ...]:
    """Return the checks that depend on the robot's data."""
    return (
        safety_check(state.safety),
        power_check(state.robot),
        tool_check(state, setup),
        payload_check(state, setup),
    )


def safety_check(mode: SafetyMode) -> PreflightCheck:
    if mode in MOTION_ALLOWED:
        return PreflightCheck("safety", True)
    remedies = {
        SafetyMode.PROTECTIVE_STOP: "look what caused it, then recover",
        SafetyMode.ROBOT_EMERGENCY_STOP: "release the button when all is clear, then switch the arm on",
        SafetyMode.SYSTEM_EMERGENCY_STOP: "release the button when all is clear, then switch the arm on",
        SafetyMode.SAFEGUARD_STOP: "close the guard, then continue",
    }
    return PreflightCheck("safety", False, SAFETY_MODE_TEXT[mode], remedies.get(mode, "see the pendant"))


def power_check(mode: RobotMode) -> PreflightCheck:
    if mode is RobotMode.RUNNING:
        return PreflightCheck("power", True)
    return PreflightCheck("power", False, f"the arm is {ROBOT_MODE_TEXT[mode]}", "start it")


def tool_check(state: ArmState, setup: ArmSetup) -> PreflightCheck:
    offset = invert_transform(flange_pose(state.q)) @ pose_to_matrix(state.tool)
    if setup.tcp is None and max(pose_distance(offset, _NO_TOOL)) < 0.005:
        way = "set it on the pendant (Installation, TCP) or in the setup file"
        return PreflightCheck("tool", False, "no tool centre point is set", way)
    return PreflightCheck("tool", True)


def payload_check(state: ArmState, setup: ArmSetup) -> PreflightCheck:
    mass = setup.payload if setup.payload is not None else state.payload
    remedy = "set it on the pendant (Installation, Payload) or in the setup file"
    if mass == 0:
        return PreflightCheck("payload", False, "no payload is set", remedy)
    reason = limits.payload_violation(mass, setup.limits)
    return PreflightCheck("payload", not reason, reason, remedy if reason else "")


def control_program_check(enabled: bool, halted: bool) -> PreflightCheck:
    """Check that the control program is ours and runs. `halted`: a stop is in force."""
    if enabled:
        return PreflightCheck("control program", True)
    remedy = "Go on releases the stop and starts it" if halted else "make the arm ready"
    return PreflightCheck("control program", False, "it does not run", remedy)


MAX_PICTURE_AGE = 0.5  # seconds; an older picture is shown as stale, and the arm cannot be moved by it


def camera_check(age: float) -> PreflightCheck:
    """Check the `age` (seconds) of the picture by which a person would move the arm."""
    if age <= MAX_PICTURE_AGE:
        return PreflightCheck("camera", True)
    reason = "no picture has come yet" if age == float("inf") else f"its picture is {age:.1f} s old"
    return PreflightCheck("camera", False, reason, "check the camera and its cable")


def gripper_check(asked: bool, trouble: str) -> PreflightCheck:
    if not asked and not trouble:
        return PreflightCheck("gripper", False, "it has not been asked yet", "wait a moment")
    return PreflightCheck("gripper", not trouble, trouble)


def failed_checks_text(checks: tuple[PreflightCheck, ...]) -> str:
    """Return all failed checks in one line, "" if there are none."""
    return "; ".join(f"{c.name}: {c.reason}" + f": {c.remedy}" * bool(c.remedy) for c in checks if not c.ok)
