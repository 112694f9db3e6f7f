"""A local OpenAI-compatible endpoint, for practice without a key.

It identifies itself in `/v1/models`, replies from a source (`reply_sources.py`), and produces the
requested faults (`faults.py`). It listens on this machine only and rejects requests of web pages.
"""

from __future__ import annotations

import json
import select
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import SHUT_RDWR, SHUT_WR, socket
from threading import Event, Lock, Thread
from typing import Any
from urllib.parse import unquote, urlsplit

from core.errors import BadValue
from core.vqa.answerers.profiles import load_profile
from core.vqa.answerers.scripted import load_script
from core.vqa.answerers.simulated import SimulatedAnswerer
from core.vqa.mock.completions import completion
from core.vqa.mock.faults import OTHER_BODIES, SILENT, Fault, FaultSchedule, no_faults, parse_faults
from core.vqa.mock.reply_sources import ProfileSource, ReplySource, ScriptSource
from core.vqa.mock.request_schema import (
    MAX_BODY_BYTES,
    HttpError,
    body_length,
    check_origin,
    parse_request,
    unknown_model,
)
from core.vqa.mock.truth_sideband import OWNER

REQUEST_TIMEOUT = 30.0  # seconds, for a whole request and between two
MAX_RECORDED_BYTES = 2_000_000  # of a larger request only the headers are recorded
BAD_REQUEST_ERRORS = (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError)
MAX_RECEIVED = 200  # requests kept
MAX_CONNECTIONS = 100  # at the same time
DEFAULT_ALIAS = "default"  # the name that clients use for a server's only model


@dataclass(frozen=True)
class ReceivedRequest:
    """A request as it arrived."""

    headers: Mapping[str, str]
    body: Mapping[str, Any]


class MockServer:
    """Serves from construction to `close`. Every method may be called from any thread.

    `delay` is in seconds: how late DELAY answers, and how long BUSY asks to wait. Raises BadValue if the port
    is in use.
    """

    def __init__(
        self,
        source: ReplySource,
        *,
        port: int = 0,
        faults: FaultSchedule = no_faults,
        delay: float = 1.0,
        owner: str = OWNER,
        aliases: Sequence[str] = (DEFAULT_ALIAS,),
    ) -> None:
        self.received: deque[ReceivedRequest] = deque(maxlen=MAX_RECEIVED)
        self.client_disconnected = Event()  # a client disconnected while it waited
        self.closing = Event()
        self.faults, self.delay, self.owner = faults, delay, owner
        self._source, self.models = source, (source.name, *aliases)  # all are the one model's
        self.connections: set[socket] = set()
        self._lock = Lock()
        self._calls = 0
        try:
            self._server = _Server(
                ("127.0.0.1", port), type("Bound", (_RequestHandler,), {"server_state": self})
            )
        except (OSError, OverflowError) as error:
            raise BadValue(
                f"The emulated model cannot listen on port {port} ({error}): choose another."
            ) from error
        self._server.connections = self.connections
        self._thread = Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Return the base URL for a client."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def model(self) -> str:
        return self._source.name

    def close(self) -> None:
        """Stop listening. Idempotent."""
        if not self.closing.is_set():
            self.closing.set()
            self._server.shutdown()
            self._server.server_close()
            for connection in tuple(self.connections):  # end the open connections as well
                with suppress(OSError):
                    connection.shutdown(SHUT_RDWR)

    def wait(self) -> None:
        """Block until the server is closed."""
        self._thread.join()

    def record_request(self, headers: Mapping[str, str], body: Mapping[str, Any]) -> tuple[int, Fault]:
        """Record a request; return its number and the fault to produce."""
        with self._lock:
            self.received.append(ReceivedRequest(headers, body))
            self._calls += 1
            return self._calls, self.faults(self._calls)

    def reply(self, body: Mapping[str, Any]) -> str:
        """Return the source's reply. Raises ValueError, KeyError, TypeError for a malformed request."""
        with self._lock:
            return self._source.reply(body)


def start_mock_server(
    name: str | ReplySource = "perfect", *, port: int = 0, faults: str = "", seed: int = 0, delay: float = 1.0
) -> MockServer:
    """Start an endpoint that answers from a profile, a script (`replies.json`) or a source.

    `faults` is written like "429=0.1,cut=0.1". Raises UnknownName, BadFile, BadValue.
    """
    schedule = parse_faults(faults, seed)
    return MockServer(
        _reply_source(name, seed) if isinstance(name, str) else name, port=port, faults=schedule, delay=delay
    )


def _reply_source(name: str, seed: int) -> ReplySource:
    if name.endswith(".json"):
        return ScriptSource(load_script(Path(name)))
    profile = load_profile(name)
    return ProfileSource(lambda truth: SimulatedAnswerer(profile, truth, seed))


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = MAX_CONNECTIONS  # whom a shorter queue turns away tries again after a second
    connections: set[socket]

    def verify_request(self, request: object, client_address: object) -> bool:
        return len(self.connections) < MAX_CONNECTIONS

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore clients that disconnect."""


class _RequestHandler(BaseHTTPRequestHandler):
    server_state: MockServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = REQUEST_TIMEOUT

    def setup(self) -> None:
        super().setup()
        self.server_state.connections.add(self.connection)

    def finish(self) -> None:
        self.server_state.connections.discard(self.connection)
        with suppress(OSError):
            super().finish()

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing, because headers contain keys."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Reject what the library refuses: a malformed request line, an unknown method, too long a header."""
        self._reject(HttpError(code, message or "this is no request"))

    def do_GET(self) -> None:
        self._handle(self._models)

    def do_POST(self) -> None:
        self._handle(self._completion)

    def _handle(self, serve: Callable[[], None]) -> None:
        """Answer the request, or say why not in the format that clients expect."""
        try:
            check_origin(self.headers)
            serve()
        except HttpError as refusal:
            self._reject(refusal)
        except BAD_REQUEST_ERRORS as error:
            self._reject(HttpError(400, f"this is no request ({error!r})"))

    def _models(self) -> None:
        path = unquote(urlsplit(self.path).path).rstrip("/")
        name = path.removeprefix("/v1/models/")
        listed = {
            "id": self.server_state.model,
            "object": "model",
            "created": 0,
            "owned_by": self.server_state.owner,
        }
        if path == "/v1/models":
            return self._send(200, {"object": "list", "data": [listed]})
        if name == path:
            raise HttpError(404, f"there is no {path[:100]}")
        if name not in self.server_state.models:
            raise unknown_model(name, ", ".join(self.server_state.models))
        return self._send(200, listed)

    def _completion(self) -> None:
        if urlsplit(self.path).path != "/v1/chat/completions":
            raise HttpError(404, f"there is no {self.path[:100]}")
        raw = self._body(body_length(self.headers))
        body = parse_request(raw, self.server_state.models)
        number, fault = self.server_state.record_request(
            dict(self.headers.items()), body if len(raw) < MAX_RECORDED_BYTES else {}
        )
        if fault is Fault.DELAY and not self._wait_delay():
            return None
        if fault is Fault.BUSY:
            busy = HttpError(429, "too many requests", "rate_limit_exceeded", type="requests")
            return self._send(429, busy.body(), {"Retry-After": f"{self.server_state.delay:g}"})
        if fault is Fault.BROKEN:
            return self._send(500, HttpError(500, "something broke", type="server_error").body())
        if fault in OTHER_BODIES:
            status, kind, payload = OTHER_BODIES[fault]
            return self._write(status, payload, len(payload), {"Content-Type": kind})
        said = _apply_fault(self.server_state.reply(body), fault)
        return self._send_completion(
            completion(said, self.server_state.model, body, number, int(time.time())), fault
        )

    def _body(self, length: int) -> bytes:
        """Read the body. Raises HttpError if it does not arrive in time."""
        body, end = bytearray(), time.monotonic() + REQUEST_TIMEOUT
        while len(body) < length:
            try:
                piece = self.rfile.read1(min(65536, length - len(body)))
            except TimeoutError:
                piece = b""
            body += piece
            if not piece or time.monotonic() > end:
                raise HttpError(408, "the body did not come")
        return bytes(body)

    def _send_completion(self, reply: dict[str, Any], fault: Fault) -> None:
        if fault is Fault.NO_CHOICE:
            reply["choices"] = []
        elif fault in SILENT:
            message, ending = SILENT[fault]
            reply["choices"][0]["message"] |= message
            reply["choices"][0]["finish_reason"] = ending
        payload = json.dumps(reply).encode()
        if fault is Fault.UTF8:
            payload = payload.replace(b'"content": "', b'"content": "\xff\xfe', 1)
        if fault is Fault.MALFORMED:
            payload = payload[: len(payload) // 2]
        if fault is Fault.CUT:
            self.close_connection = True
            return self._write(200, payload[: len(payload) // 2], len(payload))
        return self._write(200, payload, len(payload))

    def _wait_delay(self) -> bool:
        """Wait for the delay. Return False if the client disconnected meanwhile."""
        end = time.monotonic() + self.server_state.delay
        while time.monotonic() < end and not self.server_state.closing.is_set():
            readable, _, _ = select.select([self.connection], [], [], 0.01)
            if readable:  # readable without a request: it disconnected
                self.server_state.client_disconnected.set()
                self.close_connection = True
                return False
        return True

    def _reject(self, refusal: HttpError) -> None:
        """Reject the request and close the connection, so that its rest is not read as another request."""
        self.close_connection = True
        self._send(refusal.status, refusal.body(), {"Connection": "close"})
        with suppress(OSError):  # drain the rest, so that the client reads the answer
            self.connection.shutdown(SHUT_WR)
            self.connection.settimeout(0.5)
            taken, end = 0, time.monotonic() + 2
            while (
                taken < 2 * MAX_BODY_BYTES
                and time.monotonic() < end
                and (piece := self.connection.recv(65536))
            ):
                taken += len(piece)

    def _send(self, status: int, data: object, headers: Mapping[str, str] | None = None) -> None:
        payload = json.dumps(data).encode()
        self._write(status, payload, len(payload), headers)

    def _write(
        self, status: int, payload: bytes, length: int | None, headers: Mapping[str, str] | None = None
    ) -> None:
        try:
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
                self.send_header(name, value)
            if length is not None:
                self.send_header("Content-Length", str(length))
            self.end_headers()
            self.wfile.write(payload)
        except OSError:
            self.server_state.client_disconnected.set()
            self.close_connection = True


def _apply_fault(reply: str, fault: Fault) -> str:
    match fault:
        case Fault.COUNT:
            return f"{reply};yes"
        case Fault.REFUSAL:
            return "I'm sorry, but I can't help with that."
        case Fault.MEGABYTES:
            return "yes " * 1_000_000
        case Fault.EMPTY:
            return ""
        case _:
            return reply
