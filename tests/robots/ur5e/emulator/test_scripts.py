"""What programs do, each of them data in `scripts.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from robots.ur5e.emulator.ports.script_ports import start_script
from robots.ur5e.modes import RuntimeState
from tests.robots.ur5e.conftest import Bench, until
from tests.robots.ur5e.emulator.clients import connect
from tests.robots.ur5e.emulator.conftest import Desk

SCRIPTS = tomllib.loads(Path(__file__).with_name("scripts.toml").read_text())["script"]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda s: s["name"])
def test_that(desk: Desk, script: dict[str, Any]) -> None:
    c = desk.c
    start_script(c, script["text"].lstrip("\n").rstrip("\n") + "\n")
    desk.run(0.2)
    desk.until(lambda: c.program is None or c.runtime is RuntimeState.PAUSED)
    desk.run(0.3)

    said = iter(desk.log)
    for words in script.get("log", []):
        assert any(words in line for line in said), f"{words!r} is not said in {desk.log}"
    for number, value in script.get("registers", {}).items():
        assert c.out_int[int(number)] == value, desk.log
    assert c.digital_out == script.get("outputs", 0)
    if "turned" in script:
        assert desk.turned == pytest.approx(script["turned"], abs=0.01)
    elif "moves" in script:
        assert (desk.turned > 1e-3) is script["moves"], desk.log
    assert not c.moving


@pytest.mark.parametrize("port", [30001, 30002, 30003])
def test_that_a_script_is_taken(bench: Bench, port: int) -> None:
    with connect(bench.address, port) as sock:
        sock.sendall(f'textmsg("by {port}")\n'.encode())
        until(lambda: f"by {port}" in str(bench.own.ask("log").body))
