"""What an arm may offer to a person at a panel, each part optional: ask a robot with `isinstance`.

Every call comes from the panel's thread and returns within 50 ms. What takes longer only begins, and tells of
itself through `Status.status` and `Recovery.recovery`. What cannot begin says why, and the way out, in one
sentence; "" is yes. Metres, radians, kilograms, seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, runtime_checkable

from core.ports import Robot

JOG_TIMEOUT = 0.1  # seconds; a jog that is not renewed by then ends
JOG_SPEED = 0.25  # m/s that the tool never passes while jogging
FREEDRIVE_TIMEOUT = 0.5  # seconds; freedrive that is not renewed by then ends
MIN_SPEED_FRACTION = 0.02  # of the speed slider, which is never 0


class JogFrame(Enum):
    BASE = "base"  # along and around the base's axes
    TOOL = "tool"  # along and around the tool's own axes
    JOINTS = "joints"


@dataclass(frozen=True)
class JogCommand:
    """Which way: `axis` 0..5 is x, y, z, then around x, y, z; of JOINTS it is the joint.

    `speed` is a part of what is allowed, -1..1; its sign is the direction.
    """

    frame: JogFrame
    axis: int
    speed: float


@runtime_checkable
class SupportsJog(Protocol):
    """Hold to run. It ends with `end_jog`, or 100 ms after the last renewal, whatever came between."""

    def begin_jog(self, command: JogCommand) -> str:
        """Move this way from now on, or why not. Never while a step moves the arm, or a stop is in force."""
        ...

    def keep_jog_alive(self) -> str:
        """The key is still held; call it every 40 ms. Why the motion has ended, "" while it goes on."""
        ...

    def end_jog(self) -> None:
        """The key was let go. Idempotent."""


@runtime_checkable
class SupportsFreedrive(Protocol):
    """A hand leads the arm, for as long as a button is held: half a second after the last renewal it ends."""

    def begin_freedrive(self, by: str) -> str:
        """Because this person said so, or why not."""
        ...

    def keep_freedrive_alive(self) -> str:
        """The button is still held. Why it has ended, "" while it goes on."""
        ...

    def end_freedrive(self) -> None:
        """The arm holds itself again. Idempotent."""


@dataclass(frozen=True)
class GripperStatus:
    """A gripper: `opening` of at most `stroke` metres, and what it says of what it holds."""

    opening: float
    stroke: float
    active: bool
    moving: bool
    holding: bool | None  # something is between the fingers; None: it does not know
    fault: str = ""


@runtime_checkable
class SupportsGripper(Protocol):
    @property
    def gripper_status(self) -> GripperStatus | None:
        """As it was told last, None before; `Status.status` has the trouble there is with it."""
        ...

    def move_gripper(self, opening: float, speed: float = 1.0, force: float = 0.25) -> str:
        """Begin to go to this opening (metres); speed and force are parts of the most, 0..1. Or why not."""
        ...

    def activate_gripper(self, by: str) -> str:
        """Begin to activate: it opens and closes once, so only because a person said so. Or why not."""
        ...


@dataclass(frozen=True)
class PreflightCheck:
    """One line of the list before a start; `reason` and `way_out` are "" where all is well."""

    name: str
    ok: bool
    reason: str = ""
    remedy: str = ""


@runtime_checkable
class SupportsPreflight(Protocol):
    def preflight(self) -> tuple[PreflightCheck, ...]:
        """All that must be so before the arm may move, as known now; slow lines are at most 1 s old."""
        ...


class RecoveryStep(Enum):
    """Steps out of a stop, or to a start. Each is done by a person, none by itself."""

    ACKNOWLEDGE = "acknowledge"  # "I have looked, the cause is gone"
    UNLOCK = "unlock"  # a protective stop, 5 s after it at the earliest
    POWER_ON = "power on"
    RELEASE_BRAKES = "release brakes"
    READY = "make ready"  # the arm is on, and only this program's part of it does not run yet


@dataclass(frozen=True)
class RecoveryState:
    """Where the way back stands. `next` None: nothing to do here; `words` say so, or what is to be done."""

    message: str
    next_step: RecoveryStep | None = None
    wait_seconds: float = 0.0  # seconds until `next` is allowed
    busy: bool = False  # a step is under way
    failure: str = ""  # why the last step did not take
    on_site_only: bool = False  # only at the pendant or at the cell can anything be done


@runtime_checkable
class SupportsRecovery(Protocol):
    @property
    def recovery(self) -> RecoveryState: ...

    def recover(self, step: RecoveryStep, by: str) -> str:
        """Begin this step because this person said so, or why not. Nothing moves, no halt is released."""
        ...


@runtime_checkable
class ReportsStandstill(Protocol):
    """A robot that sees in its own data when it stands."""

    def on_standstill(self, listener: Callable[[int, float | None], None]) -> None:
        """From now on `told(halt, seconds)` after each halt, from a thread of its own: how long it went on
        moving. None: it is not known to stand, for lack of data; it is told again as soon as it is."""


@runtime_checkable
class SharesControl(Protocol):
    """A robot that another program may be at work with while this one only looks on."""

    def release_control(self) -> int:
        """As `Robot.halt`, any thread; but nothing is sent where this program never had control."""
        ...


def release_control(robot: Robot) -> int:
    """Halt because the program is done, and no person asked for a stop: that one is `Robot.halt`."""
    return robot.release_control() if isinstance(robot, SharesControl) else robot.halt()


@dataclass(frozen=True)
class ArmStatus:
    """The arm as its data tell; `age` seconds old, infinite before the first. Words are for people."""

    mode: str
    safety: str
    program: str
    joints: tuple[float, ...]  # rad
    tool: tuple[float, ...]  # x, y, z (m), rotation vector (rad), in the base frame
    speed: float  # of the slider, 0..1
    payload: float
    age: float
    moving: bool
    safe: bool  # neither a protective nor any other safety stop
    joint_loads: tuple[float, ...] = ()  # of each joint: its torque as a part of the most that it can, -1..1
    joint_temperatures: tuple[float, ...] = ()  # of each joint's motor
    activity: str = ""  # what is under way: "jog", "freedrive", "gripper", "a step", ""
    last_error: str = ""  # the last thing that went wrong by itself


@runtime_checkable
class ReportsStatus(Protocol):
    """Arm's state for a display, polled about 20 times a second. Any thread."""

    @property
    def status(self) -> ArmStatus: ...


@runtime_checkable
class SupportsSpeedSlider(Protocol):
    def set_speed(self, fraction: float) -> str:
        """Slow every motion down to this part; what is below 0.02 becomes 0.02. Or why it cannot be set."""
        ...
