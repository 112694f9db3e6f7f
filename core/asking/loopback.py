"""A local OpenAI-compatible endpoint to practise on without a key.

It names itself in `/v1/models`, says what a mind says (`core/asking/emulated.py`), and makes the faults it is
asked for (`core/asking/faults.py`). It listens on this machine only, and no web page gets an answer.
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

from core.asking.emulated import Blind, Mind, Told
from core.asking.faults import Fault, Faults, no_faults, parse_faults
from core.asking.handling import Handler
from core.asking.profiles import load_profile
from core.asking.scripted import load_script
from core.asking.simulated import SimulatedAnswerer
from core.asking.told import OWNER
from core.errors import BadValue

KEPT = 200  # requests
MOST = 100  # connections at a time
ALSO = "default"  # the name that a client has for the one model that a server was started with


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
        also: Sequence[str] = (ALSO,),
    ) -> None:
        """`also`: names under which the model is known besides its own."""
        self.received: deque[Received] = deque(maxlen=KEPT)
        self.hung_up = Event()  # a client went away while it was kept waiting
        self.closing = Event()
        self.faults, self.delay, self.owner = faults, delay, owner
        self._mind, self.models = mind, (mind.name, *also)
        self.connections: set[socket] = set()
        self._lock = Lock()
        self._calls = 0
        try:
            self._server = _Server(("127.0.0.1", port), type("Bound", (Handler,), {"home": self}))
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

    def note(self, headers: Mapping[str, str], body: Mapping[str, Any]) -> tuple[int, Fault]:
        """A request that came: its number, and which fault it meets."""
        with self._lock:
            self.received.append(Received(headers, body))
            self._calls += 1
            return self._calls, self.faults(self._calls)

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
    connections: set[socket]

    def verify_request(self, request: object, client_address: object) -> bool:
        return len(self.connections) < MOST

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is no news."""
