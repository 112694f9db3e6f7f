"""Random draws that decide what goes wrong, each independent of the draws before it.

A draw depends on the seed, on the step and on how often that step was tried before. Two methods that do the
same step for the same time therefore get the same outcome, whatever else they did before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import TypedDict

from core.domains import Situation


class Chances(TypedDict, total=False):
    """What decides what goes wrong in an episode: `openness` scales the rates of the situations, and `rates`
    replaces those of single ones by name."""

    seed: int
    openness: float
    rates: Mapping[str, float] | None


def sample(seed: int, event: str, attempt: int) -> float:
    """Return a pseudorandom number in [0, 1) that is the same on every machine."""
    digest = blake2b(f"{seed}\n{event}\n{attempt}".encode(), digest_size=7).digest()
    return int.from_bytes(digest) / 2**56


def select(situations: Sequence[Situation], uniform: float) -> Situation | None:
    """Return the one situation that `uniform`, a draw in [0, 1), selects, or None."""
    for situation in situations:
        uniform -= situation.rate
        if uniform < 0:
            return situation
    return None
