"""Run the controller and its ports, 500 ticks a second on average."""

from __future__ import annotations

import ipaddress
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from time import perf_counter, sleep
from types import FrameType
from typing import Any

from core.errors import BadValue, RobotError
from core.install_paths import ROOT
from robots.ur5e import rtde
from robots.ur5e.emulator.admin_client import ADMIN_PORT
from robots.ur5e.emulator.controller import Controller
from robots.ur5e.emulator.faults import FaultInjector
from robots.ur5e.emulator.plant import DT_S, Plant
from robots.ur5e.emulator.ports.admin_port import AdminConnection, PictureBroker
from robots.ur5e.emulator.ports.dashboard_port import DashboardConnection
from robots.ur5e.emulator.ports.gripper_port import EmulatedCup, EmulatedGripper, GripperConnection
from robots.ur5e.emulator.ports.reactor import Reactor
from robots.ur5e.emulator.ports.rtde_port import RtdeConnection
from robots.ur5e.emulator.ports.script_ports import SCRIPT_PORTS, ScriptConnection
from robots.ur5e.emulator.scene import make_scene
from robots.ur5e.emulator.snapshot import ControllerSnapshot
from robots.ur5e.gripper.model import DEFAULT_GRIPPER
from robots.ur5e.scene_file import DEFAULT_SCENE

DASHBOARD_PORT, GRIPPER_PORT = 29999, 63352
_SWITCH_S = 0.0005  # after which a program that is being compiled lets the cycles go on
MAX_CATCH_UP_S = 0.25  # a longer delay is skipped and counted
MAX_TICKS_AT_ONCE = 4  # 8 ms, as often as a client at 125 Hz is sent something
IDLE_TICKS_AT_ONCE = 16  # while nobody is sent anything


def ticks_at_once(singly: bool, rates: Iterable[float]) -> int:
    """Return how many ticks to run in a row, given the packages a second that each client takes.

    Waking for each costs more than the tick itself. `singly`: each at its own time, as while the arm moves.
    """
    fastest = max(rates, default=0.0)
    if singly or fastest > rtde.HERTZ / 2:
        return 1
    return min(MAX_TICKS_AT_ONCE, int(rtde.HERTZ / max(fastest, 1.0))) if fastest else IDLE_TICKS_AT_ONCE


class TickLateness:
    """Statistics of how late ticks began, in seconds."""

    def __init__(self) -> None:
        self.ticks, self.lost_seconds, self.began = 0, 0.0, perf_counter()
        self.last: deque[float] = deque(maxlen=5000)

    def report(self) -> dict[str, float]:
        late = sorted(self.last) or [0.0]
        passed = max(perf_counter() - self.began, 1e-9)
        return {
            "hertz": self.ticks / passed,
            "late_median_ms": 1000 * late[len(late) // 2],
            "late_99_ms": 1000 * late[int(len(late) * 0.99)],
            "late_most_ms": 1000 * late[-1],
            "lost_s": self.lost_seconds,
        }


class Emulator:
    """All ports of one emulated arm. One thread makes it, runs it and closes it.

    A second arm needs another loopback address, as ur_rtde cannot be told other ports. Raises RobotError if a
    port is taken, and BadValue for an address that is not a loopback address.
    """

    def __init__(
        self,
        address: str = "127.0.0.1",
        scene: str = DEFAULT_SCENE,
        seed: int = 0,
        gripper: str = DEFAULT_GRIPPER,
    ) -> None:
        _check_address(address)
        self.controller = c = Controller(Plant(make_scene(scene, seed, gripper)))
        self.gripper = EmulatedCup(c) if c.plant.scene.gripper.is_cup else EmulatedGripper(c.plant)
        self._robot_reactor, self._admin_reactor = Reactor(c.log_event), Reactor(c.log_event)
        self.faults = FaultInjector(c, self.gripper, self._drop_connections)
        self._lateness = TickLateness()
        self._pictures = PictureBroker(lambda: c.plant.state, lambda: c.now)
        self._stop = False
        self._snapshot = ControllerSnapshot(c)
        owners: dict[str, RtdeConnection] = {}
        robot = self._robot_reactor
        try:
            self._listen(robot, address, rtde.PORT, lambda s: RtdeConnection(s, robot, c, owners))
            for port in SCRIPT_PORTS:
                self._listen(robot, address, port, lambda s: ScriptConnection(s, robot, c))
            self._listen(robot, address, DASHBOARD_PORT, lambda s: DashboardConnection(s, robot, c))
            if isinstance(hand := self.gripper, EmulatedGripper):
                self._listen(robot, address, GRIPPER_PORT, lambda s: GripperConnection(s, robot, hand))
            self.admin_address = address if ipaddress.ip_address(address).is_loopback else "127.0.0.1"
            self._listen(self._admin_reactor, self.admin_address, ADMIN_PORT, self._admin_connection)
        except BaseException:
            self.close()
            raise

    def _admin_connection(self, sock: object) -> AdminConnection:
        return AdminConnection(
            sock,  # type: ignore[arg-type]
            self._admin_reactor,
            self.controller,
            self.gripper,
            self.faults,
            self._pictures,
            self.status,
        )

    def _listen(self, reactor: Reactor, address: str, port: int, make: Callable[..., Any]) -> None:
        try:
            reactor.listen(address, port, make)
        except OSError as error:
            raise RobotError(
                f"The emulator cannot listen on {address}:{port} ({error.strerror}): another one may be "
                "running; end it, or choose another address such as 127.0.0.2."
            ) from error

    def _drop_connections(self, kind: type) -> None:
        for link in self._robot_reactor.connections:
            if isinstance(link, kind):
                link.close()

    def status(self) -> dict[str, float]:
        clients = [link for link in self._robot_reactor.connections if isinstance(link, RtdeConnection)]
        return {
            **self._lateness.report(),
            "clients": len(clients),
            "dropped": sum(link.dropped for link in clients),
            "now": self.controller.now,
        }

    def stop(self) -> None:
        """Let the loop end after this tick. Any thread, and a signal handler."""
        self._stop = True

    def run(self) -> None:
        """Run until `stop`."""
        self._lateness = TickLateness()
        due = perf_counter()
        while not self._stop:
            rates = (link.hertz for link in self._robot_reactor.connections)
            count = ticks_at_once(self.controller.moving or self.faults.tick_delay > 0, rates)
            due += count * DT_S
            if self.faults.frozen > 0:
                self.faults.frozen -= count * DT_S
                self._admin_reactor.run_until(due)
                continue
            self._robot_reactor.run_until(due)
            self._admin_reactor.run_until(0.0)
            late = perf_counter() - due
            if late > MAX_CATCH_UP_S:
                self._lateness.lost_seconds += late
                self.controller.log_event(f"{late:.3f} s were lost: the machine was too busy")
                due = perf_counter()
            self._lateness.last.append(max(0.0, late))
            self._lateness.ticks += count
            for _ in range(count):
                self.tick()
                if self.faults.tick_delay:
                    sleep(self.faults.tick_delay)

    def tick(self) -> None:
        self.faults.tick()
        self.gripper.tick()
        self.controller.tick()
        if not self._snapshot.holds:
            self._snapshot = ControllerSnapshot(self.controller)
        snapshot = self._snapshot
        for link in self._robot_reactor.connections:
            if isinstance(link, RtdeConnection):
                link.run_guarded(link.publish, snapshot)

    def close(self) -> None:
        self._robot_reactor.close()
        self._admin_reactor.close()


def _check_address(address: str) -> None:
    try:
        loopback = ipaddress.ip_address(address).is_loopback
    except ValueError:
        raise BadValue(f"{address!r} is no IP address: give one such as 127.0.0.1.") from None
    if not loopback:
        raise BadValue(
            f"The emulator would be open to the network on {address}, and its ports know no password: "
            "use a loopback address such as 127.0.0.1."
        )


def emulate(
    address: str = "127.0.0.1",
    scene: str = DEFAULT_SCENE,
    gripper: str = DEFAULT_GRIPPER,
    *,
    seed: int = 0,
    cameras: bool = True,
    ready: Callable[[str], None] = print,
) -> None:
    """Run the command `emulate ur5e` until Ctrl+C or SIGTERM; the cameras run in a process of their own.

    `ready` receives one line when all ports listen. Raises RobotError, BadValue, UnknownName.
    """
    emulator = Emulator(address, scene, seed, gripper)
    sys.setswitchinterval(_SWITCH_S)

    def ended(number: int, frame: FrameType | None) -> None:
        emulator.stop()

    with ExitStack() as ends:
        ends.callback(emulator.close)
        if cameras:
            ends.enter_context(_renderer(emulator.admin_address))
        for number in (signal.SIGINT, signal.SIGTERM):
            ends.callback(signal.signal, number, signal.signal(number, ended))
        ready(f"UR5e emulator, PolyScope 5.15, on {address}: powered off, in remote control. Ctrl+C ends it.")
        emulator.run()
        status = emulator.status()
        ready(
            f"Ended after {status['now']:.0f} s at {status['hertz']:.0f} Hz, {status['lost_s']:.2f} s lost."
        )


@contextmanager
def _renderer(address: str) -> Iterator[None]:
    """Have a process draw the cameras, which also ends by itself when the emulator's admin port closes."""
    command = [sys.executable, "-m", "robots.ur5e.emulator.renderer_process", address]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL) as process:
        try:
            yield
        finally:
            process.kill()
