"""Stops that need nothing of the window: `stop` in another terminal, and a screen that no longer responds."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator

import pytest

from core.episode_state import Phase
from core.install_paths import ROOT
from core.log.export.report import report
from core.log.store import Store
from core.stop.heartbeat import HEARTBEAT_TIMEOUT
from tests.app.conftest import Driver, Opened
from tests.patience import AT_ONCE
from tests.sampling import some

RUN = ["run", "boil_water", "--robot", "symbolic", "--pace", "60", "--no-pictures"]


@pytest.fixture(autouse=True)
def own_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with tempfile.TemporaryDirectory(prefix="run-") as place:
        monkeypatch.setenv("XDG_RUNTIME_DIR", place)
        monkeypatch.setenv("XDG_DATA_HOME", place)
        yield


def stop_verb() -> subprocess.CompletedProcess[str]:
    """`stop` in another terminal. It waits here, so this thread, the screen's, does nothing meanwhile."""
    command = [sys.executable, "main.py", "stop"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=30, check=False)


def report_of(at: Driver) -> str:
    """The report of the episode so far."""
    with Store.open(at.console.preferences.folder / "log.db", read_only=True) as store:
        return report(store, at.state.episode)


def frozen_until(seen: Callable[[], object], seconds: float) -> float:
    """Keep the screen's thread from its event loop until this is so; how long it took."""
    began = time.monotonic()
    while not seen() and time.monotonic() < began + seconds:
        time.sleep(0.005)
    return time.monotonic() - began


@pytest.fixture(params=some(["kitchen", "symbolic"], 2))
def moving(request: pytest.FixtureRequest, opened: Opened) -> Driver:
    at = opened(preset="Watch", robot=request.param, task="boil_water", pace=60.0, pictures=False)
    at.start("Watch")
    at.phase(Phase.ACTING)
    return at


def test_that_a_frozen_window_stops_the_motion(moving: Driver) -> None:
    session = moving.controller.session
    took = frozen_until(lambda: not session.runner.moving, HEARTBEAT_TIMEOUT + AT_ONCE)
    assert not session.runner.moving
    assert took > HEARTBEAT_TIMEOUT - 0.2, "a window that is a little late moves on"
    state = moving.phase(Phase.STOPPED)
    assert state.proposal is not None and "did not respond for 0.5 s" in state.proposal.explanation
    moving.until(lambda: "by the program" in report_of(moving))
    frozen_until(lambda: False, HEARTBEAT_TIMEOUT + 0.3)
    assert moving.phase(Phase.STOPPED).proposal == state.proposal, (
        "nothing moves, and nothing is stopped twice"
    )
    moving.qtbot.wait(200)  # the heart has to beat again before anything moves
    moving.console.bindings.release_stop()
    moving.until(lambda: moving.state.stop is not None and moving.state.stop.released)


def test_that_stop_in_a_terminal_needs_nothing_of_the_window(moving: Driver) -> None:
    session = moving.controller.session
    done = stop_verb()
    assert not session.runner.moving, "before this thread, the screen's, did anything"
    assert done.returncode == 0, done.stderr
    assert f"{moving.controller.session.settings.robot} (SIM) was stopped; it stood still" in done.stdout
    state = moving.phase(Phase.STOPPED)
    assert state.proposal is not None and "Stopped from a terminal" in state.proposal.explanation


def test_that_stop_ends_a_run_in_another_terminal() -> None:
    with subprocess.Popen(
        [sys.executable, "main.py", *RUN], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as run:
        try:
            replies = [stop_verb()]
            while replies[-1].returncode == 1:  # it does not have its robot yet
                time.sleep(0.2)  # to ask it more often would delay it
                replies.append(stop_verb())
            assert (replies[-1].returncode, run.wait(10)) == (0, 1)
            assert all("No program of yours is running a robot." in r.stdout for r in replies[:-1])
            assert run.stdout is not None and "Stopped from a terminal" in run.stdout.read()
        finally:
            run.kill()
    assert stop_verb().returncode == 1
