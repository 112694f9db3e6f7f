"""Compile a wish into a planning problem whose plans contain the wish's steps, in their order.

Each step of the wish is a labelled copy of its action, `pick__2`, whose parameters are bound; the originals
stay beside them. What the search for motions has learnt enters as facts: what `blocks` a place, `covers` a
thing, or is `stuck`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from core.belief import Atom
from core.errors import BadValue
from core.planning_model import Action, Condition, Effect, Exists, ForAll, Literal, Predicate, Problem, Step
from core.wish import Wish

LABEL = "__"
_DONE = "done"  # the predicate of a label


def compile_wish(problem: Problem, wish: Wish, learnt: Iterable[Atom] = ()) -> Problem:
    """Return the problem of the wish. Raises BadValue for a step that is none of the problem's."""
    domain = problem.domain
    labels = tuple(Predicate(f"{_DONE}{LABEL}{number}") for number in range(len(wish.steps)))
    copies = tuple(_copy(problem, step, number) for number, step in enumerate(wish.steps))
    whole = (Literal(labels[-1].name),) if labels else ()
    facts = {*learnt, *(Atom("carries", step.args[1:]) for step in wish.steps if step.name == "place_upon")}
    facts |= {Atom("blocker", atom.args) for atom in facts if atom.predicate == "blocks"}
    compiled = replace(
        domain,
        name=f"{domain.name}{LABEL}wish",
        actions=(*domain.actions, *copies),
        predicates=(*domain.predicates, *labels),
        constants=problem.all_objects,  # as the copies name them
    )
    goal = tuple(dict.fromkeys((*wish.goal, *whole, Literal("handempty"))))
    return replace(
        problem, domain=compiled, objects=(), goal=goal, goal_formulas=(), state=problem.state | facts
    )


def _copy(problem: Problem, step: Step, number: int) -> Action:
    if faults := problem.step_faults(step):
        raise BadValue(f"The wish names {step}, but {faults[0]}.")
    action = problem.domain.action(step.name)
    binding = dict(zip((p.name for p in action.parameters), step.args, strict=True))

    def bound(condition: Condition) -> Condition:
        if isinstance(condition, Literal):
            return condition.bind(binding)
        return replace(condition, parts=tuple(map(bound, condition.parts)))

    def literals(given: Iterable[Literal]) -> tuple[Literal, ...]:
        return tuple(literal.bind(binding) for literal in given)

    def formulas(given: Iterable[ForAll | Exists]) -> tuple[ForAll | Exists, ...]:
        return tuple(replace(f, parts=tuple(map(bound, f.parts))) for f in given)

    if any(
        p.positive == (p.args[0] != p.args[1]) for p in literals(action.precondition) if p.predicate == "="
    ):
        raise BadValue(f"The wish names {step}, which is never possible.")
    after = (Literal(f"{_DONE}{LABEL}{number - 1}"),) if number else ()
    effects = tuple(
        replace(
            e, literal=e.literal.bind(binding), condition=literals(e.condition), formulas=formulas(e.formulas)
        )
        for e in action.effects
    )
    return Action(
        f"{step.name}{LABEL}{number}",
        precondition=(*(p for p in literals(action.precondition) if p.predicate != "="), *after),
        effects=(*effects, Effect(Literal(f"{_DONE}{LABEL}{number}"))),
        formulas=formulas(action.formulas),
        costs=action.costs,
    )


def label_of(step: Step) -> int | None:
    """Return the number of the wish's step that this one is, or None."""
    _, _, number = step.name.partition(LABEL)
    return int(number) if number else None
