"""What a script's functions act on: the controller, and the one motion that is under way."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from robots.ur5e.emulator.controller import STOP, Controller
from robots.ur5e.emulator.motion import Motion, Servo, Speed, braking
from robots.ur5e.emulator.urscript.nodes import ScriptError

Wait = Iterator[None]  # each item is one cycle


class Machine:
    """One program's hold of the arm. Emulator's thread."""

    def __init__(self, c: Controller, secondary: bool = False) -> None:
        self.c, self.secondary = c, secondary
        self.task = 0  # which thread of the program runs now
        self.stream: Speed | Servo | None = None  # speed and servo: goes on between two calls
        self.history: deque[NDArray[np.float64]] = deque(maxlen=250)  # joints, the latest last
        self._motion: Motion | None = None
        self._owner: int | None = None  # the thread that is inside a motion
        self._dropped = False

    @property
    def scale(self) -> Callable[[], float]:
        return lambda: self.c.slider

    def advance(self) -> None:
        """One cycle of the motion under way. Raises OutOfReach."""
        if self.secondary:
            return
        self.history.append(self.c.plant.q)
        if self._motion is not None:
            try:
                self.c.q = next(self._motion)
            except StopIteration:
                self._motion = None
        elif self.stream is not None:
            self.c.q = next(self.stream)

    def drop(self) -> None:
        """The controller has braked. A move begins again from there should the program go on."""
        self._dropped = self._motion is not None
        self._motion = self.stream = None

    def follow(self, make: Callable[[], Motion]) -> Wait:
        """Move to the end, however often the program is paused on the way."""
        self._claim()
        while True:
            self._motion, self.stream, self._dropped = make(), None, False
            while self._motion is not None:
                yield
            if not self._dropped:
                break
        self._owner = None

    def begin_stream(self, kind: type[Speed] | type[Servo]) -> Speed | Servo:
        """The stream of this kind that is under way, or a new one."""
        self._claim()
        if not isinstance(self.stream, kind):
            c = self.c
            made = Servo(c.q) if kind is Servo else Speed(c.q, c.qd, self.scale, lambda: c.tcp)
            self.stream, self._motion = made, None
        return self.stream

    def end_stream_call(self) -> None:
        """The thread has come out of its call; the motion goes on."""
        self._owner = None

    def killed(self, task: int) -> None:
        """A thread was ended: a move that it waited for ends with it."""
        if self._owner == task:
            self._owner = None
            if self._motion is not None:
                self._motion = braking(self.c.q, self.c.qd, STOP)

    def take_time(self) -> None:
        """Raises ScriptError in a program that may not."""
        if self.secondary:
            raise ScriptError("SECONDARY_PROGRAM_EXCEPTION_XXX: a secondary program takes no time")

    def _claim(self) -> None:
        self.take_time()
        if self._owner not in (None, self.task):
            raise ScriptError("Another thread is already controlling the robot")
        self._owner = self.task
