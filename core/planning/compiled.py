"""A problem compiled for whatever works on it: every fact a bit, every operator and the goal over bits.

`compiled` serves every state: operators are made when asked for, and a formula that is no conjunction is a
test of the state. `ground_task` serves the searches: all operators, by type and not by reachability, over the
facts that some effect changes; what a formula can be in several ways is as many operators, or a derived fact.
Its facts are numbered in a fixed order, so that a search does not depend on the hash seed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import lcm

from core.belief import Atom
from core.errors import PlanningError
from core.planning.axioms import Axioms, stratify
from core.planning.fact_bits import NEVER, BitEffect, BitOperator, FactBits, State, Test, union
from core.planning.ground_rules import BitRule, LayeredRules
from core.planning.join import FactIndex, Join, Values, projector
from core.planning.pddl.formulas import (
    FALSE,
    conjunction,
    ground_condition,
    holds,
    literals,
    satisfied,
    split,
)
from core.planning_model import (
    EQUALS,
    Action,
    Amount,
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
_CACHED_PROBLEMS, _CACHED_STATES = 64, 2_000
MAX_SIZE = 15 * 10**9  # conditions and effects times facts: two gigabytes
GROUNDING_UNITS = 20_000_000  # of work; some 20 s, and the memory of as many effects
_AUXILIARY = "#"  # the predicate of auxiliary facts; no file can contain it
_GOAL = Step("")
_Masks = tuple[int, int]  # the bits of what must hold, and of what must not
_Way = tuple[int, int, tuple[Test, ...]]


def compiled(problem: Problem) -> CompiledProblem:
    """Return the problem compiled for any of its states; made once. Any thread may use it."""
    found = _COMPILED.get(problem.digest)
    if found is None:
        while len(_COMPILED) >= _CACHED_PROBLEMS:
            _COMPILED.pop(next(iter(_COMPILED)), None)
        found = _COMPILED[problem.digest] = CompiledProblem(problem)
    return found


_COMPILED: dict[str, CompiledProblem] = {}


def static_facts(problem: Problem) -> State:
    """Return the facts of the state whose predicates no effect changes."""
    fluent = problem.domain.fluents
    return frozenset(atom for atom in problem.state if atom.predicate not in fluent)


def ground_task(
    problem: Problem, limit: int, cancel: StopToken, seconds: float | None = None
) -> CompiledProblem:
    """Ground everything by type.

    Where plans are to be cheap, operators whose cost has no value are left out. Raises TooMuchWork
    (operators, rules, seconds or bindings), Cancelled, and PlanningError if one's cost is below zero.
    """
    with Work(GROUNDING_UNITS, seconds=seconds, cancel=cancel, about=f"Grounding {problem.name!r}"):
        table = CompiledProblem(problem, static_facts(problem))
        table.ground(limit)
        return table


class CompiledProblem:
    """The facts, operators, rules and goal of a problem over bits.

    An action whose precondition can hold in several ways has one operator for each in `operators`, which is
    empty unless grounded; so are the rules. The goal is an operator that does nothing.
    """

    def __init__(self, problem: Problem, static: State | None = None, facts: FactBits | None = None) -> None:
        """Without the static facts it is for any state. `facts` are numbered already."""
        self.problem, self.by_cost = problem, problem.by_cost
        self.facts = FactBits() if facts is None else facts
        self.operators: tuple[BitOperator, ...] = ()
        self.rules = LayeredRules((), {})
        self.any_state, self._static = static is None, static or frozenset()
        self.static_index = FactIndex(self._static)
        self._rules: list[BitRule] = []
        self._auxiliary: dict[frozenset[_Masks], int] = {}
        self._operators: dict[tuple[str, Values], BitOperator] = {}
        self._schemas: dict[str, _Schema] = {}
        self._axioms = Axioms(problem) if self.any_state and problem.domain.axioms else None
        self._masks: dict[State, int] = {}
        if self.any_state:
            self.goal = self._compiled_goal()

    # --- of any state --------------------------------------------------------------------------------

    def operator(self, step: Step) -> BitOperator:
        """Return the step's operator. Raises KeyError if no action of the domain has this step."""
        key = step.name, step.args
        if key not in self._operators:
            if self.problem.step_faults(step):
                raise KeyError(str(step))
            (self._operators[key],) = self._schema(self.problem.domain.action(step.name)).bind(step.args)
        return self._operators[key]

    def mask(self, state: State) -> int:
        """Return the state's bits, with what follows from it; without facts that no grounded operator or goal
        mentions. Raises TooMuchWork, Cancelled.
        """
        if not self.any_state:
            return self.rules.closure(self.facts.known(state))
        known = self._masks.get(state)
        if known is None:
            if len(self._masks) >= _CACHED_STATES:
                self._masks.clear()
            whole = self._axioms.closure(state) if self._axioms else state
            known = self._masks[state] = self.facts.mask(whole)
        return known

    def closed(self, state: int) -> int:
        """Return a state as an operator leaves it with what follows from it."""
        if self._axioms is None:
            return self.rules.closure(state) if self.rules else state
        derived = self.problem.domain.derived
        return self.mask(frozenset(a for a in self.facts.atoms(state) if a.predicate not in derived))

    # --- grounding -----------------------------------------------------------------------------------

    def ground(self, limit: int) -> None:
        """Make all operators, the rules and the goal, for any state with the same static facts."""
        operators: list[BitOperator] = []
        size = 0
        for action in self.problem.domain.actions:
            for made in self._schema(action).operators():
                if self.by_cost:
                    cost = plan_cost(self.problem, (made.step,))
                    if cost is None:
                        continue
                    if cost < 0:
                        raise PlanningError(f"The cost of {made.step} is below zero.")
                    made = made._replace(cost=cost)
                operators.append(made)
                size += len(self.facts) * (1 + len(made.effects))
                _check(len(operators), limit, size)
        for axiom in self.problem.domain.axioms:
            self._add_axiom(axiom, limit)
        self.goal = self._compiled_goal()
        self.operators = tuple(_with_whole_costs(operators) if self.by_cost else operators)
        layer = stratify(self.problem.domain) or {}
        lowest = {n: layer[atom.predicate] for atom, n in self.facts.items() if atom.predicate in layer}
        self.rules = LayeredRules(self._rules, lowest)
        self._schemas.clear()

    def _compiled_goal(self) -> BitOperator:
        ways = self.ways((*self.problem.goal, *self.problem.goal_formulas))
        if len(ways) > 1:
            ways = [(*self._auxiliary_fact([(a, b) for a, b, _ in ways]), ())]
        needs, forbids, tests = ways[0] if ways else (NEVER, 0, ())
        return BitOperator(_GOAL, needs, forbids, tests=tests)

    def _schema(self, action: Action) -> _Schema:
        if action.name not in self._schemas:
            self._schemas[action.name] = _Schema(self, action)
        return self._schemas[action.name]

    def _add_axiom(self, axiom: Axiom, limit: int) -> None:
        """Add the axiom's rules. Raises TooMuchWork, Cancelled."""
        names = [v.name for v in axiom.variables]
        static, fluent = self.split(axiom.condition)
        head = self.template(axiom.head, names)
        for values in Join(axiom.variables, static, self.problem.of_type).run(self.static_index):
            fact = head(values)
            for needs, forbids, _ in self.ways((*fluent, *axiom.formulas), names, values):
                self._rules.append(BitRule(needs, forbids, fact))
                _check(len(self._rules), limit)

    # --- conditions ----------------------------------------------------------------------------------

    def split(self, conditions: Iterable[Literal]) -> tuple[list[Literal], list[Literal]]:
        """Return what is decided here and now, and what depends on the state."""
        sides: tuple[list[Literal], list[Literal]] = [], []
        for literal in conditions:
            sides[self._changes(literal)].append(literal)
        return sides

    def _changes(self, literal: Literal) -> bool:
        if self.any_state:
            return literal.predicate != EQUALS
        return literal.predicate in self.problem.domain.fluents

    def template(self, literal: Literal, names: Sequence[str]) -> Callable[[Values], int]:
        """Return a function from the values of `names` to the bit of the literal's fact."""
        predicate, pick, numbers = literal.predicate, projector(literal.args, names), self.facts
        return lambda values: 1 << numbers[predicate, pick(values)]  # type: ignore[index]

    def ways(
        self, conditions: Sequence[Condition], names: Sequence[str] = (), values: Values = ()
    ) -> list[_Way]:
        """Return the ways in which the conditions can hold together, with these values of the variables."""
        if not conditions:
            return [(0, 0, ())]
        binding = dict(zip(names, values, strict=True))

        def known(literal: Literal) -> bool | None:
            return None if self._changes(literal) else holds(self._static, literal)

        found = ground_condition(conjunction(conditions), binding, self.problem.of_type, known)
        if not self.any_state:
            return [(needs, forbids, ()) for needs, forbids in self._alternatives(found)]
        plain, formulas = split(found)
        needs = union(self.facts.bit(p.atom) for p in plain if p.positive)
        forbids = union(self.facts.bit(p.atom) for p in plain if not p.positive)
        return [] if found == FALSE else [(needs, forbids, tuple(map(self._test, formulas)))]

    def _test(self, formula: Formula) -> Test:
        facts, objects = self.facts, self.problem.of_type

        def holds_in(state: int) -> bool:
            return satisfied(formula, {}, objects, lambda p: bool(state >> facts[p.atom] & 1) is p.positive)

        return holds_in

    def _alternatives(self, condition: Condition) -> list[_Masks]:
        if isinstance(condition, Literal):
            fact = self.facts.bit(condition.atom)
            return [(fact, 0) if condition.positive else (0, fact)]
        if isinstance(condition, ForAll):
            parts = sorted(map(self._alternatives, condition.parts), key=len)
            only = [ways[0] for ways in parts if len(ways) == 1]
            found = _possible([(union(a for a, _ in only), union(b for _, b in only))])
            for ways in (ways for ways in parts if len(ways) != 1):
                if len(found) * len(ways) > _MAX_ALTERNATIVES:
                    ways = [self._auxiliary_fact(ways)]
                found = _possible((a | c, b | d) for a, b in found for c, d in ways)
            return found
        found = _possible(way for part in condition.parts for way in self._alternatives(part))
        return found if len(found) <= _MAX_ALTERNATIVES else [self._auxiliary_fact(found)]

    def _auxiliary_fact(self, ways: list[_Masks]) -> _Masks:
        """Return a fact that follows from each of the alternatives."""
        key = frozenset(ways)
        if key not in self._auxiliary:
            number = str(len(self._auxiliary))
            fact = self._auxiliary[key] = 1 << self.facts[_AUXILIARY, (number,)]  # type: ignore[index]
            self._rules += [BitRule(needs, forbids, fact) for needs, forbids in ways]
        return self._auxiliary[key], 0


def _check(made: int, limit: int, size: int = 0) -> None:
    """Check the limit of operators or rules. Raises TooMuchWork."""
    if made > limit or size > MAX_SIZE:
        raise TooMuchWork(f"More than {limit:,} ground actions or rules are too many to search.")


def _with_whole_costs(operators: Sequence[BitOperator]) -> Iterator[BitOperator]:
    """Yield the operators with proportional whole costs, since SAS+ supports no other numbers."""
    exact = [Fraction(str(op.cost)) for op in operators]
    scale = lcm(*(cost.denominator for cost in exact))
    return (op._replace(cost=int(cost * scale)) for op, cost in zip(operators, exact, strict=True))


def _possible(ways: Iterable[_Masks]) -> list[_Masks]:
    """Return each alternative once, without contradictory ones."""
    return list(dict.fromkeys(way for way in ways if not way[0] & way[1]))


# --- actions ----------------------------------------------------------------------------------------


class _Schema:
    """An action, whose conditions and effects are functions of its arguments."""

    def __init__(self, made: CompiledProblem, action: Action) -> None:
        self.made, self.action, self.names = made, action, [p.name for p in action.parameters]
        static, fluent = made.split(action.precondition)
        self.join = Join(action.parameters, static, made.problem.of_type, made.any_state * len(self.names))
        self.needs = [made.template(p, self.names) for p in fluent if p.positive]
        self.forbids = [made.template(p, self.names) for p in fluent if not p.positive]
        self.effects = [_EffectTemplate(made, effect, action.parameters) for effect in action.effects]

    def operators(self) -> Iterator[BitOperator]:
        """Yield all operators that can be applied and do something."""
        for args in self.join.run(self.made.static_index):
            for made in self.bind(args):
                if (made.adds or made.deletes or made.effects) and not made.needs & made.forbids:
                    yield made

    def bind(self, args: Values) -> Iterator[BitOperator]:
        """Yield an operator for each way in which the precondition can hold; exactly one for any state."""
        made, ways = self.made, self.made.ways(self.action.formulas, self.names, args)
        if made.any_state and not (ways and next(self.join.run(made.static_index, args), None) is not None):
            ways = [(NEVER, 0, ())]
        if not ways:
            return
        changes = [change for effect in self.effects for change in effect.bound(args)]
        work_in_force().spend(10 + len(changes))
        plain = [w for w in changes if not (w.needs or w.forbids or w.tests)]
        adds = union(w.fact for w in plain if w.add)
        deletes = union(w.fact for w in plain if not w.add) & ~adds
        whens = [w for w in changes if (w.needs or w.forbids or w.tests) and not w.fact & adds]
        kept = tuple(w for w in whens if w.add or not w.fact & deletes)
        needs, forbids = union(t(args) for t in self.needs), union(t(args) for t in self.forbids)
        step = Step(self.action.name, args)
        for more, less, tests in ways:
            yield BitOperator(step, needs | more, forbids | less, adds, deletes, kept, tests)


class _EffectTemplate:
    """One effect of an action. Its grounding is cached by the values of the parameters that it uses."""

    def __init__(self, made: CompiledProblem, effect: Effect, parameters: Sequence[Typed]) -> None:
        self.made, self.effect = made, effect
        inside = (found for formula in effect.formulas for found in literals(formula))
        used = {a for literal in (effect.literal, *effect.condition, *inside) for a in literal.args}
        outer = [p for p in parameters if p.name in used]
        variables = [*outer, *effect.variables]
        self.names = [v.name for v in variables]
        self.key = projector(self.names[: len(outer)], [p.name for p in parameters])
        static, fluent = made.split(effect.condition)
        joined = Join(variables, static, made.problem.of_type, len(outer))
        self.join = joined if effect.variables or static else None  # None: once for each `outer`
        self.target = made.template(effect.literal, self.names)
        self.needs = [made.template(c, self.names) for c in fluent if c.positive]
        self.forbids = [made.template(c, self.names) for c in fluent if not c.positive]
        self.known: dict[Values, tuple[BitEffect, ...]] = {}

    def bound(self, args: Values) -> tuple[BitEffect, ...]:
        key = self.key(args)
        if key not in self.known:
            self.known[key] = tuple(self._bound(key))
        return self.known[key]

    def _bound(self, outer: Values) -> Iterator[BitEffect]:
        made, add = self.made, self.effect.literal.positive
        for values in self.join.run(made.static_index, outer) if self.join else (outer,):
            fact = self.target(values)
            needs = union(t(values) for t in self.needs)
            forbids = union(t(values) for t in self.forbids)
            for more, less, tests in made.ways(self.effect.formulas, self.names, values):
                if_, unless = needs | more, forbids | less
                if if_ == fact and not (unless or add or tests):
                    if_ = 0  # "when p: not p" is the same as "not p"
                if not if_ & unless:
                    yield BitEffect(if_, unless, fact, add, tests)


def plan_cost(problem: Problem, steps: Iterable[Step]) -> float | None:
    """Return the cost of the steps; None if actions have none, or a function that they need has no value."""
    if not problem.domain.has_costs:
        return None
    total = 0.0
    for step in steps:
        action = problem.domain.action(step.name)
        binding = dict(zip((p.name for p in action.parameters), step.args, strict=True))
        for amount in action.costs:
            value = _value(amount, binding, problem)
            if value is None:
                return None
            total += value
    return total


def _value(amount: Amount, binding: Mapping[str, str], problem: Problem) -> float | None:
    if isinstance(amount, Atom):
        return problem.cost_of.get(Atom(amount.predicate, tuple(binding.get(a, a) for a in amount.args)))
    return amount
