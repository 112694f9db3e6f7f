"""The worker's main loop: requests come in on a thread, and everything of OmniGibson runs on this one.

Isaac Sim owns the main thread, the arguments, SIGINT and stdout, so the worker talks on a socket. It connects
to the console, says who it is, and then answers one request after the other. While it works it sends a beat
every second. If the console is gone, it ends, so that no simulator keeps a graphics card for nobody.
"""

import os
import platform
import socket
import sys
import traceback
from queue import SimpleQueue
from threading import Lock, Thread
from time import sleep

from . import PROTOCOL
from .eras import UnknownVersion
from .framing import Message, encode, receive
from .simulation import CALLS, Simulation

BEAT = 1.0  # seconds between two signs of life
GRACE = 20.0  # seconds that a call may still take once the console is gone
TOKEN = "DKPROMPT_WORKER_TOKEN"


class ConsoleConnection:
    """The connection to the console. Any thread may send."""

    def __init__(self, address: str, token: str) -> None:
        host, _, port = address.rpartition(":")
        self._connection = socket.create_connection((host, int(port)), timeout=10)
        self._connection.settimeout(None)
        self._lock = Lock()
        self.requests: SimpleQueue[Message | None] = SimpleQueue()
        self.send({"kind": "hello", "token": token, "protocol": PROTOCOL, "pid": os.getpid(),
                   "python": platform.python_version()})  # fmt: skip
        for work in (self._read, self._beat):
            Thread(target=work, daemon=True).start()

    def send(self, message: Message, picture: bytes = b"") -> None:
        """Send a message. Does nothing if the console is gone; the reading thread notices that."""
        try:
            with self._lock:
                self._connection.sendall(encode(message, picture))
        except OSError:
            pass

    def progress(self, text: str) -> None:
        self.send({"kind": "progress", "text": text})

    def _read(self) -> None:
        try:
            while True:
                received = receive(self._connection)
                if received is None:
                    break
                self.requests.put(received[0])
        except (OSError, ValueError):
            pass
        self.requests.put(None)
        sleep(GRACE)  # the main thread may be in a call of the simulator that never returns
        os._exit(3)

    def _beat(self) -> None:
        while True:
            sleep(BEAT)
            self.send({"kind": "beat"})


def answer(simulation: Simulation, request: Message) -> tuple[Message, bytes]:
    """Carry out one request. Whatever the simulator raises becomes an answer."""
    number, name = request.get("id"), request.get("call")
    call = CALLS.get(str(name))
    if call is None:
        return {"kind": "error", "id": number, "type": "UnknownCall", "text": f"no call {name!r}"}, b""
    try:
        result, picture = call(simulation, **request.get("args", {}))
    except UnknownVersion as error:
        return {"kind": "error", "id": number, "type": "UnknownVersion", "text": str(error)}, b""
    except BaseException as error:  # og.shutdown and asserts of the simulator included
        where = traceback.extract_tb(error.__traceback__)[-1]
        text = f"{str(error) or 'no message'} ({os.path.basename(where.filename)}, line {where.lineno})"
        traceback.print_exc()
        return {"kind": "error", "id": number, "type": type(error).__name__, "text": text}, b""
    return {"kind": "result", "id": number, "result": result}, picture


def main(arguments: list[str]) -> int:
    """Serve the console at this address until it says `end` or is gone."""
    address, token = arguments[0], os.environ.pop(TOKEN, "")
    sys.argv[:] = sys.argv[:1]  # Isaac Sim reads the arguments of the process
    console = ConsoleConnection(address, token)
    simulation = Simulation(console.progress)
    while True:
        request = console.requests.get()
        if request is None:
            break
        if request.get("call") == "end":
            console.send({"kind": "result", "id": request.get("id"), "result": None})
            break
        message, picture = answer(simulation, request)
        console.send(message, picture)
    simulation.end()  # may end the process with any status, or crash
    return 0
