"""Align the steps of two episodes side by side."""

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
    """One executed step. The state after `index` records is the first that shows its outcome."""

    index: int
    turn: int
    step: Step
    status: StepStatus
    situation: str = ""


@dataclass(frozen=True)
class StepPair:
    """Steps side by side; None if the other episode did not execute it."""

    left: ExecutedStep | None
    right: ExecutedStep | None

    @property
    def same(self) -> bool:
        """Return True if both are the same step with the same outcome."""
        a, b = self.left, self.right
        return bool(a and b and a.step == b.step and a.status is b.status and a.situation == b.situation)


def executed_steps(replay: EpisodeReplay) -> tuple[ExecutedStep, ...]:
    return tuple(
        ExecutedStep(index, e.turn, e.step, e.result.status, e.situation)
        for index, record in enumerate(replay.records, 1)
        if isinstance(e := record.event, ev.StepFinished)
    )


def align_steps(left: EpisodeReplay, right: EpisodeReplay) -> tuple[StepPair, ...]:
    """Return the pairs in order: the longest runs of equal steps are aligned, and so is what lies between."""
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
    """Return the index of the first pair that differs, None if none does."""
    return next((i for i, pair in enumerate(pairs) if not pair.same), None)
