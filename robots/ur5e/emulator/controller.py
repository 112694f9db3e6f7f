"""The controller's state: power, brakes, safety, the running program, registers, and the 500 Hz tick."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from random import SystemRandom
from time import perf_counter
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from robots.ur5e.emulator.motion import Motion, OutOfReach, brake_motion
from robots.ur5e.emulator.plant import DT_S, Plant
from robots.ur5e.emulator.urscript.values import ScriptError
from robots.ur5e.kinematics import Pose, Transform, forward_kinematics, jacobian, matrix_to_pose
from robots.ur5e.modes import MOTION_ALLOWED, RobotMode, RuntimeState, SafetyMode

VERSION = (5, 15, 2, 1234567)
BOOT_TIME_S = 0.3  # that power-on and brake release take; a real arm takes several
UNLOCK_DELAY_S = 5.0  # for which a protective stop lasts at least
# rad/s2 when stopped by a program, by a protective stop and by an emergency stop
STOP_DECELERATION, PROTECTIVE_DECELERATION, EMERGENCY_DECELERATION = 12.0, 20.0, 40.0
MAX_TOOL_SPEED_M_PER_S = 1.5
MAX_JOINT_SPEED_RAD_PER_S = 3.4
REACH_M = 1.05  # from any joint's axis to the flange, at most
MAX_DEVIATION_RAD = 0.06  # between a joint's target and its position that counts as a collision
MAX_PAYLOAD_KG = 5.0


class Program(Protocol):
    """A program that the controller runs, tick by tick, until it is `done` or in `error`."""

    name: str
    done: bool
    error: ScriptError | None

    @property
    def line(self) -> int: ...

    def tick(self) -> None: ...

    def drop_motion(self) -> None: ...


class Controller:
    """One emulated robot. Belongs to the emulator's thread; other threads reach it through its ports."""

    def __init__(self, plant: Plant) -> None:
        self.plant = plant
        self.serial = f"2023{SystemRandom().randrange(10**7):07d}"  # also proves which emulator this is
        self.now = 0.0  # seconds since the start
        self.q = plant.q  # joint targets
        self.qd = np.zeros(6)
        self.qdd = np.zeros(6)
        self.robot_mode, self.safety_mode = RobotMode.POWER_OFF, SafetyMode.NORMAL
        self.remote_control, self.compliant = True, False
        self.turns_to_remote = 0  # how often the pendant was switched to remote control
        self.runtime, self.program = RuntimeState.STOPPED, None  # type: RuntimeState, Program | None
        self.stopping: Motion | None = None
        self.loaded = ""
        self.tcp: Transform = np.eye(4)
        self.payload, self.cog = 0.0, (0.0, 0.0, 0.0)
        self.inertia: tuple[float, ...] = (0.0,) * 6
        self.slider = 1.0
        self.digital_out = self.digital_in = 0
        self.analog_out, self.analog_types = [0.0, 0.0], 0  # fractions of the range; bits 2 and 3: voltage
        self.in_bits = self.out_bits = 0  # bit registers
        self.in_int, self.in_double = [0] * 48, [0.0] * 48
        self.out_int, self.out_double = [0] * 48, [0.0] * 48
        self._watchdog: tuple[str, float, str] = ("", 0.0, "stop")  # variable, Hz, action
        self.ended_late = False  # the last program was ended by its watchdog
        self._last_fed = (0.0, 0.0)  # when a register was last written: emulated time, and the machine's
        self.popup = ""
        self.operational_mode = "NONE"  # as set by a client
        self._secondary: list[Program] = []
        self._release_brakes = False  # release the brakes once there is power
        self.log: deque[str] = deque(maxlen=200)
        self._scheduled: list[tuple[float, Callable[[], None]]] = []
        self._stopped_at = -UNLOCK_DELAY_S

    # --- motion --------------------------------------------------------------------------------------------

    @property
    def motion_allowed(self) -> bool:
        return self.robot_mode is RobotMode.RUNNING and self.safety_mode in MOTION_ALLOWED

    @property
    def powered(self) -> bool:
        return self.robot_mode >= RobotMode.IDLE

    @property
    def moving(self) -> bool:
        return not self.plant.at_rest and bool(np.max(np.abs(self.plant.qd)) > 1e-3)

    @property
    def pose(self) -> Pose:
        return matrix_to_pose(forward_kinematics(self.plant.q, self.tcp))

    @property
    def wrench(self) -> NDArray[np.float64]:
        """Return the contact force and torque at the tool; damped, as for an arm near a singularity."""
        return self.wrench_at(jacobian(self.plant.q, self.tcp))

    def wrench_at(self, j: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the wrench with the tool's Jacobian where it is."""
        return np.asarray(-np.linalg.solve(j @ j.T + 1e-6 * np.eye(6), j @ self.plant.contact_torques))

    @property
    def script_line(self) -> int:
        """Return the program's current line, 0 without a program."""
        return self.program.line if self.program is not None else 0

    def set_watchdog(self, variable: str, hertz: float, action: str) -> None:
        """Take `action` ("stop" or "pause") if `variable` is not written at this rate; 0: no watchdog."""
        self._watchdog = (variable, hertz, action)
        self.feed_watchdog(variable)

    def feed_watchdog(self, variable: str) -> None:
        """Note that an input was written: a sign of life for a watchdog on it."""
        if variable == self._watchdog[0]:
            self._last_fed = (self.now, perf_counter())

    @property
    def watchdog_age(self) -> float:
        """Return the seconds without a sign of life. A delay of our own does not count against the client."""
        return min(self.now - self._last_fed[0], perf_counter() - self._last_fed[1])

    def log_event(self, what: str) -> None:
        self.log.append(f"{self.now:.3f} {what}")

    def show_popup(self, text: str) -> None:
        self.popup = text
        self.log_event(f"popup: {text}")

    def close_popup(self) -> None:
        self.popup = ""

    def schedule(self, seconds: float, do: Callable[[], None]) -> None:
        self._scheduled.append((self.now + seconds, do))

    # --- power ---------------------------------------------------------------------------------------------

    def power_on(self) -> None:
        if self.robot_mode is RobotMode.POWER_OFF and self.safety_mode in MOTION_ALLOWED:
            self.robot_mode = RobotMode.POWER_ON
            self.schedule(BOOT_TIME_S, lambda: self._change_mode(RobotMode.POWER_ON, RobotMode.IDLE))

    def brake_release(self) -> None:
        """Release the brakes as soon as there is power; power on if it is off."""
        if self.safety_mode not in MOTION_ALLOWED:
            return
        self._release_brakes = True
        self.power_on()
        if self.robot_mode is RobotMode.IDLE:
            self.schedule(BOOT_TIME_S, lambda: self._change_mode(RobotMode.IDLE, RobotMode.RUNNING))

    def _change_mode(self, at: RobotMode, to: RobotMode) -> None:
        if self.robot_mode is not at or self.safety_mode not in MOTION_ALLOWED:
            return
        self.robot_mode = to
        if to is RobotMode.IDLE and self._release_brakes:
            self.brake_release()

    def _cut_power(self) -> None:
        self.robot_mode, self._release_brakes = RobotMode.POWER_OFF, False

    def power_off(self) -> None:
        self.end_program("power off", EMERGENCY_DECELERATION)
        self._cut_power()

    # --- safety --------------------------------------------------------------------------------------------

    def protective_stop(self, reason: str) -> None:
        if self.safety_mode not in MOTION_ALLOWED:
            return
        self.log_event(f"protective stop: {reason}")
        self.popup = reason
        self.safety_mode, self._stopped_at = SafetyMode.PROTECTIVE_STOP, self.now
        self.brake(PROTECTIVE_DECELERATION)
        if self.runtime is RuntimeState.PLAYING:
            self.runtime = RuntimeState.PAUSED

    def unlock(self) -> bool:
        """Unlock a protective stop. Return False within five seconds of the stop."""
        if self.safety_mode is not SafetyMode.PROTECTIVE_STOP:
            return True
        if self.now - self._stopped_at < UNLOCK_DELAY_S:
            return False
        self.safety_mode = SafetyMode.NORMAL
        return True

    def set_safeguard(self, open_: bool) -> None:
        if open_ and self.safety_mode in MOTION_ALLOWED:
            self.safety_mode = SafetyMode.SAFEGUARD_STOP
            self.brake(PROTECTIVE_DECELERATION)
            if self.runtime is RuntimeState.PLAYING:
                self.runtime = RuntimeState.PAUSED
        elif not open_ and self.safety_mode is SafetyMode.SAFEGUARD_STOP:
            self.safety_mode = SafetyMode.NORMAL

    def emergency_stop(self, pressed: bool) -> None:
        if pressed:
            self.end_program("emergency stop", EMERGENCY_DECELERATION)
            self.safety_mode = SafetyMode.ROBOT_EMERGENCY_STOP
            self._cut_power()
        elif self.safety_mode is SafetyMode.ROBOT_EMERGENCY_STOP:
            self.safety_mode = SafetyMode.NORMAL

    def safety_violation(self) -> None:
        self.end_program("safety violation", EMERGENCY_DECELERATION)
        self.safety_mode = SafetyMode.VIOLATION
        self._cut_power()

    def restart_safety(self) -> None:
        if self.safety_mode in (SafetyMode.VIOLATION, SafetyMode.FAULT):
            self.safety_mode = SafetyMode.NORMAL
        self.end_program("safety restarted", EMERGENCY_DECELERATION)
        self._cut_power()

    # --- programs ------------------------------------------------------------------------------------------

    def start(self, program: Program) -> None:
        """Start a program, some 100 ms after it arrived, as after compiling, in place of a running one."""
        if self.program is not None:
            self.end_program("replaced by another program")
        self.schedule(0.1, lambda: self._begin(program))

    def _begin(self, program: Program) -> None:
        if not self.motion_allowed:
            self.log_event(f"{program.name} not started: {self.robot_mode.name}, {self.safety_mode.name}")
            return
        self.program, self.runtime, self.stopping = program, RuntimeState.PLAYING, None
        self.ended_late = False
        self.q = self.plant.q

    def begin_secondary(self, program: Program) -> None:
        """Run a secondary program beside the running one."""
        if len(self._secondary) < 10:
            self._secondary.append(program)

    def refuse_program(self, error: ScriptError) -> None:
        """Report a program that cannot be parsed, or cannot continue."""
        self.log_event(f"line {error.line}: {error.text}")

    def end_program(self, reason: str, deceleration: float = STOP_DECELERATION) -> None:
        if self.program is not None:
            self.log_event(f"{self.program.name} ended: {reason}")
            self.program, self.compliant = None, False
        self._watchdog = ("", 0.0, "stop")
        self.brake(deceleration)
        self.runtime = RuntimeState.STOPPING if self.moving else RuntimeState.STOPPED

    def pause(self) -> bool:
        if self.runtime is not RuntimeState.PLAYING:
            return False
        self.runtime = RuntimeState.PAUSED
        self.brake(STOP_DECELERATION)
        return True

    def play(self) -> bool:
        if self.program is None or self.runtime is not RuntimeState.PAUSED or not self.motion_allowed:
            return False
        self.runtime = RuntimeState.PLAYING
        return True

    def brake(self, deceleration: float) -> None:
        """Brake along the current path, and discard the program's motion under way."""
        self.stopping = brake_motion(self.q, self.qd, deceleration)
        if self.program is not None:
            self.program.drop_motion()

    # --- the tick ------------------------------------------------------------------------------------------

    def tick(self) -> None:
        """Run one tick of 2 ms: due events, the program, the watchdog, the arm."""
        self.now += DT_S
        due = [d for d in self._scheduled if d[0] <= self.now]
        if due:
            self._scheduled = [d for d in self._scheduled if d[0] > self.now]
            for _, do in due:
                do()
        before = self.q
        self._check_watchdog()
        self._run_secondary()
        if self.stopping is not None:
            self.q = next(self.stopping, self.q)
            if float(np.max(np.abs(self.qd))) < 1e-6 and not self.moving:
                self.stopping = None
                if self.runtime is RuntimeState.STOPPING:
                    self.runtime = RuntimeState.STOPPED
        elif self.program is not None and self.runtime is RuntimeState.PLAYING:
            self._run(self.program)
        if self.q is before and self.plant.at_rest and not self.compliant:
            return
        if not math.isfinite(float(self.q.sum())):
            self.q = before
            self.end_program("a joint's target is no number")
        if self.compliant:
            self.q, self.qd, self.qdd = self.plant.q, self.plant.qd, np.zeros(6)
        else:
            speed = (self.q - before) / DT_S
            self.qd, self.qdd = speed, np.clip((speed - self.qd) / DT_S, -60, 60)
        self.plant.step(self.q, self.qd, self.qdd, self.compliant)
        if self.motion_allowed and not self.compliant:
            self._check_safety_limits()

    def _check_watchdog(self) -> None:
        variable, hertz, action = self._watchdog
        if hertz and self.runtime is RuntimeState.PLAYING and self.watchdog_age > 1 / hertz:
            reason = f"watchdog: {variable} was not written for {self.watchdog_age:.3f} s"
            if action == "stop":
                self.end_program(reason)
                self.ended_late = True
            else:
                self.log_event(reason)
                self.pause()

    def _run(self, program: Program) -> None:
        try:
            program.tick()
        except OutOfReach:
            self.protective_stop("the line leaves the arm's reach")
            return
        if self.program is not program:
            return
        if program.error is not None:
            self.refuse_program(program.error)
            self.end_program("an error")
        elif program.done:
            self.end_program("its end")

    def _run_secondary(self) -> None:
        for program in self._secondary:
            program.tick()
            if program.error is not None:
                self.refuse_program(program.error)
        self._secondary = [p for p in self._secondary if not p.done and p.error is None]

    def _check_safety_limits(self) -> None:
        """Check the limits of the safety system."""
        if abs(self.q - self.plant.q).max() > MAX_DEVIATION_RAD:
            touching = self.plant.self_contact()
            self.protective_stop(
                f"the arm touches itself: {touching}"
                if touching
                else "a joint is not where it should be: a collision, or a wrong payload"
            )
            self.q, self.qd = self.plant.q, self.plant.qd
            self.brake(PROTECTIVE_DECELERATION)
        elif abs(self.qd).max() > MAX_JOINT_SPEED_RAD_PER_S:
            self.protective_stop("a joint is too fast")
        elif abs(self.q).max() > 2 * math.pi + 1e-3:
            self.protective_stop("a joint has passed its limit")
        elif abs(self.qd).sum() * (REACH_M + abs(self.tcp[:3, 3]).sum()) > MAX_TOOL_SPEED_M_PER_S:
            speed = jacobian(self.q, self.tcp) @ self.qd
            if float(np.linalg.norm(speed[:3])) > MAX_TOOL_SPEED_M_PER_S:
                self.protective_stop("the tool is too fast")
