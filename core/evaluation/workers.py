"""Run trials on several processes of this machine; one that dies costs only its current trial.

Each process runs one trial at a time and keeps nothing between trials but the plans of its planner, which
would be the same again, so the table does not depend on the number of processes. They end with their parent,
however that happens.
"""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from threading import Thread

from core.evaluation.executor import FailedTrial, Result, TrialRunner
from core.evaluation.outcome import Planners
from core.evaluation.trial import Trial

_SPAWN = get_context("spawn")  # a fork would copy threads and OpenGL's state
_ENDING_SECONDS = 2.0  # for a process to end by itself
_AHEAD = 64  # trials among which a process finds one of a task that it knows


@dataclass(frozen=True)
class LocalProcesses:
    """A `TrialExecutor`: so many processes of this machine."""

    count: int = 1

    def run(
        self, runner: TrialRunner, trials: Iterable[Trial]
    ) -> Generator[tuple[Trial, Result], None, None]:
        waiting = PendingTrials(iter(trials))
        busy: dict[object, tuple[_Worker, Trial]] = {}  # by the pipe that reports
        try:
            while len(busy) < self.count and (trial := waiting.next_trial(set())):
                worker = _Worker(runner, trial)
                busy[worker.pipe] = worker, trial
            while busy:
                for pipe in wait([worker.pipe for worker, _ in busy.values()]):
                    worker, trial = busy.pop(pipe)
                    result = worker.receive()
                    following = waiting.next_trial(worker.tasks)
                    if following is None:
                        worker.end()
                    elif worker.alive:
                        busy[worker.pipe] = worker, following
                        worker.send(following)
                    else:
                        worker = _Worker(runner, following)
                        busy[worker.pipe] = worker, following
                    yield trial, result
        finally:
            for worker, _ in busy.values():
                worker.kill()


class PendingTrials:
    """The trials to come. A process gets those of its own tasks first: it knows their plans already, and two
    processes that search for the same plans are not twice as fast as one."""

    def __init__(self, trials: Iterator[Trial]) -> None:
        self._trials = trials
        self._next = list(islice(trials, _AHEAD))
        self._known: set[str] = set()

    def next_trial(self, tasks: set[str]) -> Trial | None:
        """Return the first trial of these tasks, else of a task that no process has, else the first of all.

        Adds its task to the set; None if no trial is left.
        """
        if not self._next:
            return None
        own = (n for n, trial in enumerate(self._next) if trial.cell.task in tasks)
        new = (n for n, trial in enumerate(self._next) if trial.cell.task not in self._known)
        trial = self._next.pop(next(own, next(new, 0)))
        self._next += islice(self._trials, 1)
        if trial.cell.task not in self._known:
            self._known.add(trial.cell.task)
            tasks.add(trial.cell.task)
        return trial


class _Worker:
    """A process and the pipe to it. Belongs to the thread that created it."""

    def __init__(self, runner: TrialRunner, first: Trial) -> None:
        self.pipe, theirs = _SPAWN.Pipe()
        self._process: BaseProcess = _SPAWN.Process(target=_serve, args=(theirs, runner))
        self._process.start()
        theirs.close()
        self.alive = True
        self.tasks = {first.cell.task}
        self.send(first)

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
            return FailedTrial(f"Its process died (exit code {self._process.exitcode}).")

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


def end_with_parent() -> None:
    """End this process, whatever it does, when the one that started it ends, however that happens."""

    def watch() -> None:
        parent = parent_process()
        assert parent is not None
        parent.join()
        os._exit(1)

    Thread(target=watch, name="parent watch", daemon=True).start()


def _serve(pipe: Connection, runner: TrialRunner) -> None:
    """Run the trials that come through the pipe, until it is closed. Ctrl+C is left to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    logging.disable(logging.ERROR)  # a method that breaks does so in every trial; the outcome says why
    planners: Planners = {}
    while True:
        try:
            settings = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send(runner.run(settings, planners))
        except OSError:  # the parent is gone
            return
