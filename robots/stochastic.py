"""What goes wrong, and when: draws that owe nothing to earlier draws.

A draw depends on the seed, the step and how often that step was tried before. So two methods that do
the same step for the same time meet the same luck, whatever else they did on the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from core.domains import Situation


def sample(seed: int, event: str, attempt: int) -> float:
    """A number in [0, 1), the same on every machine."""
    digest = blake2b(f"{seed}\n{event}\n{attempt}".encode(), digest_size=7).digest()
    return int.from_bytes(digest) / 2**56


def select(situations: Sequence[Situation], uniform: float) -> Situation | None:
    """The situation that this luck (in [0, 1)) falls on. At most one happens in a step."""
    for situation in situations:
        uniform -= situation.rate
        if uniform < 0:
            return situation
    return None
