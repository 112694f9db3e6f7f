"""Edits of a draft, one literal or one fact each, as values that a person admits, edits or refuses.

What a person edited is kept when somebody else changes the same draft: three ways, action by action.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise, permutations
from typing import TypeVar

from core.belief import Atom
from core.drafting.screening import is_likely, missing_links
from core.drafting.steps import DraftSteps, Walk
from core.knowledge.changes import with_action
from core.knowledge.proposed import Known, Proposed
from core.knowledge.words import spoken
from core.planning.join import FactIndex, Join
from core.planning_model import Action, Effect, Literal, Problem, Step


@dataclass(frozen=True)
class LiteralEdit(Proposed):
    """`old` of an action's precondition or effect becomes `new`; None: nothing was, or remains, there."""

    action: str
    effect: bool
    old: Literal | None
    new: Literal | None

    lasting = True

    def describe(self, object_name: Callable[[str], str] = spoken) -> str:
        where = f"{'effect' if self.effect else 'precondition'} of {self.action}"
        if self.old and self.new:
            return f"the {where} {self.old} becomes {self.new}"
        return f"the {where} gets {self.new}" if self.new else f"the {where} loses {self.old}"

    @property
    def inverse(self) -> LiteralEdit:
        return replace(self, old=self.new, new=self.old)

    @property
    def pddl(self) -> str:
        return f"{self.action}: {self.new or f'without {self.old}'}"

    def apply(self, problem: Problem) -> Problem:
        action = problem.domain.action(self.action)
        if self.effect:
            old, new = (Effect(part) if part else None for part in (self.old, self.new))
            effects = _changed(action.effects, old, new)
            action = replace(action, effects=effects)
        else:
            action = replace(action, precondition=_changed(action.precondition, self.old, self.new))
        return replace(problem, domain=with_action(problem.domain, action))

    def faults(self, known: Known) -> Iterable[str]:
        yield from known.unknown("action", [self.action])
        if self.new and self.new.predicate not in known.predicates:
            yield f"The domain has no predicate {self.new.predicate}: name one that it has."


@dataclass(frozen=True)
class FactEdit(Proposed):
    """A fact that the first state gets, or loses."""

    fact: Atom
    holds: bool

    def describe(self, object_name: Callable[[str], str] = spoken) -> str:
        return f"the first state {'gets' if self.holds else 'loses'} {self.fact}"

    @property
    def inverse(self) -> FactEdit:
        return replace(self, holds=not self.holds)

    @property
    def pddl(self) -> str:
        return f":init: {self.fact}" if self.holds else f":init: without {self.fact}"

    def apply(self, problem: Problem) -> Problem:
        change = {self.fact}
        return replace(problem, state=problem.state | change if self.holds else problem.state - change)

    def faults(self, known: Known) -> Iterable[str]:
        return known.fact(self.fact)


Edit = LiteralEdit | FactEdit


PATIENCE = 4_000  # steps that are looked at for a missing fact
T = TypeVar("T")


def _changed(parts: tuple[T, ...], old: T | None, new: T | None) -> tuple[T, ...]:
    if old is None:
        return parts if new is None or new in parts else (*parts, new)
    return tuple(n for p in parts if (n := new if p == old else p) is not None)


def literal_edits(problem: Problem, action: Action) -> Iterator[Edit]:
    """Yield every edit of one literal of an action, with predicates of the domain, and its own parameters.

    What no action changes is not made an effect, unless the first state has none of it, nor needed not to
    hold, unless an action needs that already. No action is made to need or do a thing and its opposite.
    """
    domain, there = problem.domain, {fact.predicate for fact in problem.state}
    fluent = domain.fluents
    changed = fluent | {p.name for p in domain.predicates if p.name not in there}
    denied = {p.predicate for a in domain.actions for p in a.precondition if not p.positive}
    needs, makes = action.precondition, tuple(e.literal for e in action.effects if not e.condition)
    kinds = {p.name: p.type for p in action.parameters}
    possible = [
        Literal(predicate.name, args, positive)
        for predicate in domain.predicates
        for args in permutations(kinds, len(predicate.parameters))
        if all(domain.is_a(kinds[a], p.type) for a, p in zip(args, predicate.parameters, strict=True))
        for positive in (True, False)
    ]
    for literal in needs:
        yield LiteralEdit(action.name, False, literal, None)
    for literal in makes:
        yield LiteralEdit(action.name, True, literal, None)
    for new in possible:
        against = replace(new, positive=not new.positive)
        for effect, literals, allowed in (
            (False, needs, new.positive or new.predicate in fluent | denied),
            (True, makes, new.predicate in changed),
        ):
            if new in literals or not allowed:
                continue
            if against not in literals:
                yield LiteralEdit(action.name, effect, None, new)
            for old in literals:
                if old.predicate == new.predicate and (old == against or against not in literals):
                    yield LiteralEdit(action.name, effect, old, new)


def unusual(problem: Problem) -> Callable[[Edit], int]:
    """Return what says of an edit how many actions more have what it takes away than have what it gives.

    Of edits that mend as much, the one is right that makes an action more like the others.
    """
    counts = Counter((False, part) for action in problem.domain.actions for part in action.precondition)
    counts.update((True, part.literal) for action in problem.domain.actions for part in action.effects)

    def more(edit: Edit) -> int:
        if isinstance(edit, FactEdit):
            return 0
        old, new = (counts[edit.effect, part] if part else 0 for part in (edit.old, edit.new))
        return old - new

    return more


def of_literals(draft: DraftSteps, walks: Sequence[Walk]) -> Iterator[Edit]:
    """Yield the edits of all actions in these walks, the last word's first.

    The action of the last word alone is often not at fault.
    """
    blamed: dict[str, None] = {}
    for back in range(1, max(map(len, walks), default=0) + 1):
        for word in dict.fromkeys(walk[-back] for walk in walks if len(walk) >= back):
            blamed |= dict.fromkeys(draft.actions_of([word]))
    for name in blamed:
        yield from literal_edits(draft.problem, draft.problem.domain.action(name))


def of_facts(draft: DraftSteps, words: Walk, possible: int) -> Iterator[Edit]:
    """Yield facts of the first state, changed by no action, with which no more or less than the first
    `possible` words may be done.
    """
    problem = draft.problem
    fluent = problem.domain.fluents
    done, _ = draft.run(words)
    at = min(done, possible)
    if at == len(words) or done == possible:
        return
    word, (_, states) = words[at], draft.run(words[:at])
    wanted = done < possible  # the world can, the draft cannot
    for state in sorted(states)[:2]:
        index = FactIndex(draft.whole(state))
        for name in draft.actions_of([word]):
            action = problem.domain.action(name)
            names = [p.name for p in action.parameters]
            for n, literal in enumerate(action.precondition):
                if literal.predicate in fluent:
                    continue
                others = action.precondition[:n] + action.precondition[n + 1 :]
                checked = others if wanted else action.precondition
                steps = Join(action.parameters, checked, problem.of_type).run(index)
                for args in sorted(islice(steps, PATIENCE)):
                    fact: Atom = literal.bind(dict(zip(names, args, strict=True))).atom
                    holds = literal.positive == wanted
                    said = draft.word_of(Step(name, args)) == word
                    if said and (fact in problem.state) != holds and _is_usual(problem, fact, holds):
                        yield FactEdit(fact, holds)


def _is_usual(problem: Problem, fact: Atom, holds: bool) -> bool:
    """Return False for a link that is unlike the others, and for taking one away that they suggest."""
    if holds:
        return is_likely(problem, fact)
    return fact not in missing_links(replace(problem, state=problem.state - {fact}))


@dataclass(frozen=True)
class Conflict:
    """A part that a person and somebody else changed differently: the person's stands until they say."""

    what: str  # "the action move", or "the goal"
    before: str
    mine: str
    theirs: str
    resolved: Problem  # with theirs in the place of mine


def merge(before: Problem, mine: Problem, theirs: Problem) -> tuple[Problem, tuple[Conflict, ...]]:
    """Return theirs with all that a person changed between `before` and `mine`, and where both differ."""
    old, ours = _actions(before), _actions(mine)
    kept = {name: action for name, action in ours.items() if action != old.get(name)}
    actions = tuple(kept.get(a.name, a) for a in theirs.domain.actions)
    actions += tuple(a for name, a in kept.items() if name not in _actions(theirs))
    known = {p.name for p in theirs.domain.predicates}
    predicates = theirs.domain.predicates + tuple(p for p in mine.domain.predicates if p.name not in known)
    there = {o.name for o in theirs.all_objects}
    state = (theirs.state | (mine.state - before.state)) - (before.state - mine.state)
    merged = replace(
        theirs,
        domain=replace(theirs.domain, actions=actions, predicates=predicates),
        objects=theirs.objects + tuple(o for o in mine.objects if o.name not in there),
        state=state,
        goal=mine.goal if mine.goal != before.goal else theirs.goal,
    )
    return merged, tuple(_conflicts(old, kept, before, mine, theirs, merged))


def without_people(chain: Sequence[tuple[Problem, bool]]) -> Problem:
    """Return what the last of these versions would be without what people changed.

    Each is made from the one before it; True: by a person.
    """
    base = chain[0][0]
    for (before, _), (after, by_person) in pairwise(chain):
        if not by_person:
            base, _ = merge(before, base, after)
    return base


def _actions(problem: Problem) -> Mapping[str, Action]:
    return {action.name: action for action in problem.domain.actions}


def _conflicts(
    old: Mapping[str, Action],
    kept: Mapping[str, Action],
    before: Problem,
    mine: Problem,
    theirs: Problem,
    merged: Problem,
) -> Iterator[Conflict]:
    for name, other in _actions(theirs).items():
        if name in kept and other not in (kept[name], old.get(name)):
            resolved = replace(merged, domain=with_action(merged.domain, other))
            before_, ours = _text(old.get(name)), _text(kept[name])
            yield Conflict(f"the action {name}", before_, ours, _text(other), resolved)
    if mine.goal != before.goal and theirs.goal not in (mine.goal, before.goal):
        first, ours, other_ = (" ".join(map(str, one.goal)) for one in (before, mine, theirs))
        yield Conflict("the goal", first, ours, other_, replace(merged, goal=theirs.goal))


def _text(action: Action | None) -> str:
    if action is None:
        return ""
    needs, makes = action.precondition, (e.literal for e in action.effects)
    return f"needs {' '.join(map(str, needs)) or 'nothing'}; makes {' '.join(map(str, makes)) or 'nothing'}"
