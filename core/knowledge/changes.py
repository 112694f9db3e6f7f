"""Define the changes of a domain that a method proposes, and their evidence.

An object and a fact belong to one episode only; the others hold for every later episode of the domain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from core.belief import Atom
from core.knowledge.proposed import Known, Proposed, Used
from core.knowledge.words import definite, quality, spoken, statement, with_article
from core.planning_model import EQUALS, Action, Domain, Effect, Literal, Predicate, Problem, Typed
from core.text.plural import plural
from core.text.untrusted_text import one_line

A_FALL = "a fall"  # the cause of a side effect, where it is no action


@dataclass(frozen=True)
class AddPrecondition(Proposed):
    """`action` needs that `predicate` does not hold of its parameters of these types.

    Without types the predicate has no arguments: "there is a power outage".
    """

    action: str
    predicate: str
    types: tuple[str, ...] = ()
    lasting: ClassVar = True
    bars: ClassVar = True
    order: ClassVar = 1

    def describe(self, object_name: Callable[[str], str] = spoken) -> str:
        whose = [definite(spoken(type)) for type in self.types]
        return f"“{spoken(self.action)}” now needs: {statement(self.predicate, whose, holds=False)}"

    @property
    def pddl(self) -> str:
        terms = "".join(f" ?{type}" for type in self.types)
        return f"{self.action}: (not ({self.predicate}{terms}))"

    def apply(self, problem: Problem) -> Problem:
        domain, action = problem.domain, problem.domain.action(self.action)
        literal = Literal(self.predicate, parameters_of(domain, action, self.types), False)
        if literal in action.precondition:
            return problem
        changed = replace(action, precondition=(*action.precondition, literal))
        domain = with_action(with_predicate(domain, self.predicate, self.types), changed)
        return replace(problem, domain=domain)

    @property
    def new_predicates(self) -> dict[str, int]:
        return {self.predicate: len(self.types)}

    def faults(self, known: Known) -> Iterator[str]:
        yield from known.unknown("action", (self.action,))
        yield from known.unknown("type", self.types)
        if self.action not in known.actions or not known.types.issuperset(self.types):
            return
        domain, name, arity = known.problem.domain, self.predicate, known.predicates[self.predicate]
        action = domain.action(self.action)
        try:
            terms = parameters_of(domain, action, self.types)
        except StopIteration:
            yield f"{self.action} takes nothing of the type {' or '.join(self.types)}: name another action."
            return
        meant = next((p.parameters for p in domain.predicates if p.name == name), ())
        if arity != len(self.types):
            yield f"{name} has {arity} arguments already, not {len(self.types)}: take another name."
        elif any(p.predicate == name and p.args == terms and p.positive for p in action.precondition):
            yield f"{self.action} needs {name} already: with the change it could never be done."
        elif any(
            not domain.is_a(type, p.type) and not domain.is_a(topmost(domain, type), p.type)
            for type, p in zip(self.types, meant, strict=False)
        ):
            yield f"{name} means something else in this domain: take another name."

    def served(self, used: Used) -> bool:
        return self.predicate in used.facts


@dataclass(frozen=True)
class AllowSubstitute(Proposed):
    """Things of the type `substitute` count as a `stands_for` from now on."""

    substitute: str
    stands_for: str
    lasting: ClassVar = True

    def describe(self, object_name: Callable[[str], str] = spoken) -> str:
        return f"{with_article(self.substitute)} counts as {with_article(self.stands_for)}"

    @property
    def pddl(self) -> str:
        return f"types: {self.substitute} - {self.stands_for}"

    def apply(self, problem: Problem) -> Problem:
        return replace(problem, domain=with_type(problem.domain, self.substitute, self.stands_for))

    @property
    def new_types(self) -> tuple[str, ...]:
        return (self.substitute,)

    def faults(self, known: Known) -> Iterator[str]:
        kind, other = self.substitute, self.stands_for
        yield from known.unknown("type", (other,))
        both = kind <= other and AllowSubstitute(other, kind) in known.beside
        if both or known.problem.domain.is_a(other, kind):
            yield f"A {kind} cannot count as a {other}, which counts as a {kind}: keep one of the two."

    def served(self, used: Used) -> bool:
        return self.substitute in used.kinds


@dataclass(frozen=True)
class AddRepair(Proposed):
    """`action` ends `predicate` of a thing of `type` if it is done with a device of the type `device`.

    The action exists already: a robot does only the skills that it has.
    """

    action: str
    device: str
    predicate: str
    type: str
    lasting: ClassVar = True
    order: ClassVar = 2

    def describe(self, object_name: Callable[[str], str] = spoken) -> str:
        ended = f"{with_article(self.type)} is {quality(self.predicate)}"
        return f"{spoken(self.action)} with {with_article(self.device)} ends that {ended}"

    @property
    def pddl(self) -> str:
        when = f"(when (= ?device ?{self.device}) (not ({self.predicate} ?{self.type})))"
        return f"{self.action}: (forall (?{self.device} - {self.device}) {when})"

    def apply(self, problem: Problem) -> Problem:
        """Add a conditional effect: where the device is one of this kind, the predicate ends."""
        domain, action = problem.domain, problem.domain.action(self.action)
        device, thing = self._parameters(domain, action)
        one = Typed("?device", self.device)
        ends = Literal(self.predicate, (thing,), False)
        effect = Effect(ends, (one,), (Literal(EQUALS, (device, one.name)),))
        if effect in action.effects:
            return problem
        domain = with_predicate(domain, self.predicate, (self.type,))
        domain = with_action(domain, replace(action, effects=(*action.effects, effect)))
        return replace(problem, domain=domain)

    def _parameters(self, domain: Domain, action: Action) -> tuple[str, str]:
        """Return the parameters for the device and for the thing. Raises StopIteration without them."""
        device = next(p.name for p in action.parameters if domain.is_a(self.device, p.type))
        thing = next(p.name for p in action.parameters if p.name != device and domain.is_a(self.type, p.type))
        return device, thing

    @property
    def new_names(self) -> tuple[str, ...]:
        return self.device, self.predicate

    @property
    def new_predicates(self) -> dict[str, int]:
        return {self.predicate: 1}

    def faults(self, known: Known) -> Iterator[str]:
        yield from known.unknown("action", (self.action,))
        yield from known.unknown("type", (self.type,))
        declared = {t.name for t in known.problem.domain.types}  # others, a substitute may declare first
        if self.action in known.actions and self.type in known.types and self.device in declared:
            yield from self.later_faults(known)

    def later_faults(self, known: Known) -> Iterator[str]:
        if self.device not in known.types:
            yield from known.unknown("type", (self.device,))
            return
        try:
            self._parameters(known.problem.domain, known.problem.domain.action(self.action))
        except StopIteration:
            both = f"a {self.device} and a {self.type}"
            yield f"{self.action} does not take {both}: name a skill that takes both."

    def served(self, used: Used) -> bool:
        return (self.action, self.device) in used.ran


@dataclass(frozen=True)
class AddObject(Proposed):
    """An object that the problem did not have, with what is seen of it."""

    name: str
    type: str
    facts: tuple[Atom, ...] = ()
    order: ClassVar = 3

    def describe(self, object_name: Callable[[str], str] = spoken) -> str:
        return f"there is {with_article(self.type)} ({object_name(self.name)})"

    @property
    def pddl(self) -> str:
        return " ".join((f"objects: {self.name} - {self.type}", *map(str, self.facts)))

    def apply(self, problem: Problem) -> Problem:
        there = any(o.name == self.name for o in problem.all_objects)
        new = () if there else (Typed(self.name, self.type),)
        return replace(problem, objects=(*problem.objects, *new), state=problem.state | set(self.facts))

    @property
    def new_names(self) -> tuple[str, ...]:
        return self.name, self.type

    @property
    def new_objects(self) -> dict[str, str]:
        return {self.name: self.type}

    def faults(self, known: Known) -> Iterator[str]:
        for fact in self.facts:
            yield from known.fact(fact)
        if (type := known.objects[self.name]) != self.type:
            yield f"{self.name} is a {type} already: give the new thing another name."

    def later_faults(self, known: Known) -> Iterator[str]:
        yield from known.unknown("type", (self.type,))


@dataclass(frozen=True)
class AddFact(Proposed):
    """A fact that holds now, such as the situation itself."""

    fact: Atom
    order: ClassVar = 4

    def describe(self, object_name: Callable[[str], str] = spoken) -> str:
        about = [definite(object_name(name)) for name in self.fact.args]
        return f"now {statement(self.fact.predicate, about)}"

    @property
    def pddl(self) -> str:
        return f"init: {self.fact}"

    def apply(self, problem: Problem) -> Problem:
        return replace(problem, state=problem.state | {self.fact})

    def faults(self, known: Known) -> Iterator[str]:
        yield from known.fact(self.fact)


@dataclass(frozen=True, eq=False)
class SideEffect(Proposed):
    """`cause`, an action or `A_FALL`, ends `predicate` of what it handles, or brings it about, though no line
    of the domain says so; where `ends` is None, `predicate` is a situation instead of its effects.

    A method reckons with how often it `happened`, of so many `times`, with a `robot` in its world; without
    one, a person let it count. With `words`, it is of steps that failed for this reason. It changes no PDDL,
    and with other figures it is the same change.
    """

    cause: str
    predicate: str
    ends: bool | None = True
    happened: float = 1
    times: float = 1
    robot: str = ""
    words: str = ""
    episodes: int = 1
    lasting: ClassVar = True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SideEffect) and self._what == other._what

    def __hash__(self) -> int:
        return hash(self._what)

    @property
    def _what(self) -> tuple[str, str, bool | None, str, str]:
        return self.cause, self.predicate, self.ends, self.robot, self.words

    def describe(self, object_name: Callable[[str], str] = spoken) -> str:
        counts, after = f"{self.happened:.3g} of {self.times:.3g}", self.predicate.strip("()") or "it worked"
        if self.ends is not None:
            after = f"{statement(self.predicate, ('the thing',), not self.ends)} afterwards"
        if self.robot:
            why = f" failed, “{self.words}”" if self.words else ""
            over = f"{counts} tries, {plural(self.episodes, 'episode')} with {self.robot}"
            return f"“{spoken(self.cause)}”{why}: {after} in {over}"
        occasions = "falls" if self.cause == A_FALL else f"times “{spoken(self.cause)}”"
        return f"in {counts} {occasions} {after}, which no line of the domain says"

    @property
    def pddl(self) -> str:
        fact = f"({self.predicate} ...)" if self.ends is not None else self.predicate
        counts = f"{self.happened:.3g} of {self.times:.3g}"
        return f"{self.cause}: {f'(not {fact})' if self.ends else fact}  ; {counts}"

    def apply(self, problem: Problem) -> Problem:
        return problem

    def faults(self, known: Known) -> Iterator[str]:
        if self.cause != A_FALL:
            yield from known.unknown("action", (self.cause,))
        if self.ends is not None and self.predicate not in known.predicates:
            yield f"The domain has no predicate {one_line(repr(self.predicate), 60)}: name one that it has."

    def served(self, used: Used) -> bool:
        return any(action == self.cause for action, _ in used.ran)


Change = (
    AddPrecondition | AllowSubstitute | AddRepair | AddObject | AddFact | SideEffect
)  # those that a log can hold


@dataclass(frozen=True)
class Evidence:
    """Why a change is suggested: what was asked in a situation, and what was replied.

    `raw_reply` is the complete reply, which is never shown raw. A person's own word has no prompt.
    """

    situation: str = ""
    prompt: str = ""
    raw_reply: str = ""
    interpretation: str = ""
    by: str = ""


@dataclass(frozen=True)
class LearntChange:
    """A change with its evidence, and the episode in which it was learnt ("" for this one)."""

    change: Change
    evidence: tuple[Evidence, ...] = ()
    episode: str = ""

    @property
    def robot(self) -> str:
        """Return with which robot it was counted over episodes; "" for what a person admits."""
        return self.change.robot if isinstance(self.change, SideEffect) else ""


@dataclass(frozen=True)
class Knowledge:
    """What an episode has learnt: the changes in force, in their order, and those that a person refused."""

    changes: tuple[LearntChange, ...] = ()
    refused: tuple[Change, ...] = ()

    def holds(self, change: Change) -> bool:
        return any(learnt.change == change for learnt in self.changes)


NO_KNOWLEDGE = Knowledge()


# --- edits of a domain ---------------------------------------------------------------------------------


def parameters_of(domain: Domain, action: Action, types: Iterable[str]) -> tuple[str, ...]:
    """Return for each type another of the action's parameters, the closest of type. Raises StopIteration."""
    found: list[str] = []
    for type in types:
        fits = [p for p in action.parameters if p.name not in found and domain.is_a(type, p.type)]
        found.append(next(p.name for p in fits if not any(_is_closer(domain, q, p) for q in fits)))
    return tuple(found)


def _is_closer(domain: Domain, one: Typed, other: Typed) -> bool:
    return domain.is_a(one.type, other.type) and not domain.is_a(other.type, one.type)


def with_type(domain: Domain, kind: str, parent: str) -> Domain:
    """Return the domain in which `kind` is a `parent` as well as what it was."""
    entry = Typed(kind, parent)
    return domain if entry in domain.types else replace(domain, types=tuple(sorted({*domain.types, entry})))


def with_predicate(domain: Domain, name: str, types: Iterable[str]) -> Domain:
    """Return the domain with a predicate over the topmost of these types.

    `grasp` takes a thing, `fill` a cup, and both may need that it is not dirty.
    """
    if any(p.name == name for p in domain.predicates):
        return domain
    parameters = tuple(Typed(f"?x{i}", topmost(domain, type)) for i, type in enumerate(types))
    return replace(domain, predicates=(*domain.predicates, Predicate(name, parameters)))


def topmost(domain: Domain, type: str) -> str:
    """Return the type below "object" that is above this one."""
    seen = {type}
    while (parent := domain.parents.get(type, "object")) != "object" and parent not in seen:
        seen.add(parent)
        type = parent
    return type


def with_action(domain: Domain, changed: Action) -> Domain:
    return replace(domain, actions=tuple(changed if a.name == changed.name else a for a in domain.actions))
