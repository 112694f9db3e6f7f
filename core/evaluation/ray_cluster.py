"""Run trials on a Ray cluster (extra: cluster), each of whose machines has this program installed."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from core.config import Settings
from core.errors import BadValue, MissingPackage
from core.evaluation.executor import FailedTrial, Result, TrialRunner
from core.evaluation.outcome import Planners
from core.evaluation.trial import Trial

LOCAL = "local"


@dataclass(frozen=True)
class RayCluster:
    """A `TrialExecutor`: so many Ray actors at the cluster's address; "local" starts Ray on this machine.

    Raises MissingPackage, BadValue when it runs.
    """

    address: str
    count: int

    def run(
        self, runner: TrialRunner, trials: Iterable[Trial]
    ) -> Generator[tuple[Trial, Result], None, None]:
        ray = self._connected()
        player = ray.remote(num_cpus=1, max_restarts=0)(_Player)
        waiting = iter(trials)
        try:
            busy: dict[Any, tuple[Any, Trial]] = {}  # by what will hold the result
            for trial in islice(waiting, self.count):
                actor = player.remote(runner)
                busy[actor.run.remote(trial.settings)] = actor, trial
            while busy:
                (reference,), _ = ray.wait(list(busy), num_returns=1)
                actor, trial = busy.pop(reference)
                try:
                    result: Result = ray.get(reference)
                except ray.exceptions.RayError as error:
                    result = FailedTrial(f"Its process died ({type(error).__name__}).")
                    actor = player.remote(runner)
                if following := next(waiting, None):
                    busy[actor.run.remote(following.settings)] = actor, following
                yield trial, result
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
    """One process of the cluster, which keeps the plans that it made."""

    def __init__(self, runner: TrialRunner) -> None:
        self._runner = runner
        self._planners: Planners = {}

    def run(self, settings: Settings) -> Result:
        return self._runner.run(settings, self._planners)
