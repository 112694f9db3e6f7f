"""A local OpenAI-compatible endpoint, for practice without a key.

It identifies itself in `/v1/models`, replies from a source (`reply_sources.py`), and produces the
requested faults (`faults.py`). It listens on this machine only and rejects requests of web pages.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from http.server import ThreadingHTTPServer
from pathlib import Path
from socket import SHUT_RDWR, socket
from threading import Event, Lock, Thread
from typing import Any

from core.errors import BadValue
from core.vqa.answerers.profiles import load_profile
from core.vqa.answerers.scripted import load_script
from core.vqa.answerers.simulated import SimulatedAnswerer
from core.vqa.mock.faults import Fault, FaultSchedule, no_faults, parse_faults
from core.vqa.mock.mock_handler import MockRequestHandler
from core.vqa.mock.reply_sources import ProfileSource, ReplySource, ScriptSource
from core.vqa.mock.truth_sideband import OWNER

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
        """Start to serve. `aliases` are further names of the model."""
        self.received: deque[ReceivedRequest] = deque(maxlen=MAX_RECEIVED)
        self.client_disconnected = Event()  # a client disconnected while it waited
        self.closing = Event()
        self.faults, self.delay, self.owner = faults, delay, owner
        self._source, self.models = source, (source.name, *aliases)
        self.connections: set[socket] = set()
        self._lock = Lock()
        self._calls = 0
        try:
            self._server = _Server(
                ("127.0.0.1", port), type("Bound", (MockRequestHandler,), {"server_state": self})
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
