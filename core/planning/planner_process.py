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
import select
import selectors
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from core.cancel import Cancel
from core.errors import PlanningError
from core.install_paths import ROOT
from core.planning.engines.downward import MEMORY
from core.planning.engines.engine import SearchLimits
from core.planning.search import PlanSearch, SearchResult
from core.planning_model import Plan, PlanStatus, Problem, Step
from core.work import Work, work_in_force

PROCESS_UNITS = 100_000_000  # of work for one problem; the caller can end it at any time
_POLL_SECONDS = 0.02  # seconds between checks of `cancel`
_PARENT_CHECK_SECONDS = 1.0  # seconds between checks of the parent's process id
_Steps = list[tuple[str, tuple[str, ...]]]
_Request = tuple[Problem, SearchLimits, _Steps | None]  # with the steps of a plan: improve it


class PlannerProcess:
    """The client, which starts the process when first needed. Not thread-safe."""

    def __init__(self, engine: str, options: Mapping[str, str] | None = None) -> None:
        self._arguments = [engine, json.dumps(dict(options or {}))]
        self._child: subprocess.Popen[bytes] | None = None
        self._buffer = b""

    def run(self, problem: Problem, limits: SearchLimits, cancel: Cancel) -> SearchResult:
        """Plan like `PlanSearch.run`. A cancel kills the process."""
        with self._send_request((_without_caches(problem), limits, None), cancel) as child:
            said = self._read_line(child, cancel)
        steps = tuple(Step(name, tuple(args)) for name, args in said["steps"])
        plan = Plan(PlanStatus(said["status"]), steps, said["engine"], 0.0, said["expanded"], said["why"])
        return SearchResult(plan, said["rough"])

    def improve(
        self, problem: Problem, plan: Plan, seconds: float, cancel: Cancel
    ) -> Iterator[tuple[tuple[Step, ...], bool]]:
        """Improve a plan like `PlanSearch.improve`. A cancel, or closing the iterator, kills the process."""
        known = [(step.name, step.args) for step in plan.steps]
        with self._send_request(
            (_without_caches(problem), SearchLimits(seconds=seconds), known), cancel
        ) as child:
            while "steps" in (said := self._read_line(child, cancel)):
                yield tuple(Step(name, tuple(args)) for name, args in said["steps"]), said["proven"]

    def close(self) -> None:
        """End the process, if there is one. Idempotent."""
        if self._child:
            _kill(self._child)
            self._child = None
            self._buffer = b""

    @contextmanager
    def _send_request(self, request: _Request, cancel: Cancel) -> Iterator[subprocess.Popen[bytes]]:
        """Send a request and yield the process; any failure ends it."""
        child = self._child or self._start()
        try:
            _send(child, _encode(request), cancel)
            yield child
        except (BrokenPipeError, EOFError, json.JSONDecodeError):
            self.close()
            raise PlanningError(
                "The planning process ended: out of memory, or killed from outside."
            ) from None
        except PlanningError:
            raise
        except BaseException:
            self.close()
            raise

    def _read_line(self, child: subprocess.Popen[bytes], cancel: Cancel) -> dict[str, Any]:
        """Return the next message of the process, checking for a cancel meanwhile."""
        assert child.stdout
        work = work_in_force()  # which may end on a cancel that the caller does not know of
        with selectors.DefaultSelector() as ready:
            ready.register(child.stdout, selectors.EVENT_READ)
            while b"\n" not in self._buffer:
                cancel.check()
                work.check()
                if ready.select(_POLL_SECONDS):
                    more = os.read(child.stdout.fileno(), 65536)
                    if not more:
                        raise EOFError
                    self._buffer += more
        line, _, self._buffer = self._buffer.partition(b"\n")
        said: dict[str, Any] = json.loads(line)
        if "error" in said:
            raise PlanningError(said["error"])
        return said

    def _start(self) -> subprocess.Popen[bytes]:
        path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        self._child = subprocess.Popen(
            [sys.executable, "-m", "core.planning.planner_process", *self._arguments, str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
            start_new_session=True,
        )
        weakref.finalize(self, _kill, self._child)
        return self._child


def _kill(child: subprocess.Popen[bytes]) -> None:
    """Kill the process and its children."""
    if child.poll() is None:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    for pipe in (child.stdin, child.stdout):
        if pipe:
            pipe.close()


def _without_caches(problem: Problem) -> Problem:
    """Return the problem without its caches, so that they are not sent."""
    return replace(problem, domain=replace(problem.domain))


def _encode(value: object) -> bytes:
    data = pickle.dumps(value)
    return len(data).to_bytes(8, "big") + data


def _send(child: subprocess.Popen[bytes], request: bytes, cancel: Cancel) -> None:
    assert child.stdin
    with selectors.DefaultSelector() as ready:
        ready.register(child.stdin, selectors.EVENT_WRITE)
        while request:
            cancel.check()
            if ready.select(_POLL_SECONDS):
                request = request[os.write(child.stdin.fileno(), request[: select.PIPE_BUF]) :]


# --- the server -------------------------------------------------------------------------------------


def _serve(engine: str, options: Mapping[str, str], parent: int) -> None:
    asked: queue.SimpleQueue[_Request] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(asked, parent), daemon=True).start()
    _limit_memory()
    search, never = PlanSearch(engine, options), Cancel()
    while True:
        problem, limits, known = asked.get()
        try:
            with Work(PROCESS_UNITS):
                if known is None:
                    _answer(*search.run(problem, limits, never))
                    continue
                plan = Plan(PlanStatus.FOUND, tuple(Step(name, args) for name, args in known))
                for steps, proven in search.improve(problem, plan, limits.seconds or 0.0, never):
                    _reply({"steps": [(step.name, step.args) for step in steps], "proven": proven})
                _reply({})
        except PlanningError as error:
            _reply({"error": str(error)})
        except MemoryError:
            _reply({"error": f"Planning for {problem.name!r} takes more than half of the machine's memory."})
        except Exception as error:  # report an internal error to the client
            _reply({"error": f"The planning process broke: {error!r}."})


def _limit_memory() -> None:
    """Allow this process half of the machine's memory, so that it cannot take the console's."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = MEMORY // 2 if hard == resource.RLIM_INFINITY else min(hard, MEMORY // 2)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _answer(plan: Plan, rough: bool) -> None:
    _reply(
        {
            "status": plan.status.value,
            "steps": [(step.name, step.args) for step in plan.steps],
            "engine": plan.engine,
            "expanded": plan.expanded,
            "why": plan.reason,
            "rough": rough,
        }
    )


def _reply(answer: dict[str, object]) -> None:
    print(json.dumps(answer), flush=True)


def _listen(asked: queue.SimpleQueue[_Request], parent: int) -> None:
    """Queue incoming requests until the parent is gone, then kill this process group at once."""
    pipe = sys.stdin.fileno()
    while os.getppid() == parent:
        if not select.select([pipe], [], [], _PARENT_CHECK_SECONDS)[0]:
            continue
        size = _read(pipe, 8)
        if not size:
            break
        asked.put(pickle.loads(_read(pipe, int.from_bytes(size, "big"))))
    os.killpg(0, signal.SIGKILL)


def _read(pipe: int, count: int) -> bytes:
    """Read `count` bytes, or fewer if the pipe closes."""
    found = b""
    while len(found) < count and (more := os.read(pipe, count - len(found))):
        found += more
    return found


if __name__ == "__main__":
    _serve(sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3]))
