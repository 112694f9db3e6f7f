"""A display is asked before Qt is, which would end the process."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from app.cli import doctor
from app.runtime import display
from app.runtime.display import find_display
from core.config import Settings
from core.errors import BadValue
from main import open_console

ROOT = Path(__file__).parents[3]
DEAD = {"DISPLAY": ":9191", "WAYLAND_DISPLAY": "wayland-9"}  # as after a session or an ssh has ended
SILENT = "The display wayland-9 (WAYLAND_DISPLAY) or :9191 (DISPLAY) does not answer"


@pytest.mark.parametrize(
    ("environment", "why"),
    [
        ({}, "There is no display"),
        (DEAD, SILENT),
        (DEAD | {"QT_QPA_PLATFORM": "xcb"}, "The display :9191 (DISPLAY) does not answer"),
        ({"WAYLAND_DISPLAY": "/" + "x" * 200}, f"The display /{'x' * 200} (WAYLAND_DISPLAY) does not answer"),
        ({"DISPLAY": "nonsense"}, "The display nonsense (DISPLAY) does not answer"),
    ],
)
def test_that_a_display_that_does_not_answer_is_named(environment: dict[str, str], why: str) -> None:
    assert find_display(environment) == ("", why)


def test_that_qt_draws_without_a_display_where_it_is_told_to() -> None:
    assert find_display({"QT_QPA_PLATFORM": "offscreen"}) == ("offscreen", "")


def test_that_a_wayland_that_listens_is_enough() -> None:
    with TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{folder}/wayland-9")
        server.listen()
        assert find_display(DEAD | {"XDG_RUNTIME_DIR": folder}) == ("wayland-9", "")


def test_that_an_x_that_accepts_and_is_silent_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(display, "_WAIT", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as server:
        name = f"127.0.0.1:{server.getsockname()[1] - 6000}"
        assert find_display({"DISPLAY": name}) == ("", f"The display {name} (DISPLAY) does not answer")


@pytest.mark.skipif(not shutil.which("Xvfb"), reason="needs Xvfb (make setup)")
def test_that_a_real_x_answers() -> None:
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write)]
    with subprocess.Popen(command, pass_fds=[write], stderr=subprocess.DEVNULL) as x:
        os.close(write)
        with os.fdopen(read) as pipe:
            name = f":{pipe.readline().strip()}"
        assert find_display(DEAD | {"DISPLAY": name}) == (name, "")
        x.terminate()


def test_that_with_a_dead_display_the_episode_runs_in_the_terminal(tmp_path: Path) -> None:
    environment = os.environ | DEAD | {"XDG_DATA_HOME": str(tmp_path)}
    del environment["QT_QPA_PLATFORM"]
    words = [sys.executable, "main.py", "--robot", "symbolic"]
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    assert f"{SILENT}, so the episode ran here." in done.stdout


def test_that_no_episode_begins_in_place_of_a_sheet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(display, "find_display", lambda: ("", SILENT))
    with pytest.raises(BadValue, match="answer: a sheet needs a window"):
        open_console(Settings(options={"method.words": "pour"}), Path("log.db"))


def test_that_doctor_asks_the_display_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("QT_QPA_PLATFORM", raising=False)
    for name, value in DEAD.items():
        monkeypatch.setenv(name, value)
    assert doctor._display()[:2] == ("optional", SILENT)
