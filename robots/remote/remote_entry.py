"""The registry's entry for a robot elsewhere: its options, what it counts as, and how it is reached."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from time import monotonic
from typing import Any

from pydantic import Field

from core.arm.arm_capabilities import PreflightCheck
from core.errors import BadValue, RobotError
from core.host_address import host_and_port
from core.ports import Embodiment, Robot
from core.registry import Options
from core.robots import PreflightReport, RobotRegistry, show_nothing

LOCAL = ("127.0.0.1", "localhost", "::1")


class RemoteOptions(Options):
    """Options of a robot elsewhere. What is served there has its own, which are given there."""

    where_others_go = (
        "Those of the robot itself are given where it is served: serve NAME -o robot.OPTION=VALUE; then name "
        "the address that serve prints."
    )
    at: str = Field(
        "",
        title="Where",
        description="HOST:PORT that serve prints; or a robot's name, to start it here in a process of its "
        "own with its default options, as others are given to serve.",
    )
    simulator: bool = Field(
        False,
        title="It is a simulator",
        description="Your word that what moves at HOST:PORT is a simulator. Without it, it counts as REAL.",
    )
    token_file: str = Field(
        "", title="Token file", description="The file that serve names; empty: your own, on this machine."
    )
    start_timeout: int = Field(
        600, ge=5, le=3600, title="Start timeout", description="Seconds that its start may take."
    )

    @property
    def address(self) -> tuple[str, int] | None:
        """Return host and port, None for a robot to be started here. Raises BadValue."""
        if not self.at:
            raise BadValue(
                "Say where the remote robot is: --robot remote:HOST:PORT, or remote:NAME to start one here."
            )
        return host_and_port(self.at) if ":" in self.at else None

    @property
    def token(self) -> bytes:
        """Return what the robot has to know as well. Raises BadFile."""
        from robots.remote.handshake import default_token_file, read_token

        return read_token(Path(self.token_file).expanduser() if self.token_file else default_token_file())


def believed_embodiment(claim: str, is_simulator: bool) -> Embodiment:
    """Return what a robot counts as. Its own claim to be a simulator counts only with the user's word.

    Raises RobotError if the user takes for a simulator what says that it is real.
    """
    claimed = next((e for e in Embodiment if e.value == claim), Embodiment.REAL)
    if is_simulator and claimed is Embodiment.REAL:
        raise RobotError(
            "You say that the remote robot is a simulator, and it says that it is REAL: look at it, and "
            "leave robot.simulator out."
        )
    return claimed if is_simulator else Embodiment.REAL


def embodiment_of(options: Options, robots: RobotRegistry) -> Embodiment | None:
    """Return what will move: for a robot started here what its own entry says, else None.

    What is elsewhere is known only once it is connected, so that a log or an older start that names it never
    takes it for a simulator.
    """
    assert isinstance(options, RemoteOptions)
    if not options.at or options.address is not None:
        return None
    return embodiment_of_served(options.at, robots)


def embodiment_of_served(
    name: str, robots: RobotRegistry, options: Mapping[str, str] | None = None
) -> Embodiment:
    """Return what a robot that can be served is. Raises UnknownName, and BadValue for what may be real."""
    entry = robots[name]
    found = None if name == "remote" else entry.embodiment(entry.read_options(options or {}))
    if found not in (Embodiment.SIM, Embodiment.EMULATED):
        raise BadValue(f"{name!r} may be a real robot, or is elsewhere itself: only simulators are served.")
    return found


def make_remote(
    options: Options, robots: RobotRegistry, notify: Callable[[str], None] = show_nothing, **needs: Any
) -> Robot:
    """Connect to the robot, or start it, and have it made. `notify` shows how far it is.

    Raises ConsoleError, and Cancelled if `notify` raises it.
    """
    from robots.remote.own_server import OwnServer
    from robots.remote.remote_capabilities import robot_of
    from robots.remote.robot_link import RobotLink
    from robots.remote.wire_values import RobotTask, encode_task

    assert isinstance(options, RemoteOptions)
    task, address, timeout = encode_task(RobotTask(**needs)), options.address, options.start_timeout
    if address is not None:
        link = RobotLink(address, options.token, timeout, notify)
        is_simulator = options.simulator
    else:
        embodiment_of_served(options.at, robots)
        server, is_simulator = OwnServer(options.at, timeout, notify), True
        try:
            link = RobotLink(server.address, server.token, timeout, notify, server)
        except BaseException:
            server.close()
            raise
    try:
        made = link.make(task=task)
        embodiment = believed_embodiment(made.text("embodiment"), is_simulator)
        if embodiment.value != made.text("embodiment"):
            notify(f"{options.at} counts as REAL. If it is a simulator, say so: -o robot.simulator=true")
        return robot_of(link, made, embodiment)
    except BaseException:
        link.close()
        raise


def listen(options: Options, robots: RobotRegistry) -> PreflightReport:
    """Look who is there, without a session. Raises ConsoleError."""
    from robots.remote.handshake import ConnectionRole
    from robots.remote.robot_link import open_connection

    assert isinstance(options, RemoteOptions)
    address = options.address
    if address is None:
        return _own_report(options.at, robots)
    began = monotonic()
    connection, found = open_connection(address, options.token, ConnectionRole.SURVEY)
    connection.close()
    took = f"{(monotonic() - began) * 1000:.0f} ms"
    counts = believed_embodiment(found.embodiment, options.simulator)
    word = "as you say" if options.simulator else "since you do not say that it is a simulator"
    claim = f"{found.robot} says {found.embodiment}; it counts as {counts.value}, {word}"
    checks = (
        PreflightCheck("address", True, f"{options.at} answered in {took}"),
        PreflightCheck("token and version", True, "token and version agree"),
        PreflightCheck("what it is", True, claim),
        PreflightCheck("free", True, found.busy or "no console uses it"),
    )
    return PreflightReport(counts, checks)


def _own_report(name: str, robots: RobotRegistry) -> PreflightReport:
    """Return what a robot that would be started here lacks."""
    embodiment, entry = embodiment_of_served(name, robots), robots[name]
    checks = entry.preflight(entry.read_options({})).checks
    if entry.options.model_fields:
        defaults = f"{name} starts with its default options; others are given to serve"
        checks = PreflightCheck("options", True, defaults), *checks
    return PreflightReport(embodiment, checks)
