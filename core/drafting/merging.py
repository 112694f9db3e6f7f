"""Keep what a person edited when somebody else changes the same draft: three ways, action by action."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from core.planning_model import Action, Problem


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
        if by_person:
            continue
        was, is_ = _actions(before), _actions(base)
        edited = {name for name, action in is_.items() if action != was.get(name)}
        actions = tuple(is_[a.name] if a.name in edited else a for a in after.domain.actions)
        state = (base.state | (after.state - before.state)) - (before.state - after.state)
        goal = after.goal if base.goal == before.goal else base.goal
        base = replace(after, domain=replace(after.domain, actions=actions), state=state, goal=goal)
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
            actions = tuple(other if a.name == name else a for a in merged.domain.actions)
            resolved = replace(merged, domain=replace(merged.domain, actions=actions))
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
