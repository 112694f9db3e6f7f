"""Apply a domain's default rules and mutexes to a belief, or those of a simulated world to a state.

The paper's authors assume two things that their text does not mention: a thing in no hand and no place is on
the floor of the room, and a container that fell is empty. Both are data of the domain folder
(`core.domains.DefaultRule`) and are believed as ASSUMED.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.belief import Atom, Belief, BeliefEntry, BeliefSource, Contradiction, Verdict
from core.domains import DefaultRule, DomainSpec, Mutex, WorldRules
from core.planning.fact_bits import State
from core.planning.join import FactIndex, Join, matches, typed_variables
from core.planning_model import EQUALS, Literal, Problem, Typed
from core.work import combinations, work_in_force


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

        What a person said and a sensor read in this turn stays so: it is not assumed to be otherwise.
        """
        told = (BeliefSource.OPERATOR, BeliefSource.SENSOR)
        for table in self._tables:
            found = [
                (atom, so)
                for atom, so in table.conclusions(belief.state).items()
                if belief.source(atom) not in told or belief.entry(atom).since != turn
            ]
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


def _compatible(held: tuple[Atom, ...], together: tuple[frozenset[str], ...]) -> bool:
    """Return True if these may hold together: compatible predicates with the same arguments."""
    kinds = {atom.predicate for atom in held}
    return any(kinds <= t for t in together) and len({atom.args for atom in held}) == 1


Binding = Mapping[str, str]
MOST_KEPT = 10_000  # conclusions of one rule


class BoundRule:
    """A rule, bound to all objects of its `forall`. Any thread may use it."""

    def __init__(self, rule: DefaultRule, problem: Problem) -> None:
        self._rule = rule
        self._variables = typed_variables(rule.where, rule.types, rule.forall)
        self._join = Join(self._variables, rule.where, problem.of_type, len(rule.forall))
        self._bindings = list(bindings(rule.forall, problem))
        self._blocking = []
        for pattern in (Literal(p.predicate, p.args) for p in rule.unless if p.predicate != EQUALS):
            own = [variable for variable in rule.forall if variable.name in pattern.args]
            join = Join(typed_variables([pattern], rule.types, own), [pattern], problem.of_type)
            self._blocking.append(([variable.name for variable in own], join))
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
        blocked = [(own, {v[: len(own)] for v in join.run(index)}) for own, join in self._blocking]
        free = [
            binding
            for binding in self._bindings
            if not any(tuple([binding[name] for name in own]) in found for own, found in blocked)
        ]
        if not free:
            return
        join = self._join.over(index)
        for binding in free:
            values = next(join(tuple(binding.values())), None)
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


def bindings(variables: Sequence[Typed], problem: Problem) -> Iterator[Binding]:
    """Yield every binding of the variables to objects of their types. Raises TooMuchWork, Cancelled."""
    names = [v.name for v in variables]
    for objects in combinations([problem.of_type(v.type) for v in variables]):
        yield dict(zip(names, objects, strict=True))
