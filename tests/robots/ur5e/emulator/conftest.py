"""The controller without its ports: programs and dashboard lines in, cycles counted by hand."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from robots.ur5e.emulator import controller
from robots.ur5e.emulator.controller import Controller
from robots.ur5e.emulator.plant import DT_S, Plant
from robots.ur5e.emulator.scene import make_scene
from robots.ur5e.modes import RobotMode


class Desk:
    """One controller, its arm standing with released brakes."""

    def __init__(self) -> None:
        self.c = Controller(Plant(make_scene("empty", 0)))
        self.c.brake_release()
        self.until(lambda: self.c.robot_mode is RobotMode.RUNNING)
        self.begin = self.c.plant.q

    def run(self, seconds: float) -> None:
        for _ in range(math.ceil(seconds / DT_S)):
            self.c.tick()

    def until(self, condition: Callable[[], bool], seconds: float = 20) -> None:
        for _ in range(math.ceil(seconds / DT_S)):
            if condition():
                return
            self.c.tick()
        raise AssertionError(f"it never came about: {list(self.c.log)}")

    @property
    def turned(self) -> float:
        """Radians that the joint which turned most has turned since the start."""
        return float(max(abs(self.c.plant.q - self.begin)))

    @property
    def log(self) -> list[str]:
        """What the controller has said, without the times."""
        return [line.split(" ", 1)[1] for line in self.c.log]


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    made = Desk()
    monkeypatch.setattr(controller, "perf_counter", lambda: made.c.now)  # its cycles are its only clock
    return made
