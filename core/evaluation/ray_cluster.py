"""Run jobs on a Ray cluster (extra: cluster), each of whose machines has this program installed."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from core.errors import BadValue, MissingPackage
from core.evaluation.job import FailedJob, J, Job, Kept, run_job

LOCAL = "local"


@dataclass(frozen=True)
class RayCluster:
    """An `Executor`: so many Ray actors at the cluster's address; "local" starts Ray on this machine.

    Raises MissingPackage, BadValue when it runs.
    """

    address: str
    count: int

    def run(self, jobs: Iterable[J]) -> Generator[tuple[J, Any], None, None]:
        ray = self._connected()
        player = ray.remote(num_cpus=1, max_restarts=0)(_Player)
        waiting = iter(jobs)
        try:
            busy: dict[Any, tuple[Any, J]] = {}  # by what will hold the result
            for job in islice(waiting, self.count):
                actor = player.remote()
                busy[actor.run.remote(job)] = actor, job
            while busy:
                (reference,), _ = ray.wait(list(busy), num_returns=1)
                actor, job = busy.pop(reference)
                try:
                    result = ray.get(reference)
                except ray.exceptions.RayError as error:
                    result = FailedJob(f"Its process died ({type(error).__name__}).")
                    actor = player.remote()
                if following := next(waiting, None):
                    busy[actor.run.remote(following)] = actor, following
                yield job, result
        finally:
            ray.shutdown()

    def _connected(self) -> Any:
        """Return the module, connected to the cluster."""
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would report to its makers
        try:
            import ray
        except ImportError:
            raise MissingPackage("The cluster", "cluster") from None
        local = self.address == LOCAL
        try:
            ray.init(
                address=LOCAL if local else self.address,
                num_cpus=self.count if local else None,
                include_dashboard=False if local else None,
                log_to_driver=False,
                logging_level="error",
            )
        except (OSError, RuntimeError, ValueError) as error:
            raise BadValue(f"There is no Ray cluster at {self.address!r} ({error}).") from None
        return ray


class _Player:
    """One process of the cluster, with what its jobs keep."""

    def __init__(self) -> None:
        self._kept: Kept = {}

    def run(self, job: Job[Any]) -> Any:
        return run_job(job, self._kept)
