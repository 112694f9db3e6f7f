"""Ports 30001 to 30003, and the read-only 30011 to 30013: they send states and accept scripts."""

from __future__ import annotations

import socket

from robots.ur5e import rtde
from robots.ur5e.emulator.controller import Controller
from robots.ur5e.emulator.messages import PrimaryMessage
from robots.ur5e.emulator.ports.reactor import ClientConnection, Reactor
from robots.ur5e.emulator.ports.script_port import ScriptReceiver
from robots.ur5e.emulator.ports.state_packages import (
    encode_message,
    realtime_package,
    robot_state_package,
    version_message,
)
from robots.ur5e.emulator.snapshot import ControllerSnapshot

PRIMARY, SECONDARY, REALTIME = 30001, 30002, 30003
READ_ONLY = 10  # added to a port number: the same without scripts
_CYCLES_PER_PACKAGE = 50  # cycles between packages of the primary and secondary ports: 10 Hz


class StateConnection(ClientConnection):
    """One client. A `read_only` connection accepts no scripts."""

    def __init__(
        self, sock: socket.socket, reactor: Reactor, c: Controller, port: int, read_only: bool = False
    ) -> None:
        super().__init__(sock, reactor)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 16)
        self.port = port
        self._scripts = None if read_only else ScriptReceiver(c, self.close)
        if port != REALTIME:
            self.send(version_message(c.now))

    @property
    def hertz(self) -> float:
        """Return 0 for a client that does not read, as ur_rtde, which opens 30003 only to send scripts."""
        if self.has_backlog:
            return 0.0
        return rtde.HERTZ / (1 if self.port == REALTIME else _CYCLES_PER_PACKAGE)

    def on_received(self, data: bytes) -> None:
        if self._scripts is not None:
            self._scripts.on_received(data)


class StatePublisher:
    """Publishes the states: packed once per cycle, and only if somebody reads them."""

    def __init__(self) -> None:
        self._count = 0

    def publish(
        self, links: list[StateConnection], s: ControllerSnapshot, messages: list[PrimaryMessage]
    ) -> None:
        self._count += 1
        now = s.controller.now
        packed = [encode_message(now, m) for m in messages]
        made: dict[int, bytes] = {}
        for link in links:
            if link.port == PRIMARY:
                for data in packed:
                    link.send_latest(data)
            if link.port != REALTIME and self._count % _CYCLES_PER_PACKAGE:
                continue
            if link.has_backlog:
                link.dropped += 1
                continue
            if link.port not in made:
                made[link.port] = _make_package(link.port, s)
            link.send_latest(made[link.port])


def _make_package(port: int, s: ControllerSnapshot) -> bytes:
    return realtime_package(s) if port == REALTIME else robot_state_package(s, short=port == SECONDARY)
