"""The worker's main loop: requests come in on a thread, and everything of OmniGibson runs on this one.

Isaac Sim owns the main thread, the arguments, SIGINT and stdout, so the worker talks on its stdin, which
is a socket. It says when it is there, and then answers one request after the other, with a beat a second.
If the console is gone, it ends, so that no simulator keeps a graphics card for nobody.
"""

import os
import sys
import traceback
from contextlib import suppress
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Lock, Thread
from time import sleep

from .api_versions import UnknownVersion
from .messages import Message, receive, send
from .simulation import CALLS, Simulation

BEAT = 1.0  # seconds between two signs of life
GRACE = 20.0  # seconds that a call may still take once the console is gone


class ConsoleConnection:
    """The connection to the console. Any thread may send."""

    def __init__(self) -> None:
        self._connection, self._lock = Connection(os.dup(0)), Lock()
        with open(os.devnull) as nothing:  # a question, such as for NVIDIA's licence, gets no answer
            os.dup2(nothing.fileno(), 0)
        self.requests: SimpleQueue[Message | None] = SimpleQueue()
        for work in (self._read, self._beat):
            Thread(target=work, daemon=True).start()

    def send(self, message: Message, picture: bytes = b"") -> None:
        """Send a message. Does nothing if the console is gone; the reading thread notices that."""
        with self._lock, suppress(OSError):
            send(self._connection, message, picture)

    def progress(self, text: str) -> None:
        self.send({"kind": "progress", "text": text})

    def _read(self) -> None:
        """Queue the requests until the console says `end`, or is gone."""
        try:
            while (request := receive(self._connection)[0]).get("call") != "end":
                self.requests.put(request)
            self.requests.put(None)
        except (EOFError, OSError, ValueError):
            self.requests.put(None)
            sleep(GRACE)  # the main thread may be in a call of the simulator that never returns
            os._exit(3)

    def _beat(self) -> None:
        while True:
            self.send({"kind": "beat"})
            sleep(BEAT)


def answer(simulation: Simulation, request: Message) -> tuple[Message, bytes]:
    """Carry out one request. Whatever the simulator raises becomes an answer."""
    name = request.get("call")
    try:
        if name not in CALLS:
            raise LookupError(f"no call {name!r}")
        simulation.picture = b""
        result = getattr(simulation, name)(**request.get("args", {}))
        return {"kind": "result", "result": result}, simulation.picture
    except BaseException as error:  # og.shutdown and asserts of the simulator included
        kind, text = type(error).__name__, str(error) or "no message"
        if not isinstance(error, UnknownVersion):
            where = traceback.extract_tb(error.__traceback__)[-1]
            text += f" ({os.path.basename(where.filename)}, line {where.lineno})"
            traceback.print_exc()
        return {"kind": "error", "type": kind, "text": text}, b""


def main() -> int:
    """Serve the console at the other end of stdin until it says `end` or is gone."""
    sys.argv[:] = sys.argv[:1]  # Isaac Sim reads the arguments of the process
    console = ConsoleConnection()
    simulation = Simulation(console.progress)
    console.send({"kind": "result", "id": 0})
    while (request := console.requests.get()) is not None:
        message, picture = answer(simulation, request)
        console.send({**message, "id": request.get("id")}, picture)
    simulation.end()  # may end the process with any status, or crash
    return 0
