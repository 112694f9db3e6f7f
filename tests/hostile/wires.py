"""The other side of a connection, which lies: a served robot, its console, a simulator's process, `stop`."""

from __future__ import annotations

import json
import os
import random
import socket
import struct
from collections.abc import Callable
from contextlib import ExitStack, redirect_stderr, suppress
from functools import cache
from io import StringIO
from multiprocessing import Pipe
from pathlib import Path
from tempfile import mkdtemp
from threading import Event, Thread
from time import monotonic
from types import SimpleNamespace
from typing import Any

from core.errors import Cancelled, ConsoleError
from core.stop import stop_socket
from core.stop.stop_all import read_answer
from core.stop_token import StopToken
from robots import start_progress
from robots.child_process import SilenceLimits, SilenceWatch
from robots.omnigibson import worker_session
from robots.omnigibson.worker import loop, messages
from robots.omnigibson.worker.simulation import Simulation
from robots.omnigibson.worker_session import WorkerSession, WorkerStart
from robots.registry import ROBOTS
from robots.remote import handshake, remote_capabilities, robot_link
from robots.remote.remote_entry import make_remote
from robots.remote.wire_message import MessageDecoder, WireMessage, encode_message
from tests.core import tiny
from tests.core.log.mutations import mutate_json
from tests.hostile.mutations import mutate_bytes
from tests.permitted import do
from tests.robots.remote.network import Network
from tests.robots.remote.served import Served, options_at, serving

PATIENCE = 0.5  # seconds, where the program has several; afterwards a person stops the robot
TASK, FOLDER = tiny.TASK, tiny.folder()
KEPT = ExitStack()  # what outlasts a use


def impatient() -> None:
    """Let the program wait less, so that a side that says nothing costs little."""
    handshake.HELLO_TIMEOUT = robot_link.OBEY_TIMEOUT = PATIENCE
    start_progress._PERIOD = 0.05
    worker_session.CALL_TIMEOUT = stop_socket.STOP_TIMEOUT = 0.1


def distorted(rng: random.Random) -> Callable[[bytes, Any, Callable[[Any], bytes]], bytes]:
    """Return how one message is changed: in its bytes, or in its JSON with its length right."""

    def change(data: bytes, form: Any, encode: Callable[[Any], bytes]) -> bytes:
        if rng.random() < 0.3:
            return mutate_bytes(data, rng)
        for _ in range(rng.choice((1, 1, 2))):
            mutate_json(form, rng)
        return encode(form)

    return change


# --- a robot elsewhere ------------------------------------------------------------------------------------


class Liar(Network):
    """Changes the message of this number that one side sends on any connection; heartbeats count rarely."""

    def __init__(self, address: tuple[str, int], console_lies: bool, at: int, rng: random.Random) -> None:
        self._console_lies, self._left, self._rng = console_lies, at, rng
        self.did = ""
        super().__init__(address)

    def _carry(self, source: socket.socket, sink: socket.socket) -> None:
        if any(source is console for console, _ in self.pairs) is not self._console_lies:
            return super()._carry(source, sink)
        decoder = MessageDecoder()
        try:
            while data := source.recv(1 << 16):
                for message in decoder.feed(data):
                    sink.sendall(self._passed(message))
            sink.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def _passed(self, message: WireMessage) -> bytes:
        form = dict(message.body)
        data = encode(form, message.blobs)
        self._left -= message.kind != "beat" or self._rng.random() < 0.1
        if self._left or self.did:
            return data
        self.did = message.kind
        return distorted(self._rng)(data, form, lambda changed: encode(changed, message.blobs))


def encode(form: dict[str, Any], blobs: tuple[bytes, ...]) -> bytes:
    words = {key: value for key, value in form.items() if key not in ("kind", "blobs")}
    return encode_message(form.get("kind"), *blobs, **words)  # type: ignore[arg-type]


@cache
def served() -> Served:
    """A served robot for all that is tried, which must outlast it."""
    return KEPT.enter_context(serving("symbolic", Path(mkdtemp())))


def use_robot(liar: Liar, token_file: Path) -> None:
    """All that an episode does with a robot elsewhere; after a while a person stops it, again and again."""
    began = monotonic()

    def notify(text: str) -> None:
        if monotonic() - began > PATIENCE:
            raise Cancelled("a person waits no longer")

    options = ROBOTS["remote"].read_options(options_at(liar.host, liar.port, token_file))
    robot: Any = make_remote(
        options, ROBOTS, notify, domain_spec=FOLDER, task=TASK, pictures=True, openness=0.0, pace=0.0
    )
    cancel, over = StopToken(), Event()

    def press_stop() -> None:
        while not over.wait(PATIENCE):
            robot.halt()
            cancel.end("a person waits no longer")

    Thread(target=press_stop).start()
    try:
        robot.sense()
        if hasattr(robot, "truth"):
            (robot.truth(), robot.situation, robot.is_observable(tiny.CLOSED))
        robot.look(cancel)
        do(robot, tiny.OPEN, cancel)
        if hasattr(robot, "step_possible"):
            robot.step_possible(tiny.TAKE)
        robot.release_stop(robot.halt())
    finally:
        over.set()
        robot.close()


def remote(rng: random.Random) -> None:
    server = served()
    console_lies, at = rng.random() < 0.5, rng.randrange(1, 16)
    liar = Liar((server.server.host, server.server.port), console_lies, at, rng)
    try:
        use_robot(liar, server.token_file)
    except Cancelled as error:
        raise ConsoleError(str(error) or "cancelled") from None
    finally:
        liar.close()
        with server.server._session_over:
            assert server.server._session_over.wait_for(lambda: server.server.session is None, 5), (
                "it is still in use"
            )


def live(rng: random.Random) -> None:
    """A live picture of a robot elsewhere, which is shown if it is one."""
    form: dict[str, Any] = {"camera": "top", "shape": [2, 3, 3], "viewpoint": "", "blobs": [18]}
    mutate_json(form, rng)
    robot = SimpleNamespace(_frames={})
    remote_capabilities._Live._show(robot, WireMessage(form, (bytes(18),)), 0.0)  # type: ignore[arg-type]
    assert all(frame.rgb.shape == (2, 3, 3) for frame in robot._frames.values())


# --- OmniGibson's process ---------------------------------------------------------------------------------


def framed(form: dict[str, Any]) -> bytes:
    """Return a message of the worker or to it, as multiprocessing.connection frames it."""
    parts = json.dumps(form).encode(), b"\0" * 12
    return b"".join(struct.pack("!i", len(part)) + part for part in parts)


def worker(rng: random.Random) -> None:
    """A worker that says it is there and answers, one of both badly."""
    session, in_greeting, change = WorkerSession(WorkerStart("python")), rng.random() < 0.3, distorted(rng)
    silence = SilenceWatch(SilenceLimits(1.0, 1.0, 1.0))
    child = session._child
    session._child = SimpleNamespace(silence=silence, lines=(), kill=lambda: None)  # type: ignore[assignment]
    session._gone.set()
    reader = Thread(target=session._read)
    reader.start()
    with child.socket, child._theirs as theirs:
        theirs.settimeout(PATIENCE)

        def say(form: dict[str, Any], badly: bool) -> None:
            with suppress(TimeoutError, BrokenPipeError):  # nobody reads on after garbage
                theirs.sendall(change(framed(form), form, framed) if badly else framed(form))

        try:
            say({"kind": "result", "id": 0}, in_greeting)
            session._answer("start", worker_session.CALL_TIMEOUT)
            say({"kind": "progress", "text": "loading"}, rng.random() < 0.2)
            say({"kind": "result", "id": 1, "result": {"held": "mug", "seen": [1, 2]}}, not in_greeting)
            session.call_for_picture("look", camera="eye", picture=True)
        finally:
            theirs.shutdown(socket.SHUT_RDWR)
            reader.join(5)
            assert not reader.is_alive(), "its reader hangs"


def console_of_worker(rng: random.Random) -> None:
    """What the worker makes of requests that are not the console's."""
    form: dict[str, Any] = {"id": 1, "call": "step", "args": {"count": 2}}
    ours, theirs = Pipe()
    with theirs:
        with ours:
            os.write(ours.fileno(), distorted(rng)(framed(form), form, framed))
        try:
            request, _ = messages.receive(theirs)
        except (EOFError, OSError, ValueError) as error:
            raise ConsoleError(str(error)) from None
    with redirect_stderr(StringIO()):  # where it prints what broke
        answer, _ = loop.answer(Simulation(lambda text: None), request)
    json.dumps(answer)


# --- `stop` -----------------------------------------------------------------------------------------------


def stop(rng: random.Random) -> None:
    form = {"from": "window-1-1", "robot": "ur5e", "standstill": 0.2, "last": True}
    data = distorted(rng)(json.dumps(form).encode(), form, lambda f: json.dumps(f).encode())
    if (read := read_answer(data[: stop_socket.MAX_MESSAGE_BYTES])) is not None:
        assert read[1].standstill is None or 0 <= read[1].standstill < 1e9


WIRES: dict[str, Callable[[random.Random], None]] = {
    "remote": remote,
    "live": live,
    "worker": worker,
    "worker's console": console_of_worker,
    "stop": stop,
}
