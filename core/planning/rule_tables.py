"""Keep what default rules conclude in tables, so that a state met for the first time takes microseconds.

A rule bound to one object depends on few facts. Every fact is a bit of an int here, so that the facts on
which a rule depends are one `&` away and serve as the key of its table.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial

from core.belief import Atom
from core.domains import DefaultRule
from core.planning.fact_bits import FactBits
from core.planning.join import FactIndex, Join, matches, typed_variables
from core.planning_model import Literal, Problem, Typed
from core.work import combinations, work_in_force

Binding = Mapping[str, str]
Conclusions = tuple[tuple[Atom, bool], ...]
MOST_KEPT = 10_000  # conclusions of one rule


class BoundRules:
    """The rules, each bound to all objects of its `forall`. Any thread may use it; its tables only grow."""

    def __init__(self, rules: Sequence[DefaultRule], problem: Problem) -> None:
        self._rules = []
        for rule in rules:
            variables = typed_variables(rule.where, rule.types, rule.forall)
            join = Join(variables, rule.where, problem.of_type, len(rule.forall))
            cases = [_BoundRule(rule, b, problem, variables, join) for b in bindings(rule.forall, problem)]
            self._rules.append(cases)
        self._predicates = [
            {literal.predicate for literal in (*rule.unless, *rule.where, *rule.then)} for rule in rules
        ]
        self._footprints = [0] * len(self._rules)
        self._known: list[dict[int, dict[Atom, bool]]] = [{} for _ in self._rules]
        self._bits = FactBits(self._met)
        self._readers: dict[object, list[tuple[Literal, Callable[[Atom, int], None]]]] = {}
        for pattern, read in (found for cases in self._rules for case in cases for found in case.readers()):
            self._readers.setdefault(_key(pattern), []).append((pattern, read))

    def __len__(self) -> int:
        return len(self._rules)

    def facts(self, state: Collection[Atom]) -> int:
        """Return a state as the rules read it: a bit for every fact."""
        return self._bits.mask(state)

    def changed(self, facts: int, by: Mapping[Atom, bool]) -> int:
        """Return the facts of the state that these conclusions make of this one."""
        for atom, so in by.items():
            bit = self._bits.bit(atom)
            facts = facts | bit if so else facts & ~bit
        return facts

    def _met(self, atom: Atom, bit: int) -> None:
        keys = (atom.predicate, *((atom.predicate, place, name) for place, name in enumerate(atom.args)))
        for pattern, read in (found for key in keys for found in self._readers.get(key, ())):
            if matches(atom, pattern):
                read(atom, bit)
        for number, predicates in enumerate(self._predicates):
            if atom.predicate in predicates:
                self._footprints[number] |= bit

    def conclusions(self, number: int, facts: int) -> Mapping[Atom, bool]:
        """Return what one of the rules concludes, and whether it holds."""
        key = facts & self._footprints[number]
        known = self._known[number]
        if key not in known:
            if len(known) >= MOST_KEPT:
                known.clear()
            found: dict[Atom, bool] = {}
            work_in_force().spend(len(self._rules[number]))
            for case in self._rules[number]:
                found.update(case.conclude(facts, self._bits))
            known[key] = found  # whole: another thread may read it at once
        return known[key]


class _BoundRule:
    """A rule for one binding of its `forall`; the remaining variables in its patterns mean "any"."""

    def __init__(
        self, rule: DefaultRule, binding: Binding, problem: Problem, variables: Sequence[Typed], join: Join
    ) -> None:
        """`join` binds all the `variables` of its `where`; those of its `forall` come first."""
        self._rule, self._binding, self._problem = rule, binding, problem
        self._variables, self._join = variables, join
        self._blocking = self._footprint = 0
        self._needed = [0] * len(rule.where)
        self._known: dict[int, Conclusions] = {}

    def readers(self) -> Iterator[tuple[Literal, Callable[[Atom, int], None]]]:
        """Yield the patterns of the facts that matter, with what takes note of such a fact and its bit."""
        for literal in self._rule.unless:
            pattern = literal.bind(self._binding)
            yield pattern, partial(self._blocked_by, pattern)
        for place, literal in enumerate(self._rule.where):
            yield literal.bind(self._binding), partial(self._needs, place)
        for literal in self._rule.then:
            yield literal.bind(self._binding), self._depends_on

    def _blocked_by(self, pattern: Literal, atom: Atom, bit: int) -> None:
        if self._types_match(dict(zip(pattern.args, atom.args, strict=True))):
            self._blocking |= bit

    def _needs(self, place: int, atom: Atom, bit: int) -> None:
        self._needed[place] |= bit
        self._footprint |= bit

    def _depends_on(self, atom: Atom, bit: int) -> None:
        self._footprint |= bit

    def conclude(self, facts: int, bits: FactBits) -> Conclusions:
        """Return the conclusions from these facts."""
        if facts & self._blocking:
            return ()
        for needed in self._needed:
            if not facts & needed:
                return ()
        key = facts & self._footprint
        if key not in self._known:
            self._known[key] = tuple(self._concluded(FactIndex(bits.atoms(key))))
        return self._known[key]

    def _concluded(self, index: FactIndex) -> Iterator[tuple[Atom, bool]]:
        values = next(self._join.run(index, tuple(self._binding.values())), None)
        if values is None:
            return
        where = {v.name: value for v, value in zip(self._variables, values, strict=True)}
        for then in self._rule.then:
            literal = then.bind(where)
            held = index.matching(literal)
            if not literal.positive:
                for atom in held:
                    yield atom, False
            elif not held:
                yield literal.atom, True

    def _types_match(self, binding: Binding) -> bool:
        of_type = self._problem.of_type
        return all(binding[t.name] in of_type(t.type) for t in self._rule.types if t.name in binding)


def _key(pattern: Literal) -> object:
    """Return under which key of an index to look for a pattern."""
    for place, name in enumerate(pattern.args):
        if not name.startswith("?"):
            return pattern.predicate, place, name
    return pattern.predicate


def bindings(variables: tuple[Typed, ...], problem: Problem) -> Iterator[Binding]:
    """Yield every binding of the variables to objects of their types. Raises TooMuchWork, Cancelled."""
    names = [v.name for v in variables]
    for objects in combinations([problem.of_type(v.type) for v in variables]):
        yield dict(zip(names, objects, strict=True))
