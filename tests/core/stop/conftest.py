"""Folders of a test's own, in which `stop` looks, and a program in another process that moves a robot."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic

import pytest

from core.install_paths import ROOT
from tests.patience import AT_ONCE

OTHER = """
import sys
from core.stop.stop_socket import StopListener
def say(*words): print(*words, flush=True)
listener = StopListener("other", lambda why: (say("stopped"), ("a robot", lambda: 0.25))[1], say)
say("listens")
sys.stdin.read()
"""


@dataclass
class Program:
    """Another process; what it says comes line by line."""

    process: subprocess.Popen[str]

    def __post_init__(self) -> None:
        self._lines: SimpleQueue[str] = SimpleQueue()
        Thread(target=self._read, daemon=True).start()

    @property
    def name(self) -> str:
        return f"other {self.process.pid}"

    def hears(self, words: str, seconds: float = AT_ONCE) -> str:
        """Return the next line with these words, "" if it does not come in time."""
        end = monotonic() + seconds
        while (left := end - monotonic()) > 0:
            try:
                if words in (line := self._lines.get(timeout=left)):
                    return line
            except Empty:
                break
        return ""

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)


@dataclass(frozen=True)
class Place:
    """The two folders above those in which `stop` looks."""

    runtime: Path
    data: Path

    @property
    def sockets(self) -> Path:
        return self.runtime / "dkprompt"

    @property
    def running(self) -> Path:
        return self.data / "dkprompt-console" / "running"


Start = Callable[[], Program]


@pytest.fixture(autouse=True)
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """No program of the person who runs the tests is stopped."""
    with tempfile.TemporaryDirectory(prefix="run-") as runtime, tempfile.TemporaryDirectory() as data:
        monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
        monkeypatch.setenv("XDG_DATA_HOME", data)
        yield Place(Path(runtime), Path(data))


@pytest.fixture
def start() -> Iterator[Start]:
    """Start another process that moves a robot."""
    with ExitStack() as stack:

        def start() -> Program:
            process = stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", OTHER],
                    cwd=ROOT,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            stack.callback(process.kill)
            program = Program(process)
            assert program.hears("listens", 20)
            return program

        yield start


@pytest.fixture
def other(start: Start) -> Program:
    return start()


def verb(**environment: str) -> subprocess.CompletedProcess[str]:
    """`stop` in another terminal; in its folder for sockets lies what it might want to make there."""
    shell = 'mkdir "$XDG_RUNTIME_DIR/dkprompt/reply-$$" 2>/dev/null; exec "$0" main.py stop'
    command = ["sh", "-c", shell, sys.executable]
    env = {**os.environ, **environment}
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=30, check=False)
