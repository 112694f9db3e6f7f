"""The mock server's side of one connection: HTTP, and the faults made on request."""

from __future__ import annotations

import json
import select
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from socket import SHUT_WR, socket
from threading import Event
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit

from core.vqa.mock.completions import SSE_DONE, chunks, completion, sse_event
from core.vqa.mock.faults import OTHER_BODIES, Fault, silence
from core.vqa.mock.request_schema import (
    MAX_BODY_BYTES,
    HttpError,
    body_length,
    check_origin,
    parse_request,
    unknown_model,
)

REQUEST_TIMEOUT = 30.0  # seconds, for a whole request and between two
MAX_RECORDED_BYTES = 2_000_000  # of a larger request only the headers are recorded
BAD_REQUEST_ERRORS = (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError)


class MockServerState(Protocol):
    """What a connection needs from its server. Any thread."""

    connections: set[socket]
    models: tuple[str, ...]  # all names of the one model
    owner: str
    delay: float  # seconds
    closing: Event
    client_disconnected: Event

    @property
    def model(self) -> str: ...

    def record_request(self, headers: Mapping[str, str], body: Mapping[str, Any]) -> tuple[int, Fault]: ...

    def reply(self, body: Mapping[str, Any]) -> str: ...


class MockRequestHandler(BaseHTTPRequestHandler):
    server_state: MockServerState
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
        said = [_apply_fault(self.server_state.reply(body), fault) for _ in range(body.get("n") or 1)]
        if body.get("stream"):
            return self._stream(said, body, number, fault)
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
        silence(reply["choices"], fault)
        payload = json.dumps(reply).encode()
        if fault is Fault.UTF8:
            payload = payload.replace(b'"content": "', b'"content": "\xff\xfe', 1)
        if fault is Fault.MALFORMED:
            payload = payload[: len(payload) // 2]
        if fault is Fault.CUT:
            self.close_connection = True
            return self._write(200, payload[: len(payload) // 2], len(payload))
        return self._write(200, payload, len(payload))

    def _stream(self, replies: list[str], body: Mapping[str, Any], number: int, fault: Fault) -> None:
        """Send server-sent events, and close the connection after them."""
        self.close_connection = True
        parts = tuple(chunks(replies, self.server_state.model, body, number, int(time.time())))
        for part in parts:
            silence(part["choices"], fault)
        events = [sse_event(part) for part in parts]
        if fault is Fault.NO_CHOICE:
            events = events[:0]
        if fault is Fault.UTF8:
            events[:1] = [b'data: {"choices": [{"delta": {"content": "\xff\xfe"}}]}\n\n']
        if fault in (Fault.MALFORMED, Fault.CUT):
            events = events[: len(events) // 2]
        if fault is Fault.MALFORMED:
            events.append(b'data: {"choices": [\n\n')
        if fault is not Fault.CUT:
            events.append(SSE_DONE)
        payload = b"".join(b"%x\r\n%s\r\n" % (len(sent), sent) for sent in events)
        ending = b"" if fault is Fault.CUT else b"0\r\n\r\n"
        headers = {"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked", "Connection": "close"}
        self._write(200, payload + ending, None, headers)

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
