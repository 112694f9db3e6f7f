"""What goes wrong, and when: draws that owe nothing to earlier draws.

A draw depends on the seed, the step and how often that step was tried before. So two methods that do
the same step for the same time meet the same luck, whatever else they did on the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from core.domains import Situation


def draw(seed: int, what: str, tries: int) -> float:
    """A number in [0, 1), the same on every machine."""
    digest = blake2b(f"{seed}\n{what}\n{tries}".encode(), digest_size=7).digest()
    return int.from_bytes(digest) / 2**56


def pick(situations: Sequence[Situation], luck: float) -> Situation | None:
    """The situation that this luck (in [0, 1)) falls on. At most one happens in a step."""
    for situation in situations:
        luck -= situation.rate
        if luck < 0:
            return situation
    return None
