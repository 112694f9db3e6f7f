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
from core.planning.ground import GroundOperator
from core.planning_model import Literal, Step


class BitEffect(NamedTuple):
    needs: int
    forbids: int
    fact: int
    add: bool


class BitOperator(NamedTuple):
    """A ground step. Deletes come before adds; all conditions refer to the old state."""

    step: Step
    needs: int
    forbids: int
    adds: int
    deletes: int
    effects: tuple[BitEffect, ...] = ()
    cost: float = 1

    def applicable(self, state: int) -> bool:
        return not (self.needs & ~state or self.forbids & state)

    def apply(self, state: int) -> int:
        """Return the next state, without checking that the step is applicable."""
        adds, deletes = self.adds, self.deletes
        for needs, forbids, fact, add in self.effects:
            if not (needs & ~state or forbids & state):
                if add:
                    adds |= fact
                else:
                    deletes |= fact
        return (state & ~deletes) | adds


def union(masks: Iterable[int]) -> int:
    return reduce(or_, masks, 0)


def places(mask: int) -> Iterator[int]:
    """Yield the places of the bits, lowest first."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


class FactBits:
    """Gives every fact that it meets a bit. Any thread may use it."""

    def __init__(self, met: Callable[[Atom, int], None] = lambda atom, bit: None) -> None:
        """`met` takes note of a new fact and its bit, in any thread but one at a time."""
        self._met, self._lock = met, Lock()
        self._bits: dict[Atom, int] = {}
        self._atoms: list[Atom] = []  # in the order of their bits

    def bit(self, atom: Atom) -> int:
        known = self._bits.get(atom)
        if known is None:
            with self._lock:
                if atom not in self._bits:
                    bit = 1 << len(self._atoms)
                    self._met(atom, bit)
                    self._atoms.append(atom)
                    self._bits[atom] = bit  # last: from now on other threads may meet it
            known = self._bits[atom]
        return known

    def mask(self, atoms: Collection[Atom]) -> int:
        """Return the bits of these facts, each of which is given once."""
        try:
            return sum(map(self._bits.__getitem__, atoms))
        except KeyError:
            return sum(map(self.bit, atoms))

    def atoms(self, mask: int) -> list[Atom]:
        """Return the facts of these bits, in the order in which they were met."""
        return [self._atoms[place] for place in places(mask)]

    def condition(self, literals: Iterable[Literal]) -> tuple[int, int]:
        """Return the bits of what must hold and of what must not."""
        sides: tuple[set[Atom], set[Atom]] = set(), set()
        for literal in literals:
            sides[not literal.positive].add(literal.atom)
        return self.mask(sides[0]), self.mask(sides[1])

    def operator(self, op: GroundOperator) -> BitOperator:
        """Return a step without formulas over bits."""
        mask = self.mask
        effects = (
            BitEffect(mask(when.needs), mask(when.forbids), self.bit(when.atom), when.add)
            for when in op.conditional_effects
        )
        conditions = mask(op.needs), mask(op.forbids)
        return BitOperator(op.step, *conditions, mask(op.adds), mask(op.deletes), tuple(effects))
