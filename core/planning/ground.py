"""Lifted actions bound to objects, by type. Conditional effects stay what they are.

Nothing here looks at what can be reached, so what is ground holds for every state of a problem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from core.belief import Atom
from core.planning.formulas import (
    FALSE,
    TRUE,
    conjunction,
    equality_value,
    ground_condition,
    satisfied,
    split,
)
from core.planning_model import (
    EQUALS,
    Action,
    Condition,
    Domain,
    Formula,
    Literal,
    Problem,
    Step,
)

State = frozenset[Atom]


@dataclass(frozen=True)
class ConditionalEffect:
    """`atom` is added (or deleted) where every condition held before."""

    atom: Atom
    add: bool
    needs: State
    forbids: State
    formulas: tuple[Formula, ...] = ()

    def fires(self, state: State) -> bool:
        return (
            self.needs <= state
            and self.forbids.isdisjoint(state)
            and (not self.formulas or all(holds(state, formula) for formula in self.formulas))
        )


@dataclass(frozen=True)
class GroundOperator:
    """An action with its parameters bound: what it needs and what it changes."""

    step: Step
    precondition: tuple[Literal, ...]  # as written, "=" included
    needs: State
    forbids: State
    possible: bool  # False: an "=" among the preconditions does not hold
    adds: State
    deletes: State
    conditional_effects: tuple[ConditionalEffect, ...]
    formulas: tuple[Formula, ...] = ()  # what the precondition's literals do not say

    def applicable(self, state: State) -> bool:
        """In a state with all that follows from it."""
        return (
            self.possible
            and self.needs <= state
            and self.forbids.isdisjoint(state)
            and (not self.formulas or all(holds(state, formula) for formula in self.formulas))
        )

    def apply(self, state: State, closure: State) -> State:
        """The state after; `closed` is the state before with all that follows from it, in which conditions
        are looked at. Whether the operator is applicable is not."""
        adds, deletes = self.adds, self.deletes
        if self.conditional_effects:
            fired = [when for when in self.conditional_effects if when.fires(closure)]
            adds = adds.union(w.atom for w in fired if w.add)
            deletes = deletes.union(w.atom for w in fired if not w.add)
        return (state - deletes) | adds


def holds(state: State, condition: Condition) -> bool:
    """Whether a ground condition holds."""
    if not isinstance(condition, Literal):
        return satisfied(condition, {}, _no_objects, lambda found: holds(state, found))
    if condition.predicate == EQUALS:
        return (condition.args[0] == condition.args[1]) is condition.positive
    return (condition.atom in state) is condition.positive


def _no_objects(type: str) -> Sequence[str]:
    raise AssertionError("a ground condition has no variables")


def objects_by_type(problem: Problem) -> Mapping[str, tuple[str, ...]]:
    """The objects of each type that an action or an effect names, sorted."""
    domain = problem.domain
    types = {p.type for a in domain.actions for p in a.parameters}
    types |= {v.type for a in domain.actions for e in a.effects for v in e.variables}
    return {type: problem.of_type(type) for type in types}


def ground(
    action: Action,
    args: Sequence[str],
    objects: Mapping[str, Sequence[str]],
    of: Callable[[str], Sequence[str]],
) -> GroundOperator:
    """The action with its parameters bound to `args`; `of` gives the objects of any type.

    A universal condition becomes a precondition for each object.
    """
    binding = dict(zip((p.name for p in action.parameters), args, strict=True))
    more, formulas = split(_instantiate(action.formulas, binding, of))
    precondition = (*(p.bind(binding) for p in action.precondition), *more)
    needs, forbids, possible = _split(precondition)
    adds: set[Atom] = set()
    deletes: set[Atom] = set()
    whens = []
    for effect in action.effects:
        for names in product(*(objects[v.type] for v in effect.variables)):
            inner = binding | dict(zip((v.name for v in effect.variables), names, strict=True))
            literal = effect.literal.bind(inner)
            also, open_ = split(_instantiate(effect.formulas, inner, of)) if effect.formulas else ((), ())
            if_, unless, can_fire = _split((*(c.bind(inner) for c in effect.condition), *also))
            if not can_fire or FALSE in open_:
                continue
            if if_ == {literal.atom} and not unless and not literal.positive and not open_:
                if_ = frozenset()  # "when p: not p" is plainly "not p"
            if if_ or unless or open_:
                whens.append(ConditionalEffect(literal.atom, literal.positive, if_, unless, open_))
            else:
                (adds if literal.positive else deletes).add(literal.atom)
    return GroundOperator(
        Step(action.name, tuple(args)),
        precondition,
        needs,
        forbids,
        possible,
        frozenset(adds),
        frozenset(deletes),
        tuple(whens),
        formulas,
    )


def _instantiate(
    formulas: tuple[Formula, ...], binding: Mapping[str, str], of: Callable[[str], Sequence[str]]
) -> Condition:
    """All the formulas, over the objects that there are."""
    if not formulas:
        return TRUE
    return conjunction(ground_condition(formula, binding, of, equality_value) for formula in formulas)


def fluent_predicates(domain: Domain) -> frozenset[str]:
    """The predicates that some effect or axiom changes; all others are static."""
    return domain.derived.union(e.literal.predicate for a in domain.actions for e in a.effects)


def _split(literals: Iterable[Literal]) -> tuple[State, State, bool]:
    needs: set[Atom] = set()
    forbids: set[Atom] = set()
    possible = True
    for literal in literals:
        if literal.predicate == EQUALS:
            possible = possible and holds(frozenset(), literal)
        else:
            (needs if literal.positive else forbids).add(literal.atom)
    return frozenset(needs), frozenset(forbids), possible
