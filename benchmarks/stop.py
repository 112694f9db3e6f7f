"""Measure every stop on the emulated UR5e: from its cause until the joints stand still, from about 0.5 rad/s.

Run: python benchmarks/stop.py [N [WORD]]     N times each, by default 20; only rows with this word

stopJ           ur_rtde's own stopJ(20), in a process of its own, for comparison
halt            `Arm.halt`, as a press in the window calls it
key             Esc in an offscreen window, from the event
pedal           a recorded press of a pedal, read by the arm's control process
stop verb       `main.py stop` in another process, with the start of Python; and without it (`stop_all`)
frozen window   the window's event loop is blocked; from the last beat that it could give
suspended       the whole console is suspended with SIGSTOP; from the signal

The standstill is seen in RTDE data at 125 Hz, of this process, so the figures are up to 8 ms too large.
"""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from threading import Thread

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.sizes import sized
from core.stop.stop_all import stop_all
from robots.ur5e.emulator.admin_client import switch_on
from robots.ur5e.emulator.process import EmulatorProcess, start_emulator
from robots.ur5e.modes import RobotMode
from robots.ur5e.rtde_receiver import RtdeReceiver

ROOT = Path(__file__).parent.parent
TIMES = sized(20, 1)
PRESS = b"".join(struct.pack("@llHHi", 0, 0, *event) for event in ((1, 48, 1), (0, 0, 0), (1, 48, 0)))
BARE = """
import sys, time
from rtde_control import RTDEControlInterface
c = RTDEControlInterface(sys.argv[1])
for n, line in enumerate(sys.stdin):
    if line == "move\\n":
        goal = eval(sys.stdin.readline())
        c.moveJ(goal, 0.5, 1.4, True)
    else:
        print("now", flush=True); c.stopJ(20.0)
"""
# A window, and an arm that moves when it is told to. The window's heartbeat is the one that the arm follows.
CONSOLE = """
import dataclasses, os, sys, tempfile, threading, time
from pathlib import Path
import main
from PySide6.QtCore import QMetaObject, QObject, Qt, QTimer, Slot
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from app.main import SWITCH, Console
from app.preferences import Preferences
from core.cancel import Cancel
from core.config import Settings
from core.errors import RobotNotReady
from robots.registry import ROBOTS
from robots.ur5e.arm import Arm
from robots.ur5e.arm_setup import EMULATED_SETUP, ArmLimits
from tests.permitted import move_joints
sys.setswitchinterval(SWITCH)
app = QApplication([])
setup = dataclasses.replace(EMULATED_SETUP, address=sys.argv[1], limits=ArmLimits(tool_speed=1.0))
object.__setattr__(setup, "pedal", sys.argv[2])  # a pipe; a setup file may only name a device
arm = Arm(setup)
arm.connect()
place = Path(tempfile.mkdtemp())
preferences = Preferences(place)
settings = Settings(robot="symbolic")
console = Console(app, main.make_components, settings, place / "log.db", preferences, ROBOTS)
console.show()
arm.control.follow_heartbeat(console.controller._heartbeat)
stop = console.controller.stop
console.stop_key._stop = lambda: (arm.halt(), stop())
class Freezer(QObject):
    @Slot()
    def freeze(self): time.sleep(2.0)
    @Slot()
    def key(self):
        print("now", flush=True)
        QTest.keyClick(console.window.windowHandle(), Qt.Key.Key_Escape)
freezer = Freezer()
def release():
    end = time.monotonic() + 15
    while True:
        try:
            return arm.release_stop(1 << 30)
        except RobotNotReady:  # a busy machine: a person would try again
            if time.monotonic() > end: raise
            time.sleep(0.5)
def listen():
    print("ready", flush=True)
    for line in sys.stdin:
        words = line.split()
        if words[0] == "move":
            release()
            a, *rest = arm.state.q
            goal = (a + float(words[1]), *rest)
            threading.Thread(target=move_joints, args=(arm, goal, Cancel(), 0.5), daemon=True).start()
        elif words[0] == "halt":
            print("now", flush=True)
            arm.halt()
        elif words[0] in ("freeze", "key"):
            QMetaObject.invokeMethod(freezer, words[0], Qt.ConnectionType.QueuedConnection)
            if words[0] == "freeze": print("now", flush=True)
def serve():
    try: listen()
    finally: os._exit(0)  # also when it broke: the benchmark ends, and nothing is left
threading.Thread(target=serve, daemon=True).start()
app.exec()
"""


class Mover:
    """A process that moves the arm, the arm's data as this process sees them, and the ways to stop it."""

    def __init__(self, code: str, address: str, pedal: str = "") -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", code, address, pedal],
            cwd=ROOT,
            env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self.pid = self._process.pid
        self._receiver = RtdeReceiver(address)
        self._receiver.wait(lambda s: True, 10)

    def tell(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")

    def hear(self) -> None:
        assert self._process.stdout is not None
        if not self._process.stdout.readline():
            raise SystemExit("the process that moves the arm has ended")

    def asked(self, line: str) -> Callable[[], None]:
        return lambda: (self.tell(line), self.hear())[0]

    def measure(self, cause: Callable[[], object], bare: bool = False, settle: float = 0.3) -> float:
        """Return the seconds from `cause` until the arm stands still, or from when it says "now"."""
        state = self._receiver.latest
        assert state is not None
        turn = -0.9 if state.q[0] > 3.2 else 0.9
        goal = [state.q[0] + turn, *state.q[1:]]
        self.tell(f"move\n{goal}" if bare else f"move {turn}")
        if not self._receiver.wait(lambda s: abs(s.qd[0]) > 0.45, 15):
            raise SystemExit("the arm does not move")
        began = time.perf_counter()
        cause()
        if not self._receiver.wait(lambda s: s.at_standstill, 10):
            raise SystemExit("the arm does not stop")
        took = time.perf_counter() - began
        time.sleep(settle)
        return took

    def close(self) -> None:
        self._receiver.close()
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(20)


def verb() -> None:
    subprocess.Popen([sys.executable, "main.py", "stop"], cwd=ROOT, stdout=subprocess.DEVNULL)


@contextmanager
def emulator() -> Iterator[EmulatorProcess]:
    """An emulator that is switched on, and a runtime folder of its own: no other program is stopped."""
    with tempfile.TemporaryDirectory(prefix="run-") as place:
        os.environ["XDG_RUNTIME_DIR"] = place
        process = start_emulator("empty", cameras=False)
        try:
            yield process
        finally:
            process.close()


def show(name: str, seconds: list[float]) -> None:
    ms = sorted(1000 * s for s in seconds)
    print(f"{name:42} median {median(ms):6.0f} ms, most {ms[-1]:6.0f} ms, n {len(ms)}", flush=True)


def main(times: int, word: str) -> None:
    with emulator() as process, tempfile.TemporaryDirectory() as place:
        switch_on(process.address)
        receiver = RtdeReceiver(process.address)
        receiver.wait(lambda state: state.robot is RobotMode.RUNNING, 10)
        receiver.close()
        if word in "ur_rtde stopJ(20)":
            bare = Mover(BARE, process.address)
            show("ur_rtde stopJ(20)", [bare.measure(bare.asked("stop"), bare=True) for _ in range(times)])
            bare.close()
        pipe = Path(place, "pedal")
        os.mkfifo(pipe)
        console = Mover(CONSOLE, process.address, str(pipe))
        console.hear()
        console.tell(
            "halt"
        )  # starts nothing; the first move starts the control process, which opens the pipe
        console.hear()
        console.tell("move 0.0")
        pedal = os.open(pipe, os.O_WRONLY)
        time.sleep(2)
        causes: dict[str, tuple[Callable[[], object], float]] = {
            "halt in the console": (console.asked("halt"), 0.3),
            "Esc in the window": (console.asked("key"), 0.3),
            "a pedal": (lambda: os.write(pedal, PRESS), 0.3),
            "`stop`, without the start of Python": (lambda: Thread(target=stop_all).start(), 0.3),
            "`main.py stop`, with the start of Python": (verb, 2.5),
            "a frozen window": (console.asked("freeze"), 2.5),
        }
        for name, (cause, settle) in causes.items():
            if word not in name:
                continue
            show(name, [console.measure(cause, settle=settle) for _ in range(times)])
        suspended = []
        for _ in range(times if word in "a suspended console" else 0):
            suspended.append(console.measure(lambda: os.kill(console.pid, signal.SIGSTOP)))
            os.kill(console.pid, signal.SIGCONT)
            time.sleep(2.0)  # its control process has ended, and another one starts
        if suspended:
            show("a suspended console", suspended)
        console.close()
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else TIMES, " ".join(sys.argv[2:]))
