"""The walk on which draft and simulation differ, as pictures with what both say of each step."""

from __future__ import annotations

from collections.abc import Callable

from core.drafting.difference import Difference
from core.drafting.score import Discrepancy
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
    other = f"as {difference.by} says" if difference.by else "in the simulation"
    if not isinstance(difference, Discrepancy):
        return f"the goal is reached {'in the draft' if difference.draft_has else other} alone"
    if not difference.draft_can:
        return f"possible {other}, not in the draft"
    why = f": {difference.reason}" if difference.reason else ""
    return f"possible in the draft, not {other}{why}"
