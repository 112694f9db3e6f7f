"""Price questions and looks when few steps are left.

Their prices are in steps, and a step is worth more where the episode may end for want of one: a shadow price
(Altman, Constrained Markov Decision Processes, 1999). So they cost less then.
"""

from __future__ import annotations

AMPLE = 2.0  # times the steps that are expected to be needed; with more left, the prices are as set
LEAST = 0.25  # of a price, however few steps are left
MOST_NEEDED = 60.0  # steps; a doubtful goal may look dearer than any episode


def discounted(steps_left: int | None, expected: float) -> float:
    """Return the share of its price that a question has, where `expected` steps are needed yet; None: no
    limit.
    """
    if steps_left is None:
        return 1.0
    needed = min(expected, MOST_NEEDED) + 1
    return max(LEAST, min(1.0, steps_left / (AMPLE * needed)))
