"""Outcomes as rows: what `--json` writes and the report shows."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import fmean

from core.evaluation.outcome import TrialOutcome, calibration_error, pooled
from core.evaluation.trial import Cell, Design, Trial
from core.review.intervals import wilson_interval


@dataclass(frozen=True)
class CellResult:
    """The results of one cell.

    `successes` counts goals truly reached, `believed` goals that the method believed reached when it ended,
    and `false_claims` those of them that were not reached. No wall-clock times are included, so that the same
    seeds give the same row. `accuracy` is the fraction of correct yes/no answers.
    """

    method: str
    task: str
    profile: str
    openness: float
    trials: int  # with an outcome
    successes: int
    believed: int
    false_claims: int
    crashed: int
    lost: int  # without an outcome: its process died, or its parts could not be made
    rate: float
    wilson_low: float
    wilson_high: float
    mean_claim: float | None  # how likely the claimed goals were held to be; None: the method does not say
    claims_right: float | None  # the fraction of these that were reached: the same, if it is calibrated
    belief_error: float | None  # how far belief and truth of the facts asked about are apart, as ECE
    mean_steps: float
    mean_calls: float
    mean_questions: float
    mean_unanswered: float
    mean_replans: float
    accuracy: float | None
    situations: int  # that came between, told in words
    handled: int  # of them, where the goal was reached all the same
    first_seed: int
    robot: str
    variant: str
    prompt: str
    max_steps: int


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

    def rows(self) -> tuple[CellResult, ...]:
        """Return a row per cell, in the design's order, without cells that have neither outcome nor loss."""
        lost = [trial.cell for trial in self.lost]
        return tuple(
            _row(cell, tuple(seeds.values()), lost.count(cell), self.design)
            for cell, seeds in self.by_cell().items()
            if seeds or cell in lost
        )

    def as_json(self) -> list[dict[str, object]]:
        return [asdict(row) for row in self.rows()]


def _row(cell: Cell, outcomes: tuple[TrialOutcome, ...], lost: int, design: Design) -> CellResult:
    def total(name: str) -> int:
        return sum(getattr(outcome, name) for outcome in outcomes)

    def mean(name: str) -> float:
        return round(total(name) / len(outcomes), 6) if outcomes else 0.0

    low, high = wilson_interval(total("succeeded"), len(outcomes))
    error = calibration_error(pooled(outcome.calibration for outcome in outcomes))
    base = design.base
    place = cell.method, cell.task, cell.profile, cell.openness
    ended = len(outcomes), total("succeeded"), total("believed"), total("false_claim"), total("crashed"), lost
    rates = mean("succeeded"), round(low, 6), round(high, 6)
    belief = *calibration(outcomes), None if error is None else round(error, 6)
    means = mean("steps"), mean("calls"), mean("questions"), mean("unanswered"), mean("replans")
    accuracy = round(total("correct") / total("answered"), 6) if total("answered") else None
    situations = total("situations"), total("handled")
    first, given, most = design.first_seed, (base.robot, base.variant, base.prompt), base.max_steps
    return CellResult(*place, *ended, *rates, *belief, *means, accuracy, *situations, first, *given, most)


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
