"""Run jobs on several processes of this machine; one that dies costs only its current job.

Each process runs one job at a time. What the jobs keep in it (the plans of a planner) would be the same
again, so the table does not depend on the number of processes. They end with their parent, however that
happens.
"""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Generator, Iterable
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from threading import Thread
from typing import Any

from core.evaluation.job import FailedJob, J, Job, Kept, run_job

_SPAWN = get_context("spawn")  # a fork would copy threads and OpenGL's state
_ENDING_SECONDS = 2.0  # for a process to end by itself


@dataclass(frozen=True)
class LocalProcesses:
    """An `Executor`: so many processes of this machine."""

    count: int = 1

    def run(self, jobs: Iterable[J]) -> Generator[tuple[J, Any], None, None]:
        waiting = iter(jobs)
        busy: dict[object, tuple[_Worker, J]] = {}  # by the pipe that reports
        try:
            for job in islice(waiting, self.count):
                worker = _Worker(job)
                busy[worker.pipe] = worker, job
            while busy:
                for pipe in wait([worker.pipe for worker, _ in busy.values()]):
                    worker, job = busy.pop(pipe)
                    result = worker.receive()
                    following = next(waiting, None)
                    if following is None:
                        worker.end()
                    elif worker.alive:
                        busy[worker.pipe] = worker, following
                        worker.send(following)
                    else:
                        worker = _Worker(following)
                        busy[worker.pipe] = worker, following
                    yield job, result
        finally:
            for worker, _ in busy.values():
                worker.kill()


class _Worker:
    """A process and the pipe to it. Belongs to the thread that created it."""

    def __init__(self, first: Job[Any]) -> None:
        self.pipe, theirs = _SPAWN.Pipe()
        self._process: BaseProcess = _SPAWN.Process(target=_serve, args=(theirs,))
        self._process.start()
        theirs.close()
        self.alive = True
        try:
            self.send(first)
        except BaseException:  # the job cannot be pickled, and nobody else knows of this process
            self.kill()
            raise

    def send(self, job: Job[Any]) -> None:
        with suppress(OSError):  # it died: `receive` tells
            self.pipe.send(job)

    def receive(self) -> Any:
        try:
            return self.pipe.recv()
        except (EOFError, OSError):
            self.alive = False
            self._process.join()
            self.pipe.close()
            return FailedJob(f"Its process died (exit code {self._process.exitcode}).")

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


def _serve(pipe: Connection) -> None:
    """Run the jobs that come through the pipe, until it is closed. Ctrl+C is left to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    logging.disable(logging.ERROR)  # a method that breaks does so in every job; the outcome says why
    kept: Kept = {}
    while True:
        try:
            job = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send(run_job(job, kept))
        except OSError:  # the parent is gone
            return
