"""The programs that run on the controller: ur_rtde's resident loop, and plain scripts of move commands.

The loop reads a command's number from an input register each 2 ms, takes its arguments from the
registers after it, and answers in the output registers. Numbers and arguments: ur_rtde 1.6.5.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from robots.ur5e.emulator.controller import PAYLOAD, Controller
from robots.ur5e.emulator.motion import Motion, Servo, Speed, braking, joint_move, line_move
from robots.ur5e.kinematics import TURN, Joints, flange, forward, matrix, nearest, pose_of

_REALTIME = frozenset({6, 9, 10, 11, 24, 25, 26, 27, 38, 58, *range(66, 72)})
_SERVO_JOINTS, _SERVO_POSE, _SPEED_J, _SPEED_L, _JOG = 11, 24, 9, 10, 41
_OFFSET = re.compile(r"global reg_offset_int = # int register offset\n(\d+)")
_MOVE = re.compile(r"(movej|movel|movep)\((p?)\[([^\]]*)\](?:,\s*a=([\d.e+-]+))?(?:,\s*v=([\d.e+-]+))?")
_INJECTED = "# inject move path\n"


@dataclass(frozen=True)
class Move:
    """One line of a script: joints or a pose, m/s or rad/s."""

    straight: bool
    pose: bool
    target: tuple[float, ...]
    acceleration: float
    speed: float


def moves(text: str) -> tuple[Move, ...]:
    """The move commands of a script, in order."""
    found = []
    for verb, pose, numbers, acceleration, speed in _MOVE.findall(text):
        target = tuple(float(n) for n in numbers.split(","))
        if len(target) == 6:
            found.append(
                Move(verb != "movej", bool(pose), target, float(acceleration or 1.4), float(speed or 1.05))
            )
    return tuple(found)


def follow(c: Controller, path: tuple[Move, ...], progress: Callable[[int], None]) -> Motion:
    """One move after the other."""
    for number, move in enumerate(path):
        progress(number)
        if move.straight:
            goal = matrix(move.target) if move.pose else forward(move.target, c.tcp)
            yield from line_move(c.q, goal, c.tcp, move.speed, move.acceleration, lambda: c.slider)
        else:
            q = nearest(matrix(move.target), c.q, c.tcp) if move.pose else move.target
            if q is None:
                c.end_program("no inverse kinematics")
                return
            yield from joint_move(c.q, q, move.speed, move.acceleration, lambda: c.slider)


class Script:
    """Any other program: its moves, then its end. ur_rtde's custom scripts report in out_int 0."""

    def __init__(self, c: Controller, name: str, text: str) -> None:
        self.name, self._c, self._reports = name, c, "output_integer_register(0" in text
        self._path = moves(text)
        self._motion: Motion | None = None

    def drop_motion(self) -> None:
        self._motion, self._path = iter(()), ()

    def tick(self) -> None:
        c = self._c
        if self._motion is None:
            c.out_int[0] = 1
            self._motion = follow(c, self._path, lambda _: None)
        try:
            c.q = next(self._motion)
        except StopIteration:
            c.out_int[0] = 2
            c.end_program("its end")


class Resident:
    """ur_rtde's control loop."""

    def __init__(self, c: Controller, text: str) -> None:
        self.name = "rtde_control"
        self._c = c
        found = _OFFSET.search(text)
        self._base = int(found.group(1)) if found else 0
        injected = text.split(_INJECTED, 1)
        self._path = moves(injected[1]) if len(injected) > 1 else ()
        self._motion: Motion | None = None  # a move
        self._stream: Speed | Servo | None = None  # speed, servo and jog: until they are stopped
        self._asynchronous = self._executing = False
        self._operation = self._writes = 0
        self._status(-1)
        self._answer(0, 1)

    # --- registers -----------------------------------------------------------------------------------------

    def _int(self, i: int) -> int:
        return self._c.in_int[self._base + i]

    def _double(self, i: int) -> float:
        return self._c.in_double[self._base + i]

    def _six(self, i: int = 0) -> Joints:
        a, b, c, d, e, f = self._c.in_double[self._base + i : self._base + i + 6]
        return (a, b, c, d, e, f)

    def _answer(self, i: int, value: int) -> None:
        self._c.out_int[self._base + i] = int(value)

    def _answers(self, values: object) -> None:
        for k, value in enumerate(np.asarray(values, float)):
            self._c.out_double[self._base + k] = float(value)

    def _status(self, progress: int) -> None:
        """out_int 2: bits 0-14 progress, 15 running, 16-22 write count, 24-30 operation."""
        self._writes = (self._writes + 1) % 128
        if progress == 0:
            self._operation = (self._operation + 1) % 128
        low = (min(progress, 32767) | 0x8000) if progress >= 0 else 0
        self._answer(2, self._writes << 16 | self._operation << 24 | low)

    # --- the loop ------------------------------------------------------------------------------------------

    def drop_motion(self) -> None:
        """The controller has braked: what was under way is over, and is not taken up again."""
        self._motion = self._stream = None
        if self._asynchronous:
            self._asynchronous = False
            self._status(-1)

    def tick(self) -> None:
        c = self._c
        if self._stream is not None:
            c.q = next(self._stream)
        if self._motion is not None:
            try:
                c.q = next(self._motion)
            except StopIteration:
                self._motion = None
                if self._asynchronous:
                    self._asynchronous = False
                    self._status(-1)
                else:
                    self._answer(0, 2)
            if c.program is not self:
                return
            if self._motion is not None and not self._asynchronous:
                return  # a synchronous command blocks the loop, and every stop after it
        command = self._int(0)
        if command in _REALTIME:
            self._do(command)
            self._answer(0, 1)
        elif command == 0:
            self._executing = False
            self._answer(0, 1)
        elif not self._executing:
            self._executing = True
            if command == 255:
                c.end_program("stopScript")
            elif self._do(command):
                self._answer(0, 2)

    def _move(self, motion: Motion, asynchronous: int) -> bool:
        self._stream = None
        self._motion, self._asynchronous = motion, asynchronous == 1
        if self._asynchronous:
            self._status(0)
        return self._asynchronous

    def _brake(self, deceleration: float, asynchronous: int = 0) -> bool:
        c = self._c
        return self._move(braking(c.q, c.qd, max(deceleration, 0.1)), asynchronous)

    def _do(self, command: int) -> bool:
        """Returns whether it is done already; False for a motion that blocks."""
        c = self._c
        six, speed, acceleration = self._six(), self._double(6), self._double(7)
        scale = lambda: c.slider  # noqa: E731
        if command in (1, 2, 3, 4, 33, 34, 45):
            self.drop_motion()
        match command:
            case 1:
                return self._move(joint_move(c.q, six, speed, acceleration, scale), self._int(1))
            case 2:
                q = nearest(matrix(six), c.q, c.tcp)
                if q is None:
                    c.end_program("no inverse kinematics")
                    return True
                return self._move(joint_move(c.q, q, speed, acceleration, scale), self._int(1))
            case 3 | 4:
                goal = matrix(six) if command == 3 else forward(six, c.tcp)
                return self._move(line_move(c.q, goal, c.tcp, speed, acceleration, scale), self._int(1))
            case 45:
                return self._move(follow(c, self._path, self._status), self._int(1))
            case 33 | 34:
                return self._brake(self._double(0), self._int(1))
            case 15 | 16:
                return self._brake(self._double(0))
            case 42:
                return self._brake(2.0)
            case 9 | 10 | 41:
                self._speed(command, np.array(six), acceleration if command == _JOG else speed)
            case 11 | 24:
                self._servo(command)
            case 31:
                c.protective_stop("triggered by the program")
            case _:
                if not self._settings(command):
                    self._questions(command)
        return True

    def _speed(self, command: int, wanted: np.ndarray, acceleration: float) -> None:
        c = self._c
        if not isinstance(self._stream, Speed):
            self.drop_motion()
            self._stream = Speed(c.q, c.qd, lambda: c.slider, lambda: c.tcp)
        self._stream.wanted = (command != _SPEED_J, wanted, acceleration)

    def _servo(self, command: int) -> None:
        c = self._c
        q = self._six() if command == _SERVO_JOINTS else nearest(matrix(self._six()), c.q, c.tcp)
        if not isinstance(self._stream, Servo):
            self.drop_motion()
            self._stream = Servo(c.q)
        if q is not None:
            self._stream.goal = np.array(q)

    def _settings(self, command: int) -> bool:
        c = self._c
        match command:
            case 17:
                mass = self._double(0)
                if 0 <= mass <= PAYLOAD:
                    c.payload, c.cog = mass, (self._double(1), self._double(2), self._double(3))
                else:
                    c.end_program(f"a payload of {mass:g} kg is outside 0 to {PAYLOAD:g} kg")
            case 18 | 52:
                c.compliant = True
            case 19 | 53:
                c.compliant = False
            case 29:
                c.tcp = matrix(self._six())
            case 59:
                pass  # gravity: the arm stands upright
            case 35:
                c.watchdog = self._double(0)
                c.feed()
            case _:
                return False
        return True

    def _questions(self, command: int) -> None:
        c = self._c
        match command:
            case 26:
                c.out_double[self._base] = 0.002
            case 27:
                self._answers(c.plant.q)
            case 38:
                self._answers(c.plant.torques)
            case 58:
                self._answers(pose_of(flange(c.plant.q)))
            case 30 | 46:
                q = nearest(matrix(self._six()), self._six(6) if command == 30 else c.q, c.tcp)
                if q is None:
                    c.end_program("no inverse kinematics")
                else:
                    self._answers(q)
            case 36 | 60 | 61:
                self._answer(1, nearest(matrix(self._six()), c.q, c.tcp) is not None)
            case 37:
                self._answer(1, max(map(abs, self._six())) <= TURN)
            case 39:
                self._answers(pose_of(matrix(self._six()) @ matrix(self._six(6))))
            case 40:
                self._answers(pose_of(c.tcp))
            case 43:
                self._answers(c.pose)
            case 44:
                self._answers(pose_of(forward(self._six(), matrix(self._six(6)))))
            case 47:
                self._answer(1, not c.moving)
            case 54:
                self._answer(1, c.compliant)
            case _:
                c.say(f"command {command} is not emulated")
