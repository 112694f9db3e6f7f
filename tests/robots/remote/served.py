"""A robot that is served over a real socket, by a thread of the test's own process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

from robots.registry import ROBOTS
from robots.remote.handshake import make_token
from robots.remote.robot_server import RobotServer
from robots.remote.serving import served


@dataclass(frozen=True)
class Served:
    name: str
    server: RobotServer
    token_file: Path

    @property
    def options(self) -> Mapping[str, str]:
        """The options with which a console finds it, and a user's word that it is a simulator."""
        at = f"{self.server.host}:{self.server.port}"
        return {"at": at, "token_file": str(self.token_file), "simulator": "true"}


@contextmanager
def serving(name: str, folder: Path, port: int = 0) -> Iterator[Served]:
    token_file = folder / "token"
    server = served(name, {}, ROBOTS, make_token(token_file), port=port)
    thread = Thread(target=server.serve)
    thread.start()
    try:
        yield Served(name, server, token_file)
    finally:
        server.close()
        thread.join(10)
        assert not thread.is_alive()
