"""The controller's modes, as protocol numbers and as text for people."""

from __future__ import annotations

from enum import IntEnum


class RobotMode(IntEnum):
    NO_CONTROLLER = -1
    DISCONNECTED = 0
    CONFIRM_SAFETY = 1
    BOOTING = 2
    POWER_OFF = 3
    POWER_ON = 4
    IDLE = 5
    BACKDRIVE = 6
    RUNNING = 7
    UPDATING_FIRMWARE = 8


class SafetyMode(IntEnum):
    UNKNOWN = 0
    NORMAL = 1
    REDUCED = 2
    PROTECTIVE_STOP = 3
    RECOVERY = 4
    SAFEGUARD_STOP = 5
    SYSTEM_EMERGENCY_STOP = 6
    ROBOT_EMERGENCY_STOP = 7
    VIOLATION = 8
    FAULT = 9
    VALIDATE_JOINT_ID = 10
    UNDEFINED = 11
    AUTOMATIC_MODE_SAFEGUARD_STOP = 12
    SYSTEM_THREE_POSITION_ENABLING_STOP = 13


class RuntimeState(IntEnum):
    STOPPING = 0
    STOPPED = 1
    PLAYING = 2
    PAUSING = 3
    PAUSED = 4
    RESUMING = 5


# bits of safety_status_bits
(
    NORMAL,
    REDUCED,
    PROTECTIVE,
    RECOVERY,
    SAFEGUARD,
    SYSTEM_STOP,
    ROBOT_STOP,
    ANY_STOP,
    VIOLATION,
    FAULT,
    STOPPED,
) = (1 << bit for bit in range(11))

STATUS_BITS = {
    SafetyMode.NORMAL: NORMAL,
    SafetyMode.REDUCED: NORMAL | REDUCED,
    SafetyMode.PROTECTIVE_STOP: PROTECTIVE | STOPPED,
    SafetyMode.RECOVERY: RECOVERY,
    SafetyMode.SAFEGUARD_STOP: SAFEGUARD | STOPPED,
    SafetyMode.SYSTEM_EMERGENCY_STOP: SYSTEM_STOP | ANY_STOP | STOPPED,
    SafetyMode.ROBOT_EMERGENCY_STOP: ROBOT_STOP | ANY_STOP | STOPPED,
    SafetyMode.VIOLATION: VIOLATION | STOPPED,
    SafetyMode.FAULT: FAULT | STOPPED,
}

MOTION_ALLOWED = frozenset({SafetyMode.NORMAL, SafetyMode.REDUCED})


def parse_robot_mode(number: float) -> RobotMode:
    """Parse a robot mode. A number that the protocol does not define counts as NO_CONTROLLER."""
    return RobotMode(int(number)) if int(number) in set(RobotMode) else RobotMode.NO_CONTROLLER


def parse_safety_mode(number: float) -> SafetyMode:
    return SafetyMode(int(number)) if int(number) in set(SafetyMode) else SafetyMode.UNKNOWN


ROBOT_MODE_TEXT = {
    RobotMode.NO_CONTROLLER: "no controller",
    RobotMode.DISCONNECTED: "disconnected",
    RobotMode.CONFIRM_SAFETY: "waits for the safety settings to be confirmed on the pendant",
    RobotMode.BOOTING: "booting",
    RobotMode.POWER_OFF: "powered off",
    RobotMode.POWER_ON: "powering on",
    RobotMode.IDLE: "powered, brakes on",
    RobotMode.BACKDRIVE: "backdrive",
    RobotMode.RUNNING: "running",
    RobotMode.UPDATING_FIRMWARE: "updating its firmware",
}

SAFETY_MODE_TEXT = {
    SafetyMode.UNKNOWN: "unknown",
    SafetyMode.NORMAL: "normal",
    SafetyMode.REDUCED: "reduced",
    SafetyMode.PROTECTIVE_STOP: "protective stop",
    SafetyMode.RECOVERY: "recovery: a limit is passed",
    SafetyMode.SAFEGUARD_STOP: "safeguard stop",
    SafetyMode.SYSTEM_EMERGENCY_STOP: "emergency stop (system)",
    SafetyMode.ROBOT_EMERGENCY_STOP: "emergency stop (pendant)",
    SafetyMode.VIOLATION: "safety violation",
    SafetyMode.FAULT: "fault",
    SafetyMode.VALIDATE_JOINT_ID: "a joint's identity must be confirmed",
    SafetyMode.UNDEFINED: "undefined",
    SafetyMode.AUTOMATIC_MODE_SAFEGUARD_STOP: "safeguard stop of automatic mode",
    SafetyMode.SYSTEM_THREE_POSITION_ENABLING_STOP: "three-position enabling stop",
}
