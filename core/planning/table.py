"""A problem as numbers, for the searches: every fact an int, every operator sets of ints.

Grounding goes by type, never by what can be reached, so one table serves every state of a problem in which
the static facts (those that no effect changes) are the same. Fact numbers come in a fixed order, so that
a search over them does the same whatever the hash seed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from core.cancel import Cancel
from core.facts import Atom
from core.planning.ground import State, Values, bindings, changeable, holds, objects_by_type, picker
from core.problem import EQUALS, Action, Effect, Literal, Problem, Step

Facts = frozenset[int]
NOTHING: Facts = frozenset()


class TooLarge(Exception):
    """More ground operators than the limit."""


@dataclass(frozen=True, slots=True)
class NumberedWhen:
    needs: Facts
    forbids: Facts
    fact: int
    add: bool


@dataclass(frozen=True, slots=True)
class NumberedOperator:
    """Deletes come before adds; all conditions look at the old state."""

    step: Step
    needs: Facts
    forbids: Facts
    adds: Facts
    deletes: Facts  # none of `adds`
    whens: tuple[NumberedWhen, ...] = ()


@dataclass(frozen=True, eq=False)
class Table:
    """`possible` is False where a static fact or an "=" of the goal does not hold."""

    number: Mapping[Atom, int]
    operators: tuple[NumberedOperator, ...]
    goal: Facts
    goal_forbids: Facts
    possible: bool
    static: State

    def facts(self, state: State) -> Facts:
        """The state's numbers. Facts that no operator and no goal speaks of have none, and are left out."""
        return frozenset(sorted(self.number[atom] for atom in state if atom in self.number))


def static_facts(problem: Problem) -> State:
    """What holds now of the predicates that no effect changes."""
    fluent = changeable(problem.domain)
    return frozenset(atom for atom in problem.state if atom.predicate not in fluent)


def make_table(problem: Problem, limit: int, cancel: Cancel) -> Table:
    """Ground everything by type. Raises TooLarge, Cancelled."""
    maker = _Maker(problem)
    operators: list[NumberedOperator] = []
    for action in problem.domain.actions:
        for made in maker.operators(action):
            operators.append(made)
            if len(operators) > limit:
                raise TooLarge
            if len(operators) % 64 == 0:
                cancel.check()
    goal: list[int] = []
    forbids: list[int] = []
    possible = True
    for literal in problem.goal:
        if literal.predicate in maker.fluent:
            (goal if literal.positive else forbids).append(maker.fact(literal.predicate, literal.args))
        else:
            possible = possible and holds(maker.static, literal)
    number = {Atom(*key): fact for key, fact in maker.number.items()}
    return Table(number, tuple(operators), _set(goal), _set(forbids), possible, maker.static)


# --- making -----------------------------------------------------------------------------------------

Key = tuple[str, tuple[str, ...]]


class _Maker:
    def __init__(self, problem: Problem) -> None:
        self.fluent = changeable(problem.domain)
        self.static = static_facts(problem)
        self.objects = objects_by_type(problem)
        self.number: dict[Key, int] = {}

    def fact(self, predicate: str, args: tuple[str, ...]) -> int:
        return self.number.setdefault((predicate, args), len(self.number))

    def operators(self, action: Action) -> Iterator[NumberedOperator]:
        names = [p.name for p in action.parameters]
        static = [p for p in action.precondition if p.predicate not in self.fluent]
        fluent = [p for p in action.precondition if p.predicate in self.fluent]
        needs = [self._template(p, names) for p in fluent if p.positive]
        forbids = [self._template(p, names) for p in fluent if not p.positive]
        effects = [_Inner(self, effect, names) for effect in action.effects]
        for args in bindings(action, self.objects, static, self.static):
            changes = [change for effect in effects for change in effect.bound(args)]
            plain = [w for w in changes if not w.needs and not w.forbids]
            adds = _set(w.fact for w in plain if w.add)
            deletes = _set(w.fact for w in plain if not w.add) - adds
            whens = [w for w in changes if (w.needs or w.forbids) and w.fact not in adds]
            made = NumberedOperator(
                Step(action.name, args),
                _set(template(args) for template in needs),
                _set(template(args) for template in forbids),
                adds,
                deletes,
                tuple(w for w in whens if w.add or w.fact not in deletes),
            )
            if made.needs.isdisjoint(made.forbids) and (adds or deletes or made.whens):
                yield made

    def _template(self, literal: Literal, names: Sequence[str]) -> Callable[[Values], int]:
        """From the values of `names` to the number of the literal's fact."""
        pick = picker(literal.args, names)
        predicate = literal.predicate
        return lambda values: self.fact(predicate, pick(values))


class _Inner:
    """One effect of an action. What it comes to is kept for equal values of the parameters it names."""

    def __init__(self, maker: _Maker, effect: Effect, names: Sequence[str]) -> None:
        self.maker, self.effect = maker, effect
        inner = [v.name for v in effect.variables]
        used = {a for literal in (effect.literal, *effect.condition) for a in literal.args}
        outer = [name for name in names if name in used]
        self.names = [*outer, *inner]
        self.key = picker(outer, names)
        self.choices = list(product(*(maker.objects[v.type] for v in effect.variables)))
        self.known: dict[Values, tuple[NumberedWhen, ...]] = {}

    def bound(self, args: Values) -> tuple[NumberedWhen, ...]:
        key = self.key(args)
        if key not in self.known:
            self.known[key] = tuple(self._bound(key))
        return self.known[key]

    def _bound(self, outer: Values) -> Iterator[NumberedWhen]:
        maker, literal = self.maker, self.effect.literal
        target = picker(literal.args, self.names)
        conditions = [(c, picker(c.args, self.names)) for c in self.effect.condition]
        for inner in self.choices:
            values = outer + inner
            fact = maker.fact(literal.predicate, target(values))
            needs: list[int] = []
            forbids: list[int] = []
            can_fire = True
            for condition, pick in conditions:
                if condition.predicate == EQUALS or condition.predicate not in maker.fluent:
                    bound = Literal(condition.predicate, pick(values), condition.positive)
                    can_fire = can_fire and holds(maker.static, bound)
                else:
                    number = maker.fact(condition.predicate, pick(values))
                    (needs if condition.positive else forbids).append(number)
            if needs == [fact] and not forbids and not literal.positive:
                needs = []  # "when p: not p" is plainly "not p"
            if can_fire and not set(needs) & set(forbids):
                yield NumberedWhen(_set(needs), _set(forbids), fact, literal.positive)


def _set(numbers: Iterable[int]) -> Facts:
    """Built in sorted order, so that going through it is the same in every process."""
    return frozenset(sorted(numbers))
