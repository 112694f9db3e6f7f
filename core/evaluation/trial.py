"""The trials of an experiment: methods, tasks, profiles and openness, all with the same seeds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from core.config import ComponentFactory, Settings
from core.errors import BadValue
from core.evaluation.job import JobKind, Kept
from core.evaluation.outcome import TrialOutcome, run_trial
from core.stop_token import StopToken
from core.vqa.rate_limit import RateLimit


@dataclass(frozen=True)
class Cell:
    """The subject of one row of the table; its trials differ only in their seeds."""

    method: str
    task: str
    profile: str
    openness: float


@dataclass(frozen=True)
class EpisodeRunner:
    """What runs episodes, in any process. `make` must be a module-level function: it is imported there."""

    make: ComponentFactory
    log: Path | None = None
    rate: RateLimit | None = None  # of requests to a real model, over all processes


@dataclass(frozen=True)
class Trial:
    """A job that is an episode: a cell and a seed; the other settings are the design's, the same for all."""

    cell: Cell
    seed: int
    settings: Settings = field(compare=False)
    runner: EpisodeRunner | None = field(default=None, compare=False)

    @property
    def key(self) -> str:
        """Return all settings that repeat the trial, as its key."""
        return json.dumps(asdict(self.settings), sort_keys=True, default=dict)

    def run(self, kept: Kept, cancel: StopToken) -> TrialOutcome:
        assert self.runner is not None
        by = self.runner
        return run_trial(by.make, self.settings, by.log, kept, by.rate, cancel)


TRIALS = JobKind(
    "trial",
    TrialOutcome,
    {
        "method": lambda trial: trial.cell.method,
        "task": lambda trial: trial.cell.task,
        "profile": lambda trial: trial.cell.profile,
        "openness": lambda trial: trial.cell.openness,
        "seed": lambda trial: trial.seed,
    },
    key="settings",  # JSON, as `run` would take them
)


@dataclass(frozen=True)
class Design:
    """An experiment. `methods` may name a profile of their own: "dkprompt@paper-gemini".

    Trials are paired: a seed gives the same random draws for every method, step by step and question by
    question, because the draws of simulators and answerers depend on what is done and asked, not on what went
    before. Raises BadValue.
    """

    methods: tuple[str, ...]
    tasks: tuple[str, ...]
    profiles: tuple[str, ...]
    openness: tuple[float, ...] = (1.0,)
    trials: int = 100  # per cell
    first_seed: int = 0
    base: Settings = field(default_factory=lambda: Settings(pictures=False))  # the settings that do not vary

    def __post_init__(self) -> None:
        for what, given in (
            ("method", self.methods),
            ("task", self.tasks),
            ("profile", self.profiles),
            ("openness", self.openness),
        ):
            if not given:
                raise BadValue(f"There is nothing to try without a {what}: name one.")
            if len(set(given)) < len(given):
                raise BadValue(f"A {what} is named twice in {', '.join(map(str, given))}.")
        if self.trials < 1:
            raise BadValue(f"{self.trials} trials give no figures: take 1 or more.")
        for openness in self.openness:
            replace(self.base, openness=openness)  # says what is out of range

    def cells(self) -> tuple[Cell, ...]:
        """Return the cells in the order of the table."""
        found = dict.fromkeys(
            Cell(method.partition("@")[0], task, method.partition("@")[2] or profile, openness)
            for openness in self.openness
            for profile in self.profiles
            for method in self.methods
            for task in self.tasks
        )
        return tuple(found)

    def all_trials(self, runner: EpisodeRunner | None = None) -> Iterator[Trial]:
        """Yield the trials seed by seed: an interrupted experiment is a smaller table, not a part of one."""
        cells = self.cells()
        for seed in range(self.first_seed, self.first_seed + self.trials):
            for cell in cells:
                yield self.trial(cell, seed, runner)

    def trial(self, cell: Cell, seed: int, runner: EpisodeRunner | None = None) -> Trial:
        settings = replace(
            self.base,
            method=cell.method,
            task=cell.task,
            answerer=cell.profile,
            openness=cell.openness,
            seed=seed,
        )
        return Trial(cell, seed, settings, runner)
