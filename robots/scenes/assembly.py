"""Assembly: slabs and nails go into a board one over the other, each after those that it rests on.

The paper leaves open: a block goes in only upright and after all that it depends on; it comes out only when
nothing that depends on it is in; a map may begin with one that went in too early.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import product
from random import Random

from core.belief import Atom
from core.drafting.world import State
from core.planning_model import Domain, Literal, Problem, Typed
from robots.grids.cells import told

COLOURS = ("red", "orange", "yellow", "green", "cyan", "blue", "purple", "pink")
LANES = range(-2, 3)  # of the board, each way
MOST_BELOW, MOST_ABOVE = 2, 3
BOARD, AIR = "board", "air"  # what stands for nothing below and nothing above in the reference
VERBS = ("pickup", "putdown", "reorient", "insert", "unstack")
EARLY = 0.4  # of the maps in which something can have gone in too early


@dataclass(frozen=True)
class Piece:
    """A slab of the finished puzzle from one end to the other, in the board's lanes, or a nail at a point."""

    name: str
    layer: int
    ends: tuple[tuple[int, int], tuple[int, int]]

    @property
    def is_nail(self) -> bool:
        return self.ends[0] == self.ends[1]

    def points(self) -> Iterator[tuple[int, int]]:
        """Return where it can be nailed, or is."""
        (a, b), (c, d) = self.ends
        return product(range(a, c + 1), range(b, d + 1))

    def meets(self, other: Piece) -> bool:
        return any(point in other.points() for point in self.points())


@dataclass(frozen=True)
class Assembly:
    """A state is what is inserted, what is upright, and what is in the hand, or None."""

    name: str
    size: int
    needs: tuple[tuple[str, tuple[str, ...]], ...]  # each block with those that it depends on, by name
    upright: frozenset[str]
    inserted: frozenset[str]

    @property
    def first(self) -> State:
        return self.inserted, self.upright, None

    @cached_property
    def below(self) -> dict[str, tuple[str, ...]]:
        return dict(self.needs)

    def above(self, name: str) -> list[str]:
        return [other for other, needed in self.needs if name in needed]

    @cached_property
    def words(self) -> tuple[str, ...]:
        return tuple(f"{verb} {name}" for name in self.below for verb in VERBS)

    def do(self, state: State, word: str) -> State | str:
        inserted, upright, hand = state
        verb, name = word.split()
        if verb in ("pickup", "unstack"):
            if hand:
                return f"{hand} is in the hand"
            if (name in inserted) != (verb == "unstack"):
                return f"{name} is {'' if name in inserted else 'not '}inserted"
            return (verb == "unstack" and self._shut(name, inserted)) or (inserted - {name}, upright, name)
        if hand != name:
            return f"{name} is not in the hand"
        if verb == "putdown":
            return inserted, upright, None
        if verb == "reorient":
            return inserted, upright ^ {name}, name
        if name not in upright:
            return f"{name} is not upright"
        for needed in self.below[name]:
            if needed not in inserted:
                return f"{name} depends on {needed}, which is not inserted"
        return self._shut(name, inserted) or (inserted | {name}, upright, None)

    def _shut(self, name: str, inserted: Collection[str]) -> str:
        """Return what is in a block's way, "" if nothing is."""
        over = [other for other in self.above(name) if other in inserted]
        return f"{over[0]} depends on {name} and is inserted" if over else ""

    def reached(self, state: State) -> bool:
        return len(state[0]) == len(self.needs)

    def cells(self, state: State) -> dict[tuple[int, int], str]:
        return {}

    @property
    def scene(self) -> str:
        lines = [f"There are {len(self.needs)} blocks."]
        for name in self.below:
            up, inside = ("" if name in names else "not " for names in (self.upright, self.inserted))
            lines.append(f"The {name} is {up}upright; it is {inside}inserted.")
        lines += [f"The {n} depends on {' and '.join(needed)}." for n, needed in self.needs if needed]
        return told(lines, "All blocks are inserted.")

    def problem(self, domain: Domain) -> Problem:
        state = [Atom("hand-empty"), Atom("inserted", (BOARD,)), Atom("out", (AIR,))]
        for name, below in self.needs:
            is_in = name in self.inserted
            state.append(Atom("upright" if name in self.upright else "horizontal", (name,)))
            state += [Atom(p, (name,)) for p in (("inserted",) if is_in else ("out", "on-table"))]
            over = self.above(name)
            state.append(Atom("rests-on", (name, *below, *[BOARD] * (MOST_BELOW - len(below)))))
            state.append(Atom("carries", (name, *over, *[AIR] * (MOST_ABOVE - len(over)))))
        things = [Typed(name, "block") for name in self.below]
        things += [Typed(BOARD, "support"), Typed(AIR, "support")]
        goal = tuple(Literal("inserted", (name,)) for name in self.below)
        return Problem(self.name, domain, tuple(things), frozenset(state), goal)


def depending(pieces: Collection[Piece]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return each block, by name, with those right below it."""
    below = {
        one.name: tuple(sorted(p.name for p in pieces if p.layer == one.layer - 1 and p.meets(one)))
        for one in pieces
    }
    return tuple(sorted(below.items()))


def assembly(size: int, seed: int) -> Assembly:
    """Return a puzzle of so many blocks."""
    name = f"assembly-{size}-{seed}"
    needs = depending(puzzle(size, seed))
    draw, below = Random(f"state of {name}"), dict(needs)
    inserted = set[str]()
    for _ in range(draw.randrange(size - 1)):
        free = [n for n in below if n not in inserted and inserted.issuperset(below[n])]
        inserted.add(draw.choice(free))
    early = [n for n in below if n not in inserted and not inserted.issuperset(below[n])]
    if early and draw.random() < EARLY:
        inserted.add(draw.choice(early))
    upright = {n for n in below if n in inserted or draw.random() < 0.5}
    return Assembly(name, size, needs, frozenset(upright), frozenset(inserted))


@cache
def puzzle(size: int, seed: int) -> tuple[Piece, ...]:
    """Return the finished puzzle: up to three layers of slabs, each across the one below, and nails."""
    draw = Random(f"puzzle {size} {seed}")
    while True:
        counts = draw.choice((1, 2, 2)), draw.choice((1, 2)), draw.choice((0, 1, 2))
        nails = size - sum(counts)
        if not 0 <= nails <= min(3, sum(counts)):
            continue
        colours = iter(draw.sample(COLOURS, size))
        slabs = [one for layer, count in enumerate(counts) for one in _layer(draw, layer, count, colours)]
        holes = [(p, at) for p in slabs for at in p.points() if [q for q in slabs if at in q.points()] == [p]]
        draw.shuffle(holes)
        nailed = dict(holes)
        if _is_sound(slabs) and len(nailed) >= nails:
            chosen = draw.sample(sorted(nailed, key=lambda p: p.name), nails)
            return (
                *slabs,
                *(Piece(f"{next(colours)}-nail", p.layer + 1, (nailed[p],) * 2) for p in chosen),
            )


def _layer(draw: Random, layer: int, count: int, colours: Iterator[str]) -> Iterator[Piece]:
    for lane in draw.sample(LANES, count):
        low, high = sorted(draw.sample(LANES, 2))
        ends = ((low, lane), (high, lane))
        along = Piece(f"{next(colours)}-block", layer, ends)
        yield along if layer != 1 else replace(along, ends=((lane, low), (lane, high)))


def _is_sound(slabs: Collection[Piece]) -> bool:
    """Return True if each slab but the lowest lies across one, and none is beside another too closely.

    One rests on two, and one carries two: a map shows all that others need.
    """
    below = [[p.name for p in slabs if p.layer == one.layer - 1 and p.meets(one)] for one in slabs]
    if max(map(len, below)) < 2 or max(sum(p.name in b for b in below) for p in slabs) < 2:
        return False
    for one in slabs:
        if one.layer and not any(p.layer == one.layer - 1 and p.meets(one) for p in slabs):
            return False
        way = 0 if one.layer == 1 else 1  # where a lane is told
        for other in slabs:
            same = other is not one and (other.layer == 1) == (one.layer == 1)
            apart = abs(one.ends[0][way] - other.ends[0][way])
            if same and apart < (2 if other.layer == one.layer else 1):
                return False
    return True
