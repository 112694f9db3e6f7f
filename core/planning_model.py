"""Lifted planning values: domain, problem, step, plan. All are frozen and free of any parser's types.

Terms are plain strings: a variable starts with "?", anything else names an object.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from types import MappingProxyType

from core.belief import Atom
from core.text.plural import plural

Json = str | int | float | bool | None | tuple["Json", ...]

EQUALS = "="
CHEAPEST = "minimize (total-cost)"  # the metric that is obeyed
Amount = float | Atom  # a number, or a function's value for its arguments


@dataclass(frozen=True, order=True)
class Typed:
    """A variable, constant or object with its type."""

    name: str
    type: str = "object"


@dataclass(frozen=True, order=True)
class Literal:
    """An atom or its negation, over terms. The predicate "=" compares two terms."""

    predicate: str
    args: tuple[str, ...] = ()
    positive: bool = True

    def bind(self, binding: Mapping[str, str]) -> Literal:
        return Literal(self.predicate, tuple(binding.get(a, a) for a in self.args), self.positive)

    @cached_property
    def atom(self) -> Atom:
        """Return the ground atom; every variable must already be bound."""
        return Atom(self.predicate, self.args)

    def __str__(self) -> str:
        text = f"({' '.join((self.predicate, *self.args))})"
        return text if self.positive else f"(not {text})"


@dataclass(frozen=True)
class _Quantified:
    variables: tuple[Typed, ...] = ()
    parts: tuple[Condition, ...] = ()

    @cached_property
    def terms(self) -> frozenset[str]:
        """Return the terms of its literals."""
        return _terms(self.parts)


@dataclass(frozen=True)
class ForAll(_Quantified):
    """The conjunction of `parts` for every binding of `variables`; without variables, a plain "and".

    Negation occurs in literals only. `ForAll()` is true.
    """

    def __str__(self) -> str:
        return _formula("forall", "and", self.variables, self.parts)


@dataclass(frozen=True)
class Exists(_Quantified):
    """The disjunction of `parts` for some binding of `variables`; without variables, a plain "or".

    `Exists()` is false.
    """

    def __str__(self) -> str:
        return _formula("exists", "or", self.variables, self.parts)


Formula = ForAll | Exists
Condition = Literal | ForAll | Exists


def _terms(parts: Iterable[Condition]) -> frozenset[str]:
    return frozenset().union(*(p.args if isinstance(p, Literal) else p.terms for p in parts))


def _formula(quantifier: str, word: str, variables: tuple[Typed, ...], parts: tuple[Condition, ...]) -> str:
    inner = str(parts[0]) if variables and len(parts) == 1 else f"({' '.join((word, *map(str, parts)))})"
    if not variables:
        return inner
    return f"({quantifier} ({' '.join(f'{v.name} - {v.type}' for v in variables)}) {inner})"


@dataclass(frozen=True)
class Effect:
    """`literal` becomes true for all bindings of `variables` whose `condition` and `formulas` held before."""

    literal: Literal
    variables: tuple[Typed, ...] = ()
    condition: tuple[Literal, ...] = ()
    formulas: tuple[Formula, ...] = ()  # what a conjunction of literals cannot express


@dataclass(frozen=True)
class Predicate:
    name: str
    parameters: tuple[Typed, ...] = ()


@dataclass(frozen=True)
class Action:
    """An action schema. All effects refer to the old state; deletes are applied before adds."""

    name: str
    parameters: tuple[Typed, ...] = ()
    precondition: tuple[Literal, ...] = ()
    effects: tuple[Effect, ...] = ()
    formulas: tuple[Formula, ...] = ()  # of the precondition, besides its literals
    costs: tuple[Amount, ...] = ()  # added to the plan's cost

    @cached_property
    def named_objects(self) -> frozenset[str]:
        """Return the objects that it names, besides its parameters."""
        changes = (part for e in self.effects for part in (e.literal, *e.condition, *e.formulas))
        amounts = (Literal(*amount) for amount in self.costs if isinstance(amount, Atom))
        return _objects((*self.precondition, *self.formulas, *changes, *amounts))


@dataclass(frozen=True)
class Axiom:
    """`head` holds wherever `condition` and `formulas` do, for some binding of `variables`.

    The variables of the head come first. Its predicate is derived: it is in no state and no effect.
    """

    head: Literal
    variables: tuple[Typed, ...] = ()
    condition: tuple[Literal, ...] = ()
    formulas: tuple[Formula, ...] = ()

    @cached_property
    def named_objects(self) -> frozenset[str]:
        return _objects((self.head, *self.condition, *self.formulas))


def _objects(parts: Iterable[Condition]) -> frozenset[str]:
    return frozenset(term for term in _terms(parts) if not term.startswith("?"))


@dataclass(frozen=True)
class Domain:
    """PDDL's ADL subset: types, constants, equality, quantified conditions and effects, derived predicates.

    `types` holds each type with its parents, one entry per parent, sorted, without the root "object". Where a
    type is expected, "(either a b)" may stand for several.
    """

    name: str
    types: tuple[Typed, ...] = ()
    constants: tuple[Typed, ...] = ()
    predicates: tuple[Predicate, ...] = ()
    actions: tuple[Action, ...] = ()
    axioms: tuple[Axiom, ...] = ()
    functions: tuple[Predicate, ...] = ()  # in which costs are looked up

    @cached_property
    def digest(self) -> str:
        """Return a hash of the content; engines use it as a cache key."""
        return hashlib.sha256(repr(self).encode()).hexdigest()[:16]

    @cached_property
    def parents(self) -> Mapping[str, str]:
        return MappingProxyType({t.name: t.type for t in self.types})

    def is_a(self, type: str, ancestor: str) -> bool:
        """Return True if `type` is `ancestor` or a subtype of it."""
        return is_a(self._ancestors, type, ancestor)

    @cached_property
    def _ancestors(self) -> Mapping[str, frozenset[str]]:
        return type_ancestors(self.types)

    @cached_property
    def derived(self) -> frozenset[str]:
        """Return the predicates that axioms define."""
        return frozenset(axiom.head.predicate for axiom in self.axioms)

    @cached_property
    def fluents(self) -> frozenset[str]:
        """Return the predicates that some effect or axiom changes; all others are static."""
        return self.derived.union(e.literal.predicate for a in self.actions for e in a.effects)

    @cached_property
    def has_costs(self) -> bool:
        return any(action.costs for action in self.actions)

    def action(self, name: str) -> Action:
        """Return the action of this name. Raises KeyError if the domain has none."""
        return self._actions[name]

    @cached_property
    def _actions(self) -> Mapping[str, Action]:
        return MappingProxyType({a.name: a for a in self.actions})


def type_ancestors(types: Iterable[Typed]) -> dict[str, frozenset[str]]:
    """Return each type with all its ancestors, including itself but not the root."""
    parents: dict[str, set[str]] = {}
    for entry in types:
        parents.setdefault(entry.name, set()).add(entry.type)
    found: dict[str, frozenset[str]] = {}
    for name in parents:
        known, open_ = {name}, [name]
        while open_:
            new = parents.get(open_.pop(), set()) - known
            known |= new
            open_ += new
        found[name] = frozenset(known)
    return found


def is_a(ancestors: Mapping[str, frozenset[str]], type: str, ancestor: str) -> bool:
    if ancestor in ("object", type):
        return True
    wanted = type_alternatives(ancestor)
    return all(
        not ancestors.get(kind, frozenset((kind,))).isdisjoint(wanted) for kind in type_alternatives(type)
    )


def type_alternatives(type: str) -> tuple[str, ...]:
    """Return the types that a type stands for: several for "(either a b)"."""
    return tuple(type[1:-1].split()[1:]) if type.startswith("(") else (type,)


@dataclass(frozen=True)
class Problem:
    """A planning task: objects, initial state and goal. `objects` does not include the constants."""

    name: str
    domain: Domain
    objects: tuple[Typed, ...]
    state: frozenset[Atom]
    goal: tuple[Literal, ...]
    goal_formulas: tuple[Formula, ...] = ()  # of the goal, besides its literals
    costs: tuple[tuple[Atom, float], ...] = ()  # the values of the domain's functions
    metric: str = ""  # as written, such as "minimize (total-cost)"

    @cached_property
    def by_cost(self) -> bool:
        """Return True if its plans are to be cheap, False if they are to be short."""
        return self.metric == CHEAPEST and self.domain.has_costs

    @cached_property
    def cost_of(self) -> Mapping[Atom, float]:
        return MappingProxyType(dict(self.costs))

    @cached_property
    def all_objects(self) -> tuple[Typed, ...]:
        """Return objects and constants, sorted by name."""
        return tuple(sorted({*self.objects, *self.domain.constants}))

    def of_type(self, type: str) -> tuple[str, ...]:
        """Return the names of all objects of a type or its subtypes, sorted."""
        known = self._of_type
        if type not in known:
            known[type] = tuple(o.name for o in self.all_objects if self.domain.is_a(o.type, type))
        return known[type]

    @cached_property
    def _of_type(self) -> dict[str, tuple[str, ...]]:
        return {}

    @cached_property
    def _types(self) -> Mapping[str, str]:
        return {o.name: o.type for o in self.all_objects}

    def with_state(self, state: Iterable[Atom]) -> Problem:
        """Return this problem with another initial state; digest and objects are not computed again."""
        moved = replace(self, state=frozenset(state))
        moved.__dict__.update(all_objects=self.all_objects, digest=self.digest, _of_type=self._of_type)
        return moved

    def step_faults(self, step: Step) -> tuple[str, ...]:
        """Return in words why the step does not belong to this problem, whatever holds now; () if it does."""
        known, key = self._faults, (step.name, step.args)
        if key not in known:
            known[key] = self._faults_of(step)
        return known[key]

    @cached_property
    def _faults(self) -> dict[tuple[str, tuple[str, ...]], tuple[str, ...]]:
        return {}

    def _faults_of(self, step: Step) -> tuple[str, ...]:
        try:
            action = self.domain.action(step.name)
        except KeyError:
            return (f"there is no action named {step.name!r}",)
        if len(step.args) != len(action.parameters):
            return (f"{step.name} takes {plural(len(action.parameters), 'object')}, not {len(step.args)}",)
        types = self._types
        faults = []
        for name, parameter in zip(step.args, action.parameters, strict=True):
            if name not in types:
                faults.append(f"there is no object named {name!r}")
            elif not self.domain.is_a(types[name], parameter.type):
                faults.append(f"{name} is of type {types[name]!r}, not {parameter.type!r}")
        return tuple(faults)

    def is_goal(self, state: frozenset[Atom]) -> bool:
        """Return True if the goal holds in `state`."""
        return all((goal.atom in state) == goal.positive for goal in self.goal)

    @cached_property
    def digest(self) -> str:
        """Return a hash of everything but the state, which is what grounding depends on."""
        goal = self.goal, self.goal_formulas
        text = repr((self.domain.digest, self.all_objects, *goal, self.costs, self.by_cost))
        return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Step:
    """A ground action: one line of a plan. `values` carry what is not symbolic (a grasp, a pose).

    They say how the step is executed and do not affect equality.
    """

    name: str
    args: tuple[str, ...] = ()
    values: Mapping[str, Json] = field(default_factory=lambda: MappingProxyType({}), hash=False)

    def __reduce__(self) -> tuple[type[Step], tuple[object, ...]]:
        """Let other processes have it, which a view of a dict cannot go to."""
        return Step, (self.name, self.args, dict(self.values))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Step):
            return NotImplemented
        return (self.name, self.args) == (other.name, other.args)

    def __str__(self) -> str:
        return f"({' '.join((self.name, *self.args))})"


def same_step(a: Step, b: Step) -> bool:
    """Return True if both steps are equal and have the same values (grasp, pose, ...)."""
    return a == b and a.values == b.values


def fulfils(step: Step, planned: Step) -> bool:
    """Return True if this step is the planned one; what values a plan leaves open, the robot chooses."""
    return step == planned and (not planned.values or step.values == planned.values)


class PlanStatus(Enum):
    """TIMEOUT and FAILED prove nothing; IMPOSSIBLE is proven. Never treat one as the other."""

    FOUND = "found"
    IMPOSSIBLE = "impossible"
    TIMEOUT = "timeout"
    FAILED = "failed"  # the planner broke


@dataclass(frozen=True)
class Plan:
    status: PlanStatus
    steps: tuple[Step, ...] = ()
    engine: str = ""
    seconds: float = 0.0
    expanded: int = 0
    reason: str = ""  # why there is no plan, in one sentence
    cost: float | None = None  # of a plan whose actions have costs
    share: float | None = None  # of the likely worlds it was tried in: in how many it holds

    @property
    def size(self) -> str:
        """Return its length in words, and its cost if it has one."""
        steps = plural(len(self.steps), "step")
        return steps if self.cost is None else f"{steps}, cost {self.cost:g}"
