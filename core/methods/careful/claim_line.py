"""From which probability on the method claims the goal, whatever else it could do."""

from __future__ import annotations

from core.methods.careful.cost_to_go import MAKING_SURE
from core.methods.careful.options import CarefulOptions


def claim_line(options: CarefulOptions) -> float:
    """Return the probability of the goal from which it is always claimed.

    Making sure costs at least `MAKING_SURE` steps. From here on the doubt costs less than that; below, the
    goal is still claimed if making sure costs more. Raise the price of a false claim to raise the line.
    """
    return max(0.0, 1 - MAKING_SURE / options.false_claim_cost)
