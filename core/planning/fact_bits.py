"""States as the bits of an integer: facts numbered as they come, and steps over them.

Over sets of facts a step takes 20 times longer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import reduce
from operator import or_
from threading import Lock
from typing import NamedTuple

from core.belief import Atom
from core.planning_model import Step

State = frozenset[Atom]
Test = Callable[[int], bool]  # of a state: what a conjunction of literals cannot express
NEVER = -1  # what a step needs that can never be done: more than any state has


class BitEffect(NamedTuple):
    needs: int
    forbids: int
    fact: int
    add: bool
    tests: tuple[Test, ...] = ()


class BitOperator(NamedTuple):
    """A ground step. Deletes come before adds; all conditions refer to the old state."""

    step: Step
    needs: int
    forbids: int
    adds: int = 0
    deletes: int = 0
    effects: tuple[BitEffect, ...] = ()
    tests: tuple[Test, ...] = ()
    cost: float = 1

    def applicable(self, state: int) -> bool:
        return not (self.needs & ~state or self.forbids & state) and all(test(state) for test in self.tests)

    def changes(self, state: int) -> tuple[int, int]:
        """Return what the step adds and deletes, without checking that it is applicable."""
        adds, deletes = self.adds, self.deletes
        for needs, forbids, fact, add, tests in self.effects:
            if not (needs & ~state or forbids & state) and all(test(state) for test in tests):
                if add:
                    adds |= fact
                else:
                    deletes |= fact
        return adds, deletes

    def apply(self, state: int) -> int:
        """Return the next state, without checking that the step is applicable."""
        adds, deletes = self.changes(state)
        return (state & ~deletes) | adds

    @property
    def possible(self) -> bool:
        return self.needs != NEVER

    @property
    def has_tests(self) -> bool:
        return bool(self.tests) or any(effect.tests for effect in self.effects)

    @property
    def touched(self) -> int:
        """Return the facts that it may change."""
        return self.adds | self.deletes | union(effect.fact for effect in self.effects)


def union(masks: Iterable[int]) -> int:
    return reduce(or_, masks, 0)


def places(mask: int) -> Iterator[int]:
    """Yield the places of the bits, lowest first."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


class FactBits(dict[Atom, int]):
    """The place of the bit of every fact, numbered as they are met. Any thread may use it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._atoms: list[Atom] = []  # in the order of their bits

    def __missing__(self, fact: tuple[str, tuple[str, ...]]) -> int:
        with self._lock:
            if fact not in self:
                atom, place = Atom(*fact), len(self._atoms)
                self._atoms.append(atom)
                self[atom] = place  # last: from now on other threads may meet it
        return self[fact]  # type: ignore[index]

    def bit(self, atom: Atom) -> int:
        return 1 << self[atom]

    def mask(self, atoms: Collection[Atom]) -> int:
        """Return the bits of these facts, each of which is given once."""
        return sum([1 << place for place in map(self.__getitem__, atoms)])

    def known(self, atoms: Iterable[Atom]) -> int:
        """Return the bits of those of these facts that have been met."""
        return self.mask([atom for atom in atoms if atom in self])

    def atoms(self, mask: int) -> list[Atom]:
        """Return the facts of these bits, in the order in which they were met."""
        return [self._atoms[place] for place in places(mask)]
