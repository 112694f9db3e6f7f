"""A local OpenAI-compatible endpoint to practise on without a key.

It names itself in `/v1/models`, says what a mind says (`core/vqa/reply_sources.py`), and makes the faults
it is
asked for (`core/vqa/faults.py`). It listens on this machine only, and no web page gets an answer.
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
from core.vqa.faults import Fault, FaultSchedule, no_faults, parse_faults
from core.vqa.mock_handler import RequestHandler
from core.vqa.profiles import load_profile
from core.vqa.reply_sources import ProfileSource, ReplySource, ScriptSource
from core.vqa.scripted import load_script
from core.vqa.simulated import SimulatedAnswerer
from core.vqa.truth_sideband import OWNER

MAX_RECEIVED = 200  # requests
MAX_CONNECTIONS = 100  # connections at a time
DEFAULT_ALIAS = "default"  # the name that a client has for the one model that a server was started with


@dataclass(frozen=True)
class ReceivedRequest:
    """A request as it arrived."""

    headers: Mapping[str, str]
    body: Mapping[str, Any]


class MockServer:
    """Serves from construction to `close`. Every method may be called from any thread.

    `delay` in seconds is how late DELAY is and how long BUSY asks to wait. Raises BadValue for a port in use.
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
        """`aliases`: names under which the model is known besides its own."""
        self.received: deque[ReceivedRequest] = deque(maxlen=MAX_RECEIVED)
        self.client_disconnected = Event()  # a client went away while it was kept waiting
        self.closing = Event()
        self.faults, self.delay, self.owner = faults, delay, owner
        self._source, self.models = source, (source.name, *aliases)
        self.connections: set[socket] = set()
        self._lock = Lock()
        self._calls = 0
        try:
            self._server = _Server(
                ("127.0.0.1", port), type("Bound", (RequestHandler,), {"server_state": self})
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
        """The base URL for a client."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def model(self) -> str:
        return self._source.name

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

    def record_request(self, headers: Mapping[str, str], body: Mapping[str, Any]) -> tuple[int, Fault]:
        """A request that came: its number, and which fault it meets."""
        with self._lock:
            self.received.append(ReceivedRequest(headers, body))
            self._calls += 1
            return self._calls, self.faults(self._calls)

    def reply(self, body: Mapping[str, Any]) -> str:
        """What the mind says. Raises ValueError, KeyError, TypeError for a broken request."""
        with self._lock:
            return self._source.reply(body)


def start_mock_server(
    name: str | ReplySource = "perfect", *, port: int = 0, faults: str = "", seed: int = 0, delay: float = 1.0
) -> MockServer:
    """An endpoint that answers by a profile, a script (`replies.json`), or a mind. `faults` as in
    "429=0.1,cut=0.1". Raises UnknownName, BadFile, BadValue."""
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
    connections: set[socket]

    def verify_request(self, request: object, client_address: object) -> bool:
        return len(self.connections) < MAX_CONNECTIONS

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is no news."""
