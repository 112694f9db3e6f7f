"""Run a script's functions on the controller, and the one motion under way."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from robots.ur5e.emulator.controller import STOP_DECELERATION, Controller
from robots.ur5e.emulator.motion import Motion, ServoStream, SpeedStream, brake_motion
from robots.ur5e.emulator.urscript.values import ScriptError

Cycles = Iterator[None]  # one item per cycle


class ScriptRuntime:
    """One program's control of the arm. Belongs to the emulator's thread."""

    def __init__(self, c: Controller, secondary: bool = False) -> None:
        self.c, self.secondary = c, secondary
        self.task = 0  # the thread of the program that is running
        self.stream: SpeedStream | ServoStream | None = None  # speed and servo streams continue between calls
        self.history: deque[NDArray[np.float64]] = deque(maxlen=250)  # joint targets, the latest last
        self.corner: NDArray[np.float64] | None = None  # a target that a blended move is near, still moving
        self._motion: Motion | None = None
        self._owner: int | None = None  # the thread that is inside a motion
        self._dropped = False

    @property
    def scale(self) -> Callable[[], float]:
        return lambda: self.c.slider

    def advance(self) -> None:
        """Run one cycle of the motion under way. Raises OutOfReach."""
        if self.secondary:
            return
        self.history.append(self.c.plant.q)
        if self._motion is not None:
            try:
                self.c.q = next(self._motion)
            except StopIteration:
                self._motion = None
                if self.corner is not None:
                    self.corner = self._owner = None
        elif self.stream is not None:
            self.c.q = next(self.stream)

    def drop_motion(self) -> None:
        """Discard the motion after the controller has braked; a program that continues begins it again."""
        self._dropped = self._motion is not None
        self._motion = self.stream = self.corner = None

    def take_corner(self, length: float) -> NDArray[np.float64] | None:
        """Return the target that a joint move of this length may pass without a stop, or None."""
        if self.corner is None:
            return None
        if length <= float(np.max(np.abs(self.corner - self.c.q))):
            self.c.log_event("Overlapping blends: the arm stops at the target before")
            return None
        found, self.corner = self.corner, None
        return found

    def run_motion(
        self, make: Callable[[], Motion], goal: NDArray[np.float64] | None = None, blend: float = 0.0
    ) -> Cycles:
        """Move to the end, however often the program is paused on the way.

        With a `blend`, in radians of the fastest joint, return that much before the joints are at `goal`.
        """
        self._claim_motion()
        while self.corner is not None:
            yield
        self._owner = self.task
        while True:
            self._motion, self.stream, self._dropped = make(), None, False
            while self._motion is not None:
                if goal is not None and blend and float(np.max(np.abs(goal - self.c.q))) <= blend:
                    self.corner = goal
                    return
                yield
            if not self._dropped:
                break
        self._owner = None

    def begin_stream(self, kind: type[SpeedStream] | type[ServoStream]) -> SpeedStream | ServoStream:
        """Return the stream of this kind that is under way, or a new one."""
        self._claim_motion()
        self.corner = None
        if not isinstance(self.stream, kind):
            c = self.c
            made = (
                ServoStream(c.q) if kind is ServoStream else SpeedStream(c.q, c.qd, self.scale, lambda: c.tcp)
            )
            self.stream, self._motion = made, None
        return self.stream

    def end_stream_call(self) -> None:
        """Note that the thread has returned from its call; the motion continues."""
        self._owner = None

    def on_thread_killed(self, task: int) -> None:
        """Discard a move that a killed thread was waiting for."""
        if self._owner == task:
            self._owner = self.corner = None
            if self._motion is not None:
                self._motion = brake_motion(self.c.q, self.c.qd, STOP_DECELERATION)

    def require_time_allowed(self) -> None:
        """Raise ScriptError in a program that may take no time."""
        if self.secondary:
            raise ScriptError("SECONDARY_PROGRAM_EXCEPTION_XXX: a secondary program takes no time")

    def _claim_motion(self) -> None:
        self.require_time_allowed()
        if self._owner not in (None, self.task):
            raise ScriptError("Another thread is already controlling the robot")
        self._owner = self.task
