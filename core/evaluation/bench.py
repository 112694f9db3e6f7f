"""Run a whole experiment: finished trials are reused, the others are run, and each outcome is saved at
once."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

from core.config import ComponentFactory
from core.errors import BadValue
from core.evaluation.executor import TrialExecutor, TrialRunner
from core.evaluation.outcome import TrialOutcome
from core.evaluation.table import Results
from core.evaluation.trial import Design, Trial
from core.evaluation.trial_store import TrialStore
from core.ports import Embodiment
from core.vqa.rate_limit import RateLimit

Progress = Callable[[Results], None]  # called after each trial, with all that is known


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
    runner: TrialRunner,
    store: TrialStore,
    executor: TrialExecutor,
    resume: bool = False,
    progress: Progress = lambda results: None,
) -> Results:
    """Run the design. With `resume`, trials in `store` are not run again, but lost ones are; without it,
    they are forgotten first.

    Ctrl+C ends it with the trials finished so far. Raises BadFile if an outcome cannot be saved.
    """
    trials = tuple(design.all_trials())
    if not resume:
        store.forget(trials)
    outcomes: dict[Trial, TrialOutcome] = store.finished(trials)
    lost: dict[Trial, str] = {}
    progress(Results(design, outcomes, lost))
    missing = [trial for trial in trials if trial not in outcomes]
    if runner.rate is not None:
        runner.rate.reset()
    try:
        with closing(executor.run(runner, missing)) as results:
            for trial, result in results:
                if isinstance(result, TrialOutcome):
                    store.put(trial, result)
                    outcomes[trial] = result
                else:
                    lost[trial] = result.reason
                progress(Results(design, outcomes, lost))
    except KeyboardInterrupt:
        pass
    in_order = {trial: outcomes[trial] for trial in trials if trial in outcomes}
    return Results(design, in_order, lost)
