"""Apply a domain's default rules and mutexes to a belief, or those of a simulated world to a state.

The paper's authors assume two things that their text does not mention: a thing in no hand and no place is on
the floor of the room, and a container that fell is empty. Both are data of the domain folder
(`core.domains.DefaultRule`) and are believed as ASSUMED.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from core.belief import Atom, Belief, BeliefEntry, BeliefSource, Contradiction, Verdict
from core.domains import DefaultRule, DomainSpec, Mutex, WorldRules
from core.planning_model import Literal, Problem, Typed

Binding = Mapping[str, str]
Index = Mapping[object, list[Atom]]  # by predicate, and by predicate, place and argument


@dataclass(frozen=True)
class _BoundRule:
    """A rule for one binding of its `forall`; the remaining variables in its patterns mean "any"."""

    rule: DefaultRule
    binding: Binding
    unless: tuple[Literal, ...]
    ground: frozenset[Atom]  # the literals of `unless` without variables
    needed: tuple[tuple[str, int, str], ...]  # keys of the index without which no `where` can hold


@dataclass(frozen=True)
class _BoundMutex:
    """A mutex for one binding of its `forall`."""

    mutex: Mutex
    patterns: tuple[Literal, ...]

    def covers(self, atom: Atom) -> bool:
        """Return True if the mutex covers this atom."""
        index = _by_predicate((atom,))
        return any(_matches(p, index) for p in self.patterns)


class RuleSet:
    """The rules for a problem. Pure; it holds only tables made from the rules and the problem's objects.

    Made from a DomainSpec, they are the agent's assumptions; from its `world_rules`, the simulated world's.
    """

    def __init__(self, rules: DomainSpec | WorldRules, problem: Problem) -> None:
        self._problem = problem
        self._rules = [tuple(self._cases(rule)) for rule in rules.rules]
        self._mutexes = [
            _BoundMutex(exclusive, tuple(p.bind(binding) for p in exclusive.literals))
            for exclusive in rules.mutexes
            for binding in self._bindings(exclusive.forall)
        ]

    def apply(self, belief: Belief, turn: int) -> Belief:
        """Return the belief with every rule applied once, in the folder's order.

        What a person said in this turn stays as they said it.
        """
        by_predicate = _by_predicate(belief.state)
        for cases in self._rules:
            concluded = self._conclusions(cases, belief.state, by_predicate).items()
            found = [(a, so) for a, so in concluded if not _of_a_person(belief.entry(a), turn)]
            if found:
                belief = belief.with_entries(
                    BeliefEntry(atom, Verdict.from_bool(so), BeliefSource.ASSUMED, turn) for atom, so in found
                )
                by_predicate = _by_predicate(belief.state)
        return belief

    def apply_to_state(self, state: frozenset[Atom]) -> frozenset[Atom]:
        """Return the state with every rule applied once, in the folder's order."""
        index = _by_predicate(state)
        for cases in self._rules:
            if found := self._conclusions(cases, state, index):
                state = state.difference(found).union(atom for atom, so in found.items() if so)
                index = _by_predicate(state)
        return state

    def conflicts(self, belief: Belief, about: Iterable[Atom]) -> tuple[Contradiction, ...]:
        """Return the mutexes that the belief violates, as far as they involve these atoms."""
        about = frozenset(about)
        predicates = {atom.predicate for atom in about}
        by_predicate = _by_predicate(belief.state)
        found = []
        for bound in self._mutexes:
            if not any(p.predicate in predicates for p in bound.patterns):
                continue
            held = tuple(atom for pattern in bound.patterns for atom in _matches(pattern, by_predicate))
            if len(held) > 1 and about & set(held) and not _compatible(held, bound.mutex.compatible):
                found.append(Contradiction(held, bound.mutex.reason))
        return tuple(found)

    def excluder(self, atom: Atom, held: Iterable[Atom]) -> Atom | None:
        """Return the first atom of `held` that is mutually exclusive with `atom`."""
        by_predicate = _by_predicate(sorted(held))
        for bound in self._mutexes:
            if not bound.covers(atom):
                continue
            for pattern in bound.patterns:
                for other in _matches(pattern, by_predicate):
                    if other != atom and not _compatible((atom, other), bound.mutex.compatible):
                        return other
        return None

    def last_resort(self, atom: Atom, state: frozenset[Atom], denied: Iterable[Atom]) -> Atom | None:
        """Return an atom of `denied` that leaves `atom` as the only possibility: both are in an exhaustive
        group of which `state` contains nothing.
        """
        by_predicate, no = _by_predicate(state), _by_predicate(sorted(denied))
        for bound in self._mutexes:
            if not bound.mutex.exhaustive or not bound.covers(atom):
                continue
            if any(_matches(pattern, by_predicate) for pattern in bound.patterns):
                continue
            for other in (o for pattern in bound.patterns for o in _matches(pattern, no) if o != atom):
                return other
        return None

    def _cases(self, rule: DefaultRule) -> Iterator[_BoundRule]:
        for binding in self._bindings(rule.forall):
            unless = [literal.bind(binding) for literal in rule.unless]
            ground = frozenset(u.atom for u in unless if not _has_variables(u))
            needed = tuple(
                (literal.predicate, place, binding[term])
                for literal in rule.where
                for place, term in enumerate(literal.args)
                if term in binding
            )
            yield _BoundRule(rule, binding, tuple(u for u in unless if _has_variables(u)), ground, needed)

    def _bindings(self, variables: tuple[Typed, ...]) -> Iterator[Binding]:
        names = [v.name for v in variables]
        for objects in product(*(self._problem.of_type(v.type) for v in variables)):
            yield dict(zip(names, objects, strict=True))

    def _conclusions(
        self, cases: Iterable[_BoundRule], state: frozenset[Atom], by_predicate: Index
    ) -> dict[Atom, bool]:
        return {atom: so for case in cases for atom, so in self._conclude(case, state, by_predicate)}

    def _conclude(
        self, case: _BoundRule, state: frozenset[Atom], by_predicate: Index
    ) -> Iterator[tuple[Atom, bool]]:
        for key in case.needed:  # most rules are about few of the objects
            if key not in by_predicate:
                return
        if not case.ground.isdisjoint(state):
            return
        if any(self._some_match(case.rule, literal, by_predicate) for literal in case.unless):
            return
        where = self._first_binding(case.rule, case.rule.where, case.binding, by_predicate)
        if where is None:
            return
        for then in case.rule.then:
            literal = then.bind(where)
            if not literal.positive:
                for atom in _matches(literal, by_predicate):
                    yield atom, False
            elif literal.atom not in state:
                yield literal.atom, True

    def _first_binding(
        self, rule: DefaultRule, where: tuple[Literal, ...], binding: Binding, by_predicate: Index
    ) -> Binding | None:
        """Return the first binding, in sorted order, for which all of `where` is believed."""
        if not where:
            return binding
        pattern = where[0].bind(binding)
        for atom in sorted(_matches(pattern, by_predicate)):
            more = {t: a for t, a in zip(pattern.args, atom.args, strict=True) if t.startswith("?")}
            if not self._types_match(rule.types, more):
                continue
            found = self._first_binding(rule, where[1:], {**binding, **more}, by_predicate)
            if found is not None:
                return found
        return None

    def _some_match(self, rule: DefaultRule, pattern: Literal, by_predicate: Index) -> bool:
        """Return True if an atom matches the pattern, with its variables of the types that the rule
        states."""
        found = _matches(pattern, by_predicate)
        if not rule.types:
            return bool(found)
        return any(
            self._types_match(rule.types, dict(zip(pattern.args, atom.args, strict=True))) for atom in found
        )

    def _types_match(self, types: tuple[Typed, ...], binding: Binding) -> bool:
        return all(binding[t.name] in self._problem.of_type(t.type) for t in types if t.name in binding)


def _of_a_person(entry: BeliefEntry, turn: int) -> bool:
    return entry.source is BeliefSource.OPERATOR and entry.since == turn


def _by_predicate(state: Iterable[Atom]) -> Index:
    index: dict[object, list[Atom]] = {}
    for atom in state:
        index.setdefault(atom.predicate, []).append(atom)
        for place, name in enumerate(atom.args):
            index.setdefault((atom.predicate, place, name), []).append(atom)
    return index


def _has_variables(literal: Literal) -> bool:
    """Return True if the literal still has a variable."""
    return any(a.startswith("?") for a in literal.args)


def _matches(pattern: Literal, index: Index) -> list[Atom]:
    """Return the atoms that match a pattern; a remaining variable means "any"."""
    fixed = [(place, name) for place, name in enumerate(pattern.args) if not name.startswith("?")]
    if not fixed:
        return index.get(pattern.predicate, [])
    found = index.get((pattern.predicate, *fixed[0]), [])
    for place, name in fixed[1:]:
        found = [atom for atom in found if atom.args[place] == name]
    return found


def _compatible(held: tuple[Atom, ...], together: tuple[frozenset[str], ...]) -> bool:
    """Return True if these may hold together: compatible predicates with the same arguments."""
    kinds = {atom.predicate for atom in held}
    return any(kinds <= t for t in together) and len({atom.args for atom in held}) == 1
