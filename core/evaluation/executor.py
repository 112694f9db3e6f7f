"""What runs trials somewhere: the Protocol of an executor, and what each of its processes does."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from core.config import ComponentFactory, Settings
from core.errors import ConsoleError
from core.evaluation.outcome import Planners, TrialOutcome, run_trial
from core.evaluation.trial import Trial
from core.vqa.rate_limit import RateLimit


@dataclass(frozen=True)
class FailedTrial:
    """A trial without an outcome, and why."""

    reason: str


Result = TrialOutcome | FailedTrial


@dataclass(frozen=True)
class TrialRunner:
    """Runs trials, in any process. `make` must be a module-level function, since it is imported there."""

    make: ComponentFactory
    log: Path | None = None
    rate: RateLimit | None = None  # of requests to a real model, over all processes

    def run(self, settings: Settings, planners: Planners) -> Result:
        """Run one trial; whatever breaks costs this trial only."""
        try:
            return run_trial(self.make, settings, self.log, planners, self.rate)
        except ConsoleError as error:
            return FailedTrial(str(error))
        except Exception as error:
            return FailedTrial(f"A part of the program broke ({type(error).__name__}: {error}).")


class TrialExecutor(Protocol):
    """Runs trials in several processes, here or elsewhere."""

    def run(
        self, runner: TrialRunner, trials: Iterable[Trial]
    ) -> Generator[tuple[Trial, Result], None, None]:
        """Yield each trial with its result, in the order of completion.

        Closing the iterator ends the processes; a trial that is running then yields nothing. A process that
        dies costs only its current trial.
        """
        ...
