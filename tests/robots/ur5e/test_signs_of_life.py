"""The control program gets signs of life only while the control process can stop it."""

from __future__ import annotations

from typing import Any
from unittest.mock import MagicMock

import pytest

from robots.remote.wire_message import WireMessage
from robots.ur5e import control_process
from robots.ur5e.control_process import ControlProcess


class Link:
    """ur_rtde's control interface, on a link that may be away."""

    def __init__(self) -> None:
        self.there, self.kicks, self.stops = True, 0, 0

    def isConnected(self) -> bool:
        return self.there

    isProgramRunning = isConnected

    def kickWatchdog(self) -> None:
        self.kicks += 1

    def setWatchdog(self, hertz: float) -> bool:
        return self.there

    def stopJ(self, deceleration: float) -> None:
        self.stops += 1


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch) -> ControlProcess:
    for name in ("ChildSide", "Guard"):
        monkeypatch.setattr(control_process, name, MagicMock())
    monkeypatch.setattr(control_process, "_WATCHDOG_PERIOD_S", -1.0)  # at each tick
    made: Any = ControlProcess("", 4.0, 20.0, "", 0)
    made._rtde_control = Link()
    return made  # type: ignore[no-any-return]


@pytest.mark.parametrize("noticed", ["by a tick", "by a stop"])
def test_that_a_link_that_comes_back_keeps_no_motion_alive(process: ControlProcess, noticed: str) -> None:
    """ur_rtde connects again by itself; with signs of life the arm then went on to its goal."""
    link = process._rtde_control
    process._tick()
    assert link.kicks == 1
    link.there = False
    process._tick() if noticed == "by a tick" else process._stop()
    link.there = True
    process._tick()
    assert link.kicks == 1
    process._connect(WireMessage({"kind": "connect"}))  # a person has released the stop
    process._tick()
    assert link.kicks == 2


def test_that_a_stop_that_arrives_leaves_the_program_alive(process: ControlProcess) -> None:
    process._stop()
    process._tick()
    assert (process._rtde_control.stops, process._rtde_control.kicks) == (1, 1)
