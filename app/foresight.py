"""What an answer would do, before it is given: worked out with the method's own pure functions."""

from __future__ import annotations

from app.naming import Naming
from app.words import ahead
from core.facts import Answer
from core.ports import Method, Moment
from core.story import Story


def foresee(method: Method, story: Story, answers: tuple[Answer, ...], naming: Naming) -> str:
    """In a few words; "" where there is nothing to say. No planner runs."""
    belief = method.believe(story.belief, answers, story.turn)
    if method.reached(belief):
        return "then the goal is believed"
    plan = tuple(line.step for line in ahead(story))
    if not plan:
        return "then it plans again"
    unmet = method.surprises(Moment(story.turn, belief, plan=plan))
    if unmet:
        return f"then “{naming.say(plan[0])}” cannot be done"
    return f"then “{naming.say(plan[0])}” can be done"
