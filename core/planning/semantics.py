"""The semantics of steps: pure functions of a problem, a state and a step.

All conditions refer to the old state and what follows from it by axioms; deletes come before adds. Ground
operators are created when first needed and cached per problem digest, so that a step takes microseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from core.planning.axioms import closure
from core.planning.ground import GroundOperator, State, ground, holds
from core.planning.join import FactIndex, Join
from core.planning_model import EQUALS, Condition, Literal, Plan, Problem, Step

# --- steps ------------------------------------------------------------------------------------------


def inapplicable_reasons(problem: Problem, state: State, step: Step) -> tuple[str, ...]:
    """Return in words why the step is not applicable now; () if it is."""
    known = _operators(problem.digest).get((step.name, step.args))
    whole = closure(problem, state)
    if known and known.applicable(whole):
        return ()
    if faults := problem.step_faults(step):
        return faults
    op = ground_operator(problem, step)
    return tuple(
        _describe_unmet(wanted) for wanted in (*op.precondition, *op.formulas) if not holds(whole, wanted)
    )


def is_applicable(problem: Problem, state: State, step: Step) -> bool:
    """Return True if the step is applicable now; faster than the reasons why it is not."""
    known = _operators(problem.digest).get((step.name, step.args))
    if known is None:
        return not inapplicable_reasons(problem, state, step)
    return known.applicable(closure(problem, state))


def unmet_preconditions(problem: Problem, state: State, step: Step) -> tuple[Literal, ...]:
    """Return the precondition literals that do not hold. Raises KeyError if no action has this step."""
    whole = closure(problem, state)
    return tuple(p for p in ground_operator(problem, step).precondition if not holds(whole, p))


def apply(problem: Problem, state: State, step: Step) -> State:
    """Return the state after the step. Raises KeyError if the step is not the problem's."""
    return ground_operator(problem, step).apply(state, closure(problem, state))


def goal_holds(problem: Problem, state: State) -> bool:
    """Return True if the goal holds."""
    whole = closure(problem, state)
    return all(holds(whole, wanted) for wanted in (*problem.goal, *problem.goal_formulas))


def plan_faults(problem: Problem, plan: Plan | Sequence[Step]) -> tuple[str, ...]:
    """Return why the steps do not lead from the problem's state to its goal; () if they do."""
    state = problem.state
    for number, step in enumerate(plan.steps if isinstance(plan, Plan) else plan, 1):
        if reasons := inapplicable_reasons(problem, state, step):
            return tuple(f"step {number} {step}: {reason}" for reason in reasons)
        state = apply(problem, state, step)
    whole, goals = closure(problem, state), (*problem.goal, *problem.goal_formulas)
    return tuple(f"at the end {_describe_unmet(goal)}" for goal in goals if not holds(whole, goal))


def applicable_steps(problem: Problem, state: State) -> tuple[Step, ...]:
    """Return every applicable step, sorted."""
    whole = closure(problem, state)
    index = FactIndex(whole)
    steps = (
        step
        for action in problem.domain.actions
        for args in Join(action.parameters, action.precondition, problem.of_type).run(index)
        if (step := Step(action.name, args)) and (not action.formulas or _is_applicable(problem, whole, step))
    )
    return tuple(sorted(steps, key=lambda s: (s.name, s.args)))


def _is_applicable(problem: Problem, whole: State, step: Step) -> bool:
    return ground_operator(problem, step).applicable(whole)


def _describe_unmet(literal: Condition) -> str:
    if not isinstance(literal, Literal):
        return f"{literal} does not hold"
    if literal.predicate == EQUALS:
        return f"{' and '.join(literal.args)} are {'not ' if literal.positive else ''}the same"
    return f"{literal.atom} {'does not hold' if literal.positive else 'holds, but must not'}"


# --- ground operators, bound when first asked for ----------------------------------------------------


def ground_operator(problem: Problem, step: Step) -> GroundOperator:
    """Return the step's operator. Raises KeyError if no action of the domain has this step."""
    known = _operators(problem.digest)
    key = (step.name, step.args)
    if key not in known:
        if problem.step_faults(step):
            raise KeyError(str(step))
        known[key] = ground(problem.domain.action(step.name), step.args, problem.of_type)
    return known[key]


@lru_cache(maxsize=256)
def _operators(digest: str) -> dict[tuple[str, tuple[str, ...]], GroundOperator]:
    return {}
