"""Sum up what happened since a person last looked, in at most five lines, each with its turn. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.presentation.decision_summary import status_text
from app.presentation.formatting import age, waits_for_person
from core.episode_state import EpisodeState, TimelineMark, TimelineTrack
from core.text.plural import plural
from core.text.vocabulary import Vocabulary

LINES = 5
# Of what is counted, the most urgent first: its marks, what it is called, icon and tone, and the words after.
KINDS = (
    (("stop",), None, "stop", "stop", "text", ""),
    (("contradiction",), None, "contradiction", "diamond", "doubt", ""),
    (("failed", "halted"), TimelineTrack.ACTION, "failed step", "cross", "fault", ""),
    (("plan", "no plan", "revised"), TimelineTrack.PLAN, "new plan", "replan", "accent", ""),
    (("override",), None, "override", "person", "accent", ""),
    (("done",), TimelineTrack.ACTION, "step", "check", "text", " done"),
)


@dataclass(frozen=True)
class HandoverText:
    """One line and its icon with its colour; `turn` is where it is to be seen."""

    text: str
    icon: str
    tone: str
    turn: int


def handover(state: EpisodeState, since: float, vocabulary: Vocabulary) -> tuple[HandoverText, ...]:
    """Return the lines for all that happened after `since`, in seconds since the episode began.

    The most urgent come first; without any event there is none.
    """
    new = [m for m in state.marks if (m.end if m.end is not None else m.start) > since]
    if not new:
        return ()
    lines = [_now(state, vocabulary), *(_some(new, *kind) for kind in KINDS)]
    return tuple(line for line in lines if line is not None)[:LINES]


def _now(state: EpisodeState, vocabulary: Vocabulary) -> HandoverText | None:
    """Return what the episode waits for, or how it ended; None while it goes on by itself."""
    if state.ended is None and not waits_for_person(state):
        return None
    told = status_text(state, vocabulary)
    words = told.text if state.ended else f"Waiting for you, {age(state.now - state.since)}"
    return HandoverText(words, told.icon, told.level or ("accent" if told.mine else "text"), state.turn)


def _some(
    marks: Sequence[TimelineMark],
    kinds: Sequence[str],
    track: TimelineTrack | None,
    thing: str,
    icon: str,
    tone: str,
    after: str,
) -> HandoverText | None:
    """Return how many marks of these kinds there are and in which turns, None if there is none."""
    found = [m for m in marks if m.kind in kinds and track in (m.track, None)]
    if not found:
        return None
    first, last = found[0].turn, found[-1].turn
    where = f"turn {first}" if first == last else f"turns {first} to {last}"
    return HandoverText(f"{plural(len(found), thing)}{after}, {where}", icon, tone, first)
