"""The exploration walk score (EW) of a draft: equation 3 of the paper, counted as Mahdavi et al. do.

Walks of 1 to 10 words are drawn on either side and tried on the other; only whether they can be done counts.
A draft with EW 1 may still be wrong where no walk went: `difference.py` looks everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from statistics import fmean

from core.drafting.simulator import Simulator
from core.drafting.steps import DraftSteps, Walk

LENGTHS = range(1, 11)
EACH = 5  # walks of a length, on either side
EXACT = 1e-6  # as near to 1 as EW must be


@dataclass(frozen=True)
class Discrepancy:
    """A walk that one side can do and the other cannot: its last word is where they differ."""

    words: Walk
    draft_can: bool
    reason: str = ""

    @property
    def sentence(self) -> str:
        """Return it for a person, or for a model: all words count, not only the last."""
        *before, last = self.words
        start = f"After {', '.join(before)}" if before else "At the beginning"
        if self.draft_can:
            return f"{start}, {last!r} is possible in the draft but not in the world: {self.reason}."
        return f"{start}, {last!r} is possible in the world but not in the draft."


@dataclass(frozen=True)
class Score:
    """EW with its two halves: the share of the world's walks that the draft can do, and the other way."""

    of_world: float
    of_draft: float
    found: tuple[Discrepancy, ...] = ()  # shortest first
    untried: tuple[str, ...] = ()  # words that no walk had

    @property
    def ew(self) -> float:
        both = self.of_world + self.of_draft
        return 2 * self.of_world * self.of_draft / both if self.of_world and self.of_draft else 0.0

    @property
    def exact(self) -> bool:
        return abs(self.ew - 1) < EXACT


class Walks:
    """The walks of a simulator, drawn once: they do not depend on the draft."""

    def __init__(self, simulator: Simulator, seed: object = 0, each: int = EACH) -> None:
        self.simulator, self._seed, self._each = simulator, seed, each

    def _draw(self, length: int, number: int) -> Random:
        return Random(f"{self._seed} {length} {number}")

    @cached_property
    def of_world(self) -> tuple[tuple[Walk, ...], ...]:
        """Return the walks of each length."""
        return tuple(
            tuple(self.simulator.walk(n, self._draw(n, k)) for k in range(self._each)) for n in LENGTHS
        )

    def score(self, draft: DraftSteps) -> Score:
        """Score a draft. One that can do nothing at first scores 0."""
        tried, found = set[str](), list[Discrepancy]()
        world_shares, draft_shares = list[float](), list[float]()
        for length, walks in zip(LENGTHS, self.of_world, strict=True):
            world_shares.append(self._of_world(draft, walks, found))
            drawn = [draft.walk(length, self._draw(length, k)) for k in range(self._each)]
            if not all(drawn):
                return Score(0.0, 0.0, tuple(sorted(found, key=lambda f: len(f.words))))
            draft_shares.append(self._of_draft(drawn, found))
            tried.update(*walks, *drawn)
        found.sort(key=lambda f: len(f.words))
        untried = tuple(word for word in self.simulator.words if word not in tried)
        return Score(fmean(world_shares), fmean(draft_shares), tuple(found), untried)

    def _of_world(self, draft: DraftSteps, walks: Sequence[Walk], found: list[Discrepancy]) -> float:
        good = 0
        for walk in walks:
            done, _ = draft.run(walk)
            good += done == len(walk)
            if done < len(walk):
                found.append(Discrepancy(walk[: done + 1], False))
        return good / len(walks)

    def _of_draft(self, walks: Sequence[Walk], found: list[Discrepancy]) -> float:
        good = 0
        for walk in walks:
            run = self.simulator.run(walk)
            good += run.done == len(walk)
            if run.done is not None and run.done < len(walk):
                found.append(Discrepancy(walk[: run.done + 1], True, run.reason))
        return good / len(walks)
