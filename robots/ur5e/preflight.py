"""Check what must hold before the arm may move: each condition with its reason and remedy. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from core.arm.arm_capabilities import PreflightCheck
from core.install_paths import COMMAND
from robots.ur5e import limits
from robots.ur5e.arm_setup import ArmSetup
from robots.ur5e.kinematics import flange_pose, invert_transform, pose_distance, pose_to_matrix
from robots.ur5e.modes import MOTION_ALLOWED, ROBOT_MODE_TEXT, SAFETY_MODE_TEXT, RobotMode, SafetyMode
from robots.ur5e.rtde_receiver import ArmState

_MIN_VERSION, _UNSUPPORTED_VERSION = (5, 10), (10,)  # PolyScope 5; PolyScope X has no dashboard server
_NO_TOOL = pose_to_matrix((0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
_SERVICES = "enable RTDE and the dashboard server (Settings, Security, Services)"
HOLDS = "it holds something"
WAYS_TO_OPEN = (
    "in the Robot panel (Gripper, Open), on the pendant, or, while no episode runs, with "
    f"`{COMMAND} arm gripper open --arm ARM`"
)
OPEN_IT = f"open it {WAYS_TO_OPEN}"
MAX_PICTURE_AGE_S = 0.5  # an older picture is shown as stale, and the arm cannot be moved by it


def _check(name: str, ok: bool, reason: str, remedy: str = "") -> PreflightCheck:
    """Return a check, with reason and remedy only if it failed."""
    return PreflightCheck(name, True) if ok else PreflightCheck(name, False, reason, remedy)


def data_check(state: ArmState | None, reason: str) -> PreflightCheck:
    """Check that there are data, and no `reason` (`RtdeReceiver.old_data`) why they show nothing of now."""
    reason, _, remedy = reason.partition(": ")
    usual = "check cable, address and controller, and " + _SERVICES
    return _check("data", state is not None and not reason, reason, remedy or usual)


def stop_channel_check(open_: bool) -> PreflightCheck:
    return _check("stop line", open_, "the line for stops is not open", _SERVICES)


def version_check(found: tuple[int, ...]) -> PreflightCheck:
    if not found:
        return _check("version", False, "the controller has not told it", _SERVICES)
    ok = _MIN_VERSION <= found[:2] < _UNSUPPORTED_VERSION
    name = "PolyScope " + ".".join(map(str, found[:2]))
    if found < _UNSUPPORTED_VERSION:
        return _check("version", ok, f"{name} is older than 5.10", "update it")
    reason = f"{name} has no dashboard server, and stops go through it"
    return _check("version", ok, reason, "use a controller with PolyScope 5")


def remote_control_check(reply: str, fault_reason: str = "") -> PreflightCheck:
    """Interpret the dashboard's reply to `is in remote control`; `fault_reason` says why there is none."""
    if fault_reason:
        return _check("remote control", False, fault_reason)
    remedy = "switch the pendant to Remote Control"
    return _check("remote control", reply == "true", "the arm is in local control", remedy)


def console_check(refusal: str) -> PreflightCheck:
    """Check that no other console moves the arm; `refusal` says who does."""
    reason, _, remedy = refusal.partition(": ")
    return _check("consoles", not refusal, reason, remedy)


def state_checks(state: ArmState, setup: ArmSetup) -> tuple[PreflightCheck, ...]:
    """Return the checks that depend on the robot's data."""
    return (
        safety_check(state.safety),
        power_check(state.robot),
        tool_check(state, setup),
        payload_check(state, setup),
    )


def safety_check(mode: SafetyMode) -> PreflightCheck:
    remedies = {
        SafetyMode.PROTECTIVE_STOP: "look what caused it, then recover",
        SafetyMode.ROBOT_EMERGENCY_STOP: "release the button when all is clear, then switch the arm on",
        SafetyMode.SYSTEM_EMERGENCY_STOP: "release the button when all is clear, then switch the arm on",
        SafetyMode.SAFEGUARD_STOP: "close the guard, then continue",
    }
    remedy = remedies.get(mode, "see the pendant")
    return _check("safety", mode in MOTION_ALLOWED, SAFETY_MODE_TEXT[mode], remedy)


def power_check(mode: RobotMode) -> PreflightCheck:
    remedy = "start it in the Robot panel; a window or `run` that opens an emulated one does so"
    return _check("power", mode is RobotMode.RUNNING, f"the arm is {ROBOT_MODE_TEXT[mode]}", remedy)


def tool_check(state: ArmState, setup: ArmSetup) -> PreflightCheck:
    offset = invert_transform(flange_pose(state.q)) @ pose_to_matrix(state.tool)
    ok = setup.tcp is not None or max(pose_distance(offset, _NO_TOOL)) >= 0.005
    remedy = "set it on the pendant (Installation, TCP) or in the setup file"
    return _check("tool", ok, "no tool centre point is set", remedy)


def payload_check(state: ArmState, setup: ArmSetup) -> PreflightCheck:
    mass = setup.payload if setup.payload is not None else state.payload
    reason = "no payload is set" if mass == 0 else limits.payload_violation(mass, setup.limits)
    remedy = "set it on the pendant (Installation, Payload) or in the setup file"
    return _check("payload", not reason, reason, remedy)


def control_program_check(enabled: bool, halted: bool) -> PreflightCheck:
    """Check that the control program is ours and runs. `halted`: a stop is in force."""
    remedy = "Hold to resume releases the stop and starts it" if halted else "make the arm ready"
    return _check("control program", enabled, "it does not run", remedy)


def camera_check(age: float) -> PreflightCheck:
    """Check the `age` (seconds) of the picture by which a person would move the arm; infinite: not known."""
    if age == float("inf"):
        reason = "there is no live picture whose age is known"
        return _check("camera", False, reason, "show the Camera panel, and check the camera and its cable")
    reason = f"its picture is {age:.1f} s old"
    return _check("camera", age <= MAX_PICTURE_AGE_S, reason, "check the camera and its cable")


def gripper_check(asked: bool, fault_reason: str, holds: bool = False) -> PreflightCheck:
    """Check the gripper. `holds`: it holds something that nobody has picked up in this episode."""
    reason, remedy = fault_reason, ""
    if not asked and not fault_reason:
        reason, remedy = "it has not been asked yet", "wait a moment"
    elif holds and not fault_reason:
        reason, remedy = HOLDS, OPEN_IT
    return replace(_check("gripper", not reason, reason, remedy), by_hand=False)


def failed_checks_text(checks: Iterable[PreflightCheck]) -> str:
    """Return all failed checks in one line, "" if there are none."""
    return "; ".join(f"{c.name}: {c.refusal}" for c in checks if not c.ok)
