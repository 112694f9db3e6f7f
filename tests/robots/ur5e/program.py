"""The program at an arm, in a process of its own, with the person before it (`program_at_arm.py`)."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Thread

from app.cli.terminal_operator import REPEATS
from robots.ur5e.arm import Arm
from robots.ur5e.emulator.process import EmulatorProcess
from tests.app.cli.test_terminal_operator import Terminal
from tests.robots.ur5e.conftest import ROOT, Bench, descendants, fresh_address, gone, until

ORPHANS_END = 3.0  # seconds after the program's end


class Program:
    """The program in a process of its own, with an arm to move, and the person before it."""

    def __init__(self, kind: str, address: str, place: Path) -> None:
        command = [sys.executable, "-m", "tests.robots.ur5e.program_at_arm", kind, address, str(place)]
        self.kind = kind
        self.files = place
        self.process = self._start(command)
        self.pid = self.process.pid

    def _start(self, command: list[str]) -> subprocess.Popen[bytes]:
        raise NotImplementedError

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    @property
    def guard(self) -> int:
        """The control process of its arm."""
        return next(pid for pid, name in descendants(self.pid).items() if "control_process" in name)

    def waits(self) -> None:
        """Return when a step waits for approval and no stop is in force; a person has released any."""
        raise NotImplementedError

    def approve(self) -> None:
        raise NotImplementedError

    def approve_stopped(self) -> None:
        """As a person who presses what they should not while a stop is in force."""

    def key(self) -> None:
        """Press the key that stops: Esc, Ctrl+C."""
        raise NotImplementedError

    def close(self) -> None:
        """End it, if it has not ended. Nothing of it may be left a moment later."""
        children = {self.pid: "", **descendants(self.pid)}
        if self.alive:
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
        self.ended(children, 15)

    def ended(self, children: dict[int, str], seconds: float) -> None:
        try:
            self.process.wait(seconds)
            until(lambda: all(map(gone, children)), ORPHANS_END)
        finally:
            self.process.kill()
            self.process.wait()


class Window(Program):
    def _start(self, command: list[str]) -> subprocess.Popen[bytes]:
        self.phase = ""
        env = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
        pipe = subprocess.PIPE
        started = subprocess.Popen(command, cwd=ROOT, env=env, stdin=pipe, stdout=pipe, bufsize=0)
        Thread(target=self._listen, args=(started,), daemon=True).start()
        return started

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        with process.stdout as lines:
            for line in lines:
                self.phase = line.decode().strip()

    def say(self, line: str) -> None:
        assert self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.write(f"{line}\n".encode())

    def waits(self) -> None:
        end = time.monotonic() + 90  # it may have to start first, on a busy machine
        while self.phase != "WAITING":
            assert time.monotonic() < end and self.alive, self.phase
            self.say({"IDLE": "start", "ENDED": "start", "STOPPED": "release"}.get(self.phase, ""))
            time.sleep(0.3)

    def approve(self) -> None:
        self.say("approve")

    approve_stopped = approve

    def key(self) -> None:
        self.say("key")


class InTerminal(Program):
    def _start(self, command: list[str]) -> subprocess.Popen[bytes]:
        self.ours, theirs = pty.openpty()
        env = {**os.environ, "TERM": "dumb", "COLUMNS": "200"}
        started = subprocess.Popen(
            command, cwd=ROOT, env=env, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
        )
        os.close(theirs)
        self.terminal, self.waiting, self.typed = Terminal(self.ours, started), False, 0.0
        return started

    def waits(self) -> None:
        while not self.waiting:
            asked = self.terminal.until(r"next: |Type release|\(model: ")
            self.waiting = asked.endswith("next: ")
            if not self.waiting:
                self.terminal.type("release" if asked.endswith("release") else "")
                self.typed = time.monotonic()

    def approve(self) -> None:
        time.sleep(max(0.0, self.typed + 1.1 * REPEATS - time.monotonic()))  # sooner, it is a held key's
        self.waiting = False
        self.terminal.type("")

    def key(self) -> None:
        os.write(self.ours, b"\x03")

    def hang_up(self) -> None:
        if self.ours >= 0:
            os.close(self.ours)
            self.ours = -1

    def ended(self, children: dict[int, str], seconds: float) -> None:
        while self.ours >= 0 and self.alive and seconds > 0:  # a terminal that nobody reads would hold it up
            if select.select([self.ours], [], [], 0.1)[0]:
                with suppress(OSError):
                    os.read(self.ours, 4096)
            seconds -= 0.1
        super().ended(children, max(1, seconds))
        self.hang_up()


class Place:
    """An emulated arm, and the program that moves it, each made anew where a fault has ended it."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._made = folder, 0
        self.bench: Bench | None = None
        self.programs: dict[str, Program] = {}
        self.held = ExitStack()  # until the arm stands
        self.second: Arm | None = None  # another console, until then

    def at(self, kind: str) -> tuple[Bench, Program]:
        """Return both, with a step that waits for approval and nothing else that commands the arm."""
        if self.bench is None or not self.bench.process.alive:
            self.close()
            self.bench = Bench(EmulatorProcess(fresh_address(), "empty", cameras=False))
            self.bench.power_up()
        for other in [k for k, p in self.programs.items() if k != kind or not p.alive]:
            self.programs.pop(other).close()
        if kind not in self.programs:
            self._made += 1
            place = self._folder / str(self._made)
            place.mkdir()
            make = Window if kind == "window" else InTerminal
            self.programs[kind] = make(kind, self.bench.address, place)
        self.programs[kind].waits()
        return self.bench, self.programs[kind]

    def close(self) -> None:
        while self.programs:
            self.programs.popitem()[1].close()
        if self.bench is not None:
            self.bench.close()
            self.bench = None
