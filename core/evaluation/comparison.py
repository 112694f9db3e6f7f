"""Compare methods with each other and with the paper, from the same outcomes as the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, sqrt
from statistics import correlation, fmean

from core.evaluation import paper
from core.evaluation.table import Results
from core.evaluation.trial import Cell


def mcnemar(only_first: int, only_second: int) -> float:
    """Return the exact two-sided p-value of McNemar's test.

    This is the probability of discordant pairs (in which only one method succeeded) as uneven as these, or
    more, if neither method is better.
    """
    discordant = only_first + only_second
    tail = sum(comb(discordant, k) for k in range(min(only_first, only_second) + 1))
    return min(1.0, 2 * tail / (1 << discordant))


def fisher(first: tuple[int, int], second: tuple[int, int]) -> float:
    """Return the exact two-sided p-value of Fisher's test, of two (successes, trials)."""
    (won, of), (also, others) = first, second
    total = won + also

    def ways(k: int) -> int:
        return comb(of, k) * comb(others, total - k)

    possible = range(max(0, total - others), min(of, total) + 1)
    return sum(w for k in possible if (w := ways(k)) <= ways(won)) / comb(of + others, total)


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Spearman's rank correlation; ties share their mean rank. None if one side is constant."""
    a, b = _ranks(first), _ranks(second)
    return correlation(a, b) if len({*a}) > 1 and len({*b}) > 1 else None


def kendall(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Kendall's tau-b, concordant against discordant pairs. None if one side is constant."""
    signs = [
        (_sign(a - c), _sign(b - d)) for (a, b), (c, d) in combinations(zip(first, second, strict=True), 2)
    ]
    size = sqrt(sum(x != 0 for x, _ in signs) * sum(y != 0 for _, y in signs))
    return sum(x * y for x, y in signs) / size if size else None


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def _ranks(values: Sequence[float]) -> list[float]:
    return [sum(o < v for o in values) + (sum(o == v for o in values) + 1) / 2 for v in values]


REFERENCE = "dkprompt"  # the method that the others are compared with


@dataclass(frozen=True)
class PairedTest:
    """The reference against a method on the same tasks, seeds, profile and openness."""

    method: str
    profile: str
    openness: float
    pairs: int
    only_reference: int
    only_method: int
    p: float


def paired_tests(results: Results) -> tuple[PairedTest, ...]:
    """Return the exact McNemar test of each method against the reference, where both were run."""
    outcomes = results.by_cell()
    found = []
    for line in results.rows_over_tasks():
        if line.method == REFERENCE:
            continue
        pairs = []
        for task in results.design.tasks:
            mine = outcomes.get(Cell(line.method, task, line.profile, line.openness), {})
            other = outcomes.get(Cell(REFERENCE, task, line.profile, line.openness), {})
            pairs += [(other[s].succeeded, mine[s].succeeded) for s in mine.keys() & other.keys()]
        if pairs:
            first, second = pairs.count((True, False)), pairs.count((False, True))
            place = line.method, line.profile, line.openness
            found.append(PairedTest(*place, len(pairs), first, second, mcnemar(first, second)))
    return tuple(found)


@dataclass(frozen=True)
class RankAgreement:
    """How well the order of the methods agrees with the paper's, for the profile of its main model."""

    methods: tuple[str, ...]
    spearman: float | None
    kendall: float | None
    mean_difference: float  # of the rates, absolute, without the method that was fitted


def rank_agreement(results: Results) -> RankAgreement | None:
    """Return the agreement; None if fewer than three of the paper's methods were run under its conditions."""
    rows = [r for r in results.rows_over_tasks() if r.profile == paper.MAIN_PROFILE and r.paper is not None]
    if len(rows) < 3:
        return None
    ours, theirs = [r.rate for r in rows], [r.paper or 0.0 for r in rows]
    apart = [abs(r.rate - (r.paper or 0.0)) for r in rows if r.method != REFERENCE]
    return RankAgreement(
        tuple(r.method for r in rows), spearman(ours, theirs), kendall(ours, theirs), fmean(apart)
    )


@dataclass(frozen=True)
class Difference:
    """A cell whose success is far from the paper's; both as (successes, trials)."""

    cell: Cell
    ours: tuple[int, int]
    theirs: tuple[int, int]

    @property
    def points(self) -> float:
        return 100 * (self.ours[0] / self.ours[1] - self.theirs[0] / self.theirs[1])

    @property
    def p(self) -> float:
        return fisher(self.ours, self.theirs)


FAR = 20.0  # percentage points


def differences(results: Results) -> tuple[Difference, ...]:
    """Return the cells that are `FAR` or more from the paper's, the largest difference first."""
    found = []
    for cell, outcomes in results.by_cell().items():
        theirs = paper.counts(cell.method, cell.profile, cell.task)
        if theirs is not None and outcomes and cell.openness == 1:
            won = sum(outcome.succeeded for outcome in outcomes.values())
            found.append(Difference(cell, (won, len(outcomes)), theirs))
    far = (difference for difference in found if abs(difference.points) >= FAR)
    return tuple(sorted(far, key=lambda difference: -abs(difference.points)))
