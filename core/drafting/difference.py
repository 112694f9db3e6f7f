"""Compare a draft with its world state by state: a breadth-first walk over both at once.

It gives the shortest words on which they differ, or the number of states in which they do not. This is no
EW: it misses nothing within its limit, and needs the world itself.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from random import Random

from core.drafting.score import Discrepancy
from core.drafting.steps import DraftSteps, States, Walk
from core.drafting.world import State, World

LIMIT = 20_000  # pairs of states


@dataclass(frozen=True)
class GoalDifference:
    """Words after which only one side has its goal."""

    words: Walk
    draft_has: bool

    @property
    def sentence(self) -> str:
        start = f"After {', '.join(self.words)}" if self.words else "At the beginning"
        sides = ("draft", "world") if self.draft_has else ("world", "draft")
        return f"{start}, the goal is reached in the {sides[0]} but not in the {sides[1]}."


@dataclass(frozen=True)
class Comparison:
    """`whole`: every state that can be reached was compared."""

    difference: Discrepancy | GoalDifference | None
    states: int
    whole: bool
    impossible: tuple[str, ...] = ()  # words that can be done in none of these states

    @property
    def sentence(self) -> str:
        if self.difference is not None:
            return self.difference.sentence
        states = f"{self.states:,} state{'s' * (self.states != 1)}"
        return f"No difference in {'all' if self.whole else 'the first'} {states}."


def compare(world: World, draft: DraftSteps, limit: int = LIMIT, draw: Random | None = None) -> Comparison:
    """Compare both from the first state on, in at most `limit` pairs of states.

    With `draw`, the next state is any, not the nearest: it comes far, and the words are not the shortest.
    """
    seen: set[tuple[State, States]] = {(world.first, draft.first)}
    waiting: deque[tuple[State, States, Walk]] = deque([(world.first, draft.first, ())])
    never = dict.fromkeys(world.words)
    if world.reached(world.first) != draft.is_goal(draft.first):
        return Comparison(GoalDifference((), draft.is_goal(draft.first)), 1, False)
    while waiting and len(seen) <= limit:
        if draw is not None:
            waiting.rotate(draw.randrange(len(waiting)))
        state, drafted, walk = waiting.popleft()
        for word in world.words:
            after, then, words = world.do(state, word), draft.after(drafted, word), (*walk, word)
            if isinstance(after, str):
                if then:
                    return Comparison(Discrepancy(words, True, after), len(seen), False)
                continue
            if not then:
                return Comparison(Discrepancy(words, False), len(seen), False)
            never.pop(word, None)
            if (after, then) in seen:
                continue
            if world.reached(after) != draft.is_goal(then):
                return Comparison(GoalDifference(words, draft.is_goal(then)), len(seen), False)
            seen.add((after, then))
            waiting.append((after, then, words))
        foreign = {word for one in drafted for word in draft.successors(one)} - set(world.words)
        if foreign:
            reason = "there is no such word"
            return Comparison(Discrepancy((*walk, min(foreign)), True, reason), len(seen), False)
    return Comparison(None, len(seen), not waiting, tuple(never))
