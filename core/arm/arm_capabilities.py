"""Optional capabilities that an arm may offer in its panel; test a robot for each with `isinstance`.

Every call comes from the GUI thread and returns within 50 ms. What takes longer only begins, and reports its
progress through `ReportsStatus.status` and `SupportsRecovery.recovery`. A method that begins something uses
its permit up first; it returns "" if it began, or in one sentence why not and what to do. Units are metres,
radians, kilograms and seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, runtime_checkable

from core.permit import Permit, PermitLedger
from core.ports import Embodiment, Robot

JOG_TIMEOUT = 0.1  # seconds after which a jog ends unless it is renewed
JOG_SPEED = 0.25  # maximum speed of the tool while jogging, m/s
FREEDRIVE_TIMEOUT = 0.5  # seconds after which freedrive ends unless it is renewed
FREEDRIVE = "leading the arm by hand"  # the motions that have no command, as permits name them
ACTIVATION = "activation"
MIN_SPEED_FRACTION = 0.02  # of the speed slider, which is never 0


class JogFrame(Enum):
    BASE = "base"  # along and around the base's axes
    TOOL = "tool"  # along and around the tool's own axes
    JOINTS = "joints"


@dataclass(frozen=True)
class JogCommand:
    """A direction to jog in. `axis` 0..5 is x, y, z, then rotation about x, y, z; in JOINTS it is the joint.

    `speed` is a fraction of the allowed speed, -1..1; its sign is the direction. With a `goal`, six joints in
    rad, it goes there, all joints together, and stands there; `frame` and `axis` are of no account.
    """

    frame: JogFrame
    axis: int
    speed: float
    goal: tuple[float, ...] = ()


@runtime_checkable
class SupportsJog(Protocol):
    """Hold-to-run jogging. It ends with `end_jog`, or 100 ms after the last renewal, whatever happens."""

    def begin_jog(self, command: JogCommand, permit: Permit) -> str:
        """Start to move in this direction, or return why not: a step runs, or a stop is in force."""

    def keep_jog_alive(self) -> str:
        """Report that the key is held, every 40 ms. Return why the motion ended, "" while it goes on."""

    def end_jog(self) -> None:
        """Stop jogging, because the key was released. Idempotent."""


@runtime_checkable
class NamesPoses(Protocol):
    """An arm with named poses, each the six joints in rad, for a person to jog it to."""

    poses: Mapping[str, tuple[float, ...]]


@runtime_checkable
class SupportsFreedrive(Protocol):
    """Freedrive while a button is held. It ends half a second after the last renewal."""

    def begin_freedrive(self, permit: Permit) -> str:
        """Start freedrive, on a permit for `FREEDRIVE`, or return why not."""

    def keep_freedrive_alive(self) -> str:
        """Report that the button is still held. Return why freedrive ended, "" while it goes on."""

    def end_freedrive(self) -> None:
        """End freedrive: the arm holds its position again. Idempotent."""


@dataclass(frozen=True)
class GripperCommand:
    """An opening (metres) to move the fingers to. `speed` and `force` are fractions, 0..1."""

    opening: float
    speed: float = 1.0
    force: float = 0.25


@dataclass(frozen=True)
class GripperStatus:
    """A gripper: its `opening`, at most `stroke` (both in metres), and whether it reports a hold."""

    opening: float
    stroke: float
    active: bool
    moving: bool
    holding: bool | None  # something is between the fingers; None: unknown
    fault: str = ""


@runtime_checkable
class SupportsGripper(Protocol):
    @property
    def gripper_status(self) -> GripperStatus | None:
        """Return the last reported status, None before the first; errors are in `ReportsStatus.status`."""

    def move_gripper(self, command: GripperCommand, permit: Permit) -> str:
        """Start to move the fingers, or return why not."""

    def activate_gripper(self, permit: Permit) -> str:
        """Start activation, on a permit for `ACTIVATION`, or return why not. It opens and closes once."""


@dataclass(frozen=True)
class PreflightCheck:
    """One line of the list of preflight checks; `reason` and `remedy` are "" if the check passed."""

    name: str
    ok: bool
    reason: str = ""
    remedy: str = ""
    by_hand: bool = True  # a person needs it to move the arm by hand, too

    @property
    def sentence(self) -> str:
        """Return what is wrong and what to do: "control program: it does not run. Hold to resume"."""
        told = f"{self.name}: {self.reason}"
        return f"{told}. {self.remedy[:1].upper()}{self.remedy[1:]}" if self.remedy else told

    @property
    def refusal(self) -> str:
        """Return reason and remedy in one line; "" if the check passed."""
        return ": ".join(words for words in (self.reason, self.remedy) if words)


@runtime_checkable
class SupportsPreflight(Protocol):
    def preflight(self) -> tuple[PreflightCheck, ...]:
        """Return all that must be in order before the arm may move; slow checks are at most 1 s old."""


@runtime_checkable
class ReportsHindrance(Protocol):
    """A robot that knows what is in the way of its task, where the domain says only that there is no plan."""

    def hindrance(self) -> str:
        """Return what is in the way and what to do, in one sentence; "" for nothing. Called from the loop's
        thread. Raises RobotError."""


class RecoveryStep(Enum):
    """A step out of a stop, or towards a start. Each needs a person's explicit confirmation."""

    ACKNOWLEDGE = "acknowledge"  # "I have looked, the cause is gone"
    UNLOCK = "unlock"  # a protective stop, 5 s after it at the earliest
    POWER_ON = "power on"
    RELEASE_BRAKES = "release brakes"
    READY = "make ready"  # the arm is on, and only this program's part of it does not run yet
    RELEASE = "release"  # a stop, while no episode asks for that


@dataclass(frozen=True)
class RecoveryState:
    """The state of a recovery. With `next_step` None nothing can be done here; `message` says what to do."""

    message: str
    next_step: RecoveryStep | None = None
    wait_seconds: float = 0.0  # seconds until `next_step` is allowed
    busy: bool = False  # a step is under way
    failure: str = ""  # why the last step failed
    on_site_only: bool = False  # only someone at the pendant or the cell can do anything
    halted: bool = False  # a stop is in force; RELEASE is then possible if there is no other `next_step`


@runtime_checkable
class SupportsRecovery(Protocol):
    @property
    def recovery(self) -> RecoveryState: ...

    def recover(self, step: RecoveryStep, permit: Permit) -> str:
        """Start this step on behalf of the person whom the permit names, or return why not.

        The arm does not move; only RELEASE releases a halt.
        """


@runtime_checkable
class ReportsStandstill(Protocol):
    """A robot that detects its own standstill from its data."""

    def on_standstill(self, listener: Callable[[int, float | None], None]) -> None:
        """Call `listener(halt, seconds)` after each halt from now on, from a thread of its own.

        `seconds` is how long the arm went on moving; None means that its data do not show a standstill yet,
        and another call follows as soon as they do.
        """


@runtime_checkable
class SharesControl(Protocol):
    """A robot that another program may control while this one only watches."""

    def halt_if_in_control(self) -> int:
        """Halt like `Robot.halt`, from any thread, but send nothing if this program never had control."""


def halt_if_in_control(robot: Robot) -> int:
    """Halt because the program is done with the robot, not because a person requested a stop."""
    return robot.halt_if_in_control() if isinstance(robot, SharesControl) else robot.halt()


@dataclass(frozen=True)
class ArmStatus:
    """The arm's state as of its latest data, `age` seconds old (infinite before the first).

    `mode`, `safety` and `program` are texts for people.
    """

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
    joint_loads: tuple[float, ...] = ()  # torque of each joint as a fraction of its maximum, -1..1
    joint_temperatures: tuple[float, ...] = ()  # of each joint's motor, degrees Celsius
    activity: str = ""  # what is under way, as `PermitKind` words it; "" for nothing
    last_error: str = ""  # the last spontaneous error
    tool_speed: float | None = None  # measured, m/s


@runtime_checkable
class ReportsStatus(Protocol):
    """Provides the arm's state for a display, polled about 20 times a second. Any thread."""

    @property
    def status(self) -> ArmStatus: ...


class ArmByHand(SupportsGripper, ReportsStatus, Protocol):
    """An arm without task and cameras, for a person at a terminal."""

    permits: PermitLedger
    embodiment: Embodiment

    def halt(self) -> int: ...

    def close(self) -> None: ...


@runtime_checkable
class SupportsSpeedSlider(Protocol):
    def set_speed(self, fraction: float) -> str:
        """Slow every motion down to this fraction (at least 0.02), or return why it cannot be set."""
