"""A robot that is served over a real socket, by a thread of the test's own process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from time import monotonic, sleep

from core.ports import Robot
from robots.registry import ROBOTS
from robots.remote.handshake import make_token
from robots.remote.request_handler import Progress
from robots.remote.robot_server import RobotServer
from robots.remote.serving import make_server
from robots.remote.wire_values import RobotTask


@dataclass(frozen=True)
class Served:
    name: str
    server: RobotServer
    token_file: Path
    made: list[Robot] = field(default_factory=list)  # every robot that was made there

    @property
    def options(self) -> Mapping[str, str]:
        """The options with which a console finds it, and a user's word that it is a simulator."""
        return options_at(self.server.host, self.server.port, self.token_file)


def options_at(host: str, port: int, token_file: Path) -> Mapping[str, str]:
    return {"at": f"{host}:{port}", "token_file": str(token_file), "simulator": "true"}


def until(so: Callable[[], bool], seconds: float = 10.0) -> None:
    end = monotonic() + seconds
    while not so():
        assert monotonic() < end
        sleep(0.005)


@contextmanager
def serving(name: str, folder: Path, port: int = 0) -> Iterator[Served]:
    token_file = folder / "token"
    server = make_server(name, {}, ROBOTS, make_token(token_file), port=port)
    found = Served(name, server, token_file)
    make = server._make

    def noted(task: RobotTask, progress: Progress) -> Robot:
        found.made.append(make(task, progress))
        return found.made[-1]

    server._make = noted
    thread = Thread(target=server.serve)
    thread.start()
    try:
        yield found
    finally:
        server.close()
        thread.join(10)
        assert not thread.is_alive()
