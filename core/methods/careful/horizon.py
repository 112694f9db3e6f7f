"""Price steps where an episode may end before the goal is reached: what counts is to reach and claim it in
the steps that are left (a finite horizon: Puterman, Markov Decision Processes, 1994, chapter 4).

A plan takes more steps than on average, or fewer. Its price is the steps that are spent, and what giving up
costs as far as it comes too late. So steps are dear where the goal is just within reach, and cost next to
nothing where it is out of reach anyway.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pow

STEADY = 5.0  # how closely plans take the steps that are expected: the shape of a log-logistic distribution
LEAST = 0.25  # of a price of a question or look, however dear a step is


@dataclass(frozen=True)
class Horizon:
    """`left` steps, None: without an end; `giving_up` is what it costs, in steps."""

    left: int | None = None
    giving_up: float = 100.0

    def late(self, steps: float) -> float:
        """Return how likely a plan of so many steps on average comes too late."""
        if self.left is None or steps <= 0:
            return 0.0
        return 1 / (1 + pow(self.left / steps, STEADY))

    def price(self, steps: float, reached: bool = False) -> float:
        """Return what a plan of so many steps on average costs; `reached`: the goal, whatever they take."""
        if self.left is None:
            return steps
        return min(steps, self.left) + (0.0 if reached else self.giving_up * self.late(steps))

    def of_a_step(self, steps: float) -> float:
        """Return what one step more costs, with so many to go."""
        late = self.late(steps)
        return 1.0 + (self.giving_up * STEADY / steps * late * (1 - late) if late else 0.0)

    def discount(self, steps: float) -> float:
        """Return the share of its price that a question has, with so many steps to go: it takes none."""
        return max(LEAST, 1 / self.of_a_step(steps))
