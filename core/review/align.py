"""Two episodes side by side: which step of the one stands beside which step of the other. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from core import events as ev
from core.planning_model import Step
from core.ports import StepStatus
from core.review.replay import EpisodeReplay


@dataclass(frozen=True)
class ExecutedStep:
    """One step that was done. The story of `index` records is the first that shows how it ended."""

    index: int
    turn: int
    step: Step
    status: StepStatus
    situation: str = ""


@dataclass(frozen=True)
class StepPair:
    """Steps that stand beside each other; None where the other episode did not do it."""

    left: ExecutedStep | None
    right: ExecutedStep | None

    @property
    def same(self) -> bool:
        """The same step, and it ended the same way."""
        a, b = self.left, self.right
        return bool(a and b and a.step == b.step and a.status is b.status and a.situation == b.situation)


def executed_steps(tape: EpisodeReplay) -> tuple[ExecutedStep, ...]:
    return tuple(
        ExecutedStep(index, e.turn, e.step, e.result.status, e.situation)
        for index, record in enumerate(tape.records, 1)
        if isinstance(e := record.event, ev.StepFinished)
    )


def align_steps(left: EpisodeReplay, right: EpisodeReplay) -> tuple[StepPair, ...]:
    """In order; the longest runs of equal steps stand beside each other, what lies between them too."""
    a, b = executed_steps(left), executed_steps(right)
    return tuple(_pairs(a, b))


def _pairs(a: tuple[ExecutedStep, ...], b: tuple[ExecutedStep, ...]) -> Iterator[StepPair]:
    matcher = SequenceMatcher(None, [str(d.step) for d in a], [str(d.step) for d in b], autojunk=False)
    for what, i, j, k, m in matcher.get_opcodes():
        if what == "equal":
            yield from (StepPair(x, y) for x, y in zip(a[i:j], b[k:m], strict=True))
        else:
            yield from (StepPair(x, None) for x in a[i:j])
            yield from (StepPair(None, y) for y in b[k:m])


def first_divergence(pairs: tuple[StepPair, ...]) -> int | None:
    """The first pair that is not the same, None where all are."""
    return next((i for i, pair in enumerate(pairs) if not pair.same), None)
