"""Planning in a process of its own, so that a long search neither holds up this one nor outlives a cancel.

`Process` is the side that asks; `python -m core.planning.process` is the side that plans. It serves one
problem after the other and keeps what it has grounded. It ends when its parent does.
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
from dataclasses import replace
from pathlib import Path

from core.cancel import Cancel
from core.errors import PlanningError
from core.planning.engines.engine import Limits
from core.problem import Plan, PlanStatus, Problem, Step

_ROOT = Path(__file__).resolve().parents[2]
_TICK = 0.02  # seconds between two looks at the cancel


class Process:
    """Started when first needed. Not for several threads at once."""

    def __init__(self, engine: str) -> None:
        self._engine = engine
        self._child: subprocess.Popen[bytes] | None = None

    def run(self, problem: Problem, limits: Limits, cancel: Cancel) -> Plan:
        """As `Search.run`. A cancel kills the process."""
        child = self._child or self._start()
        try:
            said = json.loads(_exchange(child, _packed((_plain(problem), limits)), cancel))
        except (BrokenPipeError, json.JSONDecodeError):
            self.close()
            raise PlanningError(
                "The planning process ended: out of memory, or killed from outside."
            ) from None
        except BaseException:
            self.close()
            raise
        if "error" in said:
            raise PlanningError(said["error"])
        steps = tuple(Step(name, tuple(args)) for name, args in said["steps"])
        return Plan(PlanStatus(said["status"]), steps, said["engine"], 0.0, said["expanded"], said["why"])

    def close(self) -> None:
        """End the process, if there is one. Idempotent."""
        if self._child:
            _kill(self._child)
            self._child = None

    def _start(self) -> subprocess.Popen[bytes]:
        path = os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))
        self._child = subprocess.Popen(
            [sys.executable, "-m", "core.planning.process", self._engine],
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


def _plain(problem: Problem) -> Problem:
    """Without what is cached on it, which does not travel."""
    return replace(problem, domain=replace(problem.domain))


def _packed(value: object) -> bytes:
    data = pickle.dumps(value)
    return len(data).to_bytes(8, "big") + data


def _exchange(child: subprocess.Popen[bytes], request: bytes, cancel: Cancel) -> bytes:
    """The line that answers a request, looking at the cancel all the while."""
    assert child.stdin and child.stdout
    with selectors.DefaultSelector() as ready:
        ready.register(child.stdin, selectors.EVENT_WRITE)
        while request:
            cancel.check()
            if ready.select(_TICK):
                request = request[os.write(child.stdin.fileno(), request[: select.PIPE_BUF]) :]
        ready.unregister(child.stdin)
        ready.register(child.stdout, selectors.EVENT_READ)
        while not ready.select(_TICK):
            cancel.check()
    return child.stdout.readline()


# --- the side that plans ----------------------------------------------------------------------------


def _serve(engine: str) -> None:
    from core.planning.search import Search

    asked: queue.SimpleQueue[tuple[Problem, Limits]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(asked,), daemon=True).start()
    search, never = Search(engine), Cancel()
    while True:
        problem, limits = asked.get()
        try:
            plan = search.run(problem, limits, never)
        except PlanningError as error:
            answer: dict[str, object] = {"error": str(error)}
        except Exception as error:  # a fault of ours reaches the one who asked, in words
            answer = {"error": f"The planning process broke: {error!r}."}
        else:
            answer = {
                "status": plan.status.value,
                "steps": [(step.name, step.args) for step in plan.steps],
                "engine": plan.engine,
                "expanded": plan.expanded,
                "why": plan.why,
            }
        print(json.dumps(answer), flush=True)


def _listen(asked: queue.SimpleQueue[tuple[Problem, Limits]]) -> None:
    pipe = sys.stdin.buffer
    while size := pipe.read(8):
        asked.put(pickle.loads(pipe.read(int.from_bytes(size, "big"))))
    os.killpg(0, signal.SIGKILL)  # the parent is gone; nobody waits for what is under way


if __name__ == "__main__":
    _serve(sys.argv[1])
