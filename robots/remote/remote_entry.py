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
        description="HOST:PORT that serve prints.",
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
    def address(self) -> tuple[str, int]:
        """Return host and port. Raises BadValue."""
        if not self.at:
            raise BadValue(
                "Say where the remote robot is: start it with `serve`, then --robot remote:HOST:PORT."
            )
        return host_and_port(self.at)

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


def embodiment_of_served(
    name: str, robots: RobotRegistry, options: Mapping[str, str] | None = None
) -> Embodiment:
    """Return what a robot that can be served is. Raises UnknownName, and BadValue for what may be real."""
    entry = robots[name]
    found = None if name == "remote" else entry.embodiment(entry.read_options(options or {}))
    if found not in (Embodiment.SIM, Embodiment.EMULATED):
        raise BadValue(f"{name!r} may be a real robot, or is elsewhere itself: only simulators are served.")
    return found


def make_remote(options: Options, *, notify: Callable[[str], None] = show_nothing, **needs: Any) -> Robot:
    """Connect to the robot, and have it made. `notify` shows how far it is.

    Raises ConsoleError, and Cancelled if `notify` raises it.
    """
    from robots.remote.remote_capabilities import robot_of
    from robots.remote.robot_link import RobotLink
    from robots.remote.wire_values import RobotTask, encode_task

    assert isinstance(options, RemoteOptions)
    task = encode_task(RobotTask(**needs))
    link = RobotLink(options.address, options.token, options.start_timeout, notify)
    try:
        made = link.make(task=task)
        embodiment = believed_embodiment(made.text("embodiment"), options.simulator)
        if embodiment.value != made.text("embodiment"):
            notify(f"{options.at} counts as REAL. If it is a simulator, say so: -o robot.simulator=true")
        return robot_of(link, made, embodiment)
    except BaseException:
        link.close()
        raise


def listen(options: Options) -> PreflightReport:
    """Look who is there, without a session. Raises ConsoleError."""
    from robots.remote.handshake import ConnectionRole
    from robots.remote.robot_link import open_connection

    assert isinstance(options, RemoteOptions)
    began = monotonic()
    connection, found = open_connection(options.address, options.token, ConnectionRole.SURVEY)
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
