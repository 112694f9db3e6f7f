"""Planning in a process of its own, so that a long search neither holds up this one nor outlives a cancel.

`PlannerProcess` is the side that asks; `python -m core.planning.planner_process` is the side that plans.
It serves one
problem after the other and keeps what it has grounded. It ends when its parent does, however that ends: the
pipe closes, and where somebody else holds its other end, the parent's number changes.
"""

from __future__ import annotations

import json
import os
import pickle
import queue
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
from core.planning.engines.engine import SearchLimits
from core.planning_model import Plan, PlanStatus, Problem, Step

_POLL_SECONDS = 0.02  # seconds between two looks at the cancel
_PARENT_CHECK_SECONDS = 1.0  # seconds between two looks at whose child it is
_Steps = list[tuple[str, tuple[str, ...]]]
_Request = tuple[Problem, SearchLimits, _Steps | None]  # with the steps of a plan: for better ones


class PlannerProcess:
    """Started when first needed. Not for several threads at once."""

    def __init__(self, engine: str, options: Mapping[str, str] | None = None) -> None:
        self._arguments = [engine, json.dumps(dict(options or {}))]
        self._child: subprocess.Popen[bytes] | None = None
        self._buffer = b""

    def run(self, problem: Problem, limits: SearchLimits, cancel: Cancel) -> Plan:
        """As `Search.run`. A cancel kills the process."""
        with self._send_request((_without_caches(problem), limits, None), cancel) as child:
            said = self._read_line(child, cancel)
        steps = tuple(Step(name, tuple(args)) for name, args in said["steps"])
        return Plan(PlanStatus(said["status"]), steps, said["engine"], 0.0, said["expanded"], said["why"])

    def improve(
        self, problem: Problem, plan: Plan, seconds: float, cancel: Cancel
    ) -> Iterator[tuple[tuple[Step, ...], bool]]:
        """As `Search.improve`. A cancel, or closing the iterator, kills the process."""
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
        """The process, with this request sent; whatever goes wrong ends it."""
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
        """The next that it says, looking at the cancel all the while."""
        assert child.stdout
        with selectors.DefaultSelector() as ready:
            ready.register(child.stdout, selectors.EVENT_READ)
            while b"\n" not in self._buffer:
                cancel.check()
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
    """The process and what it started."""
    if child.poll() is None:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    for pipe in (child.stdin, child.stdout):
        if pipe:
            pipe.close()


def _without_caches(problem: Problem) -> Problem:
    """Without what is cached on it, which does not travel."""
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


# --- the side that plans ----------------------------------------------------------------------------


def _serve(engine: str, options: Mapping[str, str], parent: int) -> None:
    from core.planning.search import PlanSearch

    asked: queue.SimpleQueue[_Request] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(asked, parent), daemon=True).start()
    search, never = PlanSearch(engine, options), Cancel()
    while True:
        problem, limits, known = asked.get()
        try:
            if known is None:
                _answer(search.run(problem, limits, never))
                continue
            plan = Plan(PlanStatus.FOUND, tuple(Step(name, args) for name, args in known))
            for steps, proven in search.improve(problem, plan, limits.seconds or 0.0, never):
                _reply({"steps": [(step.name, step.args) for step in steps], "proven": proven})
            _reply({})
        except PlanningError as error:
            _reply({"error": str(error)})
        except Exception as error:  # a fault of ours reaches the one who asked, in words
            _reply({"error": f"The planning process broke: {error!r}."})


def _answer(plan: Plan) -> None:
    _reply(
        {
            "status": plan.status.value,
            "steps": [(step.name, step.args) for step in plan.steps],
            "engine": plan.engine,
            "expanded": plan.expanded,
            "why": plan.reason,
        }
    )


def _reply(answer: dict[str, object]) -> None:
    print(json.dumps(answer), flush=True)


def _listen(asked: queue.SimpleQueue[_Request], parent: int) -> None:
    """Requests, until the parent is gone; then nobody waits for what is under way."""
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
    """So many bytes, fewer where the pipe closes."""
    found = b""
    while len(found) < count and (more := os.read(pipe, count - len(found))):
        found += more
    return found


if __name__ == "__main__":
    _serve(sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3]))
