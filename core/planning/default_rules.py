"""Apply a domain's default rules and mutexes to a belief, or those of a simulated world to a state.

The paper's authors assume two things that their text does not mention: a thing in no hand and no place is on
the floor of the room, and a container that fell is empty. Both are data of the domain folder
(`core.domains.DefaultRule`) and are believed as ASSUMED.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from core.belief import Atom, Belief, BeliefEntry, BeliefSource, Contradiction, Verdict
from core.domains import DomainSpec, Mutex, WorldRules
from core.planning.join import FactIndex, matches
from core.planning.rule_tables import BoundRule, bindings
from core.planning_model import Literal, Problem
from core.work import work_in_force


@dataclass(frozen=True)
class _BoundMutex:
    """A mutex for one binding of its `forall`."""

    mutex: Mutex
    patterns: tuple[Literal, ...]

    def covers(self, atom: Atom) -> bool:
        """Return True if the mutex covers this atom."""
        return any(matches(atom, pattern) for pattern in self.patterns)


class RuleSet:
    """The rules for a problem. Pure; it holds only tables made from the rules and the problem's objects.

    Made from a DomainSpec, they are the agent's assumptions; from its `world_rules`, the simulated world's.
    """

    def __init__(self, rules: DomainSpec | WorldRules, problem: Problem) -> None:
        self._tables = [BoundRule(rule, problem) for rule in rules.rules]
        self._mutexes = [
            _BoundMutex(exclusive, tuple(p.bind(binding) for p in exclusive.literals))
            for exclusive in rules.mutexes
            for binding in bindings(exclusive.forall, problem)
        ]

    def apply(self, belief: Belief, turn: int) -> Belief:
        """Return the belief with every rule applied once, in the folder's order.

        What a person said in this turn stays as they said it.
        """
        for table in self._tables:
            concluded = table.conclusions(belief.state).items()
            found = [(a, so) for a, so in concluded if not _of_a_person(belief.entry(a), turn)]
            if found:
                belief = belief.with_entries(
                    BeliefEntry(atom, Verdict.from_bool(so), BeliefSource.ASSUMED, turn) for atom, so in found
                )
        return belief

    def apply_to_state(self, state: frozenset[Atom]) -> frozenset[Atom]:
        """Return the state with every rule applied once, in the folder's order."""
        for table in self._tables:
            if found := table.conclusions(state):
                state = state.difference(found).union(atom for atom, so in found.items() if so)
        return state

    def conflicts(self, belief: Belief, about: Iterable[Atom]) -> tuple[Contradiction, ...]:
        """Return the mutexes that the belief violates, as far as they involve these atoms."""
        about = frozenset(about)
        predicates = {atom.predicate for atom in about}
        index = FactIndex(belief.state)
        work_in_force().spend(len(self._mutexes))
        found = []
        for bound in self._mutexes:
            if not any(p.predicate in predicates for p in bound.patterns):
                continue
            held = tuple(atom for pattern in bound.patterns for atom in index.matching(pattern))
            if len(held) > 1 and about & set(held) and not _compatible(held, bound.mutex.compatible):
                found.append(Contradiction(held, bound.mutex.reason))
        return tuple(found)

    def excluder(self, atom: Atom, held: Iterable[Atom]) -> Atom | None:
        """Return the first atom of `held` that is mutually exclusive with `atom`."""
        index = FactIndex(held)
        for bound in self._mutexes:
            if not bound.covers(atom):
                continue
            for pattern in bound.patterns:
                for other in index.matching(pattern):
                    if other != atom and not _compatible((atom, other), bound.mutex.compatible):
                        return other
        return None

    def last_resort(self, atom: Atom, state: frozenset[Atom], denied: Iterable[Atom]) -> Atom | None:
        """Return an atom of `denied` that leaves `atom` as the only possibility: both are in an exhaustive
        group of which `state` contains nothing.
        """
        index, no = FactIndex(state), FactIndex(denied)
        for bound in self._mutexes:
            if not bound.mutex.exhaustive or not bound.covers(atom):
                continue
            if any(index.matching(pattern) for pattern in bound.patterns):
                continue
            for other in (o for pattern in bound.patterns for o in no.matching(pattern) if o != atom):
                return other
        return None


def _of_a_person(entry: BeliefEntry, turn: int) -> bool:
    return entry.source is BeliefSource.OPERATOR and entry.since == turn


def _compatible(held: tuple[Atom, ...], together: tuple[frozenset[str], ...]) -> bool:
    """Return True if these may hold together: compatible predicates with the same arguments."""
    kinds = {atom.predicate for atom in held}
    return any(kinds <= t for t in together) and len({atom.args for atom in held}) == 1
