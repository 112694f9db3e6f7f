"""The outcome of an episode besides its result: unanswered questions, and how its goal is known."""

from __future__ import annotations

from core.belief import Verdict
from core.episode_state import EpisodeState
from core.state.causes import EVIDENCE_NAMES


def count_unanswered(previous: EpisodeState, state: EpisodeState) -> int:
    """Count the questions that end unanswered or UNKNOWN with this record.

    Those of a turn are counted when the next one begins, and those of the last one when the episode ends.
    """
    ended = state.ended is not None and previous.ended is None
    if state.turn == previous.turn and not ended:
        return 0
    verdicts = ((card.final or card.model) for card in previous.cards)
    return sum(answer is None or answer.verdict is Verdict.UNKNOWN for answer in verdicts)


def goal_evidence(state: EpisodeState) -> dict[str, int]:
    """Count the goal's literals by the source of the latest belief about each."""
    counts = dict.fromkeys(EVIDENCE_NAMES.values(), 0)
    for literal in state.started.goal if state.started else ():
        counts[EVIDENCE_NAMES[state.belief.source(literal.atom)]] += 1
    return counts
