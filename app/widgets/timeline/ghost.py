"""Paint the steps that would follow from an answer that has not been given."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from app.theme import paint, styling
from app.theme import tokens as t
from app.widgets.timeline.time_scale import TimeScale
from app.widgets.timeline.track_marks import TrackMarks
from app.widgets.timeline.tracks import TRACKS
from core.episode_state import EpisodeState, TimelineTrack
from core.planning_model import Step
from core.text.plural import plural
from core.text.vocabulary import Vocabulary

LEAST = 10.0  # px: of a step


def paint_ghost(
    p: QPainter,
    s: TimeScale,
    done: TrackMarks,
    steps: tuple[Step, ...],
    state: EpisodeState,
    vocabulary: Vocabulary,
) -> None:
    """Paint dashed bars from now on, each as long as such steps took so far, as many as there is room for."""
    y = t.H_AXIS + TRACKS.index(TimelineTrack.ACTION) * t.H_TRACK
    x = s.x(state.now) + 4
    p.save()
    p.setBrush(Qt.BrushStyle.NoBrush)
    for i, step in enumerate(steps):
        wide = max(LEAST, s.x(state.now + done.typical_seconds(f"({step.name} ")) - s.x(state.now))
        left = len(steps) - i
        if x + wide > s.right and left > 1:
            paint.text(p, x + 2, y, 90, t.H_TRACK, f"{plural(left, 'step')} more", "caption", "accent")
            break
        p.setPen(QPen(styling.colour("accent"), 1, Qt.PenStyle.DashLine))
        p.drawRoundedRect(QRectF(x + 0.5, y + 3.5, wide - 1, 13), 2, 2)
        if wide >= 44:
            words = vocabulary.describe_step(step)
            paint.text(p, x + 4, y, wide - 6, t.H_TRACK, words, "caption", "accent")
        x += wide + 2
    p.restore()
