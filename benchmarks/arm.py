"""Measure every stop of the emulated UR5e, from its cause until the joints stand still.

stops  from about 0.5 rad/s, seen in RTDE data at 125 Hz of this process, so up to 8 ms too large: ur_rtde's
       own stopJ(20) and stopJ(2), in a process of its own, for comparison; `Arm.halt`, as a press in the
       window calls it; Esc in an offscreen window, from the event; a recorded press of a pedal, read by the
       arm's control process; `main.py stop` in another process, with the start of Python and without it; the
       window's event loop blocked, from its last beat; the whole console suspended with SIGSTOP
kill   after `kill -9` of the whole console: with the watchdog, and by the closed pipe alone
"""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from threading import Thread
from unittest.mock import patch

from PySide6.QtCore import QMetaObject, QObject, Qt, Slot
from PySide6.QtGui import QWindow
from PySide6.QtTest import QTest

from benchmarks.shared.harness import ROOT, load, report, sized
from benchmarks.shared.window import application, window
from core.config import Settings
from core.errors import RobotNotReady
from core.stop.stop_all import stop_all
from core.stop_token import StopToken
from robots.ur5e.arm import Arm
from robots.ur5e.arm_setup import EMULATED_SETUP, ArmLimits
from robots.ur5e.emulator.admin_client import switch_on
from robots.ur5e.emulator.process import start_emulator
from robots.ur5e.modes import RobotMode
from robots.ur5e.rtde_receiver import RtdeReceiver
from tests.permitted import move_joints

PRESS = b"".join(struct.pack("@llHHi", 0, 0, *event) for event in ((1, 48, 1), (0, 0, 0), (1, 48, 0)))
ADDRESS = "DKPROMPT_UR5E"


# --- in the process that moves the arm ----------------------------------------------------------------


def say_now() -> None:
    print("now", flush=True)


def bare(address: str, deceleration: float) -> None:
    """Move and stop by ur_rtde alone, as stdin says."""
    from rtde_control import RTDEControlInterface

    control = RTDEControlInterface(address)
    for line in sys.stdin:
        word, _, goal = line.partition(" ")
        if word == "move":
            control.moveJ(json.loads(goal), 0.5, 1.4, True)
        else:
            say_now()
            control.stopJ(deceleration)


class Screen(QObject):
    """What happens on the window's thread."""

    handle: QWindow

    @Slot()
    def freeze(self) -> None:
        time.sleep(2.0)

    @Slot()
    def key(self) -> None:
        say_now()
        QTest.keyClick(self.handle, Qt.Key.Key_Escape)


def console(address: str, pedal: str, watchdog: float) -> None:
    """Show a window, and move an arm when stdin says so. The window's heartbeat is what the arm follows."""
    fast = ArmLimits(tool_speed=1.0)
    setup = replace(EMULATED_SETUP, address=address, limits=fast, watchdog=watchdog)
    object.__setattr__(setup, "pedal", pedal)  # a pipe; a setup file may only name a device
    arm, screen = Arm(setup), Screen()
    arm.connect()
    with window(Settings(robot="symbolic")) as shown:
        screen.handle = shown.window.windowHandle()
        arm.control.follow_heartbeat(shown.controller._heartbeat)
        stop = shown.controller.stop
        shown.stop_key._stop = lambda: (arm.halt(), stop())

        def listen() -> None:
            for line in sys.stdin:
                word, _, goal = line.strip().partition(" ")
                if word == "move":
                    release(arm)
                    given = (arm, json.loads(goal), StopToken(), 0.5)
                    Thread(target=move_joints, args=given, daemon=True).start()
                elif word == "halt":
                    say_now()
                    arm.halt()
                else:
                    QMetaObject.invokeMethod(screen, word, Qt.ConnectionType.QueuedConnection)
                    if word == "freeze":
                        say_now()

        def serve() -> None:
            try:
                listen()
            finally:
                os._exit(0)  # also when it broke: the benchmark ends, and nothing is left

        say_now()
        Thread(target=serve, daemon=True).start()
        application().exec()


def release(arm: Arm) -> None:
    end = time.monotonic() + 15
    while True:
        try:
            return arm.release_stop(1 << 30)
        except RobotNotReady:  # a busy machine: a person would try again
            if time.monotonic() > end:
                raise
            time.sleep(0.5)


# --- in the process that measures ---------------------------------------------------------------------


class Mover:
    """A process that moves the arm, and the arm's data as this process sees them."""

    def __init__(self, code: Callable[..., None], address: str, *words: object) -> None:
        run = f"from benchmarks import arm; arm.{code.__name__}(*{(address, *words)!r})"
        self._process = subprocess.Popen(
            [sys.executable, "-c", run], cwd=ROOT, env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
        )  # fmt: skip
        self._receiver = RtdeReceiver(address)
        self._receiver.wait(lambda s: s.robot is RobotMode.RUNNING, 10)

    def __enter__(self) -> Mover:
        return self

    def __exit__(self, *_: object) -> None:
        self._receiver.close()
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(20)

    def tell(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")

    def hear(self) -> None:
        assert self._process.stdout is not None
        if not self._process.stdout.readline():
            raise SystemExit("the process that moves the arm has ended")

    def asked(self, line: str) -> Callable[[], None]:
        return lambda: (self.tell(line), self.hear())[0]

    def signalled(self, number: signal.Signals) -> Callable[[], None]:
        return lambda: os.kill(self._process.pid, number)

    def move(self, turn: float) -> None:
        state = self._receiver.latest
        assert state is not None
        self.tell(f"move {json.dumps([state.q[0] + (-turn if state.q[0] > 3.2 else turn), *state.q[1:]])}")

    def measure(self, cause: Callable[[], object], settle: float = 0.3) -> float:
        """Return the seconds from `cause` until the arm stands still, or from when it says "now"."""
        for _ in range(5):  # a busy machine: a person would try again
            self.move(0.9)
            if self._receiver.wait(lambda s: abs(s.qd[0]) > 0.45, 4):
                break
        else:
            raise SystemExit("the arm does not move")
        began = time.perf_counter()
        cause()
        if not self._receiver.wait(lambda s: s.at_standstill, 10):
            raise SystemExit("the arm does not stop")
        took = time.perf_counter() - began
        time.sleep(settle)
        return took


@contextmanager
def emulator() -> Iterator[str]:
    """An emulator that is switched on, and a runtime folder of its own: no other program is stopped."""
    with tempfile.TemporaryDirectory(prefix="run-") as place, patch.dict(os.environ, XDG_RUNTIME_DIR=place):
        process = start_emulator("empty", cameras=False)
        try:
            switch_on(process.address)
            yield process.address
        finally:
            process.close()


def verb() -> None:
    subprocess.Popen([sys.executable, "main.py", "stop"], cwd=ROOT, stdout=subprocess.DEVNULL)


def stops(times: int = sized(20, 1), row: str = "halt" if sized(0, 1) else "") -> None:
    """Report so many stops of each row whose name contains this."""
    with emulator() as address, tempfile.TemporaryDirectory() as place:
        for deceleration in (20.0, 2.0):
            if row in (name := f"ur_rtde stopJ({deceleration:g})"):
                with Mover(bare, address, deceleration) as mover:
                    report(name, [mover.measure(mover.asked("stop")) for _ in range(times)])
        pipe = Path(place, "pedal")
        os.mkfifo(pipe)
        with Mover(console, address, str(pipe), EMULATED_SETUP.watchdog) as mover:
            mover.hear()
            mover.asked("halt")()
            mover.move(0.0)  # starts the control process, which opens the pipe
            pedal = os.open(pipe, os.O_WRONLY)
            time.sleep(sized(2, 0))
            causes: dict[str, tuple[Callable[[], object], float]] = {
                "halt in the console": (mover.asked("halt"), 0.3),
                "Esc in the window": (mover.asked("key"), 0.3),
                "a pedal": (lambda: os.write(pedal, PRESS), 0.3),
                "`stop`, without the start of Python": (lambda: Thread(target=stop_all).start(), 0.3),
                "`main.py stop`, with the start of Python": (verb, 2.5),
                "a frozen window": (mover.asked("freeze"), 2.5),
                "a suspended console": (mover.signalled(signal.SIGSTOP), 0.3),
            }
            for name, (cause, settle) in causes.items():
                found = []
                for _ in range(times if row in name else 0):
                    found.append(mover.measure(cause, settle))
                    if "suspended" in name:
                        mover.signalled(signal.SIGCONT)()
                        time.sleep(2.0)  # its control process has ended, and another one starts
                if found:
                    report(name, found)
            os.close(pedal)
    print(load())


def kill(kills: int = sized(5, 0)) -> None:
    with emulator() if kills else nullcontext("") as address:
        for watchdog, name in ((4.0, "with the watchdog"), (0.1, "by the closed pipe alone")):
            found = []
            for _ in range(kills):
                with Mover(console, address, "", watchdog) as mover:
                    mover.hear()
                    found.append(mover.measure(mover.signalled(signal.SIGKILL), settle=2))
            if found:
                report(f"kill -9 in mid-move, {name}", found)


PARTS = (stops, kill)
