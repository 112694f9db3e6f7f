"""Say of each literal of a draft what the walks say of it: needed, forbidden, or never tested."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from core.drafting.difference import compare
from core.drafting.edits import LiteralEdit
from core.drafting.repair import Evidence, evidence_at, evidence_of
from core.drafting.score import Walks
from core.drafting.screening import action_key, fact_key
from core.drafting.steps import DraftSteps, Walk
from core.drafting.world import Game, World
from core.planning_model import Action, Literal, Problem

MOST = 120  # walks that each literal is tried on, the shortest
LONGEST = 1_000  # characters of a literal that is looked for
LOOK = 150  # pairs of states that are compared without it


class Standing(Enum):
    NEEDED = "needed"
    FORBIDDEN = "forbidden"
    NEVER = "never tested"


@dataclass(frozen=True)
class Mark:
    """What walks say of a literal; `walk` is the shortest that does."""

    action: str
    effect: bool
    literal: Literal
    standing: Standing
    walk: Walk = ()

    @property
    def sentence(self) -> str:
        by = f": {', '.join(self.walk)}" if self.walk else ""
        return f"{'effect' if self.effect else 'precondition'} {self.literal} is {self.standing.value}{by}"


def marks(problem: Problem, game: Game, walks: Walks, world: World | None) -> Iterator[Mark]:
    """Yield a mark for each literal: what becomes of the walks without it."""
    draft = DraftSteps(problem, game.word_of)
    known = sorted(evidence_of(draft, walks, world), key=lambda one: len(one.words))[:MOST]
    judged = [(one, one.agrees(draft)) for one in known]
    for action in problem.domain.actions:
        said = [pair for pair in judged if action.name in draft.actions_of(pair[0].words)]
        for effect, literal in _literals(action):
            edited = LiteralEdit(action.name, effect, literal, None).apply(problem)
            without = draft.edited(edited)
            told = list(said)
            if world is not None and (differs := compare(world, without, LOOK).difference) is not None:
                one = evidence_at(differs.words, world)
                told.append((one, one.agrees(draft)))
            yield _mark(action.name, effect, literal, told, without)


def _literals(action: Action) -> Iterator[tuple[bool, Literal]]:
    yield from ((False, literal) for literal in action.precondition)
    yield from ((True, effect.literal) for effect in action.effects if not effect.condition)


def _mark(
    action: str, effect: bool, literal: Literal, judged: list[tuple[Evidence, bool]], without: DraftSteps
) -> Mark:
    forbidding: Walk | None = None
    for one, agrees in judged:
        if one.agrees(without) == agrees:
            continue
        if agrees:
            return Mark(action, effect, literal, Standing.NEEDED, one.words)
        forbidding = forbidding or one.words
    if forbidding is not None:
        return Mark(action, effect, literal, Standing.FORBIDDEN, forbidding)
    return Mark(action, effect, literal, Standing.NEVER)


def find_literal(text: str, mark: Mark) -> tuple[int, int] | None:
    """Return where a mark's literal stands in a domain, None if it is written in another way."""
    if len(mark.action) + len(str(mark.literal)) > LONGEST:
        return None
    action = re.search(action_key(mark.action), text, re.I)
    if action is None:
        return None
    after = re.compile(r"\(\s*:action\s", re.I).search(text, action.end())
    end = after.start() if after else len(text)
    part = re.compile(":effect" if mark.effect else ":precondition", re.I).search(text, action.end(), end)
    other = re.compile(":precondition" if mark.effect else ":effect", re.I).search(text, action.end(), end)
    if part is None:
        return None
    stop = other.start() if other is not None and other.start() > part.start() else end
    key = fact_key(mark.literal.atom)
    pattern = re.compile(key if mark.literal.positive else rf"\(\s*not\s*{key}\s*\)", re.I)
    found = pattern.search(text, part.end(), stop)
    return found.span() if found else None
