"""Plan in a separate process, so that a long search neither blocks this one nor outlives a cancel.

`PlannerProcess` is the client; `python -m core.planning.planner_process` is the server. It handles one
problem after the other and caches what it has grounded. It ends when its parent does, however that happens:
the pipe closes, or if another process holds the pipe's other end, the parent's process id changes.
"""

from __future__ import annotations

import json
import os
import pickle
import queue
import resource
import signal
import subprocess
import sys
import weakref
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import replace
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any

from core.errors import PlanningError
from core.install_paths import ROOT
from core.planning.engines.downward import MEMORY
from core.planning.engines.engine import SearchLimits
from core.planning.search import PlanSearch, SearchResult
from core.planning_model import Plan, Problem, Step
from core.stop_token import StopToken
from core.work import Work, work_in_force

PROCESS_UNITS = 100_000_000  # of work for one problem; the caller can end it at any time
_POLL_SECONDS = 0.02  # seconds between checks of `cancel`
_PARENT_CHECK_SECONDS = 1.0  # seconds between checks of the parent's process id
_Request = tuple[Problem, SearchLimits, Plan | None]  # with a plan: improve it
_Answer = tuple[Any, bool]  # a plan, and whether it is rough; or its steps, and whether it is proven best


class PlannerProcess:
    """The client, which starts the process when first needed. Not thread-safe."""

    def __init__(self, engine: str, options: Mapping[str, str] | None = None) -> None:
        self._arguments = [engine, json.dumps(dict(options or {}))]
        self._child: subprocess.Popen[bytes] | None = None
        self._pipe: Connection
        self._sending: Thread

    def run(self, problem: Problem, limits: SearchLimits, cancel: StopToken) -> SearchResult:
        """Plan like `PlanSearch.run`. A cancel kills the process."""
        (found,) = self._answers((problem, limits, None), cancel)
        return SearchResult(*found)

    def improve(
        self, problem: Problem, plan: Plan, seconds: float, cancel: StopToken
    ) -> Iterator[tuple[tuple[Step, ...], bool]]:
        """Improve a plan like `PlanSearch.improve`. A cancel, or closing the iterator, kills the process."""
        with closing(self._answers((problem, SearchLimits(seconds=seconds), plan), cancel)) as answers:
            yield from answers

    def close(self) -> None:
        """End the process, if there is one. Idempotent."""
        if self._child:
            _kill(self._child)
            self._child = None
            self._sending.join()
            self._pipe.close()

    def _answers(self, request: _Request, cancel: StopToken) -> Generator[_Answer, None, None]:
        """Send a request and yield the answers. Whatever breaks this off ends the process."""
        problem, *rest = request
        without_caches = replace(problem, domain=replace(problem.domain))
        data = pickle.dumps((without_caches, *rest))
        try:
            if not self._child:
                self._start()
            self._sending = Thread(target=_send, args=(self._pipe, data), daemon=True)
            self._sending.start()
            while isinstance(answer := self._receive(cancel), tuple):
                yield answer
        except (OSError, EOFError):
            self.close()
            raise PlanningError(
                "The planning process ended: out of memory, or killed from outside."
            ) from None
        except BaseException:
            self.close()
            raise
        if answer is not None:
            raise answer

    def _receive(self, cancel: StopToken) -> _Answer | PlanningError | None:
        """Return the next answer, None after the last one, checking for a cancel meanwhile."""
        work = work_in_force()  # which may end on a cancel that the caller does not know of
        ready = False
        while not ready:
            cancel.check()
            work.check()
            ready = self._pipe.poll(_POLL_SECONDS)
        answer: _Answer | PlanningError | None = self._pipe.recv()
        return answer

    def _start(self) -> None:
        path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        command = [sys.executable, "-m", "core.planning.planner_process", *self._arguments]
        self._pipe, theirs = Pipe()
        with theirs:
            self._child = subprocess.Popen(
                [*command, str(os.getpid())],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": path},
                start_new_session=True,
            )
        weakref.finalize(self, _kill, self._child)


def _kill(child: subprocess.Popen[bytes]) -> None:
    """Kill the process and its children."""
    if child.poll() is None:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def _send(pipe: Connection, request: bytes) -> None:
    """Send a request, which takes as long as the process does not read."""
    with suppress(OSError):  # it ended, as whoever waits for the answer notices
        pipe.send_bytes(request)


# --- the server -------------------------------------------------------------------------------------


def _serve(engine: str, options: Mapping[str, str], pipe: Connection, parent: int) -> None:
    asked: queue.SimpleQueue[_Request] = queue.SimpleQueue()
    Thread(target=_listen, args=(asked, pipe, parent), daemon=True).start()
    _limit_memory()
    search = PlanSearch(engine, options)
    while True:
        request = asked.get()
        name = request[0].name
        try:
            with Work(PROCESS_UNITS):
                problem, limits, plan = request
                if plan is None:
                    pipe.send(tuple(search.run(problem, limits, StopToken())))
                else:
                    for better in search.improve(problem, plan, limits.seconds, StopToken()):
                        pipe.send(better)
            pipe.send(None)
        except PlanningError as error:
            pipe.send(PlanningError(str(error)))
        except MemoryError:
            pipe.send(PlanningError(f"Planning for {name!r} takes more than half of the machine's memory."))
        except Exception as error:  # report an internal error to the client
            pipe.send(PlanningError(f"The planning process broke: {error!r}."))


def _limit_memory() -> None:
    """Allow this process half of the machine's memory, so that it cannot take the console's."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = MEMORY // 2 if hard == resource.RLIM_INFINITY else min(hard, MEMORY // 2)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _listen(asked: queue.SimpleQueue[_Request], pipe: Connection, parent: int) -> None:
    """Queue incoming requests until the parent is gone, then kill this process group at once."""
    try:
        while os.getppid() == parent:
            if pipe.poll(_PARENT_CHECK_SECONDS):
                asked.put(pipe.recv())
    finally:
        os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    _serve(sys.argv[1], json.loads(sys.argv[2]), Connection(sys.stdin.fileno()), int(sys.argv[3]))
