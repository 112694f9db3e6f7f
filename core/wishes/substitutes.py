"""A wish in a domain that COWP has changed: what may not be used any more gives way to what stands in for it.

Steps, goal, descriptions and tests stay as they were said, of the substitute. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, replace

from core.errors import BadValue
from core.knowledge.words import spoken
from core.methods.cowp.policy import Cowp
from core.planning_model import Literal, Problem, Step
from core.scene import Bodies
from core.wish import Test, Wish
from core.wishes.wish_planner import compile_wish, label_of


@dataclass(frozen=True)
class OfSubstitutes:
    """A test that sees, where it speaks of a thing, the one that stands in for it."""

    test: Test
    instead: tuple[tuple[str, str], ...]

    @property
    def args(self) -> tuple[str, ...]:
        names = dict(self.instead)
        return tuple(names.get(arg, arg) for arg in getattr(self.test, "args", ()))

    def __call__(self, bodies: Bodies) -> bool:
        return self.test({**bodies, **{old: bodies[new] for old, new in self.instead}})


class WishCowp(Cowp):
    """COWP for what is left of a wish: a change is suggested if the wish can be planned with it."""

    wish: Wish | None = None

    def of(self, wish: Wish) -> WishCowp:
        made = copy(self)
        made.wish, made.setup = wish, replace(self.setup, plan=made.steps_to)
        return made

    def steps_to(self, problem: Problem) -> tuple[Step, ...] | None:
        if self.wish is None:
            return super().steps_to(problem)
        wish = with_substitutes(self.wish, self.problem, problem)
        try:
            found = super().steps_to(compile_wish(problem, wish))
        except BadValue:
            return None
        labels = [label_of(step) for step in found or ()]
        steps = (s if k is None else wish.steps[k] for s, k in zip(found or (), labels, strict=True))
        return None if found is None else tuple(steps)


def with_substitutes(wish: Wish, before: Problem, now: Problem) -> Wish:
    """Return the wish about the newest fitting thing wherever a step may not take the one that it names."""
    types = {o.name: o.type for o in before.all_objects}
    new = [o for o in reversed(now.objects) if o.name not in types]
    instead = dict[str, str]()
    for step in wish.steps:
        for old in _barred(step, before, now):
            fits = (
                o.name
                for o in new
                if now.domain.is_a(o.type, types[old])
                and not any(_barred(_about(step, {old: o.name}), before, now))
            )
            if (name := next(fits, "")) or old in instead:
                instead[old] = name
    return _renamed(wish, {old: name for old, name in instead.items() if name}) if instead else wish


def _barred(step: Step, before: Problem, now: Problem) -> Iterator[str]:
    """Yield the things of a step that a learnt precondition keeps from it for good."""
    action, was = now.domain.action(step.name), before.domain.action(step.name)
    binding = dict(zip((p.name for p in action.parameters), step.args, strict=True))
    ended = {e.literal.predicate for a in now.domain.actions for e in a.effects if not e.literal.positive}
    for literal in action.precondition:
        learnt = literal not in was.precondition and literal.predicate not in ended
        if learnt and not literal.positive and literal.bind(binding).atom in now.state:
            yield from (binding[arg] for arg in literal.args if binding[arg])


def _about(step: Step, instead: Mapping[str, str]) -> Step:
    return replace(step, args=tuple(instead.get(arg, arg) for arg in step.args))


def _renamed(wish: Wish, instead: Mapping[str, str]) -> Wish:
    def literal(one: Literal) -> Literal:
        return replace(one, args=tuple(instead.get(arg, arg) for arg in one.args))

    def tests(given: Iterable[Test]) -> tuple[Test, ...]:
        return tuple(OfSubstitutes(test, tuple(instead.items())) for test in given)

    def words(said: str) -> str:
        for old, new in instead.items():
            said = re.sub(rf"\b({re.escape(old)}|{re.escape(spoken(old))})\b", spoken(new), said)
        return said

    return replace(
        wish,
        steps=tuple(_about(step, instead) for step in wish.steps),
        goal=tuple(map(literal, wish.goal)),
        tests={number: tests(of_step) for number, of_step in wish.tests.items()},
        goal_tests=tests(wish.goal_tests),
        descriptions=tuple(map(words, wish.descriptions)),
    )
