"""95 % intervals: Wilson's of a proportion, Student's of a mean."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

Interval = tuple[float, float]


def wilson_interval(agreed: int, judged: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a proportion."""
    if not judged:
        return 0.0, 1.0
    z, p = 1.96, agreed / judged
    centre = (p + z * z / (2 * judged)) / (1 + z * z / judged)
    half = z / (1 + z * z / judged) * sqrt(p * (1 - p) / judged + z * z / (4 * judged * judged))
    return max(0.0, centre - half), min(1.0, centre + half)


def grouped_interval(counts: Sequence[tuple[int, int]]) -> Interval:
    """Return the 95 % interval of a share, counted as (part, whole) in each of some groups, as episodes are:
    what is alike within a group says less. All of 0 to 1 for fewer than two groups.
    """
    part, whole = map(sum, zip(*counts, strict=True)) if counts else (0, 0)
    if len(counts) < 2 or not whole:
        return 0.0, 1.0
    low, high = wilson_interval(part, whole)
    share, n = part / whole, len(counts)
    spread = sqrt(n / (n - 1) * sum((of - share * all_) ** 2 for of, all_ in counts)) / whole
    half = _student(n - 1) * spread
    return max(0.0, min(low, share - half)), min(1.0, max(high, share + half))


def mean_interval(n: int, total: float, squares: float) -> Interval | None:
    """Return Student's interval of a mean, from the sum and the sum of squares of `n` values.

    None for fewer than two: how far they spread is not known.
    """
    if n < 2:
        return None
    middle = total / n
    spread = sqrt(max(0.0, squares - n * middle * middle) / (n - 1))
    half = _student(n - 1) * spread / sqrt(n)
    return middle - half, middle + half


def _student(freedom: int) -> float:
    """Return the 97.5 % quantile of Student's distribution, within 0.5 %."""
    if freedom < len(_FEW) + 1:
        return _FEW[freedom - 1]
    z = 1.959964
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


_FEW = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447)
