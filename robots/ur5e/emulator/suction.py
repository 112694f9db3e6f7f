"""The emulated suction cup: a valve and a vacuum switch at the tool's connector."""

from __future__ import annotations

from robots.ur5e.emulator.controller import Controller
from robots.ur5e.rtde import TOOL_BITS


class EmulatedCup:
    """Sucks while its output is on. Belongs to the emulator's thread."""

    def __init__(self, c: Controller) -> None:
        self._c, model = c, c.plant.scene.gripper
        self._valve, self._switch = (1 << TOOL_BITS + pin for pin in (model.valve, model.switch))
        self.silent = False  # as a fault: the switch tells nothing

    def switch_on(self) -> None:
        """Do nothing: a cup needs no activation."""

    def tick(self) -> None:
        c = self._c
        holds = c.plant.suck(bool(c.digital_out & self._valve)) and not self.silent
        c.digital_in = c.digital_in & ~self._switch | self._switch * holds
