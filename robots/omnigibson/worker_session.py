"""A worker process of OmniGibson, and calling it: one call at a time, each with a limit of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Lock
from time import monotonic
from typing import Any

from core.errors import RobotError
from core.robots import show_nothing
from core.text.untrusted_text import one_line
from robots.child_process import ChildPhase, ChildProcess, SilenceLimits
from robots.omnigibson.options import NAME_ANOTHER, OmniGibsonOptions
from robots.omnigibson.worker.messages import Message, receive, send
from robots.start_progress import StartProgress

WORKER = Path(__file__).parent / "worker"
PICTURE_SIZE = 256  # pixels
LOAD_TIMEOUT = 900.0  # seconds to start Isaac Sim and load a scene; the first start compiles shaders
CALL_TIMEOUT = 120.0
SAMPLE_TIMEOUT = 300.0  # OmniGibson may try a thousand places
STEP_TIMEOUT = 2.0  # for each step of the physics, in addition
OBEY_TIMEOUT = 30.0  # for what is left of a call once a stop or a cancel came: a call cannot be broken off
_POLL = 0.1
_REASON_TIMEOUT = 2.0  # between the end of the connection and the reason for it
_LIMITS = SilenceLimits(starting=LOAD_TIMEOUT, idle=60.0, working=120.0)


@dataclass(frozen=True)
class WorkerStart:
    """How the worker is started. `python` is the interpreter of OmniGibson."""

    python: str
    headless: bool = True
    env: Mapping[str, str] | None = None  # in addition to ours


class WorkerSession:
    """Starts the worker and talks to it. Calls come from one thread; `close` may come from any.

    The worker inherits its end of the connection, so nobody else can reach it. `notify` receives lines about
    a slow start, in the thread that waits for it; what it raises, such as Cancelled, breaks the start off,
    and then `close(0.0)` ends the process.
    """

    def __init__(self, start: WorkerStart, notify: Callable[[str], None] = show_nothing) -> None:
        self._start, self._progress = start, StartProgress("OmniGibson", notify)
        self._answers: SimpleQueue[tuple[Message, bytes] | None] = SimpleQueue()
        self._sending = Lock()
        self._number = 0
        self._ended = ""  # why the process is gone
        self._gone = Event()
        self._child = ChildProcess(
            "OmniGibson's process",
            [start.python, str(WORKER)],
            _LIMITS,
            self._on_exit,
            self._progress.report_line,
            self._read,
            env=self._environment(),
        )
        self._connection = Connection(os.dup(self._child.socket.fileno()))
        self.is_stopped: Callable[[], bool] = lambda: False  # whoever calls is in a hurry

    def open(self) -> None:
        """Start the process and wait until it says that it is there. Raises RobotError."""
        try:
            self._child.start()
        except RobotError as error:
            raise RobotError(f"{str(error).rstrip('.')}: {NAME_ANOTHER}; {DOCTOR}.") from error
        self._answer("start", CALL_TIMEOUT)

    def _environment(self) -> dict[str, str]:
        ours = {k: v for k, v in os.environ.items() if k not in ("PYTHONHOME", "VIRTUAL_ENV")}
        headless = {"OMNIGIBSON_HEADLESS": "1"} if self._start.headless else {}
        return {**ours, "PYTHONUNBUFFERED": "1", **headless, **(self._start.env or {})}

    # --- calling ------------------------------------------------------------------------------------

    @property
    def lines(self) -> tuple[str, ...]:
        """Return the last lines that OmniGibson printed, sanitised."""
        return self._child.lines

    def call(self, name: str, /, **args: object) -> Any:
        """Have the worker do this, and return what it says. Raises RobotError."""
        return self.call_for_picture(name, **args)[0]

    def call_for_picture(self, name: str, /, **args: object) -> tuple[Any, bytes]:
        """Like `call`, with the bytes that come with the answer."""
        silence = self._child.silence
        silence.enter(ChildPhase.STARTING if name == "load" else ChildPhase.WORKING)
        self._number += 1
        self._send({"id": self._number, "call": name, "args": args})
        message, picture = self._answer(name, _limit(name, args))
        silence.enter(ChildPhase.IDLE)
        if message["kind"] == "error":
            raise RobotError(call_fault(name, str(message.get("type")), str(message.get("text"))))
        return message.get("result"), picture

    def _send(self, message: Message) -> None:
        """Send, if the worker is there: its reader has said so if it is not."""
        with self._sending, suppress(OSError):
            send(self._connection, message)

    def _answer(self, name: str, limit: float) -> tuple[Message, bytes]:
        deadline, allowed = monotonic() + limit, f"{limit:g} s"
        while monotonic() < deadline:
            if self.is_stopped() and (hurried := monotonic() + OBEY_TIMEOUT) < deadline:
                deadline, allowed = hurried, f"{OBEY_TIMEOUT:g} s of a stop"
            try:
                answer = self._answers.get(timeout=_POLL)
            except Empty:
                if self._child.silence.phase is ChildPhase.STARTING:
                    self._progress.show()
                continue
            if answer is None:
                self._answers.put(None)  # for the next call
                self._gone.wait(_REASON_TIMEOUT)
                python = "" if self._number else self._start.python
                raise RobotError(ended_fault(self._ended, self.lines, python))
            if answer[0].get("id") == self._number:
                return answer
        self._child.kill()
        remedy = "start the episode again" if self._number else NAME_ANOTHER
        raise RobotError(f"OmniGibson did not finish {name!r} within {allowed} and was ended: {remedy}.")

    def close(self, seconds: float = 15.0) -> None:
        """Ask the worker to end; kill it after `seconds`. However it ends now is no fault. Idempotent."""
        self._gone.set()
        self._send({"call": "end"})
        self._child.close(seconds)

    # --- threads --------------------------------------------------------------------------------------

    def _on_exit(self, reason: str) -> None:
        self._ended = reason
        self._gone.set()

    def _read(self) -> None:
        with suppress(EOFError, OSError, ValueError):
            while True:
                message, picture = receive(self._connection)
                self._child.silence.note_sign_of_life()
                kind = message.get("kind")
                if kind == "progress":
                    self._progress.report_line(one_line(message.get("text")))
                elif kind in ("result", "error"):
                    self._answers.put((message, picture))
        self._answers.put(None)
        with self._sending:
            self._connection.close()


def _limit(name: str, args: Mapping[str, object]) -> float:
    """Return the seconds that a call may take."""
    if name == "load":
        return LOAD_TIMEOUT
    if name in ("sample", "reset"):
        return SAMPLE_TIMEOUT
    count = args.get("count")
    return CALL_TIMEOUT + STEP_TIMEOUT * (count if isinstance(count, int) else 0)


def load(session: WorkerSession, activity: str, options: OmniGibsonOptions) -> dict[str, Any]:
    """Start Isaac Sim and load an activity, which takes minutes. Return what the worker says of it."""
    found: dict[str, Any] = session.call(
        "load",
        activity=activity,
        scene=options.scene,
        robot=options.robot,
        size=PICTURE_SIZE,
        headless=not options.window,
    )
    return found


DOCTOR = "`doctor --robot omnigibson` tells more"
_REMEDIES = (  # parts of a message of OmniGibson, in lower case -> what it means, and what to do
    ("no module named 'omnigibson", "this Python has no OmniGibson: name the one of its environment"),
    (
        "no module named 'torch",
        "this Python has no torch: use the environment in which Isaac Sim is installed",
    ),
    (
        "no module named 'bddl",
        "this Python has no bddl: install OmniGibson's requirements in its environment",
    ),
    ("no installed scene", "its data has no scene with this activity: download the data set, with its key"),
    ("data path", "its data set is not there: download it, or set OMNIGIBSON_DATA_PATH"),
    ("omnigibson.key", "the key of its data set is missing: download it, or set OMNIGIBSON_KEY_PATH"),
    (
        "isaac_path|exp_path",
        "Isaac Sim is not set up in this environment: install it, or source its setup script",
    ),
    ("isaac sim version", "this Isaac Sim is not the version that this OmniGibson needs"),
    ("eula|licen", "NVIDIA's licence was not accepted: read it, then set OMNI_KIT_ACCEPT_EULA=YES"),
    (
        "cuda|gpu|vulkan",
        "there is no graphics card that it can use: it needs an NVIDIA RTX card and its driver",
    ),
    ("out of memory", "the graphics card has too little memory: end what else uses it"),
    ("invalid behavior task", "its version of bddl does not have this activity"),
    (
        "eoferror",
        "it asked a question, most likely whether you accept NVIDIA's licence: read it, then set "
        "OMNI_KIT_ACCEPT_EULA=YES",
    ),
    ("syntaxerror", "this Python is too old: OmniGibson 1.1 needs 3.10, later ones 3.10 or 3.11"),
)


def known_remedy(text: str) -> str:
    """Return what OmniGibson's message means and what to do, "" if it is not known."""
    lower = text.lower()
    return next((words for parts, words in _REMEDIES if any(p in lower for p in parts.split("|"))), "")


def call_fault(call: str, kind: str, text: str) -> str:
    """Return the sentence about a call that OmniGibson could not carry out."""
    if kind == "UnknownVersion":
        return f"{text}: install 1.1.1, 3.7, 3.8 or 3.9, which docs/omnigibson.md lists."
    known = known_remedy(f"{kind} {text}")
    remedy = known or f"start the episode again; {DOCTOR}"
    return f"OmniGibson failed in {call!r} with {kind}: {text}: {remedy}."


def ended_fault(reason: str, lines: Sequence[str] = (), python: str = "") -> str:
    """Return the sentence about a process that has ended; `lines` are the last that it printed.

    `python` is its interpreter, if it has never called back.
    """
    known = next(filter(None, (known_remedy(line) for line in reversed(lines))), "")
    said = reason or "OmniGibson's process is gone"
    remedy = f"check that {python} is the Python of its environment" if python else "start the episode again"
    return f"{said}: {known or f'{remedy}; {DOCTOR}'}."
