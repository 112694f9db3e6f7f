"""The semantics of steps: pure functions of a problem, a state and a step.

All conditions refer to the old state and what follows from it by axioms; deletes come before adds. They work
on the compiled problem, so that a step takes microseconds.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.planning.compiled import compiled
from core.planning.fact_bits import State
from core.planning.join import FactIndex, Join
from core.planning.pddl.formulas import conjunction, equality_value, ground_condition, holds, split
from core.planning_model import EQUALS, Condition, Literal, Plan, Problem, Step

# --- steps ------------------------------------------------------------------------------------------


def inapplicable_reasons(problem: Problem, state: State, step: Step) -> tuple[str, ...]:
    """Return in words why the step is not applicable now; () if it is."""
    if is_applicable(problem, state, step):
        return ()
    if faults := problem.step_faults(step):
        return faults
    whole, wanted = closure(problem, state), _precondition(problem, step)
    return tuple(_describe_unmet(part) for part in wanted if not holds(whole, part))


def is_applicable(problem: Problem, state: State, step: Step) -> bool:
    """Return True if the step is applicable now; faster than the reasons why it is not."""
    known = compiled(problem)
    try:
        return known.operator(step).applicable(known.mask(state))
    except KeyError:  # no action has this step
        return False


def preconditions(problem: Problem, step: Step) -> tuple[Literal, ...]:
    """Return the precondition's literals as written, "=" included; a universal one is one for each object.

    Raises KeyError if no action has this step.
    """
    return tuple(part for part in _precondition(problem, step) if isinstance(part, Literal))


def unmet_preconditions(problem: Problem, state: State, step: Step) -> tuple[Literal, ...]:
    """Return the precondition literals that do not hold. Raises KeyError if no action has this step."""
    whole = closure(problem, state)
    return tuple(p for p in preconditions(problem, step) if not holds(whole, p))


def apply(problem: Problem, state: State, step: Step) -> State:
    """Return the state after the step. Raises KeyError if the step is not the problem's."""
    known = compiled(problem)
    now = known.mask(state)
    adds, deletes = known.operator(step).changes(now)
    return state.difference(known.facts.atoms(deletes & now & ~adds)).union(known.facts.atoms(adds & ~now))


def adds(problem: Problem, step: Step) -> State:
    """Return what the step makes true in any state. Raises KeyError if no action has this step."""
    known = compiled(problem)
    return frozenset(known.facts.atoms(known.operator(step).adds))


def touched(problem: Problem, step: Step, *, always: bool = False) -> State:
    """Return the facts that the step may change, or does whatever holds.

    Raises KeyError if no action has this step.
    """
    known = compiled(problem)
    op = known.operator(step)
    return frozenset(known.facts.atoms(op.adds | op.deletes if always else op.touched))


def goal_holds(problem: Problem, state: State) -> bool:
    """Return True if the goal holds."""
    known = compiled(problem)
    return known.goal.applicable(known.mask(state))


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
    index = FactIndex(closure(problem, state))
    steps = (
        step
        for action in problem.domain.actions
        for args in Join(action.parameters, action.precondition, problem.of_type).run(index)
        if (step := Step(action.name, args)) and (not action.formulas or is_applicable(problem, state, step))
    )
    return tuple(sorted(steps, key=lambda s: (s.name, s.args)))


def closure(problem: Problem, state: State) -> State:
    """Return the state with what follows from it."""
    known = compiled(problem)
    return frozenset(known.facts.atoms(known.mask(state))) if problem.domain.axioms else state


def _precondition(problem: Problem, step: Step) -> tuple[Condition, ...]:
    if problem.step_faults(step):
        raise KeyError(str(step))
    action = problem.domain.action(step.name)
    binding = dict(zip((p.name for p in action.parameters), step.args, strict=True))
    formulas = (ground_condition(f, binding, problem.of_type, equality_value) for f in action.formulas)
    more, left = split(conjunction(formulas))
    return (*(p.bind(binding) for p in action.precondition), *more, *left)


def _describe_unmet(literal: Condition) -> str:
    if not isinstance(literal, Literal):
        return f"{literal} does not hold"
    if literal.predicate == EQUALS:
        return f"{' and '.join(literal.args)} are {'not ' if literal.positive else ''}the same"
    return f"{literal.atom} {'does not hold' if literal.positive else 'holds, but must not'}"
