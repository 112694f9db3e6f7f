"""Ctrl+C and SIGTERM halt first, whatever the main thread is at, and whatever lock it holds."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from app.runtime.os_signals import NUMBERS, OsSignalListener, TerminatedBySignal, ended_by_signals
from core.install_paths import ROOT
from core.stop.heartbeat import Heartbeat


@pytest.mark.parametrize("number", NUMBERS)
def test_that_a_signal_is_acted_upon_while_the_main_thread_holds_the_lock_that_it_needs(number: int) -> None:
    lock, came = threading.Lock(), list[int]()

    def halt(number: int) -> None:
        with lock:
            came.append(number)

    with OsSignalListener(halt):
        with lock:
            os.kill(os.getpid(), number)
            time.sleep(0.05)  # many instructions, between any two of which a handler would run
            assert not came
        end = time.monotonic() + 5
        while not came and time.monotonic() < end:
            time.sleep(0.001)
    assert came == [number]


def test_that_everything_is_as_before_after_the_end() -> None:
    before = [signal.getsignal(number) for number in NUMBERS]
    made = OsSignalListener(lambda number: None)
    assert [signal.getsignal(number) for number in NUMBERS] != before
    made.close()
    made.close()
    assert [signal.getsignal(number) for number in NUMBERS] == before
    assert signal.set_wakeup_fd(-1) == -1
    assert "signals" not in [thread.name for thread in threading.enumerate()]


def test_that_what_breaks_on_a_signal_leaves_the_next_one_heard() -> None:
    came: list[int] = []

    def breaks(number: int) -> None:
        came.append(number)
        raise ValueError("broken")

    with OsSignalListener(breaks):
        for count in (1, 2):
            os.kill(os.getpid(), signal.SIGINT)
            end = time.monotonic() + 5
            while len(came) < count and time.monotonic() < end:
                time.sleep(0.001)
    assert came == [signal.SIGINT] * 2


def test_that_the_heart_beats_only_while_a_signal_could_be_acted_upon() -> None:
    heartbeat, blocked, free = Heartbeat(), threading.Event(), threading.Event()

    def act(number: int) -> None:
        blocked.set()
        free.wait(10)

    def last_beat() -> float:
        return time.monotonic() - heartbeat.age

    with OsSignalListener(act, heartbeat=heartbeat):
        began = last_beat()
        while last_beat() < began + 0.2:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)
        assert blocked.wait(10)
        began = last_beat()
        time.sleep(0.3)
        assert last_beat() < began + 0.01, "not one more"
        free.set()


BUSY = """
import signal, time
from app.runtime import os_signals
os_signals.END_TIMEOUT = {timeout}
def came(number):
    print("halted", flush=True)
    return {ends}
with os_signals.OsSignalListener(came):
    print("busy", flush=True)
    sum(1 for _ in iter(int, 1))  # never ends, and looks at no cancel
"""


@pytest.mark.parametrize("number", NUMBERS)
def test_that_a_busy_program_that_was_asked_to_end_is_ended_by_the_next_signal(number: int) -> None:
    with busy(timeout=0.2, ends=True) as process:
        process.send_signal(number)
        assert said(process) == "halted"
        time.sleep(0.3)
        process.send_signal(number)
        assert said(process) == "halted", "first"
        assert process.wait(10) == 128 + number
        assert process.stderr is not None and "was ended at once" in process.stderr.read()


@pytest.mark.parametrize(("timeout", "ends"), [(60.0, True), (0.0, False)])
def test_that_a_program_goes_on_that_was_not_asked_to_end_or_only_just(timeout: float, ends: bool) -> None:
    with busy(timeout=timeout, ends=ends) as process:
        for _ in range(3):
            process.send_signal(signal.SIGINT)
            assert said(process) == "halted"
        assert process.poll() is None


@contextmanager
def busy(timeout: float, ends: bool) -> Iterator[subprocess.Popen[str]]:
    """Another process whose main thread never waits."""
    code, pipe = BUSY.format(timeout=timeout, ends=ends), subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=pipe, stderr=pipe, text=True
    ) as process:
        try:
            assert said(process) == "busy"
            yield process
        finally:
            process.kill()


def said(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


@pytest.mark.parametrize(
    ("number", "name"), [(signal.SIGINT, "Ctrl+C"), (signal.SIGTERM, "SIGTERM"), (signal.SIGHUP, "SIGHUP")]
)
def test_that_a_signal_ends_what_the_main_thread_waits_for_once(number: int, name: str) -> None:
    before = [signal.getsignal(number) for number in NUMBERS]
    with pytest.raises(TerminatedBySignal, match=re.escape(name)), ended_by_signals():
        try:
            os.kill(os.getpid(), number)
            time.sleep(10)
        finally:
            assert [signal.getsignal(number) for number in NUMBERS] == before
