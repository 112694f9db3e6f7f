"""Run a module of the tests under an X server of its own; it prints what it found as JSON."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes.util import find_library
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
needs_x = pytest.mark.skipif(
    not (shutil.which("Xvfb") and find_library("Xtst")), reason="needs Xvfb and libXtst (make setup)"
)


@contextmanager
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
    try:
        yield f":{number}"
    finally:
        server.terminate()
        server.wait(10)


def run_on_x(module: str) -> dict[str, Any]:
    with display() as name:
        env = {**os.environ, "DISPLAY": name, "QT_QPA_PLATFORM": "xcb", "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", module]
        done = subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]
