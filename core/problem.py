"""Planning's lifted values: domain, problem, step, plan. Ours and frozen; no parser's types.

Terms are plain strings: a variable starts with "?", anything else names an object.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from types import MappingProxyType

from core.facts import Atom

Json = str | int | float | bool | None | tuple["Json", ...]

EQUALS = "="


@dataclass(frozen=True, order=True)
class Typed:
    """A variable, constant or object with its type."""

    name: str
    type: str = "object"


@dataclass(frozen=True, order=True)
class Literal:
    """An atom or its negation over terms. The predicate "=" compares two terms."""

    predicate: str
    args: tuple[str, ...] = ()
    positive: bool = True

    def bind(self, binding: Mapping[str, str]) -> Literal:
        return Literal(self.predicate, tuple(binding.get(a, a) for a in self.args), self.positive)

    @cached_property
    def atom(self) -> Atom:
        """The ground atom; the caller has bound every variable."""
        return Atom(self.predicate, self.args)

    def __str__(self) -> str:
        text = f"({' '.join((self.predicate, *self.args))})"
        return text if self.positive else f"(not {text})"


@dataclass(frozen=True)
class Effect:
    """`literal` comes true for all `variables` where `condition` held before the action."""

    literal: Literal
    variables: tuple[Typed, ...] = ()
    condition: tuple[Literal, ...] = ()


@dataclass(frozen=True)
class Predicate:
    name: str
    parameters: tuple[Typed, ...] = ()


@dataclass(frozen=True)
class Action:
    """An action schema. All effects look at the old state; deletes come before adds."""

    name: str
    parameters: tuple[Typed, ...] = ()
    precondition: tuple[Literal, ...] = ()
    effects: tuple[Effect, ...] = ()


@dataclass(frozen=True)
class Domain:
    """STRIPS with typing, negative preconditions, equality, constants and conditional effects.

    `types` holds each type with its parent, sorted, without the root "object".
    """

    name: str
    types: tuple[Typed, ...] = ()
    constants: tuple[Typed, ...] = ()
    predicates: tuple[Predicate, ...] = ()
    actions: tuple[Action, ...] = ()

    @cached_property
    def digest(self) -> str:
        """Names this very content; engines cache by it."""
        return hashlib.sha256(repr(self).encode()).hexdigest()[:16]

    @cached_property
    def parents(self) -> Mapping[str, str]:
        return MappingProxyType({t.name: t.type for t in self.types})

    def is_a(self, type: str, ancestor: str) -> bool:
        """Whether `type` is `ancestor` or below it."""
        while type != ancestor:
            if type not in self.parents:
                return ancestor == "object"
            type = self.parents[type]
        return True

    def action(self, name: str) -> Action:
        """Raises KeyError for a name the domain has not."""
        return self._actions[name]

    @cached_property
    def _actions(self) -> Mapping[str, Action]:
        return MappingProxyType({a.name: a for a in self.actions})


@dataclass(frozen=True)
class Problem:
    """A task: objects, what holds at first, and what shall hold. `objects` includes no constants."""

    name: str
    domain: Domain
    objects: tuple[Typed, ...]
    state: frozenset[Atom]
    goal: tuple[Literal, ...]
    constraints: tuple[Literal, ...] = ()  # reserved for partial plans (OWL-TAMP); none are understood yet

    @cached_property
    def everything(self) -> tuple[Typed, ...]:
        """Objects and constants, sorted by name."""
        return tuple(sorted({*self.objects, *self.domain.constants}))

    def of_type(self, type: str) -> tuple[str, ...]:
        """Names of all objects of a type or below it, sorted."""
        known = self._of_type
        if type not in known:
            known[type] = tuple(o.name for o in self.everything if self.domain.is_a(o.type, type))
        return known[type]

    @cached_property
    def _of_type(self) -> dict[str, tuple[str, ...]]:
        return {}

    def at(self, state: Iterable[Atom]) -> Problem:
        """This problem from another state; digest and objects stay, and are not computed again."""
        moved = replace(self, state=frozenset(state))
        moved.__dict__.update(everything=self.everything, digest=self.digest, _of_type=self._of_type)
        return moved

    @cached_property
    def digest(self) -> str:
        """Names everything but the state: what grounding depends on."""
        text = repr((self.domain.digest, self.everything, self.goal, self.constraints))
        return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Step:
    """A ground action: one line of a plan. `values` carry what is not symbolic (a grasp, a pose): how it is
    done, which makes it no other step."""

    name: str
    args: tuple[str, ...] = ()
    values: Mapping[str, Json] = field(default_factory=lambda: MappingProxyType({}), hash=False)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Step):
            return NotImplemented
        return (self.name, self.args) == (other.name, other.args)

    def __str__(self) -> str:
        return f"({' '.join((self.name, *self.args))})"


class PlanStatus(Enum):
    """Never mixed up: TIMEOUT proves nothing, IMPOSSIBLE is proven."""

    FOUND = "found"
    IMPOSSIBLE = "impossible"
    TIMEOUT = "timeout"


@dataclass(frozen=True)
class Plan:
    status: PlanStatus
    steps: tuple[Step, ...] = ()
    engine: str = ""
    seconds: float = 0.0
    expanded: int = 0
    why: str = ""  # a sentence, when there is none
