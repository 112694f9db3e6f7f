"""Ports 30001 to 30003, and 30011 to 30013 that only tell: states out, and scripts in."""

from __future__ import annotations

import socket

from robots.ur5e.emulator.controller import Controller
from robots.ur5e.emulator.messages import Message
from robots.ur5e.emulator.reactor import Link, Reactor
from robots.ur5e.emulator.script_port import Scripts
from robots.ur5e.emulator.snapshot import Snapshot
from robots.ur5e.emulator.state_packages import message, realtime, state, version

PRIMARY, SECONDARY, REALTIME = 30001, 30002, 30003
READ_ONLY = 10  # added to a port: the same without scripts
_EVERY = 50  # cycles between two packages of the primary and secondary ports: 10 Hz


class StateLink(Link):
    """One client. `deaf` takes no scripts."""

    def __init__(
        self, sock: socket.socket, reactor: Reactor, c: Controller, port: int, deaf: bool = False
    ) -> None:
        super().__init__(sock, reactor)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 16)
        self.port = port
        self._scripts = None if deaf else Scripts(c, self.close)
        if port != REALTIME:
            self.send(version(c.now))

    def received(self, data: bytes) -> None:
        if self._scripts is not None:
            self._scripts.received(data)


class States:
    """What all of them are told, packed once a cycle and only where somebody reads it."""

    def __init__(self) -> None:
        self._count = 0

    def publish(self, links: list[StateLink], s: Snapshot, messages: list[Message]) -> None:
        self._count += 1
        now = s.c.now
        packed = [message(now, m) for m in messages]
        made: dict[int, bytes] = {}
        for link in links:
            if link.port == PRIMARY:
                for data in packed:
                    link.offer(data)
            if link.port != REALTIME and self._count % _EVERY:
                continue
            if link.busy:
                link.dropped += 1
                continue
            if link.port not in made:
                made[link.port] = _package(link.port, s)
            link.offer(made[link.port])


def _package(port: int, s: Snapshot) -> bytes:
    return realtime(s) if port == REALTIME else state(s, short=port == SECONDARY)
