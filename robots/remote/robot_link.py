"""A console's connections to a served robot: requests, heartbeats, stops, and what ends them."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress
from math import inf
from threading import Condition, Event, Thread
from time import monotonic
from typing import TYPE_CHECKING

from core.errors import RobotError
from core.stop.heartbeat import HEARTBEAT_PERIOD, Heartbeat
from core.stop_token import StopToken
from robots.child_process import ChildPhase, SilenceLimits, SilenceWatch
from robots.remote.connection import Connection
from robots.remote.handshake import (
    HELLO_BYTES,
    ConnectionRole,
    Crowded,
    Refused,
    ServerGreeting,
    greet_robot,
)
from robots.remote.wire_message import MAX_MESSAGE_BYTES, JsonValue, WireMessage
from robots.remote.wire_values import raise_error
from robots.start_progress import StartProgress

if TYPE_CHECKING:
    from robots.remote.own_server import OwnServer

CONNECT_TIMEOUT = 5.0  # seconds
_TRIES = 5  # to be heard among connections that do not show the token
OBEY_TIMEOUT = 5.0  # seconds from a stop or a cancel until what it ends has to have ended, and for each
# request while the stop is not released
IDLE_SILENCE, WORKING_SILENCE = 5.0, 30.0  # seconds; a simulator may hold Python's lock while it works
_WAY_OUT = "It should stop by itself: look at it, end the episode, and connect again."
_POLL_PERIOD = 0.01  # seconds between two checks of the cancel, which cannot wake a waiting thread


def open_connection(
    address: tuple[str, int], token: bytes, role: ConnectionRole, session: str = ""
) -> tuple[Connection, ServerGreeting]:
    """Connect for one purpose. Raises RobotError, in one sentence that names the address."""
    for _ in range(_TRIES - 1):
        with suppress(Crowded):
            return _open(address, token, role, session)
    return _open(address, token, role, session)


def _open(
    address: tuple[str, int], token: bytes, role: ConnectionRole, session: str
) -> tuple[Connection, ServerGreeting]:
    where = f"{address[0]}:{address[1]}"
    try:
        connection = Connection(socket.create_connection(address, CONNECT_TIMEOUT), HELLO_BYTES)
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or error
        raise RobotError(
            f"No robot can be reached at {where} ({why}): start it there with `serve`, or mend the address."
        ) from error
    try:
        welcome = greet_robot(connection, token, role, session)
    except Refused as error:
        connection.close()
        kind = Crowded if isinstance(error, Crowded) else RobotError
        raise kind(f"The robot at {where} refuses: {str(error).rstrip('.')}.") from None
    except RobotError as error:
        connection.close()
        raise RobotError(f"No robot answers at {where}: {str(error).rstrip('.')}.") from None
    connection.allow(MAX_MESSAGE_BYTES)
    return connection, welcome


class RobotLink:
    """Two connections: one for requests, one for stops, which wait for nothing.

    `request` and `release` belong to the loop's thread, everything else to any. Raises RobotError if there is
    no robot to connect to. `notify` is told how far its start is, in the thread that waits for it. `server`
    is the process that serves it, if it is ours: it ends with the link.
    """

    def __init__(
        self,
        address: tuple[str, int],
        token: bytes,
        start_timeout: float,
        notify: Callable[[str], None],
        server: OwnServer | None = None,
    ) -> None:
        self.address, self.token, self._server = address, token, server
        self._name = f"robot at {address[0]}:{address[1]}"
        self._on_stopped: Callable[[str], None] = _ignore
        self._on_stands: Callable[[int, float | None], None] = _ignore
        self._on_lost: Callable[[str], None] = _ignore
        self.lost = ""  # why there is no link any more
        self.heartbeat = Heartbeat()  # of the thread that would notice a stop
        self._closing = Event()
        self._changed = Condition()
        self._asked = 0  # the number of the last request
        self._reply: WireMessage | None = None
        self._progress = StartProgress(f"the {self._name}", notify)
        self._seen = 0  # the last stop that the robot caused by itself
        self._beat = 0  # the robot's last heartbeat
        self._obey_by = inf  # when what a stop ends has to have ended
        self._stopped = self._released = 0  # our last stop, and up to which one they were released
        self._confirmed = 0  # the last of our stops that the robot has confirmed
        self._silence = SilenceWatch(SilenceLimits(start_timeout, IDLE_SILENCE, WORKING_SILENCE))
        self._main, self.welcome = open_connection(address, token, ConnectionRole.ROBOT)
        try:
            self._stops, _ = open_connection(address, token, ConnectionRole.STOP, self.welcome.session)
        except RobotError:
            self._main.close()
            raise
        for connection in (self._main, self._stops):
            Thread(target=self._read, args=(connection,), name="remote", daemon=True).start()
        Thread(target=self._send_heartbeats, name="remote", daemon=True).start()

    def attach(
        self,
        on_stopped: Callable[[str], None],
        on_stands: Callable[[int, float | None], None],
        on_lost: Callable[[str], None],
    ) -> None:
        """From now on call these, from threads of this object.

        `on_stopped(why)` when the robot stopped although we did not ask for it, `on_stands(number, seconds)`
        when it stood still after our stop, `on_lost(why)` once, when the link is lost.
        """
        self._on_stopped, self._on_stands = on_stopped, on_stands
        with self._changed:
            self._on_lost, lost = on_lost, self.lost
        if lost:
            on_lost(lost)

    def close(self) -> None:
        """End the session; the robot halts and is closed there. Idempotent."""
        self._closing.set()
        with self._changed:
            self.lost = self.lost or f"The {self._name} was closed."
            self._changed.notify_all()
        self._main.close()
        self._stops.close()
        if self._server is not None:
            self._server.close()

    # --- requests ---

    def make(self, **body: JsonValue) -> WireMessage:
        """Have the robot made, which may take minutes. Raises as `request` and `notify` do."""
        reply = self._ask("make", StopToken(), body)
        self._silence.enter(ChildPhase.IDLE)
        return reply

    def request(self, kind: str, cancel: StopToken | None = None, **body: JsonValue) -> WireMessage:
        """Ask, and wait for the reply, which a stop, also an earlier one, or the cancel brings about soon.

        Raises what the robot raised, and RobotError if the link is lost.
        """
        self._silence.enter(ChildPhase.WORKING)
        try:
            return self._ask(kind, cancel or StopToken(), body)
        finally:
            self._silence.enter(ChildPhase.IDLE)

    def _ask(self, kind: str, cancel: StopToken, body: dict[str, JsonValue]) -> WireMessage:
        told = False
        with self._changed:
            self._asked += 1
            self._reply = None
            was_stopped = self._stopped > self._released
            self._obey_by = monotonic() + OBEY_TIMEOUT if was_stopped else inf
        self._send(self._main, kind, request=self._asked, **{"beat": self._beat, **body})
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._reply or self.lost, _POLL_PERIOD)
                reply, lost = self._reply, self.lost
            if reply is not None:
                raise_error(reply)
                return reply
            if lost:
                raise RobotError(lost)
            if self._silence.phase is ChildPhase.STARTING:
                self._progress.show()
            if cancel.is_set() and not told:
                told = True
                self._expect_obedience()
                self._send(self._stops, "cancel", request=self._asked, why=cancel.reason)
            if monotonic() > self._obey_by:
                limit = f"within {OBEY_TIMEOUT:g} s"
                why = f"did not answer {limit} while stopped" if was_stopped else ""
                self._lose(why or f"did not end what it does {limit} of a stop")

    def _send(self, connection: Connection, kind: str, **body: JsonValue) -> None:
        """Send, without waiting for anything. If the link is gone, the reading thread says so soon."""
        try:
            connection.send(kind, **body)
        except RobotError:
            self._main.close()

    def _expect_obedience(self) -> None:
        with self._changed:
            self._obey_by = min(self._obey_by, monotonic() + OBEY_TIMEOUT)

    # --- stops ---

    def stop(self, number: int) -> None:
        """Have the robot stop. Any thread; never waits for a request, and never raises."""
        with self._changed:
            self._stopped = max(self._stopped, number)
            self._expect_obedience()
        self._send(self._stops, "stop", number=number, seen=self._seen)

    def stopped(self, number: int) -> bool:
        """Wait until the robot has confirmed this stop. Return False if it does not."""
        with self._changed:
            self._changed.wait_for(lambda: self._confirmed >= number or bool(self.lost), OBEY_TIMEOUT)
            return self._confirmed >= number and not self.lost

    def release(self, up_to: int) -> None:
        """Release our stops up to this one. The loop's thread. Raises as `request` does."""
        self.request("release", up_to=up_to)
        with self._changed:
            self._released = max(self._released, up_to)

    # --- threads ---

    def _read(self, connection: Connection) -> None:
        why = ""
        try:
            for message in connection.messages():
                self._silence.note_sign_of_life()
                self._take(message)
        except RobotError as error:
            why = f"sent what cannot be read: {error}"
        if not why and self._server is not None and not self._closing.is_set():
            why = self._server.why_gone()
        self._lose(why or "is gone: its program ended, or the connection was cut")

    def _take(self, message: WireMessage) -> None:
        with self._changed:
            match message.kind:
                case "beat":
                    self._beat = message.whole("number")
                case "reply" if message.whole("request") == self._asked:
                    self._reply = message
                case "halted":
                    self._confirmed = max(self._confirmed, message.whole("number"))
                case "stopped":
                    self._seen = max(self._seen, message.whole("count"))
            self._changed.notify_all()
        match message.kind:
            case "progress":
                self._progress.report_line(message.text("text"))
            case "stands":
                known = message.body.get("seconds") is not None
                self._on_stands(message.whole("number"), message.number("seconds") if known else None)
            case "stopped":
                self._on_stopped(message.text("why"))

    def _send_heartbeats(self) -> None:
        while not self._closing.wait(HEARTBEAT_PERIOD) and not self.lost:
            self._send(self._main, "beat", age=self.heartbeat.age)
            if fault := self._silence.overdue():
                self._lose(fault)

    def _lose(self, why: str) -> None:
        with self._changed:
            if self.lost or self._closing.is_set():
                return
            self.lost = f"The {self._name} {why.rstrip('.')}. {_WAY_OUT}"
            self._changed.notify_all()
            on_lost = self._on_lost
        self._main.close()
        self._stops.close()
        if self._server is not None:
            self._server.kill()
        on_lost(self.lost)


def _ignore(*words: object) -> None:
    """Discard what nobody listens to yet."""
