"""What a look at a version finds, with the walk on which it differs as pictures, and what can come next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from core.drafting.marks import Mark
from core.drafting.repair import Repaired
from core.drafting.rounds import Version
from core.drafting.score import Difference
from core.drafting.source import Against
from core.drafting.world import State, World, do_word
from core.ports import Frame
from core.review.recording import CaptionedFrame

SECONDS = 0.8  # that each step of a walk is shown


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
