"""Leave out the steps that a plan can do without (action elimination, Fink and Yang 1993)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from core.planning import semantics
from core.planning.fact_bits import BitOperator, FactBits
from core.planning.ground import GroundOperator
from core.planning_model import Problem, Step
from core.work import TooMuchWork, Work, work_in_force

MAX_STEPS = 1_000  # the time is quadratic in the length
MAX_STEPS_WITH_FORMULAS = 40  # with these or axioms, which take far longer to evaluate

_State = TypeVar("_State")
_Move = TypeVar("_Move")


def eliminate_redundant(problem: Problem, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return the plan without redundant steps. A step is left out with all that it alone makes applicable.

    Returns the plan as it is if that would take long. Raises Cancelled.
    """
    try:
        with Work():
            return _without_redundant(problem, steps)
    except TooMuchWork:
        return steps


def _without_redundant(problem: Problem, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    operators = [semantics.ground_operator(problem, step) for step in steps]
    if not (problem.domain.axioms or problem.goal_formulas or any(map(_has_formulas, operators))):
        if len(steps) > MAX_STEPS:
            return steps
        bits = FactBits()
        wanted, unwanted = bits.condition(problem.goal)
        kept = _eliminate(
            [bits.operator(operator) for operator in operators],
            bits.mask(problem.state),
            BitOperator.applicable,
            BitOperator.apply,
            lambda state: not (wanted & ~state or unwanted & state),
        )
        return tuple(operator.step for operator in kept)
    if len(steps) > MAX_STEPS_WITH_FORMULAS:
        return steps
    return tuple(
        _eliminate(
            list(steps),
            problem.state,
            lambda step, state: not semantics.inapplicable_reasons(problem, state, step),
            lambda step, state: semantics.apply(problem, state, step),
            lambda state: semantics.goal_holds(problem, state),
        )
    )


def _eliminate(
    moves: list[_Move],
    before: _State,
    applicable: Callable[[_Move, _State], bool],
    apply: Callable[[_Move, _State], _State],
    reached: Callable[[_State], bool],
) -> list[_Move]:
    number, work = 0, work_in_force()
    while number < len(moves):
        work.spend(len(moves))
        state, kept = before, moves[:number]
        for move in moves[number + 1 :]:
            if applicable(move, state):
                state = apply(move, state)
                kept.append(move)
        if reached(state):
            moves = kept
        else:
            before = apply(moves[number], before)
            number += 1
    return moves


def _has_formulas(operator: GroundOperator) -> bool:
    return bool(operator.formulas) or any(effect.formulas for effect in operator.conditional_effects)
