"""Statistics for comparing two methods and two rankings; exact, without a library."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb, sqrt


def mcnemar(only_first: int, only_second: int) -> float:
    """Return the exact two-sided p-value of McNemar's test.

    This is the probability of discordant pairs (in which only one method succeeded) as uneven as these, or
    more, if neither method is better.
    """
    discordant = only_first + only_second
    tail = sum(comb(discordant, k) for k in range(min(only_first, only_second) + 1))
    return min(1.0, 2 * tail / (1 << discordant))


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Spearman's rank correlation; ties share their mean rank. None if one side is constant."""
    a, b = _ranks(first), _ranks(second)
    mean = (len(a) + 1) / 2
    product = sum((x - mean) * (y - mean) for x, y in zip(a, b, strict=True))
    size = sqrt(sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b))
    return product / size if size else None


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
