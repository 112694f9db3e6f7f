"""Keep what default rules conclude from the facts that they read, as most states have these in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from core.belief import Atom
from core.domains import DefaultRule
from core.planning.fact_bits import State
from core.planning.join import FactIndex, Join, typed_variables
from core.planning_model import Literal, Problem, Typed
from core.work import combinations, work_in_force

Binding = Mapping[str, str]
MOST_KEPT = 10_000  # conclusions of one rule


class BoundRule:
    """A rule, bound to all objects of its `forall`. Any thread may use it."""

    def __init__(self, rule: DefaultRule, problem: Problem) -> None:
        self._rule, self._problem = rule, problem
        self._variables = typed_variables(rule.where, rule.types, rule.forall)
        self._join = Join(self._variables, rule.where, problem.of_type, len(rule.forall))
        self._bindings = list(bindings(rule.forall, problem))
        own = [v.name for v in rule.forall]
        self._blocking = [(p, [name for name in own if name in p.args]) for p in rule.unless]
        self._reads = {literal.predicate for literal in (*rule.unless, *rule.where, *rule.then)}
        self._known: dict[State, Mapping[Atom, bool]] = {}

    def conclusions(self, state: State) -> Mapping[Atom, bool]:
        """Return what the rule concludes, and whether it holds."""
        facts = frozenset([atom for atom in state if atom.predicate in self._reads])
        if facts not in self._known:
            if len(self._known) >= MOST_KEPT:
                self._known.clear()
            work_in_force().spend(len(self._bindings))
            self._known[facts] = dict(self._concluded(facts))
        return self._known[facts]

    def _concluded(self, facts: State) -> Iterator[tuple[Atom, bool]]:
        index = FactIndex(facts)
        blocked = [(own, set(self._blocked(facts, pattern, own))) for pattern, own in self._blocking]
        for binding in self._bindings:
            if any(tuple([binding[name] for name in own]) in found for own, found in blocked):
                continue
            values = next(self._join.run(index, tuple(binding.values())), None)
            if values is None:
                continue
            where = {v.name: value for v, value in zip(self._variables, values, strict=True)}
            for then in self._rule.then:
                literal = then.bind(where)
                held = index.matching(literal)
                if not literal.positive:
                    yield from ((atom, False) for atom in held)
                elif not held:
                    yield literal.atom, True

    def _blocked(self, facts: State, pattern: Literal, own: Sequence[str]) -> Iterator[tuple[str, ...]]:
        """Yield the values of some variables for which a fact is as a pattern of `unless`."""
        of_type = self._problem.of_type
        for atom in facts:
            if atom.predicate == pattern.predicate:
                found = dict(zip(pattern.args, atom.args, strict=True))
                typed = all(found[t.name] in of_type(t.type) for t in self._rule.types if t.name in found)
                if typed and pattern.bind(found).atom == atom:
                    yield tuple([found[name] for name in own])


def bindings(variables: Sequence[Typed], problem: Problem) -> Iterator[Binding]:
    """Yield every binding of the variables to objects of their types. Raises TooMuchWork, Cancelled."""
    names = [v.name for v in variables]
    for objects in combinations([problem.of_type(v.type) for v in variables]):
        yield dict(zip(names, objects, strict=True))
