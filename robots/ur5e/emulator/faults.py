"""What can be made to go wrong, on request through the emulator's own port."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from robots.remote.framing import Message
from robots.ur5e.emulator.controller import Controller
from robots.ur5e.emulator.plant import DT

_FALLEN = 0.4  # seconds from the hand giving way until the thing lies


@dataclass(frozen=True)
class Slip:
    """The hand gives way when what it holds is this high over the table, and knocks it besides, m/s."""

    height: float
    called: str
    knock: tuple[float, ...] = ()


class Faults:
    """Names what is broken now. Belongs to the emulator's thread."""

    def __init__(self, controller: Controller, drop_links: Callable[[], None]) -> None:
        self._c, self._drop = controller, drop_links
        self.frozen = 0.0  # seconds that nothing of the robot moves or answers
        self.slow = 0.0  # seconds that each tick is late
        self._slips: list[Slip] = []  # still to come
        self._slipping = 0.0
        self._trips: list[float] = []  # seconds of motion left until a protective stop
        self.last = ""  # the last slip that happened

    def request(self, message: Message) -> str:
        """Returns "" or why it is refused."""
        c, seconds = self._c, message.number("seconds", 1.0)
        match message.text("name"):
            case "drop":
                self._drop()
            case "freeze":
                self.frozen = seconds
            case "thaw":
                self.frozen = self.slow = 0.0
            case "slow":
                self.slow = message.number("late", 0.02)
            case "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            case "protective":
                c.protective_stop("asked for as a fault")
            case "protective in motion":
                self._trips.append(seconds)
            case "safeguard":
                c.safeguard(True)
            case "safeguard closed":
                c.safeguard(False)
            case "emergency stop":
                c.emergency_stop(True)
            case "emergency stop released":
                c.emergency_stop(False)
            case "violation":
                c.violation()
            case "local":
                c.remote = False
            case "remote":
                c.remote = True
            case "leftover":  # a jog that a client asked for, and that no program has taken
                c.in_int[0], c.in_double[:7] = 9, [0.5, *[0.0] * 5, 2.0]
            case "slip":
                knock = message.numbers("knock")
                self._slips.append(Slip(message.number("height", 0.1), message.text("called"), knock))
            case "no slip":
                self._slips.clear()
                self.last = ""
            case other:
                return f"no fault is named {other!r}"
        return ""

    def tick(self) -> None:
        plant = self._c.plant
        if self._trips and self._c.moving:
            self._trips = [left - DT for left in self._trips]
            if min(self._trips) <= 0:
                self._trips = [left for left in self._trips if left > 0]
                self._c.protective_stop("asked for as a fault")
        if self._slipping > 0:
            self._slipping -= DT
            plant.slippery = self._slipping > 0
        elif self._slips:
            for name in plant.pinched():
                self._check(name, float(plant.place(name)[0][2]) - self._half(name))

    def _half(self, name: str) -> float:
        return next(t.half[2] for t in self._c.plant.scene.things if t.name == name)

    def _check(self, name: str, height: float) -> None:
        for slip in self._slips:
            if height > slip.height:
                self._slips.remove(slip)
                self._slipping, self.last = 0.6, slip.called
                self._c.plant.slippery = True
                if len(slip.knock) == 3:
                    self._c.after(_FALLEN, partial(self._c.plant.knock, name, slip.knock))
                return
