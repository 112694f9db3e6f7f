"""Serve a simulator of the registry: in a process of the console, or with the command `serve`."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from shlex import quote
from threading import Thread
from time import monotonic, sleep

from core.install_paths import COMMAND
from core.ports import Robot
from core.robots import RobotRegistry
from core.stop.stop_socket import STOP_TIMEOUT, Standstill, StopListener
from robots.registry import ROBOTS
from robots.remote.handshake import default_token_file, make_token
from robots.remote.remote_entry import LOCAL, embodiment_of_served
from robots.remote.request_handler import Progress
from robots.remote.robot_server import LOOPBACK, RobotServer
from robots.remote.wire_values import RobotTask


def make_server(
    name: str,
    options: Mapping[str, str],
    robots: RobotRegistry,
    token: bytes,
    host: str = LOOPBACK,
    port: int = 0,
) -> RobotServer:
    """Return a server of this robot, which listens. Raises ConsoleError, also for what may be real."""
    embodiment, entry = embodiment_of_served(name, robots, options), robots[name]
    values = entry.read_options(options)

    def make(task: RobotTask, progress: Progress) -> Robot:
        more = {"notify": progress} if entry.reports_progress else {}
        with task.needs() as needs:
            robot: Robot = entry.build(options=values, **needs, **more)
        return robot

    return RobotServer(name, embodiment, make, token, host, port)


def serve(server: RobotServer, print_line: Callable[[str], None], first: Iterable[str] = ()) -> None:
    """Serve in the main thread until a signal or `close`; `stop` in a terminal stops the robot.

    `print_line` receives the `first` lines once it can be ended, a sentence if `stop` does not reach it, and
    which signal has ended it.
    """
    signals: list[str] = []

    def stop(reason: str) -> tuple[str, Standstill]:
        session, began = server.session, monotonic()
        name = "" if session is None else session.stop_here(reason)

        def standstill() -> float | None:
            while session is not None and session.moving:
                if monotonic() > began + STOP_TIMEOUT:
                    return None
                sleep(0.01)
            return monotonic() - began

        return name, standstill

    def end(number: int, frame: object) -> None:
        signals.append("Ctrl+C" if number == signal.SIGINT else signal.Signals(number).name)
        Thread(target=server.close).start()  # a handler must not wait for what the main thread holds

    with ExitStack() as stack:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            stack.callback(signal.signal, number, signal.signal(number, end))
        stack.callback(StopListener("robot", stop, print_line).close)
        for line in first:
            print_line(line)
        server.serve()
    if signals:
        print_line(f"Ended with {signals[0]}.")


def serve_robot(
    name: str,
    options: Mapping[str, str],
    host: str,
    port: int,
    token_file: str,
    print_line: Callable[[str], None],
) -> None:
    """Serve a robot until Ctrl+C, and say how to connect. Raises ConsoleError."""
    path = Path(token_file).expanduser().resolve() if token_file else default_token_file()
    server = make_server(name, options, ROBOTS, make_token(path), host, port)
    entry = ROBOTS[name]
    failed = [check for check in entry.preflight(entry.read_options(options)).checks if not check.ok]
    if failed:
        print_line(f"{entry.title} may not start: {failed[0].refusal}.")
    try:
        serve(server, print_line, how_to_connect(server, name, path, token_file == ""))
    finally:
        server.close()


def how_to_connect(server: RobotServer, name: str, token_file: Path, is_default: bool) -> Iterator[str]:
    """Yield the lines that a person needs at the console."""
    where = f"[{server.host}]:{server.port}" if ":" in server.host else f"{server.host}:{server.port}"
    own = "" if is_default else f" -o robot.token_file={quote(str(token_file))}"
    yield f"{name} waits for a console at {where}. Ctrl+C ends it."
    yield f"Here: {COMMAND} --robot remote:{where} -o robot.simulator=true{own}"
    if server.host in LOCAL:
        tunnel = f"ssh -L {server.port}:{where} THIS_MACHINE"
        yield f"From another machine: {tunnel}, a copy of {token_file} (chmod 600), then the same line."
    else:
        yield "Nothing on this network is encrypted. Leave --host out and use `ssh -L` instead."
