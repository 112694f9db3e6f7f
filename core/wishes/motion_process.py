"""Search for motions in a process of its own, which ends at once when its caller cancels, closes or dies.

`MotionProcess` is the client; `python -m core.wishes.motion_process` is the server: one request at a time.
"""

from __future__ import annotations

import copyreg
import os
import pickle
import signal
import subprocess
import sys
import weakref
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread
from types import MappingProxyType

from core.errors import ConsoleError, PlanningError
from core.install_paths import ROOT
from core.planning.planner import make_planner
from core.planning_model import Problem
from core.scene import Scene
from core.stop_token import StopToken
from core.wish import Wish, WishOptions
from core.wishes.wish_planner import WishPlan, WishPlanner

_POLL_S = 0.02  # between checks of the cancel
_PARENT_CHECK_S = 0.5  # between checks that the parent lives


def _proxy(values: dict[object, object]) -> MappingProxyType[object, object]:
    return MappingProxyType(values)


copyreg.pickle(MappingProxyType, lambda mapping: (_proxy, (dict(mapping),)))  # the values of a step


@dataclass(frozen=True)
class MotionRequest:
    """A wish, the problem and the scene that it is about, and how to plan it."""

    problem: Problem
    wish: Wish
    scene: Scene
    options: WishOptions
    engine: str = "pyperplan"
    engine_options: Mapping[str, str] = field(default_factory=dict)


class MotionProcess:
    """The client; it starts the process when first needed, and keeps it. Not thread-safe."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._pipe: Connection

    def plan(self, request: MotionRequest, cancel: StopToken) -> WishPlan:
        """Return the plan. A cancel kills the process. Raises Cancelled, PlanningError and ConsoleError."""
        cancel.check()
        try:
            if self._child is None:
                self._start()
            self._pipe.send_bytes(pickle.dumps(request))
            while not self._pipe.poll(_POLL_S):
                cancel.check()
            answer = self._pipe.recv()
        except (OSError, EOFError):
            self.close()
            raise PlanningError(
                "The motion planning process ended: out of memory, or killed from outside."
            ) from None
        except BaseException:
            self.close()
            raise
        if isinstance(answer, WishPlan):
            return answer
        raise PlanningError(str(answer))

    def close(self) -> None:
        """End the process, if there is one. Idempotent."""
        if self._child is not None:
            _kill(self._child)
            self._pipe.close()
            self._child = None

    def _start(self) -> None:
        path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        self._pipe, theirs = Pipe()
        with theirs:
            self._child = subprocess.Popen(
                [sys.executable, "-m", "core.wishes.motion_process", str(os.getpid())],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": path},
                start_new_session=True,
            )
        weakref.finalize(self, _kill, self._child)


def _kill(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


# --- the server --------------------------------------------------------------------------------------------


def plan_here(request: MotionRequest, cancel: StopToken) -> WishPlan:
    """Plan a wish in this process. Raises ConsoleError."""
    module, _, name = request.scene.skills.partition(":")
    skills = getattr(import_module(module), name)(request.scene)
    planner = make_planner(request.engine, options=request.engine_options)
    try:
        return WishPlanner(
            skills, planner, request.problem, request.wish, request.options, cancel.check
        ).plan(cancel)
    finally:
        planner.close()


def _serve(pipe: Connection, parent: int) -> None:
    asked: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_listen, args=(asked, pipe, parent), daemon=True).start()
    while True:
        try:
            answer: object = plan_here(pickle.loads(asked.get()), StopToken())
        except ConsoleError as error:
            answer = str(error)
        except Exception as error:  # an internal error goes to the client
            answer = f"The motion planning process broke: {error!r}."
        pipe.send(answer)


def _listen(asked: SimpleQueue[bytes], pipe: Connection, parent: int) -> None:
    """Queue requests until the parent is gone, then kill this process group at once."""
    try:
        while os.getppid() == parent:
            if pipe.poll(_PARENT_CHECK_S):
                asked.put(pipe.recv_bytes())
    finally:
        os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    # under its real name, as the requests are pickled
    import_module("core.wishes.motion_process")._serve(Connection(sys.stdin.fileno()), int(sys.argv[1]))
