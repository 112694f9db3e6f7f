"""Derived predicates: what follows from a state by a domain's axioms.

They are evaluated layer by layer: a layer's negations refer only to lower layers, which are complete by then
(stratified Datalog). Within a layer, each new fact is joined with the known ones until none is new.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from core.belief import Atom
from core.planning.join import FactIndex, Join, Values, projector
from core.planning.pddl.formulas import literals, satisfied
from core.planning_model import EQUALS, Axiom, Domain, Literal, Problem, Typed
from core.work import work_in_force

State = frozenset[Atom]
_CACHED_STATES = 2_000  # per problem


def stratify(domain: Domain) -> Mapping[str, int] | None:
    """Return the layer of every derived predicate; None if one depends on its own negation."""
    found = dict.fromkeys(sorted(domain.derived), 0)
    changed = True
    while changed:
        changed = False
        for axiom in domain.axioms:
            head = axiom.head.predicate
            for literal in _body(axiom):
                least = found.get(literal.predicate, -1) + (not literal.positive)
                if literal.predicate in found and found[head] < least:
                    found[head], changed = least, True
                    if least > len(found):
                        return None
    return found


def closure(problem: Problem, state: State) -> State:
    """Return the state with everything that follows from it. Raises TooMuchWork, Cancelled."""
    if not problem.domain.axioms:
        return state
    known = _closures(problem.digest)
    if state not in known:
        if len(known) >= _CACHED_STATES:
            known.clear()
        known[state] = _axiom_layers(problem).closure(state)
    return known[state]


def _body(axiom: Axiom) -> list[Literal]:
    return [*axiom.condition, *(found for formula in axiom.formulas for found in literals(formula))]


class _AxiomJoins:
    """An axiom with its joins: one over all facts, and one starting from each literal of its own layer."""

    def __init__(self, axiom: Axiom, problem: Problem, own: set[str]) -> None:
        objects, names = problem.of_type, [v.name for v in axiom.variables]
        self.axiom, self.problem, self.names = axiom, problem, names
        self.full_join = Join(axiom.variables, axiom.condition, objects)
        self.head = projector(axiom.head.args, names)
        inside = (found for formula in axiom.formulas for found in literals(formula))
        self.needs_full_join = any(literal.predicate in own for literal in inside)
        self.incremental_joins: list[tuple[Literal, list[str], Join]] = []
        for literal in axiom.condition:
            if literal.predicate in own and literal.predicate != EQUALS:
                first = [n for n in dict.fromkeys(literal.args) if n in names]
                order = first + [n for n in names if n not in first]
                types = {v.name: v.type for v in axiom.variables}
                variables = [Typed(name, types[name]) for name in order]
                self.incremental_joins.append(
                    (literal, order, Join(variables, axiom.condition, objects, len(first)))
                )

    def from_all(self, index: FactIndex) -> set[Atom]:
        return {self._atom(v) for v in self.full_join.run(index) if self._formulas_hold(index, self.names, v)}

    def from_new(self, index: FactIndex, atom: Atom) -> set[Atom]:
        found = set()
        for literal, order, join in self.incremental_joins:
            start = _unify(literal, atom, order)
            if start is not None:
                pick = projector(self.axiom.head.args, order)
                for values in join.run(index, start):
                    if self._formulas_hold(index, order, values):
                        found.add(Atom(self.axiom.head.predicate, pick(values)))
        return found

    def _atom(self, values: Values) -> Atom:
        return Atom(self.axiom.head.predicate, self.head(values))

    def _formulas_hold(self, index: FactIndex, names: list[str], values: Values) -> bool:
        if not self.axiom.formulas:
            return True
        binding = dict(zip(names, values, strict=True))

        def holds(literal: Literal) -> bool:
            return index.holds(literal.predicate, literal.args) is literal.positive

        return all(satisfied(f, binding, self.problem.of_type, holds) for f in self.axiom.formulas)


class _AxiomLayers:
    """A problem's axioms, layer by layer."""

    def __init__(self, problem: Problem) -> None:
        of = stratify(problem.domain)
        assert of is not None, "checked when the domain was read"
        self._layers: list[list[_AxiomJoins]] = []
        for number in sorted(set(of.values())):
            own = {name for name, layer in of.items() if layer == number}
            axioms = (a for a in problem.domain.axioms if a.head.predicate in own)
            self._layers.append([_AxiomJoins(axiom, problem, own) for axiom in axioms])

    def closure(self, state: State) -> State:
        work = work_in_force()
        index, known = FactIndex(state), set(state)
        for rules in self._layers:
            new = {atom for rule in rules for atom in rule.from_all(index)} - known
            while new:
                work.spend(len(new) * (1 + len(rules)))
                known |= new
                for atom in new:
                    index.add(atom)
                found = {f for rule in rules for atom in new for f in rule.from_new(index, atom)}
                found.update(f for rule in rules if rule.needs_full_join for f in rule.from_all(index))
                new = found - known
        return frozenset(known)


def _unify(literal: Literal, atom: Atom, order: list[str]) -> Values | None:
    """Return the values of the variables in `order` that turn the literal into the atom, None if none do."""
    if literal.predicate != atom.predicate:
        return None
    found: dict[str, str] = {}
    for term, name in zip(literal.args, atom.args, strict=True):
        if term in order:
            if found.setdefault(term, name) != name:
                return None
        elif term != name:
            return None
    return tuple(found[name] for name in order[: len(found)])


@lru_cache(maxsize=16)
def _closures(digest: str) -> dict[State, State]:
    return {}


_RULES: dict[str, _AxiomLayers] = {}


def _axiom_layers(problem: Problem) -> _AxiomLayers:
    if problem.digest not in _RULES:
        while len(_RULES) >= 16:
            _RULES.pop(next(iter(_RULES)))
        _RULES[problem.digest] = _AxiomLayers(problem)
    return _RULES[problem.digest]
