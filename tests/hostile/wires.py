"""The other side of a connection, which lies: a served robot, its console, a simulator's process, `stop`."""

from __future__ import annotations

import json
import random
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, suppress
from functools import cache
from io import StringIO
from pathlib import Path
from tempfile import mkdtemp
from threading import Event, Thread
from time import monotonic
from types import SimpleNamespace
from typing import Any

from core.cancel import Cancel
from core.errors import Cancelled, ConsoleError
from core.stop import stop_socket
from core.stop.stop_all import read_answer
from robots.child_process import SilenceLimits, SilenceWatch
from robots.omnigibson import worker_session
from robots.omnigibson.worker import framing, loop
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
    robot_link._PROGRESS_PERIOD = 0.05
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
        options, ROBOTS, notify, folder=FOLDER, task=TASK, pictures=True, openness=0.0, pace=0.0
    )
    cancel, over = Cancel(), Event()

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


@contextmanager
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def worker(rng: random.Random) -> None:
    """A worker that greets and answers, one of both badly."""
    session, in_greeting = WorkerSession(WorkerStart("python")), rng.random() < 0.3
    limits = SilenceLimits(1.0, 1.0, 1.0)
    child = SimpleNamespace(silence=SilenceWatch(limits), lines=(), kill=lambda: None, close=lambda *_: None)
    change = distorted(rng)

    def say(sock: socket.socket, form: dict[str, Any], badly: bool) -> None:
        data = framing.encode(form, b"\0" * 12)
        with suppress(TimeoutError):  # nobody reads on after garbage
            sock.sendall(change(data, form, lambda f: framing.encode(f, b"\0" * 12)) if badly else data)

    with pair() as (ours, theirs):
        ours.settimeout(PATIENCE)
        theirs.settimeout(PATIENCE)
        hello = {"kind": "hello", "token": session._token, "protocol": worker_session.PROTOCOL}
        say(theirs, hello, in_greeting)
        if not session._greeted(ours):
            raise ConsoleError("It is not our worker.")
        session._child, session._connection = child, ours  # type: ignore[assignment]
        session._gone.set()
        reader = Thread(target=session._read, args=(ours,))
        reader.start()
        say(theirs, {"kind": "progress", "text": "loading"}, rng.random() < 0.2)
        say(theirs, {"kind": "result", "id": 1, "result": {"held": "mug", "seen": [1, 2]}}, not in_greeting)
        theirs.shutdown(socket.SHUT_WR)
        try:
            session.call_for_picture("look", camera="eye", picture=True)
        finally:
            ours.shutdown(socket.SHUT_RDWR)
            reader.join(5)
            assert not reader.is_alive(), "its reader hangs"


def console_of_worker(rng: random.Random) -> None:
    """What the worker makes of requests that are not the console's."""
    form: dict[str, Any] = {"id": 1, "call": "step", "args": {"count": 2}}
    data = framing.encode(form)
    with pair() as (ours, theirs):
        ours.sendall(distorted(rng)(data, form, framing.encode))
        ours.close()
        try:
            received = framing.receive(theirs)
        except ValueError as error:
            raise ConsoleError(str(error)) from None
        if received is not None:
            with redirect_stderr(StringIO()):  # where it prints what broke
                message, picture = loop.answer(Simulation(lambda text: None), received[0])
            framing.encode(message, picture)


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
