"""Marks on the time axis of an episode. Pure."""

from __future__ import annotations

from dataclasses import replace

from core.episode_state import EpisodeState, TimelineMark, TimelineTrack


def add_mark(
    state: EpisodeState,
    track: TimelineTrack,
    kind: str,
    label: str,
    number: int,
    turn: int | None = None,
    began: float | None = None,
) -> EpisodeState:
    """Return the state with a mark now, or since `began`, of this turn if no other is given."""
    start, end = (state.now, None) if began is None else (began, state.now)
    mark = TimelineMark(track, kind, start, end, state.turn if turn is None else turn, label, number)
    return replace(state, marks=(*state.marks, mark))
