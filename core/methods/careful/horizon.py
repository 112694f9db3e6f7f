"""Price steps where an episode may end before the goal is reached: what counts is to reach and claim it in
the steps that are left (a finite horizon: Puterman, Markov Decision Processes, 1994, chapter 4).

A plan takes its steps at least, and those of what fails besides: mostly of one step that is tried again and
again, so that their number is close to geometric, and a plan that takes longer than is left on average may
still come in time. Its price is the steps that are spent, and what giving up costs as far as it comes too
late. So steps are dear where the goal is within reach, and cost nothing where it is out of reach anyway.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp
from typing import NamedTuple

LEAST = 0.25  # of a price of a question or look, however dear a step is


class Takes(NamedTuple):
    """The steps that a plan takes on average, and at least."""

    steps: float
    least: int = 0


@dataclass(frozen=True)
class Horizon:
    """`left` steps, None: without an end; `giving_up` is what it costs, in steps."""

    left: int | None = None
    giving_up: float = 100.0

    def late(self, takes: Takes) -> float:
        """Return how likely a plan comes too late."""
        if self.left is None or takes.steps <= 0:
            return 0.0
        spare, failing = self.left + 1 - takes.least, takes.steps - takes.least
        if spare <= 0:
            return 1.0
        return exp(-spare / failing) if failing > 0 else 0.0

    def price(self, takes: Takes) -> float:
        """Return what a plan costs on average."""
        if self.left is None:
            return takes.steps
        late = self.late(takes)
        spent = takes.least + (takes.steps - takes.least) * (1 - late)
        return min(spent, self.left) + self.giving_up * late

    def of_a_step(self, takes: Takes) -> float:
        """Return what one step costs that is done before a plan."""
        if not self.left:
            return 1.0
        return 1 + replace(self, left=self.left - 1).price(takes) - self.price(takes)

    def discount(self, step: float) -> float:
        """Return the share of its price that a question has where a step costs this: it takes none."""
        return max(LEAST, min(1.0, 1 / max(step, 1.0)))
