"""Stopping with real key presses from a real X server, on Qt's xcb platform."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from ctypes.util import find_library
from pathlib import Path

import pytest

from tests.app.xcb_person import SITUATIONS

ROOT = Path(__file__).parents[2]
needs = pytest.mark.skipif(
    not (shutil.which("Xvfb") and find_library("Xtst")), reason="needs Xvfb and libXtst (make setup)"
)
pytestmark = [needs, pytest.mark.xdist_group("xcb")]


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1440x900x24", "-nolisten", "tcp"],
        pass_fds=[write],
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    with os.fdopen(read) as pipe:
        number = pipe.readline().strip()
    yield f":{number}"
    server.terminate()
    server.wait(10)


@pytest.fixture(scope="module")
def found(display: str) -> dict[str, dict[str, object]]:
    env = {**os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "tests.app.xcb_person"],
        env=env,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


def test_that_this_is_the_real_platform(found: dict[str, dict[str, object]]) -> None:
    assert found["platform"]["name"] == "xcb"


@pytest.mark.parametrize("situation", SITUATIONS)
def test_that_esc_from_the_server_stops_once(found: dict[str, dict[str, object]], situation: str) -> None:
    assert found[situation] == {"stopped": True, "stops": 1, "closed": True}


def test_that_holding_enter_on_the_keyboard_goes_on(found: dict[str, dict[str, object]]) -> None:
    assert found["hold"]["released"]


def test_that_nothing_is_left_behind(found: dict[str, dict[str, object]]) -> None:
    assert found["left"]["behind"] is False
