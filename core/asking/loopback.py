"""A local OpenAI-compatible endpoint to practise on without a key.

It names itself in `/v1/models`, says what a mind says (`core/asking/emulated.py`), and makes the faults it is
asked for (`core/asking/faults.py`). It listens on this machine only.
"""

from __future__ import annotations

import json
import select
import time
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import SHUT_RDWR, socket
from threading import Event, Lock, Thread
from typing import Any

from core.asking.emulated import Blind, Mind, Told, completion
from core.asking.faults import Fault, Faults, no_faults, parse_faults
from core.asking.profiles import load_profile
from core.asking.scripted import load_script
from core.asking.simulated import SimulatedAnswerer
from core.asking.told import OWNER
from core.errors import BadValue

LARGEST = 50_000_000  # bytes of a request
CLAIMED = 0.9  # the probability that every answer claims, where log-probabilities are asked for
KEPT = 200  # requests


@dataclass(frozen=True)
class Received:
    """A request as it arrived."""

    headers: Mapping[str, str]
    body: Mapping[str, Any]


class Loopback:
    """Serves from construction to `close`. Every method may be called from any thread.

    `delay` in seconds is how late DELAY is and how long BUSY asks to wait. Raises BadValue for a port in use.
    """

    def __init__(
        self,
        mind: Mind,
        *,
        port: int = 0,
        faults: Faults = no_faults,
        delay: float = 1.0,
        owner: str = OWNER,
    ) -> None:
        self.received: deque[Received] = deque(maxlen=KEPT)
        self.hung_up = Event()  # a client went away while it was kept waiting
        self.closing = Event()
        self.faults, self.delay, self.owner = faults, delay, owner
        self._mind = mind
        self.connections: set[socket] = set()
        self._lock = Lock()
        self._calls = 0
        try:
            self._server = _Server(("127.0.0.1", port), type("Handler", (_Handler,), {"home": self}))
        except (OSError, OverflowError) as error:
            raise BadValue(
                f"The emulated model cannot listen on port {port} ({error}): choose another."
            ) from error
        self._thread = Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """The base URL for a client."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def model(self) -> str:
        return self._mind.name

    def close(self) -> None:
        """Stop listening; idempotent."""
        if not self.closing.is_set():
            self.closing.set()
            self._server.shutdown()
            self._server.server_close()
            for connection in tuple(self.connections):  # nobody goes on talking to a server that is gone
                with suppress(OSError):
                    connection.shutdown(SHUT_RDWR)

    def wait(self) -> None:
        """Block until it is closed."""
        self._thread.join()

    def meet(self, received: Received) -> Fault:
        """Note a request, and say which fault it meets."""
        with self._lock:
            self.received.append(received)
            self._calls += 1
            return self.faults(self._calls)

    def say(self, body: Mapping[str, Any]) -> str:
        """What the mind says. Raises ValueError, KeyError, TypeError for a broken request."""
        with self._lock:
            return self._mind.say(body)


def emulate(
    name: str | Mind = "perfect", *, port: int = 0, faults: str = "", seed: int = 0, delay: float = 1.0
) -> Loopback:
    """An endpoint that answers by a profile, a script (`replies.json`), or a mind. `faults` as in
    "429=0.1,cut=0.1". Raises UnknownName, BadFile, BadValue."""
    made = parse_faults(faults, seed)
    return Loopback(_mind(name, seed) if isinstance(name, str) else name, port=port, faults=made, delay=delay)


def _mind(name: str, seed: int) -> Mind:
    if name.endswith(".json"):
        return Blind(load_script(Path(name)))
    profile = load_profile(name)
    return Told(lambda truth: SimulatedAnswerer(profile, truth, seed))


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is no news."""


class _Handler(BaseHTTPRequestHandler):
    home: Loopback
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self) -> None:
        super().setup()
        self.home.connections.add(self.connection)

    def finish(self) -> None:
        self.home.connections.discard(self.connection)
        with suppress(OSError):
            super().finish()

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is printed: headers hold keys."""

    def do_GET(self) -> None:
        if self.path.rstrip("/") != "/v1/models":
            return self._send(404, {"error": {"message": f"there is no {self.path}"}})
        model = {"id": self.home.model, "object": "model", "created": 0, "owned_by": self.home.owner}
        return self._send(200, {"object": "list", "data": [model]})

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        raw = self.rfile.read(min(length, LARGEST))
        if self.path != "/v1/chat/completions":
            return self._send(404, {"error": {"message": f"there is no {self.path}"}})
        try:
            body = json.loads(raw)
            fault = self.home.meet(Received(dict(self.headers.items()), body))
            if fault is Fault.DELAY and not self._waited():
                return None
            return self._answer(body, fault)
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
            return self._send(400, {"error": {"message": f"this is no request ({error!r})"}})

    def _answer(self, body: Mapping[str, Any], fault: Fault) -> None:
        if fault is Fault.BUSY:
            return self._send(
                429, {"error": {"message": "too many requests"}}, {"Retry-After": f"{self.home.delay:g}"}
            )
        if fault is Fault.BROKEN:
            return self._send(500, {"error": {"message": "something broke"}})
        said = _spoilt(self.home.say(body), fault)
        reply = completion(said, self.home.model, body)
        if fault is Fault.NO_CHOICE:
            reply["choices"] = []
        payload = json.dumps(reply).encode()
        if fault is Fault.UTF8:
            payload = payload.replace(b'"content": "', b'"content": "\xff\xfe', 1)
        if fault is Fault.MALFORMED:
            payload = payload[: len(payload) // 2]
        if fault is Fault.CUT:
            self.close_connection = True
            return self._write(200, payload[: len(payload) // 2], len(payload))
        return self._write(200, payload, len(payload))

    def _waited(self) -> bool:
        """Wait the delay; False if the client hung up meanwhile."""
        end = time.monotonic() + self.home.delay
        while time.monotonic() < end and not self.home.closing.is_set():
            readable, _, _ = select.select([self.connection], [], [], 0.01)
            if readable:  # it has nothing to say now, so it went away
                self.home.hung_up.set()
                self.close_connection = True
                return False
        return True

    def _send(self, status: int, data: object, headers: Mapping[str, str] | None = None) -> None:
        payload = json.dumps(data).encode()
        self._write(status, payload, len(payload), headers)

    def _write(
        self, status: int, payload: bytes, length: int, headers: Mapping[str, str] | None = None
    ) -> None:
        try:
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(length))
            self.end_headers()
            self.wfile.write(payload)
        except OSError:
            self.home.hung_up.set()
            self.close_connection = True


def _spoilt(said: str, fault: Fault) -> str:
    match fault:
        case Fault.COUNT:
            return f"{said};yes"
        case Fault.REFUSAL:
            return "I'm sorry, but I can't help with that."
        case Fault.MEGABYTES:
            return "yes " * 1_000_000
        case Fault.EMPTY:
            return ""
        case _:
            return said
