"""How far a draft agrees with its world: by the exploration walk score (EW), and state by state.

EW is equation 3 of the paper, counted as Mahdavi et al. do: walks of 1 to 10 words are drawn on either side
and tried on the other; only whether they can be done counts. A draft with EW 1 may still be wrong where no
walk went. So `compare` walks through both at once, breadth-first, which is no EW: it gives the shortest words
on which they differ, or the number of states in which they do not, misses nothing within its limit, and needs
the world itself. Where the limit cuts it off, the states of a walk that comes far are compared as well.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from statistics import fmean

from core.drafting.plans import far_walk
from core.drafting.replies import Run
from core.drafting.simulator import Simulator
from core.drafting.steps import DraftSteps, States, Walk
from core.drafting.world import Beyond, State, World

LENGTHS = range(1, 11)
EACH = 5  # walks of a length, on either side
EXACT = 1e-6  # as near to 1 as EW must be
FEW = 4  # words that are named
LIMIT = 20_000  # pairs of states that are compared


@dataclass(frozen=True)
class Difference:
    """A walk that one side can do and the other cannot: its last word is where they differ. With `goal`, one
    after which only one side has its goal.
    """

    words: Walk
    draft_has: bool  # it can do the last word, or has its goal
    goal: bool = False
    reason: str = ""
    by: str = ""  # who says so in place of the world

    @property
    def sentence(self) -> str:
        """Return it for a person, or for a model: all words count, not only the last."""
        before = self.words if self.goal else self.words[:-1]
        start = f"After {', '.join(before)}" if before else "At the beginning"
        what = "the goal is reached" if self.goal else f"{self.words[-1]!r} is possible"
        return f"{start}, {what} {self.sides(f'as {self.by} says' if self.by else 'in the world')}."

    def sides(self, there: str) -> str:
        """Return who has it, and who has not."""
        why = f": {self.reason}" if self.reason else ""
        return f"in the draft but not {there}{why}" if self.draft_has else f"{there} but not in the draft"


@dataclass(frozen=True)
class Score:
    """EW with its two halves: the share of the world's walks that the draft can do, and the other way."""

    of_world: float
    of_draft: float
    found: tuple[Difference, ...] = ()  # shortest first
    untried: tuple[str, ...] = ()  # words that no walk had
    by_length: tuple[tuple[float | None, float | None], ...] = ()  # for 1, 2, ... words; None: none counts
    drawn: int = 0  # walks on either side

    @property
    def ew(self) -> float:
        both = self.of_world + self.of_draft
        return 2 * self.of_world * self.of_draft / both if self.of_world and self.of_draft else 0.0

    @property
    def exact(self) -> bool:
        return abs(self.ew - 1) < EXACT

    @property
    def tried(self) -> str:
        """Return in words what no walk tried, which belongs beside EW: `ew` prints all."""
        never, more = ", ".join(self.untried[:FEW]), len(self.untried) - FEW
        if not never:
            return "every word was in some walk; not in every state"
        return f"In no walk: {never}{f' and {more} more' if more > 0 else ''}"

    def shares(self, side: int) -> str:
        """Return how many walks of a side (0: the world) the other can do: of all, and of 1, 2, ... words."""
        whole, shares = (self.of_world, self.of_draft)[side], [pair[side] for pair in self.by_length]
        each = " ".join("-" if share is None else f"{100 * share:.0f}" for share in shares)
        return (
            "all walks can be done" if whole == 1 else f"{whole:.0%} can be done; by length {each or 'none'}"
        )


class Walks:
    """The walks of a simulator, drawn once: they do not depend on the draft."""

    def __init__(self, simulator: Simulator, seed: object = 0, each: int = EACH) -> None:
        self.simulator, self._seed, self._each = simulator, seed, each
        self.said: tuple[Walk, ...] = ()  # that people said can be done

    def _draw(self, length: int, number: int) -> Random:
        return Random(f"{self._seed} {length} {number}")

    @cached_property
    def _drawn(self) -> tuple[tuple[Walk, ...], ...]:
        return tuple(
            tuple(self.simulator.walk(n, self._draw(n, k)) for k in range(self._each)) for n in LENGTHS
        )

    def draw_anew(self) -> None:
        """Draw them again, as the world begins elsewhere."""
        vars(self).pop("_drawn", None)

    @property
    def of_world(self) -> tuple[tuple[Walk, ...], ...]:
        """Return the walks of each length, with those that people said can be done, and none that cannot."""
        run, lengths = self.simulator.run, zip(LENGTHS, self._drawn, strict=True)
        said = {n: tuple(w for w in self.said if min(len(w), LENGTHS[-1]) == n) for n in LENGTHS}
        return tuple(
            tuple(w for w in (*some, *said[n]) if run(w).done in (None, len(w))) for n, some in lengths
        )

    def score(self, draft: DraftSteps) -> Score:
        """Score a draft. One that can do nothing at first scores 0."""
        found, drawn = list[Difference](), self.of_draft(draft)
        done = [[(walk, draft.run(walk)[0]) for walk in walks] for walks in self.of_world]
        for walk, count in (one for walks in done for one in walks):
            if count < len(walk):
                found.append(Difference(walk[: count + 1], False))
        for walk, run in (one for walks in drawn for one in walks):
            if run.done is not None and run.done < len(walk) and not run.open:
                found.append(Difference(walk[: run.done + 1], True, reason=run.reason))
        found.sort(key=lambda one: len(one.words))
        if not all(walk for walks in drawn for walk, _ in walks):
            return Score(0.0, 0.0, tuple(found))
        tried = {word for walks in self.of_world for walk in walks for word in walk}
        tried |= {word for walks in drawn for walk, _ in walks for word in walk}
        of_world = [_mean([count == len(walk) for walk, count in walks]) for walks in done]
        counted = ([one for one in walks if not one[1].open or one[1].done == len(one[0])] for walks in drawn)
        of_draft = [_mean([run.done == len(walk) for walk, run in walks]) for walks in counted]
        return Score(
            _mean([share for share in of_world if share is not None]) or 0.0,
            _mean([share for share in of_draft if share is not None]) or 0.0,
            tuple(found),
            tuple(word for word in self.simulator.words if word not in tried),
            tuple(zip(of_world, of_draft, strict=True)),
            self._each * len(LENGTHS),
        )

    def of_draft(self, draft: DraftSteps) -> list[list[tuple[Walk, Run]]]:
        """Return the draft's walks of each length, and what the simulator says of them."""
        walks = ([draft.walk(n, self._draw(n, k)) for k in range(self._each)] for n in LENGTHS)
        return [[(walk, self.simulator.run(walk)) for walk in some] for some in walks]


def _mean(shares: Sequence[float]) -> float | None:
    return fmean(shares) if shares else None


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


def compare(world: World, draft: DraftSteps, limit: int = LIMIT, draw: Random | None = None) -> Comparison:
    """Compare both from the first state on, in at most `limit` pairs of states.

    With `draw`, the next state is any, not the nearest: it comes far, and the words are not the shortest.
    """
    both = _Both(world, draft)
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

    def __init__(self, world: World, draft: DraftSteps) -> None:
        self.world, self.draft = world, draft
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
        drafts = [self.draft.successors(one) for one in drafted]
        for word in self.world.words:
            after, words = self.world.do(state, word), (*walk, word)
            can = not isinstance(after, str) or isinstance(after, Beyond)
            if not can and not any(word in one for one in drafts):
                continue
            then = self.draft.after(drafted, word)
            if isinstance(after, Beyond):
                if after.possible and not then:
                    return Difference(words, False)
                continue
            if isinstance(after, str) or not then:
                return Difference(words, bool(then), reason=after if isinstance(after, str) else "")
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
