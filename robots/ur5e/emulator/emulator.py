"""The controller on its ports, 500 times a second on average."""

from __future__ import annotations

import ipaddress
import os
import signal
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from time import perf_counter, sleep
from types import FrameType

from core.errors import BadValue, RobotError
from core.install_paths import ROOT
from robots.ur5e import rtde
from robots.ur5e.emulator import own_port
from robots.ur5e.emulator.controller import Controller
from robots.ur5e.emulator.dashboard_port import DashboardLink
from robots.ur5e.emulator.faults import Faults
from robots.ur5e.emulator.gripper_port import Gripper, GripperLink
from robots.ur5e.emulator.own_port import OwnLink, Pictures
from robots.ur5e.emulator.plant import DT, Plant
from robots.ur5e.emulator.reactor import Reactor
from robots.ur5e.emulator.rtde_port import RtdeLink
from robots.ur5e.emulator.scene import scene as read_scene
from robots.ur5e.emulator.snapshot import Snapshot
from robots.ur5e.emulator.state_ports import PRIMARY, READ_ONLY, REALTIME, SECONDARY, StateLink, States

DASHBOARD_PORT, GRIPPER_PORT = 29999, 63352
CATCH_UP = 0.25  # seconds; what is later than that is given up and counted


class Lateness:
    """How late ticks began, in seconds."""

    def __init__(self) -> None:
        self.ticks, self.lost, self.began = 0, 0.0, perf_counter()
        self.last: deque[float] = deque(maxlen=5000)

    def report(self) -> dict[str, float]:
        late = sorted(self.last) or [0.0]
        passed = max(perf_counter() - self.began, 1e-9)
        return {
            "hertz": self.ticks / passed,
            "late_median_ms": 1000 * late[len(late) // 2],
            "late_99_ms": 1000 * late[int(len(late) * 0.99)],
            "late_most_ms": 1000 * late[-1],
            "lost_s": self.lost,
        }


class Emulator:
    """All ports of one emulated arm. One thread makes it, runs it and closes it.

    `offset` is added to every port, for clients that take one; ur_rtde does not, so a second arm beside the
    first takes another loopback address. Raises RobotError where a port is taken, BadValue for an address
    that is no loopback one unless `anywhere`.
    """

    def __init__(
        self,
        address: str = "127.0.0.1",
        scene: str = "tabletop",
        seed: int = 0,
        offset: int = 0,
        anywhere: bool = False,
    ) -> None:
        _check(address, anywhere)
        self.controller = c = Controller(Plant(read_scene(scene, seed)))
        self.gripper = Gripper(c.plant)
        self._robot, self._own = Reactor(c.say), Reactor(c.say)
        self._states = States()
        self.faults = Faults(c, self._drop)
        self._lateness = Lateness()
        self._pictures = Pictures(lambda: c.plant.state, lambda: c.now)
        self._stop = False
        owners: dict[str, RtdeLink] = {}
        robot = self._robot

        def states(port: int, deaf: bool) -> Callable[[socket.socket], StateLink]:
            return lambda s: StateLink(s, robot, c, port, deaf)

        try:
            self._listen(robot, address, offset + rtde.PORT, lambda s: RtdeLink(s, robot, c, owners))
            for port in (PRIMARY, SECONDARY, REALTIME):
                self._listen(robot, address, offset + port, states(port, False))
                self._listen(robot, address, offset + port + READ_ONLY, states(port, True))
            self._listen(robot, address, offset + DASHBOARD_PORT, lambda s: DashboardLink(s, robot, c))
            self._listen(robot, address, offset + GRIPPER_PORT, lambda s: GripperLink(s, robot, self.gripper))
            self.own_address = address if ipaddress.ip_address(address).is_loopback else "127.0.0.1"
            self._listen(self._own, self.own_address, offset + own_port.PORT, self._own_link)
        except BaseException:
            self.close()
            raise
        self.own_port = offset + own_port.PORT

    def _own_link(self, sock: object) -> OwnLink:
        return OwnLink(
            sock,  # type: ignore[arg-type]
            self._own,
            self.controller,
            self.gripper,
            self.faults,
            self._pictures,
            self.status,
        )

    def _listen(self, reactor: Reactor, address: str, port: int, make: Callable) -> None:
        try:
            reactor.listen(address, port, make)
        except OSError as error:
            raise RobotError(
                f"The emulator cannot listen on {address}:{port} ({error.strerror}): another one may be "
                "running; end it, or choose another address such as 127.0.0.2."
            ) from error

    def _drop(self) -> None:
        for link in self._robot.links:
            link.close()

    def status(self) -> dict[str, float]:
        clients = [link for link in self._robot.links if isinstance(link, RtdeLink)]
        return {
            **self._lateness.report(),
            "clients": len(clients),
            "dropped": sum(link.dropped for link in clients),
            "now": self.controller.now,
        }

    def stop(self) -> None:
        """Any thread, and a signal handler: the loop ends after this tick."""
        self._stop = True

    def run(self) -> None:
        """Until `stop`."""
        self._lateness = Lateness()
        due = perf_counter()
        while not self._stop:
            due += DT
            if self.faults.frozen > 0:
                self.faults.frozen -= DT
                self._own.run_until(due)
                continue
            self._robot.run_until(due)
            self._own.run_until(0.0)
            late = perf_counter() - due
            if late > CATCH_UP:
                self._lateness.lost += late
                self.controller.say(f"{late:.3f} s were lost: the machine was too busy")
                due = perf_counter()
            self._lateness.last.append(max(0.0, late))
            self._lateness.ticks += 1
            self.tick()
            if self.faults.slow:
                sleep(self.faults.slow)

    def tick(self) -> None:
        self.faults.tick()
        self.gripper.tick()
        self.controller.tick()
        snapshot = Snapshot(self.controller)
        messages = list(self.controller.messages)
        self.controller.messages.clear()
        for link in self._robot.links:
            if isinstance(link, RtdeLink):
                link.guarded(link.publish, snapshot)
        states = [link for link in self._robot.links if isinstance(link, StateLink)]
        self._states.publish(states, snapshot, messages)

    def close(self) -> None:
        self._robot.close()
        self._own.close()


def _check(address: str, anywhere: bool) -> None:
    try:
        loopback = ipaddress.ip_address(address).is_loopback
    except ValueError:
        raise BadValue(f"{address!r} is no IP address: give one such as 127.0.0.1.") from None
    if not loopback and not anywhere:
        raise BadValue(
            f"The emulator would be open to the network on {address}, and its ports know no password: "
            "use a loopback address such as 127.0.0.1, or add --anywhere."
        )


def emulate(
    address: str = "127.0.0.1",
    scene: str = "tabletop",
    window: bool = False,
    *,
    seed: int = 0,
    offset: int = 0,
    anywhere: bool = False,
    cameras: bool = True,
    ready: Callable[[str], None] = print,
) -> None:
    """The verb `emulate ur5e`: run until Ctrl+C or SIGTERM, cameras and window in processes of their own.

    `ready` is told in one line when all ports listen. Raises RobotError, BadValue, UnknownName.
    """
    emulator = Emulator(address, scene, seed, offset, anywhere)
    helpers: list[subprocess.Popen[bytes]] = []

    def ended(number: int, frame: FrameType | None) -> None:
        emulator.stop()

    old = {s: signal.signal(s, ended) for s in (signal.SIGINT, signal.SIGTERM)}
    try:
        for wanted, module in ((cameras, "painter"), (window, "window")):
            if wanted:
                helpers.append(_helper(module, emulator.own_address, emulator.own_port, scene, seed))
        ready(f"UR5e emulator, PolyScope 5.15, on {address}: powered off, in remote control. Ctrl+C ends it.")
        emulator.run()
        status = emulator.status()
        ready(
            f"Ended after {status['now']:.0f} s at {status['hertz']:.0f} Hz, {status['lost_s']:.2f} s lost."
        )
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)
        emulator.close()
        for helper in helpers:
            helper.terminate()
        for helper in helpers:
            _outlive(helper)


def _outlive(helper: subprocess.Popen[bytes]) -> None:
    """A window may hang in its driver: what does not end when asked is ended."""
    try:
        helper.wait(3)
    except subprocess.TimeoutExpired:
        helper.kill()
        helper.wait()


def _helper(module: str, address: str, port: int, scene: str, seed: int) -> subprocess.Popen[bytes]:
    """It ends by itself when the emulator's port closes, however that comes about."""
    command = [sys.executable, "-m", f"robots.ur5e.emulator.{module}", address, str(port), scene, str(seed)]
    return subprocess.Popen(command, cwd=ROOT, env={**os.environ}, stdin=subprocess.DEVNULL)
