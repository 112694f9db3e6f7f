"""What an episode came to, beside its result: what was left unanswered, and how its goal is known. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from core.facts import Source, Verdict
from core.story import Story

KNOWN_BY: Mapping[Source, str] = MappingProxyType(
    {
        Source.MODEL: "seen",
        Source.SENSOR: "sensed",
        Source.ASSUMED: "assumed",
        Source.PREDICTED: "predicted",
        Source.GIVEN: "given",
        Source.OPERATOR: "person",
    }
)


def left_unanswered(older: Story, story: Story) -> int:
    """Count the questions that this record left behind as UNKNOWN or without any answer: those of a turn
    when the next one begins, and of the last one when the episode ends."""
    ended = story.ended is not None and older.ended is None
    if story.turn == older.turn and not ended:
        return 0
    verdicts = ((card.final or card.model) for card in older.cards)
    return sum(answer is None or answer.verdict is Verdict.UNKNOWN for answer in verdicts)


def goal_known_by(story: Story) -> dict[str, int]:
    """Count the goal's literals by who said last how it is with each."""
    counts = dict.fromkeys(KNOWN_BY.values(), 0)
    for literal in story.started.goal if story.started else ():
        counts[KNOWN_BY[story.belief.source(literal.atom)]] += 1
    return counts
