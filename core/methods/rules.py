"""A domain's assumptions and exclusions, applied to a belief.

The paper's authors assume two things that their text does not say: a thing in no hand and no place is
on the floor of the room, and a container that fell is empty. Both are data of the domain folder
(`core.domains.Rule`) and are believed as ASSUMED.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from core.domains import Exclusive, Folder, Rule
from core.facts import Atom, Belief, Contradiction, Entry, Source, Verdict
from core.problem import Literal, Problem, Typed

Binding = Mapping[str, str]


class Assumptions:
    """Pure; keeps only tables made from the folder and the problem's objects."""

    def __init__(self, folder: Folder, problem: Problem) -> None:
        self._problem = problem
        self._rules = [(rule, tuple(self._bindings(rule.forall))) for rule in folder.rules]
        self._exclusives = [(e, tuple(self._bindings(e.forall))) for e in folder.exclusives]

    def made(self, belief: Belief, turn: int) -> Belief:
        """The belief with every rule applied once, in the folder's order."""
        for rule, bindings in self._rules:
            entries = [e for b in bindings for e in self._conclude(rule, b, belief, turn)]
            if entries:
                belief = belief.holding(entries)
        return belief

    def excluded(self, belief: Belief, about: Iterable[Atom]) -> tuple[Contradiction, ...]:
        """What is believed together but cannot be, as far as it touches these atoms."""
        about = frozenset(about)
        found = []
        for exclusive, bindings in self._exclusives:
            for binding in bindings:
                held = _clash(exclusive, binding, belief.state)
                if held and about & set(held):
                    found.append(Contradiction(held, exclusive.why))
        return tuple(found)

    def _bindings(self, variables: tuple[Typed, ...]) -> Iterator[Binding]:
        names = [v.name for v in variables]
        for objects in product(*(self._problem.of_type(v.type) for v in variables)):
            yield dict(zip(names, objects, strict=True))

    def _conclude(self, rule: Rule, binding: Binding, belief: Belief, turn: int) -> Iterator[Entry]:
        state = belief.state
        if any(True for c in rule.unless for _ in _matches(c.bind(binding), state)):
            return
        where = self._first(rule, rule.where, binding, state)
        if where is None:
            return
        for then in rule.then:
            literal = then.bind(where)
            if literal.positive:
                if literal.atom not in state:
                    yield Entry(literal.atom, Verdict.YES, Source.ASSUMED, turn)
            else:
                for atom in _matches(literal, state):
                    yield Entry(atom, Verdict.NO, Source.ASSUMED, turn)

    def _first(
        self, rule: Rule, where: tuple[Literal, ...], binding: Binding, state: frozenset[Atom]
    ) -> Binding | None:
        """The first binding, in sorted order, under which all of `where` is believed."""
        if not where:
            return binding
        pattern = where[0].bind(binding)
        for atom in _matches(pattern, state):
            more = {t: a for t, a in zip(pattern.args, atom.args, strict=True) if t.startswith("?")}
            if not self._fits(rule.types, more):
                continue
            found = self._first(rule, where[1:], {**binding, **more}, state)
            if found is not None:
                return found
        return None

    def _fits(self, types: tuple[Typed, ...], binding: Binding) -> bool:
        return all(binding[t.name] in self._problem.of_type(t.type) for t in types if t.name in binding)


def _matches(pattern: Literal, state: frozenset[Atom]) -> list[Atom]:
    """The atoms of a state that a pattern names; a variable left in it means "any"."""
    if not any(a.startswith("?") for a in pattern.args):
        return [pattern.atom] if pattern.atom in state else []
    return sorted(
        atom
        for atom in state
        if atom.predicate == pattern.predicate
        and all(p.startswith("?") or p == a for p, a in zip(pattern.args, atom.args, strict=True))
    )


def _clash(exclusive: Exclusive, binding: Binding, state: frozenset[Atom]) -> tuple[Atom, ...]:
    """Two or more of the exclusive atoms that hold, or none."""
    held = [atom for pattern in exclusive.of for atom in _matches(pattern.bind(binding), state)]
    kinds = {atom.predicate for atom in held}
    if len(held) < 2 or any(kinds <= together for together in exclusive.together):
        return ()
    return tuple(held)
