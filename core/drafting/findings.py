"""What a look at a version finds, with the walk on which it differs as pictures, and what can come next.

Each literal of a draft is marked by what the walks say of it: needed, forbidden, or never tested.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum

from core.drafting.agreement import Difference, Walks, compare
from core.drafting.edits import LiteralEdit
from core.drafting.repair import Evidence, Repaired, evidence_of
from core.drafting.rounds import Version
from core.drafting.screening import action_key, fact_key
from core.drafting.source import Against
from core.drafting.steps import DraftSteps, Walk
from core.drafting.world import Game, State, World, do_word
from core.planning_model import Action, Literal, Problem
from core.ports import Frame
from core.review.recording import CaptionedFrame

MOST = 120  # walks that each literal is tried on, the shortest
LONGEST = 1_000  # characters of a literal that is looked for
LOOK = 150  # pairs of states that are compared without it
SECONDS = 0.8  # that each step of a walk is shown


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


def marks(problem: Problem, game: Game, walks: Walks) -> Iterator[Mark]:
    """Yield a mark for each literal: what becomes of the walks without it."""
    draft, world = DraftSteps(problem, game.word_of), walks.simulator.proven
    known = sorted(evidence_of(draft, walks), key=lambda one: len(one.words))[:MOST]
    judged = [(one, one.agrees(draft)) for one in known]
    for action in problem.domain.actions:
        said = [pair for pair in judged if action.name in draft.actions_of(pair[0].words)]
        for effect, literal in _literals(action):
            edited = LiteralEdit(action.name, effect, literal, None).apply(problem)
            without = draft.edited(edited)
            told = list(said)
            if world is not None and (differs := compare(world, without, LOOK).difference) is not None:
                at = Evidence.of(differs.words, walks.simulator.run(differs.words))
                told += [(one, one.agrees(draft)) for one in at]
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
    key, part = fact_key(mark.literal.atom), ":effect" if mark.effect else ":precondition"
    literal = key if mark.literal.positive else rf"\(\s*not\s*{key}\s*\)"
    there = rf"(?:(?!:action\s).)*?{part}(?:(?!:action\s|:precondition|:effect).)*?({literal})"
    found = re.search(action_key(mark.action) + there, text, re.I | re.S)
    return found.span(1) if found else None


class Next(Enum):
    """What comes next with a draft, in the words that are said meanwhile."""

    DRAFT = "Drafting"
    REPAIR = "Repairing"
    ASK = "The model corrects"
    CONFLICT = "Keeping yours"  # a person and somebody else changed the same
    DONE = "Saving and running"
    STUCK = "Saving"  # the paper's limits are reached


@dataclass(frozen=True)
class Findings:
    """What a look at a version found so far; `compared` is "" until both sides were walked through."""

    version: Version
    compared: str = ""
    agrees: bool = False
    difference: Difference | None = None
    moments: tuple[CaptionedFrame, ...] = ()  # the walk that differs
    marks: tuple[Mark, ...] = ()
    otherwise: tuple[str, ...] = ()  # what a second reader says
    repair: Repaired | None = None  # proposed
    overruled: str = ""  # what of the simulation counts no more, as people said
    complete: bool = False
    against: Against = Against.WORLD

    @property
    def proven(self) -> bool:
        """Return True if the draft agrees with what is known, which is no model's word and no template's."""
        return self.agrees and self.against is Against.WORLD


def moments(
    world: World, first: Frame, paint: Callable[[State], Frame], difference: Difference | None, known: bool
) -> tuple[CaptionedFrame, ...]:
    """Return the walk step by step, none without a difference; where the world is not `known`, all in the
    first picture.
    """
    if difference is None:
        return ()
    state, frame = world.first, first
    shown = [CaptionedFrame(frame, "at the beginning", 0.0)]
    for number, word in enumerate(difference.words, 1):
        last = number == len(difference.words)
        after = do_word(world, state, word) if known else ""
        if not isinstance(after, str):
            state, frame = after, paint(after)
        text = f"{word}: {_verdicts(difference) if last else 'both can'}"
        shown.append(CaptionedFrame(frame, text, number * SECONDS, "contradiction" if last else ""))
    return tuple(shown)


def _verdicts(difference: Difference) -> str:
    there = f"as {difference.by} says" if difference.by else "in the simulation"
    return f"{'the goal is reached' if difference.goal else 'possible'} {difference.sides(there)}"
