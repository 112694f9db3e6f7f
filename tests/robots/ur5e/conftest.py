"""One emulator for each test file, on a loopback address of its own: ur_rtde's ports cannot be moved."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from time import monotonic, sleep

import pytest

from robots.ur5e.emulator.client import OwnClient
from robots.ur5e.emulator.process import EmulatorProcess

ROOT = Path(__file__).parents[3]
_hosts = count(1)


def fresh_address() -> str:
    """No two test processes share one."""
    pid = os.getpid()
    return f"127.{64 + pid // 65536 % 64}.{pid // 256 % 256}.{(pid + next(_hosts)) % 250 + 2}"


class Bench:
    """An emulator with a person at its pendant."""

    def __init__(self, process: EmulatorProcess) -> None:
        self.process, self.address = process, process.address
        self.own = OwnClient(self.address)

    def say(self, *lines: str) -> list[str]:
        """Lines for the dashboard, and what it replies."""
        with socket.create_connection((self.address, 29999), 5) as sock, sock.makefile("rw") as file:
            file.readline()
            replies = []
            for line in lines:
                file.write(line + "\n")
                file.flush()
                replies.append(file.readline().strip())
            return replies

    def power_up(self) -> None:
        self.say("power on")
        until(lambda: self.say("robotmode") == ["Robotmode: IDLE"])
        self.say("brake release")
        until(lambda: self.say("robotmode") == ["Robotmode: RUNNING"])

    def truth(self) -> dict[str, object]:
        return dict(self.own.ask("truth").body)

    @property
    def q(self) -> list[float]:
        return list(self.truth()["q"])  # type: ignore[call-overload]

    @property
    def moving(self) -> bool:
        return bool(self.truth()["moving"])

    def run(self, code: str, timeout: float = 60) -> str:
        """Code with ur_rtde in a process of its own, which its defects may end."""
        done = subprocess.run(
            [sys.executable, "-c", f"ADDRESS = {self.address!r}\n{code}"],
            capture_output=True,
            text=True,
            timeout=timeout,
            cwd=ROOT,
            check=False,
        )
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    def close(self) -> None:
        self.own.close()
        self.process.close()


def until(condition: Callable[[], bool], seconds: float = 15) -> None:
    end = monotonic() + seconds
    while not condition():
        assert monotonic() < end, "it never came about"
        sleep(0.01)


@pytest.fixture(scope="module")
def off() -> Iterator[Bench]:
    """Powered off, as it starts."""
    bench = Bench(EmulatorProcess(fresh_address(), cameras=False))
    yield bench
    bench.close()


@pytest.fixture(scope="module")
def bench(off: Bench) -> Bench:
    """Running, brakes released."""
    off.power_up()
    return off
