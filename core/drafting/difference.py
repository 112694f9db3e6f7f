"""Compare a draft with its world state by state: a breadth-first walk over both at once.

It gives the shortest words on which they differ, or the number of states in which they do not. This is no
EW: it misses nothing within its limit, and needs the world itself. Where the limit cuts it off, the states of
a walk that comes far are compared as well.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random

from core.drafting.plans import far_walk
from core.drafting.score import Difference
from core.drafting.steps import DraftSteps, States, Walk
from core.drafting.world import Beyond, State, World

LIMIT = 20_000  # pairs of states


@dataclass(frozen=True)
class Comparison:
    """`whole`: every state that can be reached was compared. `alike` is said in place of a proof."""

    difference: Difference | None
    states: int
    whole: bool
    impossible: tuple[str, ...] = ()  # words that can be done in none of these states
    alike: str = ""

    @property
    def sentence(self) -> str:
        if self.difference is not None:
            return self.difference.sentence
        states = f"{self.states:,} state{'s' * (self.states != 1)}"
        of = f"all {states} of this map" if self.whole else f"{states} of more"
        return self.alike or f"No difference in {of}."


WorldSteps = dict[State, Mapping[str, State | Beyond]]  # what can be done in a world's states


def compare(
    world: World,
    draft: DraftSteps,
    limit: int = LIMIT,
    draw: Random | None = None,
    known: WorldSteps | None = None,
) -> Comparison:
    """Compare both from the first state on, in at most `limit` pairs of states.

    With `draw`, the next state is any, not the nearest: it comes far, and the words are not the shortest.
    `known` remembers the world's steps from one comparison to the next.
    """
    both = _Both(world, draft, {} if known is None else known)
    if both.goals_differ(world.first, draft.first):
        return both.found(Difference((), draft.is_goal(draft.first), goal=True))
    waiting: deque[_Pair] = deque([(world.first, draft.first, ())])
    while waiting and len(both.seen) <= limit:
        if draw is not None:
            waiting.rotate(draw.randrange(len(waiting)))
        if difference := both.look(waiting, *waiting.popleft()):
            return both.found(difference)
    beside = deque[_Pair]()  # the walk, from its end on
    for pair in both.along(far_walk(world)) if waiting else ():
        following = deque[_Pair]()
        if difference := both.look(following, *pair):
            return both.found(difference)
        beside = following + beside
    for _ in range(min(len(beside), limit // 2)):
        if difference := both.look(beside, *beside.popleft()):
            return both.found(difference)
    return both.found(None, not waiting)


_Pair = tuple[State, States, Walk]


class _Both:
    """A world and a draft side by side, with the pairs of states that were seen."""

    def __init__(self, world: World, draft: DraftSteps, known: WorldSteps) -> None:
        self.world, self.draft, self._known = world, draft, known
        self.seen: set[tuple[State, States]] = {(world.first, draft.first)}
        self._never, self._words = dict.fromkeys(world.words), frozenset(world.words)

    def found(self, difference: Difference | None, whole: bool = False) -> Comparison:
        return Comparison(difference, len(self.seen), whole, () if difference else tuple(self._never))

    def along(self, walk: Walk) -> Iterator[_Pair]:
        """Yield the pairs along a walk, as far as both can go."""
        state, drafted = self.world.first, self.draft.first
        for number, word in enumerate(walk):
            after, drafted = self.world.do(state, word), self.draft.after(drafted, word)
            if isinstance(after, str) or not drafted:
                return
            state = after
            yield state, drafted, walk[: number + 1]

    def goals_differ(self, state: State, drafted: States) -> bool:
        return self.world.reached(state) not in (None, self.draft.is_goal(drafted))

    def look(self, waiting: deque[_Pair], state: State, drafted: States, walk: Walk) -> Difference | None:
        """Say every word in a pair of states; return the first difference, or add the pairs that are new."""
        can, drafts = self._possible(state), [self.draft.successors(one) for one in drafted]
        for word in self.world.words:
            after, words = can.get(word), (*walk, word)
            if after is None and not any(word in one for one in drafts):
                continue
            then = self.draft.after(drafted, word)
            if isinstance(after, Beyond):
                if after.possible and not then:
                    return Difference(words, False)
                continue
            if after is None or not then:
                return Difference(words, bool(then), reason="" if after else str(self.world.do(state, word)))
            self._never.pop(word, None)
            if (after, then) in self.seen:
                continue
            if self.goals_differ(after, then):
                return Difference(words, self.draft.is_goal(then), goal=True)
            self.seen.add((after, then))
            waiting.append((after, then, words))
        if foreign := set().union(*drafts) - self._words:
            return Difference((*walk, min(foreign)), True, reason="there is no such word")
        return None

    def _possible(self, state: State) -> Mapping[str, State | Beyond]:
        if state not in self._known:
            said = ((word, self.world.do(state, word)) for word in self.world.words)
            self._known[state] = {w: a for w, a in said if not isinstance(a, str) or isinstance(a, Beyond)}
        return self._known[state]
