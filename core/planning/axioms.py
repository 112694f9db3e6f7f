"""Derived predicates: what follows from a state by a domain's axioms.

They are evaluated layer by layer: a layer's negations refer only to lower layers, which are complete by then
(stratified Datalog). Within a layer, each new fact is joined with the known ones until none is new.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.belief import Atom
from core.planning.join import FactIndex, Join, Values, projector
from core.planning.pddl.formulas import literals, satisfied
from core.planning_model import EQUALS, Axiom, Domain, Literal, Problem
from core.work import work_in_force


def stratify(domain: Domain) -> Mapping[str, int] | None:
    """Return the layer of every derived predicate; None if one depends on its own negation."""
    found = dict.fromkeys(sorted(domain.derived), 0)
    changed = True
    while changed:
        changed = False
        for axiom in domain.axioms:
            head = axiom.head.predicate
            for literal in (*axiom.condition, *_inside(axiom)):
                least = found.get(literal.predicate, -1) + (not literal.positive)
                if literal.predicate in found and found[head] < least:
                    found[head], changed = least, True
                    if least > len(found):
                        return None
    return found


def _inside(axiom: Axiom) -> Iterator[Literal]:
    return (found for formula in axiom.formulas for found in literals(formula))


class Axioms:
    """A problem's axioms, layer by layer."""

    def __init__(self, problem: Problem) -> None:
        layer = stratify(problem.domain)
        assert layer is not None, "checked when the domain was read"
        self._layers = []
        for number in sorted(set(layer.values())):
            own = {name for name, n in layer.items() if n == number}
            axioms = (a for a in problem.domain.axioms if a.head.predicate in own)
            self._layers.append([_AxiomJoins(axiom, problem, own) for axiom in axioms])

    def closure(self, state: frozenset[Atom]) -> set[Atom]:
        """Return the state with everything that follows from it. Raises TooMuchWork, Cancelled."""
        work = work_in_force()
        index, known = FactIndex(state), set(state)
        for axioms in self._layers:
            new = {atom for axiom in axioms for atom in axiom.from_all(index)} - known
            while new:
                work.spend(len(new) * (1 + len(axioms)))
                known |= new
                for atom in new:
                    index.add(atom)
                found = {f for axiom in axioms for atom in new for f in axiom.from_new(index, atom)}
                found.update(f for axiom in axioms if axiom.open for f in axiom.from_all(index))
                new = found - known
        return known


class _AxiomJoins:
    """An axiom with its joins: one over all facts, and one starting from each literal of its own layer."""

    def __init__(self, axiom: Axiom, problem: Problem, own: set[str]) -> None:
        self.axiom, self.problem = axiom, problem
        self.open = any(literal.predicate in own for literal in _inside(axiom))  # joins are not enough
        self.whole = self._join(())
        starts = [c for c in axiom.condition if c.predicate in own and c.predicate != EQUALS]
        self.starting = [(literal, *self._join(literal.args)) for literal in starts]

    def _join(self, first: tuple[str, ...]) -> tuple[list[str], Join]:
        """Return the names of the variables, those in `first` first, and their join, which begins there."""
        types = {v.name: v for v in self.axiom.variables}
        given = [name for name in dict.fromkeys(first) if name in types]
        names = list(dict.fromkeys((*given, *types)))
        variables = [types[name] for name in names]
        return names, Join(variables, self.axiom.condition, self.problem.of_type, len(given))

    def from_all(self, index: FactIndex) -> Iterator[Atom]:
        return self._follow(index, *self.whole)

    def from_new(self, index: FactIndex, atom: Atom) -> Iterator[Atom]:
        for literal, names, join in self.starting:
            if literal.predicate == atom.predicate and (start := _unify(literal, atom, names)) is not None:
                yield from self._follow(index, names, join, start)

    def _follow(self, index: FactIndex, names: list[str], join: Join, start: Values = ()) -> Iterator[Atom]:
        head, objects = self.axiom.head, self.problem.of_type
        pick = projector(head.args, names)

        def holds(literal: Literal) -> bool:
            return index.holds(literal.predicate, literal.args) is literal.positive

        for values in join.run(index, start):
            binding = dict(zip(names, values, strict=True)) if self.axiom.formulas else {}
            if all(satisfied(formula, binding, objects, holds) for formula in self.axiom.formulas):
                yield Atom(head.predicate, pick(values))


def _unify(literal: Literal, atom: Atom, names: list[str]) -> Values | None:
    """Return the values of the first variables in `names` that turn the literal into the atom, None if none
    do."""
    found = dict(zip(literal.args, atom.args, strict=False))
    given = {name: found[name] for name in names if name in found}
    return tuple(given.values()) if literal.bind(given).atom == atom else None
