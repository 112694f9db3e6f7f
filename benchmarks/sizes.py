"""What the benchmarks measure with. With TINY=1 it is so little that the tests run each of them."""

from __future__ import annotations

import os

TINY = bool(os.environ.get("TINY"))


def sized(whole: int, tiny: int) -> int:
    """Return how much is measured."""
    return tiny if TINY else whole


TASKS = ("halve_egg", "boil_water", "bring_in_bottles", "cook_frozen_pie", "store_firewood")[: sized(5, 1)]
