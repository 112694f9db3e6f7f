"""Random walks through a problem."""

from __future__ import annotations

import random

from core.planning.semantics import applicable_steps, apply
from core.planning_model import Problem, Step


def random_walk(problem: Problem, length: int, seed: int) -> tuple[Step, ...]:
    """Return up to `length` steps, each drawn from those applicable; fewer at a dead end."""
    draw = random.Random(seed)
    state, walk = problem.state, []
    for _ in range(length):
        steps = applicable_steps(problem, state)
        if not steps:
            break
        walk.append(draw.choice(steps))
        state = apply(problem, state, walk[-1])
    return tuple(walk)
