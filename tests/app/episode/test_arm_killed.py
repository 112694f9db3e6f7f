"""A console that is killed leaves no process behind: neither what moves an arm, nor what draws it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.install_paths import ROOT
from tests.robots.ur5e.conftest import command, descendants

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
PARTS = "control_process", "ur5e.emulator ", "renderer_process"
ENDED_WITHIN = 10.0  # seconds
WINDOW = ["--robot", "ur5e"]
EPISODE = ["run", "collect_eggplant", "--robot", "ur5e", "--answerer", "perfect"]
PROBE = """
import time
from core.planning.cancellable_process import CancellableProcess
reads = "app.dialogs.setup.domain_probe:_probe", "reading of the domain"
probe = CancellableProcess("app.runtime.background_process", reads)
probe._start()  # and waits for its request for ever
print(probe._child.pid, flush=True)
time.sleep(60)
"""


def until(seen: Callable[[], object], seconds: float) -> float:
    began = time.monotonic()
    while not seen():
        assert time.monotonic() < began + seconds, "it never came about"
        time.sleep(0.05)
    return time.monotonic() - began


@pytest.fixture
def console(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    started = subprocess.Popen(
        [sys.executable, "main.py", *request.param, "--database", str(tmp_path / "log.db")],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
    )
    yield started
    started.kill()
    started.wait()


@pytest.mark.long
@pytest.mark.parametrize("console", [WINDOW, EPISODE], indirect=True, ids=["window", "run"])
def test_that_a_killed_console_leaves_no_process(console: subprocess.Popen[bytes]) -> None:
    """What plans is tested in tests/core/planning/test_orphans.py."""
    until(lambda: all(any(p in c for c in descendants(console.pid).values()) for p in PARTS), 60)
    children = descendants(console.pid)
    console.kill()
    console.wait()
    until(lambda: not [pid for pid, name in children.items() if command(pid) == name], ENDED_WITHIN)


def test_that_a_domain_that_is_read_for_a_killed_window_is_read_no_longer() -> None:
    parent = subprocess.Popen([sys.executable, "-c", PROBE], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    probe = int(parent.stdout.readline())
    assert "domain_probe" in command(probe)
    parent.kill()
    parent.wait()
    until(lambda: "domain_probe" not in command(probe), ENDED_WITHIN)
