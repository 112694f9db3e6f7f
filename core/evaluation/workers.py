"""Run trials on several processes of this machine; one that dies costs only its current trial.

Each process runs one trial at a time and keeps nothing between trials but the plans of its planner, which
would be the same again, so the table does not depend on the number of processes. They end with their parent,
however that happens.
"""

from __future__ import annotations

import signal
from collections.abc import Generator, Iterable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from core.config import ComponentFactory
from core.errors import ConsoleError
from core.evaluation.outcome import Planners, TrialOutcome, play
from core.evaluation.trial import Trial

_SPAWN = get_context("spawn")  # a fork would copy threads and OpenGL's state
_ENDING_SECONDS = 2.0  # for a process to end by itself


@dataclass(frozen=True)
class Lost:
    """A trial without an outcome, and why."""

    reason: str


Result = TrialOutcome | Lost


def run_trials(
    make: ComponentFactory, trials: Iterable[Trial], workers: int, log: Path | None = None
) -> Generator[tuple[Trial, Result], None, None]:
    """Yield each trial with its outcome, in the order of completion. Closing the iterator ends the processes.

    A trial that is running then yields nothing. `make` must be a module-level function, since it is imported
    in each process.
    """
    waiting = iter(trials)
    busy: dict[object, tuple[_Worker, Trial]] = {}  # by the pipe that reports
    try:
        while len(busy) < workers and (trial := next(waiting, None)):
            worker = _Worker(make, log)
            busy[worker.pipe] = worker, trial
            worker.send(trial)
        while busy:
            for pipe in wait([worker.pipe for worker, _ in busy.values()]):
                worker, trial = busy.pop(pipe)
                result = worker.receive()
                following = next(waiting, None)
                if following is None:
                    worker.end()
                else:
                    worker = worker if worker.alive else _Worker(make, log)
                    busy[worker.pipe] = worker, following
                    worker.send(following)
                yield trial, result
    finally:
        for worker, _ in busy.values():
            worker.kill()


class _Worker:
    """A process and the pipe to it. Belongs to the thread that created it."""

    def __init__(self, make: ComponentFactory, log: Path | None) -> None:
        self.pipe, theirs = _SPAWN.Pipe()
        self._process: BaseProcess = _SPAWN.Process(target=_serve, args=(theirs, make, log))
        self._process.start()
        theirs.close()
        self.alive = True

    def send(self, trial: Trial) -> None:
        with suppress(OSError):  # it died: `receive` tells
            self.pipe.send(trial.settings)

    def receive(self) -> Result:
        try:
            result: Result = self.pipe.recv()
            return result
        except (EOFError, OSError):
            self.alive = False
            self._process.join()
            self.pipe.close()
            return Lost(f"Its process died (exit code {self._process.exitcode}).")

    def end(self) -> None:
        """Let the process end by itself."""
        if not self.alive:
            return
        self.pipe.close()
        self._process.join(_ENDING_SECONDS)
        self.kill()

    def kill(self) -> None:
        self._process.kill()
        self._process.join()


def _serve(pipe: Connection, make: Any, log: Path | None) -> None:
    """Run the trials that come through the pipe, until it is closed. Ctrl+C is left to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    planners: Planners = {}
    while True:
        try:
            settings = pipe.recv()
        except EOFError:
            return
        try:
            result: Result = play(make, settings, log, planners)
        except ConsoleError as error:
            result = Lost(str(error))
        except Exception as error:
            result = Lost(f"A part of the program broke ({type(error).__name__}: {error}).")
        try:
            pipe.send(result)
        except OSError:  # the parent is gone
            return
