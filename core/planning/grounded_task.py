"""A problem for the searches: every fact a bit, every operator over bits.

Grounding goes by type, not by reachability, so one table serves every state of a problem with the same static
facts (those that no effect changes). Facts are numbered in a fixed order, so that a search does not depend on
the hash seed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from core.belief import Atom
from core.errors import PlanningError
from core.planning.axioms import stratify
from core.planning.fact_bits import BitEffect, BitOperator, union
from core.planning.ground import State, fluent_predicates, holds
from core.planning.ground_rules import BitRule, LayeredRules
from core.planning.join import FactIndex, Join, Values, projector
from core.planning.pddl.formulas import conjunction, ground_condition, literals
from core.planning.plan_cost import plan_cost
from core.planning_model import (
    Action,
    Axiom,
    Condition,
    Effect,
    ForAll,
    Formula,
    Literal,
    Problem,
    Step,
    Typed,
)
from core.stop_token import StopToken
from core.work import TooMuchWork, Work, work_in_force

_MAX_ALTERNATIVES = 12  # alternatives of a condition; with more, an auxiliary fact replaces it
GROUNDING_UNITS = 20_000_000  # of work; some 20 s, and the memory of as many effects
_AUXILIARY = "#"  # the predicate of auxiliary facts; no file can contain it
FactConjunction = tuple[int, int]  # the bits of what must hold, and of what must not


@dataclass(frozen=True, eq=False)
class GroundedTask:
    """A grounded problem. `solvable` is False if the goal can never hold.

    An action whose precondition can hold in several ways has one operator for each.
    """

    fact_numbers: Mapping[Atom, int]
    operators: tuple[BitOperator, ...]  # their costs are to scale
    goal: int
    goal_forbids: int
    solvable: bool
    rules: LayeredRules
    by_cost: bool

    def facts(self, state: State) -> int:
        """Return the state's bits, without facts that no operator and no goal mentions."""
        numbers = self.fact_numbers
        return sum(1 << numbers[atom] for atom in state if atom in numbers)


def static_facts(problem: Problem) -> State:
    """Return the facts of the state whose predicates no effect changes."""
    fluent = fluent_predicates(problem.domain)
    return frozenset(atom for atom in problem.state if atom.predicate not in fluent)


def ground_task(
    problem: Problem, limit: int, cancel: StopToken, seconds: float | None = None
) -> GroundedTask:
    """Ground everything by type.

    Where plans are to be cheap, operators whose cost has no value are left out. Raises TooMuchWork
    (operators, rules, seconds or bindings), Cancelled, and PlanningError if one's cost is below zero.
    """
    with Work(GROUNDING_UNITS, seconds=seconds, cancel=cancel, about=f"Grounding {problem.name!r}"):
        return _ground_task(problem, limit)


def _ground_task(problem: Problem, limit: int) -> GroundedTask:
    maker = _Grounder(problem, limit)
    operators: list[BitOperator] = []
    for action in problem.domain.actions:
        for made in maker.operators(action):
            if problem.by_cost:
                cost = plan_cost(problem, (made.step,))
                if cost is None:
                    continue
                if cost < 0:
                    raise PlanningError(f"The cost of {made.step} is below zero.")
                made = made._replace(cost=cost)
            operators.append(made)
            maker.count(len(operators))
    for axiom in problem.domain.axioms:
        maker.add_axiom(axiom)
    ways = maker.alternatives(maker.instantiate(conjunction((*problem.goal, *problem.goal_formulas)), {}))
    if len(ways) > 1:
        ways = [maker.auxiliary_fact(ways)]
    return GroundedTask(
        {Atom(*key): fact for key, fact in maker.fact_numbers.items()},
        tuple(_with_whole_costs(operators) if problem.by_cost else operators),
        *(ways[0] if ways else (0, 0)),
        solvable=bool(ways),
        rules=LayeredRules(maker.rules, maker.derived_layers()),
        by_cost=problem.by_cost,
    )


def _with_whole_costs(operators: Sequence[BitOperator]) -> Iterator[BitOperator]:
    """Yield the operators with proportional whole costs, since SAS+ supports no other numbers."""
    exact = [Fraction(str(op.cost)) for op in operators]
    scale = lcm(*(cost.denominator for cost in exact))
    return (op._replace(cost=int(cost * scale)) for op, cost in zip(operators, exact, strict=True))


# --- making -----------------------------------------------------------------------------------------

Key = tuple[str, tuple[str, ...]]


class _Grounder:
    def __init__(self, problem: Problem, limit: int) -> None:
        self.problem, self.limit, self.work = problem, limit, work_in_force()
        self.fluent = fluent_predicates(problem.domain)
        self.static = static_facts(problem)
        self.static_index = FactIndex(self.static)
        self.fact_numbers: dict[Key, int] = {}
        self.rules: list[BitRule] = []
        self._owns: dict[frozenset[FactConjunction], int] = {}

    def count(self, made: int) -> None:
        """Check the limit of operators or rules. Raises TooMuchWork."""
        if made > self.limit:
            raise TooMuchWork(f"More than {self.limit:,} ground actions or rules are too many to search.")

    def fact(self, predicate: str, args: tuple[str, ...]) -> int:
        return 1 << self.fact_numbers.setdefault((predicate, args), len(self.fact_numbers))

    # --- conditions ----------------------------------------------------------------------------------

    def instantiate(self, condition: Condition, binding: Mapping[str, str]) -> Condition:
        """Return the condition over the existing objects, with static facts substituted."""

        def known(literal: Literal) -> bool | None:
            return None if literal.predicate in self.fluent else holds(self.static, literal)

        return ground_condition(condition, binding, self.problem.of_type, known)

    def formula_alternatives(
        self, formulas: tuple[Formula, ...], binding: Mapping[str, str]
    ) -> list[FactConjunction]:
        return self.alternatives(self.instantiate(conjunction(formulas), binding))

    def alternatives(self, condition: Condition) -> list[FactConjunction]:
        """Return the ways in which a ground condition can hold; none if it cannot."""
        if isinstance(condition, Literal):
            fact = self.fact(condition.predicate, condition.args)
            return [(fact, 0) if condition.positive else (0, fact)]
        if isinstance(condition, ForAll):
            parts = sorted(map(self.alternatives, condition.parts), key=len)
            only = [ways[0] for ways in parts if len(ways) == 1]
            found = _possible([(union(a for a, _ in only), union(b for _, b in only))])
            for ways in (ways for ways in parts if len(ways) != 1):
                if len(found) * len(ways) > _MAX_ALTERNATIVES:
                    ways = [self.auxiliary_fact(ways)]
                found = _possible((a | c, b | d) for a, b in found for c, d in ways)
            return found
        found = _possible(way for part in condition.parts for way in self.alternatives(part))
        return found if len(found) <= _MAX_ALTERNATIVES else [self.auxiliary_fact(found)]

    def auxiliary_fact(self, ways: list[FactConjunction]) -> FactConjunction:
        """Return a fact that follows from each of the alternatives."""
        key = frozenset(ways)
        if key not in self._owns:
            fact = self._owns[key] = self.fact(_AUXILIARY, (str(len(self._owns)),))
            self.rules += [BitRule(needs, forbids, fact) for needs, forbids in ways]
        return self._owns[key], 0

    def add_axiom(self, axiom: Axiom) -> None:
        """Add the axiom's rules. Raises TooMuchWork, Cancelled."""
        names = [v.name for v in axiom.variables]
        static = [c for c in axiom.condition if c.predicate not in self.fluent]
        fluent = [c for c in axiom.condition if c.predicate in self.fluent]
        head = projector(axiom.head.args, names)
        for values in Join(axiom.variables, static, self.problem.of_type).run(self.static_index):
            binding = dict(zip(names, values, strict=True))
            fact = self.fact(axiom.head.predicate, head(values))
            for needs, forbids in self.alternatives(
                self.instantiate(conjunction((*fluent, *axiom.formulas)), binding)
            ):
                self.rules.append(BitRule(needs, forbids, fact))
                self.count(len(self.rules))

    def derived_layers(self) -> Mapping[int, int]:
        """Return the lowest layer that each derived fact may be in."""
        of = stratify(self.problem.domain) or {}
        return {fact: of[predicate] for (predicate, _), fact in self.fact_numbers.items() if predicate in of}

    # --- actions -------------------------------------------------------------------------------------

    def operators(self, action: Action) -> Iterator[BitOperator]:
        names = [p.name for p in action.parameters]
        static = [p for p in action.precondition if p.predicate not in self.fluent]
        fluent = [p for p in action.precondition if p.predicate in self.fluent]
        needs = [self.template(p, names) for p in fluent if p.positive]
        forbids = [self.template(p, names) for p in fluent if not p.positive]
        effects = [_EffectTemplate(self, effect, action.parameters) for effect in action.effects]
        for args in Join(action.parameters, static, self.problem.of_type).run(self.static_index):
            ways: list[FactConjunction] = [(0, 0)]
            if action.formulas:
                ways = self.formula_alternatives(action.formulas, dict(zip(names, args, strict=True)))
            if not ways:
                continue
            changes = [change for effect in effects for change in effect.bound(args)]
            self.work.spend(10 + len(changes))
            plain = [w for w in changes if not w.needs and not w.forbids]
            adds = union(w.fact for w in plain if w.add)
            deletes = union(w.fact for w in plain if not w.add) & ~adds
            whens = [w for w in changes if (w.needs or w.forbids) and not w.fact & adds]
            kept = tuple(w for w in whens if w.add or not w.fact & deletes)
            if not (adds or deletes or kept):
                continue
            if_, unless = union(t(args) for t in needs), union(t(args) for t in forbids)
            step = Step(action.name, args)
            for more, less in ways:
                made = BitOperator(step, if_ | more, unless | less, adds, deletes, kept)
                if not made.needs & made.forbids:
                    yield made

    def template(self, literal: Literal, names: Sequence[str]) -> Callable[[Values], int]:
        """Return a function from the values of `names` to the bit of the literal's fact."""
        predicate, pick, numbers = literal.predicate, projector(literal.args, names), self.fact_numbers
        return lambda values: 1 << numbers.setdefault((predicate, pick(values)), len(numbers))


class _EffectTemplate:
    """One effect of an action. Its grounding is cached by the values of the parameters that it uses."""

    def __init__(self, maker: _Grounder, effect: Effect, parameters: Sequence[Typed]) -> None:
        self.maker, self.effect = maker, effect
        inside = (found for formula in effect.formulas for found in literals(formula))
        used = {a for literal in (effect.literal, *effect.condition, *inside) for a in literal.args}
        outer = [p for p in parameters if p.name in used]
        variables = [*outer, *effect.variables]
        self.names = [v.name for v in variables]
        self.key = projector(self.names[: len(outer)], [p.name for p in parameters])
        static = [c for c in effect.condition if c.predicate not in maker.fluent]
        fluent = [c for c in effect.condition if c.predicate in maker.fluent]
        joined = Join(variables, static, maker.problem.of_type, len(outer))
        self.join = joined if effect.variables or static else None  # None: once for each `outer`
        self.target = maker.template(effect.literal, self.names)
        self.needs = [maker.template(c, self.names) for c in fluent if c.positive]
        self.forbids = [maker.template(c, self.names) for c in fluent if not c.positive]
        self.known: dict[Values, tuple[BitEffect, ...]] = {}

    def bound(self, args: Values) -> tuple[BitEffect, ...]:
        key = self.key(args)
        if key not in self.known:
            self.known[key] = tuple(self._bound(key))
        return self.known[key]

    def _bound(self, outer: Values) -> Iterator[BitEffect]:
        maker, add = self.maker, self.effect.literal.positive
        for values in self.join.run(maker.static_index, outer) if self.join else (outer,):
            fact = self.target(values)
            needs = union(t(values) for t in self.needs)
            forbids = union(t(values) for t in self.forbids)
            ways: list[FactConjunction] = [(0, 0)]
            if self.effect.formulas:
                ways = maker.formula_alternatives(
                    self.effect.formulas, dict(zip(self.names, values, strict=True))
                )
            for more, less in ways:
                if_, unless = needs | more, forbids | less
                if if_ == fact and not unless and not add:
                    if_ = 0  # "when p: not p" is the same as "not p"
                if not if_ & unless:
                    yield BitEffect(if_, unless, fact, add)


def _possible(ways: Iterable[FactConjunction]) -> list[FactConjunction]:
    """Return each alternative once, without contradictory ones."""
    return list(dict.fromkeys(way for way in ways if not way[0] & way[1]))
