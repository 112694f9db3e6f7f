"""Sessions with the dashboard, each of them data in `dashboard.toml`."""

from __future__ import annotations

import math
import tomllib
from pathlib import Path
from typing import Any

import pytest

from robots.ur5e.emulator.controller import Controller
from robots.ur5e.emulator.plant import DT_S, Plant
from robots.ur5e.emulator.ports.dashboard_port import reply_to
from robots.ur5e.emulator.scene import make_scene
from robots.ur5e.modes import RobotMode
from tests.robots.ur5e.emulator.conftest import Desk

SESSIONS = tomllib.loads(Path(__file__).with_name("dashboard.toml").read_text())["session"]


@pytest.mark.parametrize("session", SESSIONS, ids=lambda s: s["name"])
def test_that(session: dict[str, Any]) -> None:
    c = Controller(Plant(make_scene("empty", 0)))
    for line in session["lines"]:
        for _ in range(math.ceil(line.get("after", 0) / DT_S)):
            c.tick()
        reply, wanted = reply_to(c, line["say"]), line["reply"]
        if wanted.endswith("..."):
            assert reply.startswith(wanted[:-3]), line
        else:
            assert reply == wanted, line


def test_that_only_what_tells_and_stops_is_allowed_in_local_control(desk: Desk) -> None:
    desk.c.remote_control = False
    for line in ("power off", "brake release", "play", "load wave.urp", "set operational mode manual"):
        assert reply_to(desk.c, line).startswith("Command is not allowed due to safety reasons")
    assert desk.c.robot_mode is RobotMode.RUNNING
    assert reply_to(desk.c, "robotmode") == "Robotmode: RUNNING"
    assert reply_to(desk.c, "stop") == "Stopped"


def test_that_a_paused_move_is_finished_when_played_again(desk: Desk) -> None:
    reply_to(desk.c, "load wave.urp")
    reply_to(desk.c, "play")
    desk.until(lambda: desk.turned > 0.1)
    assert reply_to(desk.c, "pause") == "Pausing program"
    desk.run(0.5)
    paused = desk.turned
    assert not desk.c.moving
    desk.run(0.5)
    assert desk.turned == pytest.approx(paused, abs=1e-3)
    assert reply_to(desk.c, "play") == "Starting program"
    desk.until(lambda: desk.turned > 0.29)
    desk.until(lambda: desk.turned < 0.1)


def test_that_a_protective_stop_is_not_unlocked_within_five_seconds(desk: Desk) -> None:
    desk.c.protective_stop("asked for as a fault")
    desk.run(4.9)
    assert reply_to(desk.c, "unlock protective stop").startswith("Cannot unlock protective stop until 5s")
    assert reply_to(desk.c, "safetymode") == "Safetymode: PROTECTIVE_STOP"
    desk.run(0.2)
    reply_to(desk.c, "close safety popup")
    assert reply_to(desk.c, "unlock protective stop") == "Protective stop releasing"
    assert reply_to(desk.c, "safetymode") == "Safetymode: NORMAL"
