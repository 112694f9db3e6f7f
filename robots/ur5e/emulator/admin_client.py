"""A client of the emulator's admin port. Any one thread at a time; calls block no longer than `timeout`."""

from __future__ import annotations

import socket
from contextlib import closing, suppress
from threading import Lock

from core.errors import RobotError
from core.stop_token import Late
from robots.remote.connection import GONE, Connection
from robots.remote.wire_message import JsonValue, WireMessage

ADMIN_PORT = 30999  # here, as who asks needs no physics


class AdminClient:
    """Connects to the admin port, and anew to an emulator that was started again.

    Raises RobotError if nobody answers, or if it is not our emulator.
    """

    def __init__(self, address: str, timeout: float = 5.0) -> None:
        self._lock, self._address, self._timeout, self._closed = Lock(), address, timeout, False
        self._connection = self._connected()

    def _connected(self) -> Connection:
        try:
            return Connection(socket.create_connection((self._address, ADMIN_PORT), self._timeout))
        except OSError as error:
            where = f"{self._address}:{ADMIN_PORT}"
            raise RobotError(f"No emulator of ours answers on {where} ({error}).") from error

    def ask(self, kind: str, **body: JsonValue) -> WireMessage:
        """Send one message and return the reply."""
        with self._lock:
            try:
                try:
                    return self._asked(kind, body)
                except RobotError as error:
                    if str(error) != GONE or self._closed:
                        raise
                self._connection.close()
                self._connection = self._connected()
                return self._asked(kind, body)
            except RobotError as error:
                why = f"The emulator does not answer on its own port ({error}): start it again."
                raise RobotError(why) from error

    def _asked(self, kind: str, body: dict[str, JsonValue]) -> WireMessage:
        self._connection.send(kind, **body)
        return self._connection.receive(self._timeout)

    def inject_fault(self, name: str, **body: JsonValue) -> None:
        """Inject a fault. Raises RobotError for a fault that the emulator does not know."""
        refused = self.ask("fault", name=name, **body).text("refused")
        if refused:
            raise RobotError(f"The emulator refuses: {refused}.")

    def close(self) -> None:
        self._closed = True
        self._connection.close()


def switch_on(address: str) -> None:
    """Switch our emulator on, its gripper too, if it is off. Raises RobotError."""
    with closing(AdminClient(address)) as client:
        client.ask("switch on")


def verify_emulator(address: str, serial: str, timeout: float = 0.5) -> bool:
    """Return True if the controller at `address` with this serial number is our emulator.

    The serial number is drawn anew at each start of an emulator, and reported both by the robot's dashboard
    and by the admin port. An emulator left running somewhere therefore cannot make a real arm look emulated.
    """
    import ipaddress

    try:
        if not ipaddress.ip_address(address).is_loopback:
            return False
        with closing(AdminClient(address, timeout)) as client:
            proof = client.ask("prove")
    except (ValueError, RobotError):
        return False
    return proof.text("emulator") == "dkprompt ur5e" and proof.text("serial") == serial != ""


def with_cause(address: str, fault: str) -> str:
    """Return a fault of our emulator's control program as `Late` if its watchdog ended it: this computer did
    not keep up. Takes half a second at most.
    """
    with suppress(RobotError), closing(AdminClient(address, 0.5)) as client:
        if client.ask("prove").body.get("ended_late") is True:
            return Late(f"{fault}: no sign of life reached it in time")
    return fault
