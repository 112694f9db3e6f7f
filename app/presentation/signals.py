"""What of a logged episode can be plotted over its time: (seconds, value) wherever it changes. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields

from app.presentation.formatting import spaced
from app.presentation.likelihood import is_doubtful
from core.belief import Atom, Verdict
from core.episode_state import EpisodeCounts
from core.review.recording import Reading, Recording

Points = tuple[tuple[float, float], ...]
GOAL, DOUBTS = "goal likely", "in doubt"
VALUES = {Verdict.YES: 1.0, Verdict.NO: 0.0, Verdict.UNKNOWN: 0.5}


def signal_names(replay: Recording) -> tuple[str, ...]:
    """Return what changed in an episode."""
    readings = replay.readings
    if not readings:
        return ()
    last = readings[-1]
    counted = [spaced(f.name) for f in fields(EpisodeCounts) if getattr(last.counts, f.name)]
    return ((GOAL,) if last.goal is not None else ()) + (DOUBTS, *counted, *replay.motion)


def signal(replay: Recording, name: str) -> Points:
    """Return the signal of this name."""
    readings = replay.readings
    if name in replay.motion:
        return tuple(replay.motion[name])
    if name == GOAL:
        return _points(readings, lambda r: r.goal)
    if name == DOUBTS:
        return _points(readings, lambda r: sum(e.uncertain or is_doubtful(e.probability) for e in r.belief))
    return _points(readings, lambda r: getattr(r.counts, name.replace(" ", "_")))


def belief_signal(readings: Sequence[Reading], atom: Atom) -> Points:
    """Return how probable the atom was believed to be; 1, 0 or 0.5 by a method without probabilities."""

    def believed(reading: Reading) -> float:
        entry = reading.belief.entry(atom)
        return VALUES[entry.verdict] if entry.probability is None else entry.probability

    return _points(readings, believed)


def _points(readings: Sequence[Reading], value: Callable[[Reading], float | None]) -> Points:
    found: list[tuple[float, float]] = []
    for reading in readings:
        now = value(reading)
        if now is not None and (not found or found[-1][1] != now):
            found.append((reading.seconds, float(now)))
    return tuple(found)
