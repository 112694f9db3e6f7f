"""Two episodes side by side: which step of the one stands beside which step of the other. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from core import events as ev
from core.ports import Ending
from core.problem import Step
from core.review.tape import Tape


@dataclass(frozen=True)
class Done:
    """One step that was done. The story of `index` records is the first that shows how it ended."""

    index: int
    turn: int
    step: Step
    ending: Ending
    situation: str = ""


@dataclass(frozen=True)
class Pair:
    """Steps that stand beside each other; None where the other episode did not do it."""

    left: Done | None
    right: Done | None

    @property
    def same(self) -> bool:
        """The same step, and it ended the same way."""
        a, b = self.left, self.right
        return bool(a and b and a.step == b.step and a.ending is b.ending and a.situation == b.situation)


def done(tape: Tape) -> tuple[Done, ...]:
    return tuple(
        Done(index, e.turn, e.step, e.outcome.ending, e.situation)
        for index, record in enumerate(tape.records, 1)
        if isinstance(e := record.event, ev.Acted)
    )


def aligned(left: Tape, right: Tape) -> tuple[Pair, ...]:
    """In order; the longest runs of equal steps stand beside each other, what lies between them too."""
    a, b = done(left), done(right)
    return tuple(_pairs(a, b))


def _pairs(a: tuple[Done, ...], b: tuple[Done, ...]) -> Iterator[Pair]:
    matcher = SequenceMatcher(None, [str(d.step) for d in a], [str(d.step) for d in b], autojunk=False)
    for what, i, j, k, m in matcher.get_opcodes():
        if what == "equal":
            yield from (Pair(x, y) for x, y in zip(a[i:j], b[k:m], strict=True))
        else:
            yield from (Pair(x, None) for x in a[i:j])
            yield from (Pair(None, y) for y in b[k:m])


def parted(pairs: tuple[Pair, ...]) -> int | None:
    """The first pair that is not the same, None where all are."""
    return next((i for i, pair in enumerate(pairs) if not pair.same), None)
