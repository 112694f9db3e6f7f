"""The walk on which draft and simulation differ, as pictures with what both say of each step."""

from __future__ import annotations

from collections.abc import Callable

from core.drafting.score import Difference
from core.drafting.world import State, World, do_word
from core.ports import Frame
from core.review.recording import CaptionedFrame

SECONDS = 0.8  # that each step is shown


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
