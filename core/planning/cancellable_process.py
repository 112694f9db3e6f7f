"""A process for long work, which ends at once when its caller cancels, closes or dies, however that happens.

`CancellableProcess` is the client, and `serve` what the process runs: one request after the other, each with
any number of answers. Nobody else may speak to it: requests and answers are pickled.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import subprocess
import sys
import weakref
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

from core.errors import ConsoleError, PlanningError
from core.install_paths import ROOT

Send = Callable[[object], None]  # an answer to a request
_POLL_S = 0.02  # between checks of the cancel
_PARENT_CHECK_S = 0.5  # between checks that the parent lives


class CancellableProcess:
    """The client; it starts the process when first needed, and keeps it. Not thread-safe."""

    def __init__(self, module: str, arguments: Iterable[str] = (), name: str = "planning process") -> None:
        self._command, self._name = [sys.executable, "-m", module, *arguments], name
        self._child: subprocess.Popen[bytes] | None = None
        self._pipe: Connection
        self._sending: Thread | None = None

    def close(self) -> None:
        """End the process, if there is one. Idempotent."""
        if self._child:
            _kill(self._child)
            self._child = None
            Thread(target=self._folder.cleanup).start()  # a busy disk keeps nobody waiting who has cancelled
            if self._sending:
                self._sending.join()
            self._pipe.close()

    def answers(self, request: object, check: Callable[[], None]) -> Generator[Any, None, None]:
        """Send a request and yield its answers; `check` is called meanwhile, and may raise.

        Whatever breaks this off kills the process. Raises PlanningError.
        """
        check()
        data = pickle.dumps(request)
        try:
            if not self._child:
                self._start()
            self._sending = Thread(target=_send, args=(self._pipe, data), daemon=True)
            self._sending.start()
            while isinstance(answer := self._receive(check), tuple):
                yield answer[0]
        except (OSError, EOFError):
            self.close()
            raise PlanningError(f"The {self._name} ended: out of memory, or killed from outside.") from None
        except BaseException:
            self.close()
            raise
        if answer is not None:
            raise PlanningError(answer)

    def _receive(self, check: Callable[[], None]) -> tuple[Any] | str | None:
        """Return the next answer in a tuple; None after the last one, or what went wrong."""
        while not self._pipe.poll(_POLL_S):
            check()
        answer: tuple[Any] | str | None = self._pipe.recv()
        return answer

    def _start(self) -> None:
        path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        self._pipe, theirs = Pipe()
        self._folder = TemporaryDirectory(prefix="dkprompt-", ignore_cleanup_errors=True)
        with theirs:
            self._child = subprocess.Popen(
                [*self._command, str(os.getpid())],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": path, "TMPDIR": self._folder.name},
                process_group=0,  # of its own, to be killed; in a session of its own niceness would not count
            )
        weakref.finalize(self, _kill, self._child)


def _kill(child: subprocess.Popen[bytes]) -> None:
    """Kill the process and its children."""
    if child.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def _send(pipe: Connection, request: bytes) -> None:
    """Send a request, which takes as long as the process does not read."""
    with suppress(OSError):  # it ended, as whoever waits for the answer notices
        pipe.send_bytes(request)


# --- the server --------------------------------------------------------------------------------------------


def serve(answer: Callable[[Any, Send], None], name: str = "planning process") -> None:
    """Answer requests from the parent, whose process id is the last argument. Never returns."""
    pipe = Connection(sys.stdin.fileno())
    asked: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    Thread(target=_listen, args=(asked, pipe, int(sys.argv[-1])), daemon=True).start()
    while True:
        fault: str | None = None
        try:
            answer(pickle.loads(asked.get()), lambda found: pipe.send((found,)))
        except ConsoleError as error:
            fault = str(error)
        except Exception as error:  # an internal error goes to the client
            fault = f"The {name} broke: {error!r}."
        pipe.send(fault)


def _listen(asked: queue.SimpleQueue[bytes], pipe: Connection, parent: int) -> None:
    """Queue requests until the parent is gone, then kill this process group at once."""
    try:
        while os.getppid() == parent:
            if pipe.poll(_PARENT_CHECK_S):
                asked.put(pipe.recv_bytes())
    finally:
        os.killpg(0, signal.SIGKILL)
