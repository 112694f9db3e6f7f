"""Check an experiment, and run its trials."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

from core.config import ComponentFactory
from core.errors import BadValue
from core.evaluation.job import Executor, JobResults, JobStore, run_jobs
from core.evaluation.outcome import TrialOutcome
from core.evaluation.table import Results
from core.evaluation.trial import Design, EpisodeRunner, Trial
from core.ports import Embodiment
from core.vqa.rate_limit import RateLimit

OnProgress = Callable[[Results], None]  # called after each trial, with all that is known


def check_design(
    design: Design,
    make: ComponentFactory,
    workers: int,
    uses_network: Callable[[str], bool],
    rate: RateLimit | None = None,
) -> None:
    """Make the components of one trial per method, task and profile, to report a wrong name early.

    Raises ConsoleError; BadValue for a real robot, and for a real model with several workers and no
    common rate.
    """
    if workers < 1:
        raise BadValue(f"{workers} workers do nothing: take 1 or more.")
    seen: set[tuple[str, str]] = set()
    for cell in design.cells():
        fresh = {("method", cell.method), ("task", cell.task), ("profile", cell.profile)} - seen
        if fresh:
            with closing(make(design.trial(cell, design.first_seed).settings)) as parts:
                if parts.robot.embodiment is Embodiment.REAL:
                    raise BadValue("Trials move without asking: this robot is real, take a simulated one.")
            if workers > 1 and rate is None and uses_network(cell.profile):
                raise BadValue(
                    f"The answerer {cell.profile!r} is a real model, whose rate limit several workers would "
                    "not share: take --workers 1, or say --calls-per-minute."
                )
            seen |= fresh


def run_design(
    design: Design,
    runner: EpisodeRunner,
    store: JobStore[Trial, TrialOutcome],
    executor: Executor,
    resume: bool = False,
    progress: OnProgress = lambda results: None,
) -> Results:
    """Run the design as `run_jobs` does. Raises BadFile if an outcome cannot be saved."""
    trials = tuple(design.all_trials(runner))
    if runner.rate is not None:
        runner.rate.reset()

    def results(found: JobResults[Trial, TrialOutcome]) -> Results:
        return Results(design, found.finished, found.lost)

    return results(run_jobs(trials, store, executor, resume, lambda found: progress(results(found))))
