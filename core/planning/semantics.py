"""What a step means: pure functions over a problem, a state and a step.

All conditions look at the old state; deletes come before adds. Ground operators are bound one by one,
when first asked for, and kept per problem digest, so that a step costs microseconds in a loop.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache

from core.planning.ground import Operator, State, bindings, ground, holds, objects_by_type
from core.problem import EQUALS, Literal, Plan, Problem, Step

# --- steps ------------------------------------------------------------------------------------------


def applicable(problem: Problem, state: State, step: Step) -> tuple[str, ...]:
    """Why the step cannot be done now, in words; nothing if it can."""
    known = _operators(problem.digest).get((step.name, step.args))
    if known and known.applicable(state):
        return ()
    if faults := _ill_formed(problem, step):
        return faults
    return tuple(_why(literal) for literal in unmet(problem, state, step))


def unmet(problem: Problem, state: State, step: Step) -> tuple[Literal, ...]:
    """The preconditions of the step that do not hold. Raises KeyError for a step that no action has."""
    return tuple(p for p in operator(problem, step).precondition if not holds(state, p))


def apply(problem: Problem, state: State, step: Step) -> State:
    """The state after the step, which must be one of the problem's. Raises KeyError otherwise."""
    return operator(problem, step).apply(state)


def reached(problem: Problem, state: State) -> bool:
    """Whether the goal holds."""
    return all(holds(state, literal) for literal in problem.goal)


def check(problem: Problem, plan: Plan | Sequence[Step]) -> tuple[str, ...]:
    """Why the steps do not lead from the problem's state to its goal; nothing if they do."""
    state = problem.state
    for number, step in enumerate(plan.steps if isinstance(plan, Plan) else plan, 1):
        if reasons := applicable(problem, state, step):
            return tuple(f"step {number} {step}: {reason}" for reason in reasons)
        state = apply(problem, state, step)
    return tuple(f"at the end {_why(goal)}" for goal in problem.goal if not holds(state, goal))


def applicable_steps(problem: Problem, state: State) -> tuple[Step, ...]:
    """Every step that can be done now, sorted."""
    steps = (
        Step(action.name, args)
        for action in problem.domain.actions
        for args in bindings(action, _objects(problem), action.precondition, state)
    )
    return tuple(sorted(steps, key=lambda s: (s.name, s.args)))


def random_walk(problem: Problem, length: int, seed: int) -> tuple[Step, ...]:
    """Up to `length` steps, each drawn from those applicable; shorter at a dead end."""
    draw = random.Random(seed)
    state, walk = problem.state, []
    for _ in range(length):
        steps = applicable_steps(problem, state)
        if not steps:
            break
        walk.append(draw.choice(steps))
        state = apply(problem, state, walk[-1])
    return tuple(walk)


def _ill_formed(problem: Problem, step: Step) -> tuple[str, ...]:
    try:
        action = problem.domain.action(step.name)
    except KeyError:
        return (f"there is no action named {step.name!r}",)
    if len(step.args) != len(action.parameters):
        return (f"{step.name} takes {len(action.parameters)} objects, not {len(step.args)}",)
    types = {o.name: o.type for o in problem.everything}
    faults = []
    for name, parameter in zip(step.args, action.parameters, strict=True):
        if name not in types:
            faults.append(f"there is no object named {name!r}")
        elif not problem.domain.is_a(types[name], parameter.type):
            faults.append(f"{name} is of type {types[name]!r}, not {parameter.type!r}")
    return tuple(faults)


def _why(literal: Literal) -> str:
    if literal.predicate == EQUALS:
        return f"{' and '.join(literal.args)} are {'not ' if literal.positive else ''}the same"
    return f"{literal.atom} {'does not hold' if literal.positive else 'holds, but must not'}"


# --- ground operators, bound when first asked for ----------------------------------------------------


def operator(problem: Problem, step: Step) -> Operator:
    """The step's operator. Raises KeyError for a step that no action of the domain has."""
    known = _operators(problem.digest)
    key = (step.name, step.args)
    if key not in known:
        if _ill_formed(problem, step):
            raise KeyError(str(step))
        known[key] = ground(problem.domain.action(step.name), step.args, _objects(problem))
    return known[key]


def _objects(problem: Problem) -> dict[str, tuple[str, ...]]:
    known = _objects_by_type(problem.digest)
    if not known:
        known.update(objects_by_type(problem))
    return known


@lru_cache(maxsize=256)
def _operators(digest: str) -> dict[tuple[str, tuple[str, ...]], Operator]:
    return {}


@lru_cache(maxsize=256)
def _objects_by_type(digest: str) -> dict[str, tuple[str, ...]]:
    return {}
