"""Lifted actions bound to objects, by type. Conditional effects stay what they are.

Nothing here looks at what can be reached, so what is ground holds for every state of a problem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from operator import itemgetter

from core.facts import Atom
from core.problem import EQUALS, Action, Domain, Literal, Problem, Step

State = frozenset[Atom]
Values = tuple[str, ...]  # objects that some variables are bound to


@dataclass(frozen=True)
class When:
    """`atom` is added (or deleted) where every condition held before."""

    atom: Atom
    add: bool
    needs: State
    forbids: State


@dataclass(frozen=True)
class Operator:
    """An action with its parameters bound: what it needs and what it changes."""

    step: Step
    precondition: tuple[Literal, ...]  # as written, "=" included
    needs: State
    forbids: State
    possible: bool  # False: an "=" among the preconditions does not hold
    adds: State
    deletes: State
    whens: tuple[When, ...]

    def applicable(self, state: State) -> bool:
        return self.possible and self.needs <= state and self.forbids.isdisjoint(state)

    def apply(self, state: State) -> State:
        """The state after; whether the operator is applicable is not looked at."""
        adds, deletes = self.adds, self.deletes
        if self.whens:
            fired = [w for w in self.whens if w.needs <= state and w.forbids.isdisjoint(state)]
            adds = adds.union(w.atom for w in fired if w.add)
            deletes = deletes.union(w.atom for w in fired if not w.add)
        return (state - deletes) | adds


def holds(state: State, literal: Literal) -> bool:
    """Whether a ground literal holds."""
    if literal.predicate == EQUALS:
        return (literal.args[0] == literal.args[1]) is literal.positive
    return (literal.atom in state) is literal.positive


def objects_by_type(problem: Problem) -> Mapping[str, tuple[str, ...]]:
    """The objects of each type that an action or an effect names, sorted."""
    domain = problem.domain
    types = {p.type for a in domain.actions for p in a.parameters}
    types |= {v.type for a in domain.actions for e in a.effects for v in e.variables}
    return {type: problem.of_type(type) for type in types}


def ground(action: Action, args: Sequence[str], objects: Mapping[str, Sequence[str]]) -> Operator:
    """The action with its parameters bound to `args`."""
    binding = dict(zip((p.name for p in action.parameters), args, strict=True))
    precondition = tuple(p.bind(binding) for p in action.precondition)
    needs, forbids, possible = _split(precondition)
    adds: set[Atom] = set()
    deletes: set[Atom] = set()
    whens = []
    for effect in action.effects:
        for names in product(*(objects[v.type] for v in effect.variables)):
            inner = binding | dict(zip((v.name for v in effect.variables), names, strict=True))
            literal = effect.literal.bind(inner)
            if_, unless, can_fire = _split(c.bind(inner) for c in effect.condition)
            if not can_fire:
                continue
            if if_ == {literal.atom} and not unless and not literal.positive:
                if_ = frozenset()  # "when p: not p" is plainly "not p"
            if if_ or unless:
                whens.append(When(literal.atom, literal.positive, if_, unless))
            else:
                (adds if literal.positive else deletes).add(literal.atom)
    return Operator(
        Step(action.name, tuple(args)),
        precondition,
        needs,
        forbids,
        possible,
        frozenset(adds),
        frozenset(deletes),
        tuple(whens),
    )


def bindings(
    action: Action, objects: Mapping[str, Sequence[str]], literals: Iterable[Literal], state: State
) -> Iterator[Values]:
    """Every way to bind the action's parameters by type so that all `literals` hold in `state`.

    A literal is looked at as soon as its last variable is bound.
    """
    names = [p.name for p in action.parameters]
    choices = [objects[p.type] for p in action.parameters]
    facts = {(atom.predicate, atom.args) for atom in state}
    due: list[list[tuple[str, Callable[[Values], Values], bool]]] = [[] for _ in range(len(names) + 1)]
    for literal in literals:
        last = max((names.index(a) + 1 for a in literal.args if a in names), default=0)
        due[last].append((literal.predicate, picker(literal.args, names), literal.positive))

    def holds_so_far(values: Values) -> bool:
        for predicate, pick, positive in due[len(values)]:
            args = pick(values)
            truth = args[0] == args[1] if predicate == EQUALS else (predicate, args) in facts
            if truth is not positive:
                return False
        return True

    def extend(values: Values) -> Iterator[Values]:
        if holds_so_far(values):
            if len(values) == len(names):
                yield values
            else:
                for name in choices[len(values)]:
                    yield from extend((*values, name))

    return extend(())


def picker(terms: Sequence[str], names: Sequence[str]) -> Callable[[Values], Values]:
    """From the values of `names` to those of `terms`, of which some may be constants."""
    place = {name: number for number, name in enumerate(names)}
    if not terms:
        return lambda values: ()
    if all(term in place for term in terms):
        if len(terms) == 1:
            only = place[terms[0]]
            return lambda values: (values[only],)
        return itemgetter(*(place[term] for term in terms))
    fixed = [(place.get(term), term) for term in terms]
    return lambda values: tuple(term if at is None else values[at] for at, term in fixed)


def changeable(domain: Domain) -> frozenset[str]:
    """The predicates that some effect changes; all others are static."""
    return frozenset(e.literal.predicate for a in domain.actions for e in a.effects)


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
