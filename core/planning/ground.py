"""Ground actions over objects, by type; conditional effects are kept.

Reachability is not considered, so the result holds for every state of a problem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from core.belief import Atom
from core.planning.pddl.formulas import (
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
    Step,
)
from core.work import combinations, work_in_force

State = frozenset[Atom]


@dataclass(frozen=True)
class ConditionalEffect:
    """An effect that adds (or deletes) `atom` if every condition held before."""

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
    """An action with its parameters bound: its conditions and effects."""

    step: Step
    precondition: tuple[Literal, ...]  # as written, "=" included
    needs: State
    forbids: State
    possible: bool  # False: an "=" among the preconditions does not hold
    adds: State
    deletes: State
    conditional_effects: tuple[ConditionalEffect, ...]
    formulas: tuple[Formula, ...] = ()  # of the precondition, besides its literals

    def applicable(self, state: State) -> bool:
        """Return True if applicable; `state` must include everything that follows from it."""
        return (
            self.possible
            and self.needs <= state
            and self.forbids.isdisjoint(state)
            and (not self.formulas or all(holds(state, formula) for formula in self.formulas))
        )

    def apply(self, state: State, closure: State) -> State:
        """Return the successor state, without checking that the operator is applicable.

        `closure` is `state` with everything that follows from it; conditions are evaluated in it.
        """
        adds, deletes = self.adds, self.deletes
        if self.conditional_effects:
            facts = (None, *(self._effects_by_need.keys() & closure))
            candidates = (when for fact in facts for when in self._effects_by_need.get(fact, ()))
            fired = [when for when in candidates if when.fires(closure)]
            adds = adds.union(w.atom for w in fired if w.add)
            deletes = deletes.union(w.atom for w in fired if not w.add)
        return (state - deletes) | adds

    @cached_property
    def _effects_by_need(self) -> Mapping[Atom | None, list[ConditionalEffect]]:
        """Return the conditional effects by one of the facts that each needs; None: it needs none."""
        found: dict[Atom | None, list[ConditionalEffect]] = {}
        for when in self.conditional_effects:
            found.setdefault(min(when.needs, default=None), []).append(when)
        return found


def holds(state: State, condition: Condition) -> bool:
    """Return True if a ground condition holds."""
    if not isinstance(condition, Literal):
        return satisfied(condition, {}, _no_objects, lambda found: holds(state, found))
    if condition.predicate == EQUALS:
        return (condition.args[0] == condition.args[1]) is condition.positive
    return (condition.atom in state) is condition.positive


def _no_objects(type: str) -> Sequence[str]:
    raise AssertionError("a ground condition has no variables")


def ground(action: Action, args: Sequence[str], of: Callable[[str], Sequence[str]]) -> GroundOperator:
    """Return the action with its parameters bound to `args`; `of` returns the objects of any type.

    A universal condition becomes one precondition per object. Raises TooMuchWork, Cancelled.
    """
    work_in_force().spend(10)
    binding = dict(zip((p.name for p in action.parameters), args, strict=True))
    more, formulas = split(_instantiate(action.formulas, binding, of))
    precondition = (*(p.bind(binding) for p in action.precondition), *more)
    needs, forbids, possible = _split(precondition)
    adds: set[Atom] = set()
    deletes: set[Atom] = set()
    whens = []
    for effect in action.effects:
        for names in combinations([of(v.type) for v in effect.variables]):
            inner = binding | dict(zip((v.name for v in effect.variables), names, strict=True))
            literal = effect.literal.bind(inner)
            also, open_ = split(_instantiate(effect.formulas, inner, of)) if effect.formulas else ((), ())
            if_, unless, can_fire = _split((*(c.bind(inner) for c in effect.condition), *also))
            if not can_fire or FALSE in open_:
                continue
            if if_ == {literal.atom} and not unless and not literal.positive and not open_:
                if_ = frozenset()  # "when p: not p" is the same as "not p"
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
    """Return the conjunction of the formulas over the existing objects."""
    if not formulas:
        return TRUE
    return conjunction(ground_condition(formula, binding, of, equality_value) for formula in formulas)


def fluent_predicates(domain: Domain) -> frozenset[str]:
    """Return the predicates that some effect or axiom changes; all others are static."""
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
