"""Serves one robot on a socket, to one console at a time; each gets a robot that is made anew."""

from __future__ import annotations

import errno
import logging
import secrets
import socket
from contextlib import suppress
from queue import SimpleQueue
from threading import Condition, Lock, Thread

from core.errors import RobotError
from core.host_address import host_address
from core.ports import Embodiment
from robots.remote.connection import Connection
from robots.remote.handshake import (
    HELLO_BYTES,
    AuthenticatedConsole,
    ConnectionRole,
    ServerGreeting,
    greet_console,
    refuse,
    welcome,
)
from robots.remote.request_handler import Make
from robots.remote.robot_session import RobotSession

REQUEST_BYTES = 8 << 20  # of one message of a console
STRANGERS = 64  # connections at a time that have not yet shown that they know the token
CROWDED = f"more than {STRANGERS} connections came that did not show the token: try again, or end them"
_BUSY_TIMEOUT = 3.0  # seconds to wait for the end of an episode: a console closes one as it begins another
LOOPBACK = "127.0.0.1"

log = logging.getLogger(__name__)


class RobotServer:
    """Listens from when it is made. `serve` belongs to the thread that robots are made and moved in.

    `embodiment` is what the robot says it is. Port 0 is any that is free. Raises BadValue for no address, and
    RobotError if it cannot listen there.
    """

    def __init__(
        self,
        name: str,
        embodiment: Embodiment | None,
        make: Make,
        token: bytes,
        host: str = LOOPBACK,
        port: int = 0,
    ) -> None:
        self._name, self._make, self._token, host = name, make, token, host_address(host)
        self._embodiment = (embodiment or Embodiment.REAL).value
        self._session_over = Condition()  # notified when a session is over
        self._strangers: dict[Connection, Connection] = {}  # the oldest first
        self._strangers_lock = Lock()  # held for an instant
        self._session: RobotSession | None = None
        self._sessions: SimpleQueue[RobotSession | None] = SimpleQueue()
        try:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            self._listener = socket.create_server((host, port), family=family)
        except (OSError, OverflowError) as error:
            number = getattr(error, "errno", None) or 0
            why = (getattr(error, "strerror", "") or str(error)).partition(" (")[0]  # the address again
            remedy = "give another --port, or end what uses this one"
            if number < 0 or number == errno.EADDRNOTAVAIL:
                remedy = "give a --host of this machine, or leave it out"
            raise RobotError(f"Nothing can listen at {host}:{port} ({why}): {remedy}.") from error
        self.host, self.port = self._listener.getsockname()[:2]
        Thread(target=self._accept, name="accept", daemon=True).start()

    @property
    def session(self) -> RobotSession | None:
        """Return the session in progress."""
        return self._session

    def serve(self) -> None:
        """Serve one console after the other until `close`."""
        while (session := self._sessions.get()) is not None:
            session.run()
            with self._session_over:
                self._session = None
                self._session_over.notify_all()

    def close(self) -> None:
        """Halt the robot and end everything. Idempotent; any thread."""
        if (session := self._session) is not None:
            session.end("the robot's program ends")
        self._sessions.put(None)
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            connection = Connection(sock, HELLO_BYTES)
            with self._strangers_lock:
                self._strangers[connection] = connection
                crowded = len(self._strangers) > STRANGERS
                oldest = self._strangers.pop(next(iter(self._strangers))) if crowded else None
            Thread(target=self._greet, args=(connection,), daemon=True).start()
            if oldest is not None:
                with suppress(RobotError):
                    refuse(oldest, CROWDED, again=True)
                oldest.close()

    def _greet(self, connection: Connection) -> None:
        try:
            try:
                guest = greet_console(connection, self._token)
            finally:
                with self._strangers_lock:
                    self._strangers.pop(connection, None)
            connection.allow(REQUEST_BYTES)
            self._attend(connection, guest)
        except RobotError as error:
            log.info("a connection was refused: %s", error)
        finally:
            connection.close()

    def _attend(self, connection: Connection, guest: AuthenticatedConsole) -> None:
        if guest.role is ConnectionRole.SURVEY:
            welcome(connection, guest, self._words("", self._busy()))
        elif guest.role is ConnectionRole.ROBOT:
            session = RobotSession(secrets.token_hex(8), connection, self._make)
            with self._session_over:
                self._session_over.wait_for(lambda: self._session is None, _BUSY_TIMEOUT)
                if busy := self._busy():
                    return refuse(connection, busy)
                self._session = session
            self._sessions.put(session)
            try:
                welcome(connection, guest, self._words(session.id))
                session.listen()
            finally:
                session.end("the console is gone")
        else:
            ours = self._session
            if ours is None or ours.id != guest.session:
                return refuse(connection, "its session is over")
            welcome(connection, guest, self._words(ours.id))
            (ours.listen_for_stops if guest.role is ConnectionRole.STOP else ours.send_live_frames)(
                connection
            )

    def _busy(self) -> str:
        return "it is in use, by one console at a time: end the episode there" if self._session else ""

    def _words(self, session: str, busy: str = "") -> ServerGreeting:
        return ServerGreeting(session, self._name, self._embodiment, busy)
