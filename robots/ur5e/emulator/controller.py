"""PolyScope's state: power, brakes, safety, the program that runs, registers, and the 500 Hz tick."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from random import SystemRandom
from time import perf_counter
from typing import Protocol

import numpy as np

from robots.ur5e.emulator.motion import Motion, OutOfReach, braking
from robots.ur5e.emulator.plant import DT, Plant
from robots.ur5e.kinematics import Matrix, Pose, forward, jacobian, pose_of
from robots.ur5e.modes import MOVABLE, RobotMode, Runtime, SafetyMode

VERSION = (5, 15, 2, 1234567)
BOOT = 0.3  # seconds that power on and brake release take; a real arm takes several
UNLOCK = 5.0  # seconds that a protective stop stays at least
STOP, PROTECTIVE, EMERGENCY = 12.0, 20.0, 40.0  # rad/s2 of a program's, a protective and an e-stop
MOST_TOOL = 1.5  # m/s
MOST_JOINT = 3.4  # rad/s
DEVIATION = 0.06  # rad between where a joint should be and is, seen as a collision
PAYLOAD = 5.0  # kg


class Program(Protocol):
    """What the controller runs, a tick at a time."""

    name: str

    def tick(self) -> None: ...


class Controller:
    """One robot. Belongs to the emulator's thread; what other threads want goes through its ports."""

    def __init__(self, plant: Plant) -> None:
        self.plant = plant
        self.serial = f"2023{SystemRandom().randrange(10**7):07d}"  # also the proof of who this is
        self.now = 0.0  # seconds since the start
        self.q = plant.q  # targets
        self.qd = np.zeros(6)
        self.qdd = np.zeros(6)
        self.robot_mode, self.safety_mode = RobotMode.POWER_OFF, SafetyMode.NORMAL
        self.remote, self.compliant = True, False
        self.runtime, self.program = Runtime.STOPPED, None  # type: Runtime, Program | None
        self.stopping: Motion | None = None
        self.loaded = ""
        self.tcp: Matrix = np.eye(4)
        self.payload, self.cog = 0.0, (0.0, 0.0, 0.0)
        self.slider = 1.0
        self.digital_out = 0
        self.in_int, self.in_double = [0] * 48, [0.0] * 48
        self.out_int, self.out_double = [0] * 48, [0.0] * 48
        self.watchdog = 0.0  # Hz
        self._fed = (0.0, 0.0)  # when a register was last written: the arm's time, and the machine's
        self.popup = ""
        self.log: deque[str] = deque(maxlen=200)
        self._later: list[tuple[float, Callable[[], None]]] = []
        self._stopped_at = -UNLOCK
        self._reset = True  # a protective stop's popup has been closed

    # --- what can move -------------------------------------------------------------------------------------

    @property
    def movable(self) -> bool:
        return self.robot_mode is RobotMode.RUNNING and self.safety_mode in MOVABLE

    @property
    def moving(self) -> bool:
        return bool(np.max(np.abs(self.plant.qd)) > 1e-3)

    @property
    def pose(self) -> Pose:
        return pose_of(forward(self.plant.q, self.tcp))

    def feed(self) -> None:
        """A register was written: a sign of life for the watchdog."""
        self._fed = (self.now, perf_counter())

    @property
    def hungry(self) -> float:
        """Seconds without a sign of life. A delay of our own is not the client's."""
        return min(self.now - self._fed[0], perf_counter() - self._fed[1])

    def say(self, what: str) -> None:
        self.log.append(f"{self.now:.3f} {what}")

    def after(self, seconds: float, do: Callable[[], None]) -> None:
        self._later.append((self.now + seconds, do))

    # --- power ---------------------------------------------------------------------------------------------

    def power_on(self) -> None:
        if self.robot_mode is RobotMode.POWER_OFF and self.safety_mode in MOVABLE:
            self.robot_mode = RobotMode.POWER_ON
            self.after(BOOT, lambda: self._arrive(RobotMode.POWER_ON, RobotMode.IDLE))

    def brake_release(self) -> None:
        if self.robot_mode is RobotMode.POWER_OFF:
            self.power_on()
            self.after(BOOT, self.brake_release)
        elif self.robot_mode is RobotMode.IDLE and self.safety_mode in MOVABLE:
            self.after(BOOT, lambda: self._arrive(RobotMode.IDLE, RobotMode.RUNNING))

    def _arrive(self, at: RobotMode, to: RobotMode) -> None:
        if self.robot_mode is at and self.safety_mode in MOVABLE:
            self.robot_mode = to

    def power_off(self) -> None:
        self.end_program("power off", EMERGENCY)
        self.robot_mode = RobotMode.POWER_OFF

    # --- safety --------------------------------------------------------------------------------------------

    def protective_stop(self, why: str) -> None:
        if self.safety_mode not in MOVABLE:
            return
        self.say(f"protective stop: {why}")
        self.popup, self._reset = why, False
        self.safety_mode, self._stopped_at = SafetyMode.PROTECTIVE_STOP, self.now
        self.hold(PROTECTIVE)
        if self.runtime is Runtime.PLAYING:
            self.runtime = Runtime.PAUSED

    def unlock(self) -> bool:
        """False within five seconds of the stop."""
        if self.safety_mode is not SafetyMode.PROTECTIVE_STOP:
            return True
        if self.now - self._stopped_at < UNLOCK:
            return False
        self.safety_mode, self._reset = SafetyMode.NORMAL, True
        return True

    def safeguard(self, open_: bool) -> None:
        if open_ and self.safety_mode in MOVABLE:
            self.safety_mode = SafetyMode.SAFEGUARD_STOP
            self.hold(PROTECTIVE)
            if self.runtime is Runtime.PLAYING:
                self.runtime = Runtime.PAUSED
        elif not open_ and self.safety_mode is SafetyMode.SAFEGUARD_STOP:
            self.safety_mode = SafetyMode.NORMAL

    def emergency_stop(self, pressed: bool) -> None:
        if pressed:
            self.end_program("emergency stop", EMERGENCY)
            self.safety_mode = SafetyMode.ROBOT_EMERGENCY_STOP
            self.robot_mode = RobotMode.POWER_OFF
        elif self.safety_mode is SafetyMode.ROBOT_EMERGENCY_STOP:
            self.safety_mode = SafetyMode.NORMAL

    def violation(self) -> None:
        self.end_program("safety violation", EMERGENCY)
        self.safety_mode, self.robot_mode = SafetyMode.VIOLATION, RobotMode.POWER_OFF

    def restart_safety(self) -> None:
        if self.safety_mode in (SafetyMode.VIOLATION, SafetyMode.FAULT):
            self.safety_mode = SafetyMode.NORMAL
        self.end_program("safety restarted", EMERGENCY)
        self.robot_mode = RobotMode.POWER_OFF

    # --- programs ------------------------------------------------------------------------------------------

    def start(self, program: Program) -> None:
        """Some 100 ms after it came, as a controller compiles it first; one that runs is replaced."""
        if self.program is not None:
            self.end_program("replaced by another program")
        self.after(0.1, lambda: self._begin(program))

    def _begin(self, program: Program) -> None:
        if not self.movable:
            self.say(f"{program.name} not started: {self.robot_mode.name}, {self.safety_mode.name}")
            return
        self.program, self.runtime, self.stopping = program, Runtime.PLAYING, None
        self.loaded = program.name
        self.q = self.plant.q

    def end_program(self, why: str, deceleration: float = STOP) -> None:
        if self.program is not None:
            self.say(f"{self.program.name} ended: {why}")
        self.program, self.watchdog, self.compliant = None, 0.0, False
        self.hold(deceleration)
        self.runtime = Runtime.STOPPING if self.moving else Runtime.STOPPED

    def pause(self) -> bool:
        if self.runtime is not Runtime.PLAYING:
            return False
        self.runtime = Runtime.PAUSED
        self.hold(STOP)
        return True

    def play(self) -> bool:
        if self.program is None or self.runtime is not Runtime.PAUSED or not self.movable:
            return False
        self.runtime = Runtime.PLAYING
        return True

    def hold(self, deceleration: float) -> None:
        """Brake along the way the arm is on, and drop whatever motion the program had under way."""
        self.stopping = braking(self.q, self.qd, deceleration)
        drop = getattr(self.program, "drop_motion", None)
        if drop is not None:
            drop()

    # --- the tick ------------------------------------------------------------------------------------------

    def tick(self) -> None:
        """2 ms: what is due, the program, the watchdog, the arm."""
        self.now += DT
        due = [d for d in self._later if d[0] <= self.now]
        if due:
            self._later = [d for d in self._later if d[0] > self.now]
            for _, do in due:
                do()
        before = self.q
        if self.watchdog and self.runtime is Runtime.PLAYING and self.hungry > 1 / self.watchdog:
            self.end_program(f"watchdog: nothing came for {self.hungry:.3f} s")
        if self.stopping is not None:
            self.q = next(self.stopping, self.q)
            if float(np.max(np.abs(self.qd))) < 1e-6 and not self.moving:
                self.stopping = None
                if self.runtime is Runtime.STOPPING:
                    self.runtime = Runtime.STOPPED
        elif self.program is not None and self.runtime is Runtime.PLAYING:
            try:
                self.program.tick()
            except OutOfReach:
                self.protective_stop("the line leaves the arm's reach")
        if self.compliant:
            self.q, self.qd, self.qdd = self.plant.q, self.plant.qd, np.zeros(6)
        else:
            speed = (self.q - before) / DT
            self.qd, self.qdd = speed, np.clip((speed - self.qd) / DT, -60, 60)
        self.plant.step(self.q, self.qd, self.qdd, self.compliant)
        if self.movable and not self.compliant:
            self._watch()

    def _watch(self) -> None:
        """The safety system's own limits."""
        if float(np.max(np.abs(self.q - self.plant.q))) > DEVIATION:
            self.protective_stop("a joint is not where it should be: a collision, or a wrong payload")
            self.q, self.qd = self.plant.q, self.plant.qd
            self.hold(PROTECTIVE)
        elif float(np.max(np.abs(self.qd))) > MOST_JOINT:
            self.protective_stop("a joint is too fast")
        elif float(np.max(np.abs(self.q))) > 2 * math.pi + 1e-3:
            self.protective_stop("a joint has passed its limit")
        elif float(np.max(np.abs(self.qd))) > 0.5:
            speed = jacobian(self.q, self.tcp) @ self.qd
            if float(np.linalg.norm(speed[:3])) > MOST_TOOL:
                self.protective_stop("the tool is too fast")
