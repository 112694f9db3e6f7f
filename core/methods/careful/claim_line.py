"""From which probability on the method claims the goal whatever else it could do, and why below."""

from __future__ import annotations

from collections.abc import Sequence

from core.belief import Belief, BeliefSource
from core.methods.careful.cost_to_go import MAKING_SURE
from core.methods.careful.options import CarefulOptions
from core.methods.careful.rate_doubt import AnswerModel, Habit
from core.methods.careful.world_model import WorldModel

TELL_NOTHING = {
    Habit.NOTHING: "they seem to be guessed",
    Habit.AGREES: "they seem to say whatever is expected",
    Habit.REPEATS: "they seem to be the first ones again",
}


def claim_line(options: CarefulOptions) -> float:
    """Return the probability of the goal from which it is always claimed.

    Making sure costs at least `MAKING_SURE` steps. From here on the doubt costs less than that; below, the
    goal is still claimed if making sure costs more. Raise the price of a false claim to raise the line.
    """
    return max(0.0, 1 - MAKING_SURE / options.false_claim_cost)


def answers_note(ways: Sequence[AnswerModel], shares: Sequence[float]) -> str:
    """Return in a sentence that the answers of the episode tell nothing, "" where they seem to."""
    told = {
        habit: sum(p for way, p in zip(ways, shares, strict=True) if way.habit is habit)
        for habit in TELL_NOTHING
    }
    if sum(told.values()) < 0.5:
        return ""
    how = TELL_NOTHING[max(told, key=lambda habit: told[habit])]
    return f". The answers tell nothing: {how}"


def claim_note(sure: float, options: CarefulOptions, steps_left: int | None) -> str:
    """Return with which probability of the goal it is claimed, and below the line why even so."""
    note = f"The goal is reached with {100 * sure:.1f} % probability"
    if sure >= claim_line(options):
        return note
    why = "no steps are left" if steps_left == 0 else "making sure would cost more than the doubt"
    return f"{note}; {why}"


def unsure_note(sure: float, options: CarefulOptions) -> str:
    """Return with which probability of the goal it is not claimed at the last step, and from which it is."""
    least = 1 - options.giving_up_cost / options.false_claim_cost
    return (
        f"The goal is reached with {100 * sure:.1f} % probability. As a false claim costs "
        f"{options.false_claim_cost:,.0f} and giving up {options.giving_up_cost:,.0f}, it is claimed from "
        f"{100 * least:.1f} % on. Look for yourself and correct the belief, or end the episode"
    )


def unseen_note(world: WorldModel, belief: Belief) -> str:
    """Return in a sentence what no picture and no sensor shows of the goal, and no person has said; "" where
    there is nothing: that much of the claim is as right as the folder's effects and situations are.
    """
    shown, domain = world.seen | world.sensed, world.problem.domain
    changed = domain.fluents - domain.derived
    unseen = [
        world.domain_spec.describe_atom(literal)
        for literal in world.problem.goal
        if literal.predicate in changed - shown and belief.source(literal.atom) is not BeliefSource.OPERATOR
    ]
    if not unseen:
        return ""
    return (
        f". Nothing shows that {' and that '.join(unseen)}: it follows from the steps as the folder has them"
    )
