"""Leave out the steps that a plan can do without (action elimination, Fink and Yang 1993)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar

from core.belief import Atom
from core.planning import semantics
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
        bits = _Bits()
        moves = [bits.move(operator) for operator in operators] if len(steps) <= MAX_STEPS else []
        wanted = bits.mask(literal.atom for literal in problem.goal if literal.positive)
        unwanted = bits.mask(literal.atom for literal in problem.goal if not literal.positive)
        kept = _eliminate(
            moves,
            bits.mask(problem.state),
            _applicable,
            _apply,
            lambda state: not (wanted & ~state or unwanted & state),
        )
        return tuple(move.step for move in kept) or steps
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


# --- states as the bits of an integer, which is 20 times faster --------------------------------------------


class _BitMove(NamedTuple):
    step: Step
    needs: int
    forbids: int
    adds: int
    deletes: int
    effects: tuple[tuple[int, int, int, bool], ...]  # what each needs and forbids, its fact, whether it adds


class _Bits:
    """Numbers atoms as they come."""

    def __init__(self) -> None:
        self._bits: dict[Atom, int] = {}

    def mask(self, atoms: Iterable[Atom]) -> int:
        found = 0
        for atom in atoms:
            found |= self._bits.setdefault(atom, 1 << len(self._bits))
        return found

    def move(self, op: GroundOperator) -> _BitMove:
        mask = self.mask
        effects = ((mask(e.needs), mask(e.forbids), mask((e.atom,)), e.add) for e in op.conditional_effects)
        return _BitMove(
            op.step, mask(op.needs), mask(op.forbids), mask(op.adds), mask(op.deletes), tuple(effects)
        )


def _has_formulas(operator: GroundOperator) -> bool:
    return bool(operator.formulas) or any(effect.formulas for effect in operator.conditional_effects)


def _applicable(move: _BitMove, state: int) -> bool:
    return not (move.needs & ~state or move.forbids & state)


def _apply(move: _BitMove, state: int) -> int:
    adds, deletes = move.adds, move.deletes
    for needs, forbids, fact, add in move.effects:
        if not (needs & ~state or forbids & state):
            if add:
                adds |= fact
            else:
                deletes |= fact
    return (state & ~deletes) | adds
