"""Outcomes as rows: what `--json` writes and the report shows."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import fmean

from core.evaluation import paper
from core.evaluation.outcome import EMPTY, Bins, TrialOutcome, calibration_error, pooled
from core.evaluation.trial import Cell, Design, Trial
from core.intervals import wilson_interval


@dataclass(frozen=True)
class ResultRow:
    """The results of a method with one profile and one openness: of one task, or over all of them.

    `successes` counts goals truly reached, `believed` goals that the method believed reached when it ended,
    and `false_claims` those of them that were not reached. `rate` is the mean of the tasks' rates, as in the
    paper; its interval is that of all trials together.
    """

    method: str
    task: str  # "" over all tasks
    profile: str
    openness: float
    trials: int  # with an outcome
    successes: int
    believed: int
    false_claims: int
    crashed: int
    lost: int  # without an outcome: its process died, or its parts could not be made
    rate: float
    low: float
    high: float
    mean_claim: float | None  # how likely the claimed goals were held to be; None: the method does not say
    claims_right: float | None  # the fraction of these that were reached: the same, if it is calibrated
    belief_error: float | None  # how far belief and truth of the facts asked about are apart, as ECE
    steps: float
    calls: float
    questions: float
    unanswered: float
    replans: float
    accuracy: float | None  # fraction of correct yes/no answers
    situations: int  # that came between, told in words
    handled: int  # of them, where the goal was reached all the same
    planning_seconds: float
    seconds: float
    belief: Bins = EMPTY  # of the facts that were asked about

    @property
    def handling(self) -> float | None:
        """Return the fraction of the situations that were handled; None where none came between."""
        return self.handled / self.situations if self.situations else None

    @property
    def paper(self) -> float | None:
        """Return the paper's average over the tasks, 0..1."""
        known = paper.average(self.method, self.profile) if self.openness == 1 else None
        return None if known is None else known / 100


@dataclass(frozen=True)
class Results:
    """Everything known after the trials."""

    design: Design
    outcomes: Mapping[Trial, TrialOutcome] = field(default_factory=dict)
    lost: Mapping[Trial, str] = field(default_factory=dict)  # why

    @property
    def done(self) -> int:
        return len(self.outcomes) + len(self.lost)

    @property
    def total(self) -> int:
        return len(self.design.cells()) * self.design.trials

    def of(self, cell: Cell) -> dict[int, TrialOutcome]:
        """Return a cell's outcomes by seed."""
        return self.by_cell().get(cell, {})

    def by_cell(self) -> dict[Cell, dict[int, TrialOutcome]]:
        found: dict[Cell, dict[int, TrialOutcome]] = {cell: {} for cell in self.design.cells()}
        for trial, outcome in self.outcomes.items():
            found[trial.cell][trial.seed] = outcome
        return found

    def rows(self) -> tuple[ResultRow, ...]:
        """Return a row per cell, in the design's order, without cells that have neither outcome nor loss."""
        lost = Counter(trial.cell for trial in self.lost)
        return tuple(
            _row(cell, [tuple(seeds.values())], lost[cell])
            for cell, seeds in self.by_cell().items()
            if seeds or cell in lost
        )

    def rows_over_tasks(self) -> tuple[ResultRow, ...]:
        """Return them over all tasks, without those that have no finished trial."""
        found: dict[Cell, list[tuple[TrialOutcome, ...]]] = {}
        for cell, seeds in self.by_cell().items():
            if seeds:
                found.setdefault(replace(cell, task=""), []).append(tuple(seeds.values()))
        return tuple(_row(cell, tasks) for cell, tasks in found.items())

    def as_json(self) -> list[dict[str, object]]:
        """Return the rows without wall-clock times, so that the same seeds give the same."""
        base = self.design.base
        same = {"first_seed": self.design.first_seed, "robot": base.robot, "variant": base.variant}
        same |= {"prompt": base.prompt, "max_steps": base.max_steps}
        return [
            {
                _IN_FILES.get(name, name): round(value, 6) if isinstance(value, float) else value
                for name, value in asdict(row).items()
                if name not in _NOT_IN_FILES
            }
            | same
            for row in self.rows()
        ]


_IN_FILES = {"low": "wilson_low", "high": "wilson_high"} | {
    name: f"mean_{name}" for name in ("steps", "calls", "questions", "unanswered", "replans")
}
_NOT_IN_FILES = ("planning_seconds", "seconds", "belief")


def _row(cell: Cell, tasks: Sequence[Sequence[TrialOutcome]], lost: int = 0) -> ResultRow:
    every = [outcome for outcomes in tasks for outcome in outcomes]

    def total(name: str) -> int:
        return sum(getattr(outcome, name) for outcome in every)

    def mean(name: str) -> float:
        return fmean(getattr(outcome, name) for outcome in every) if every else 0.0

    rate = fmean(fmean(o.succeeded for o in outcomes) for outcomes in tasks) if every else 0.0
    ended = len(every), total("succeeded"), total("believed"), total("false_claim"), total("crashed"), lost
    interval = wilson_interval(total("succeeded"), len(every))
    belief = pooled(outcome.calibration for outcome in every)
    sure = *calibration(every), calibration_error(belief)
    means = mean("steps"), mean("calls"), mean("questions"), mean("unanswered"), mean("replans")
    accuracy = total("correct") / total("answered") if total("answered") else None
    situations = total("situations"), total("handled")
    times = mean("planning_seconds"), mean("seconds")
    place = cell.method, cell.task, cell.profile, cell.openness
    return ResultRow(*place, *ended, rate, *interval, *sure, *means, accuracy, *situations, *times, belief)


def calibration(outcomes: Iterable[TrialOutcome]) -> tuple[float | None, float | None]:
    """Return how likely the claims were held to be on average, and what fraction was right."""
    claims = [(o.claimed_at, o.succeeded) for o in outcomes if o.claimed_at is not None]
    if not claims:
        return None, None
    sure, right = (fmean(values) for values in zip(*claims, strict=True))
    return round(sure, 6), round(right, 6)


def as_csv(rows: Sequence[Mapping[str, object]]) -> str:
    """Return a header and one line per row."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
