"""Paint the marks of each track of the timeline, and the steps that would follow from an answer."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QLine, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QPainter, QPen, QPolygonF

from app.theme import icons, paint, styling
from app.theme import tokens as t
from app.widgets.timeline.time_scale import WRONG, TimeScale, TrackMarks
from core.episode_state import EpisodeState, TimelineMark, TimelineTrack
from core.text.vocabulary import Vocabulary

TRACKS = tuple(TimelineTrack)
ANSWERS = {"yes": "disc", "no": "ring", "unknown": "dashring", "contradiction": "diamond"}
YOURS = {"override": "hexagon", "bookmark": "bookmark", "stop": "stop", "check": "check"}
ABOUT_DOMAIN = {"situation": "bell", "revised": "page"}  # among the plans
NO_EFFECT = "no effect seen"
ENDINGS = {"done": "check", "failed": "cross", "halted": "stop", NO_EFFECT: "diamond"}
GRAIN = 2  # pixels that share a tick
# Pixels a mark, below which a track shows ticks: glyphs would only cover each other.
CLOSE = dict.fromkeys(TRACKS, 4) | {TimelineTrack.PLAN: 10, TimelineTrack.OPERATOR: 8}


def paint_tracks(
    p: QPainter,
    s: TimeScale,
    tracks: Mapping[TimelineTrack, TrackMarks],
    state: EpisodeState,
    vocabulary: Vocabulary,
    top: float,
    chosen: TimelineMark | None,
) -> None:
    """Paint the tracks; the first one begins at `top`."""
    y = {track: top + i * t.H_TRACK for i, track in enumerate(TRACKS)}
    full = {
        track: [] if tracks[track].crowded(s, CLOSE[track]) else tracks[track].visible(s) for track in TRACKS
    }
    for track in TRACKS:
        if not full[track]:
            _ticks(p, s, tracks[track], y[track])
    _turns(p, s, full[TimelineTrack.TURN], state, y[TimelineTrack.TURN])
    _actions(p, s, full[TimelineTrack.ACTION], state, vocabulary, y[TimelineTrack.ACTION])
    _questions(p, s, full[TimelineTrack.QUESTION], y[TimelineTrack.QUESTION])
    _plans(p, s, full[TimelineTrack.PLAN], state, y[TimelineTrack.PLAN])
    _yours(p, s, full[TimelineTrack.OPERATOR], vocabulary, y[TimelineTrack.OPERATOR])
    if chosen is not None:
        x = s.x(chosen.start)
        wide = max(18.0, s.x(chosen.end) - x + 4) if chosen.end is not None else 18.0
        left = x - 2 if chosen.end is not None else x - 9
        paint.box(p, left, y[chosen.track] + 1, wide, t.H_TRACK - 2, None, "accent", 3, 1.5)


def _ticks(p: QPainter, s: TimeScale, marks: TrackMarks, y: float) -> None:
    """Paint marks too dense for icons as thin lines; problems are never omitted."""
    lines: dict[str, list[QLine]] = {"muted": [], "accent": [], "fault_fill": []}
    top, bottom = round(y) + 4, round(y) + t.H_TRACK - 5
    for x, m in marks.thinned(s, GRAIN):
        ink = "fault_fill" if m.kind in WRONG else "accent" if m.track is TimelineTrack.OPERATOR else "muted"
        lines[ink].append(QLine(x, top, x, bottom))
    p.setRenderHint(QPainter.RenderHint.Antialiasing, False)  # they are whole pixels, and many
    for ink, some in lines.items():
        if some:
            p.setPen(QPen(styling.colour(ink), GRAIN if ink == "fault_fill" else 1))
            p.drawLines(some)
    p.setRenderHint(QPainter.RenderHint.Antialiasing)


def _turns(p: QPainter, s: TimeScale, marks: list[TimelineMark], state: EpisodeState, y: float) -> None:
    for i, m in enumerate(marks):
        current = i == len(marks) - 1 and m.turn == state.turn
        until = marks[i + 1].start if i + 1 < len(marks) else state.now
        x, wide = s.x(m.start) + 1, max(2.0, s.x(until) - s.x(m.start) - 2)
        live = current and state.is_running
        paint.box(p, x, y + 3, wide, 14, "accent_soft" if live else "raised", "accent" if live else None, 3)
        words = m.label if paint.width(m.label, "caption") < wide - 8 else str(m.turn)
        if paint.width(words, "caption") <= wide - 6:  # a number or nothing, never half of one
            paint.text(p, x + 5, y, wide - 6, t.H_TRACK, words, "caption", "accent" if live else "text")


def _actions(
    p: QPainter,
    s: TimeScale,
    marks: list[TimelineMark],
    state: EpisodeState,
    vocabulary: Vocabulary,
    y: float,
) -> None:
    for m in marks:
        kind = action_kind(m, state)
        _bar(p, s.x(m.start), s.x(m.end or m.start), y, kind, vocabulary.describe_written_step(m.label))
    if state.acting is not None:
        x, e = s.x(state.acting_since), s.x(state.now)
        paint.box(p, x, y + 3, max(18.0, e - x), 14, styling.colour("muted", 0.26), "accent", 2)
        icons.draw(p, "play", x + 3, y + 4, 12, "accent")


def action_kind(mark: TimelineMark, state: EpisodeState) -> str:
    """Return how a step ended, `NO_EFFECT` if it was reported done and its effect was not found."""
    missed = mark.kind == "done" and mark.turn in state.ineffective_turns
    return NO_EFFECT if missed else mark.kind


def _bar(p: QPainter, x: float, e: float, y: float, kind: str, words: str) -> None:
    wide, level = max(5.0, e - x), {"failed": "fault", NO_EFFECT: "doubt"}.get(kind, "")
    paint.box(p, x, y + 3, wide, 14, f"{level}_soft" if level else styling.colour("muted", 0.26), None, 2)
    if level:
        p.setBrush(QBrush(styling.colour(f"{level}_fill", 0.3), Qt.BrushStyle.BDiagPattern))
        p.setPen(QPen(styling.colour(f"{level}_fill"), 1))
        p.drawRoundedRect(QRectF(x + 0.5, y + 3.5, wide - 1, 13), 2, 2)
    ink = level or ("ink" if kind == "halted" else "text")
    if wide >= 16:
        icons.draw(p, ENDINGS.get(kind, "check"), x + 3, y + 4, 12, ink)
    if wide >= 44:
        paint.text(p, x + 19, y, wide - 22, t.H_TRACK, words, "caption", ink)


def _questions(p: QPainter, s: TimeScale, marks: list[TimelineMark], y: float) -> None:
    """Paint a bar for the call and an icon for each answer, closer together if the next call is near."""
    calls = [i for i, m in enumerate(marks) if m.kind == "call"]
    for n, first in enumerate(calls):
        last = calls[n + 1] if n + 1 < len(calls) else len(marks)
        call, answers = marks[first], [m for m in marks[first + 1 : last] if m.kind in ANSWERS]
        x, end = s.x(call.start), s.x(call.end or call.start)
        paint.box(p, x, y + 8.5, max(4.0, end - x), 3, "muted", None, 1.5)
        room = s.x(marks[last].start) - end - 14 if last < len(marks) else 1e6
        gap = min(12.0, max(4.0, room / max(1, len(answers))))
        for i, m in enumerate(answers):
            ink = "doubt_fill" if m.kind == "contradiction" else "text"
            icons.draw(p, ANSWERS[m.kind], end + i * gap, y + 3, 14, ink)


def _plans(p: QPainter, s: TimeScale, marks: list[TimelineMark], state: EpisodeState, y: float) -> None:
    for i, m in enumerate(marks):
        x = s.x(m.start)
        if i + 1 < len(marks):
            paint.line(p, x + 8, y + 10, max(x + 8, s.x(marks[i + 1].start) - 7), y + 10, "edge", 1.5)
        if m.kind in ABOUT_DOMAIN:
            paint.box(p, x - 8, y + 2, 16, 16, "surface")
            icons.draw(p, ABOUT_DOMAIN[m.kind], x - 7, y + 3, 14, "text")
            continue
        bad = m.kind == "no plan"
        _diamond(p, x, y, "x" if bad else m.label if m.label.isdigit() else "", bad)
    if state.offered_change is not None:
        x = s.x(state.now) - 12
        _diamond(p, x, y, str(state.plan_count + 1), False, True)
        wide = paint.width("offered", "caption")
        if not marks or s.x(marks[-1].start) + 10 < x - wide - 16:  # it covers no other plan
            paint.box(p, x - wide - 16, y + 2, wide + 6, 16, "surface")
            paint.text(p, x - wide - 13, y, wide, t.H_TRACK, "offered", "caption", "accent")


def _diamond(p: QPainter, x: float, y: float, words: str, bad: bool, offered: bool = False) -> None:
    ink = "accent" if offered else "doubt_fill" if bad else "text"
    p.setPen(QPen(styling.colour(ink), 1.5))
    p.setBrush(styling.colour("accent_soft" if offered else "doubt_soft" if bad else "surface"))
    p.drawPolygon(
        QPolygonF([QPointF(x, y + 2), QPointF(x + 8, y + 10), QPointF(x, y + 18), QPointF(x - 8, y + 10)])
    )
    tone = "accent" if offered else "doubt" if bad else "ink"
    paint.text(p, x - 9, y, 18, t.H_TRACK, words, "micro", tone, paint.CENTRE)


def _yours(p: QPainter, s: TimeScale, marks: list[TimelineMark], vocabulary: Vocabulary, y: float) -> None:
    free = -1.0
    for i, m in enumerate(marks):
        x = s.x(m.start)
        icons.draw(p, YOURS.get(m.kind, "person"), x - 7, y + 3, 14, "ink" if m.kind == "stop" else "accent")
        room = (s.x(marks[i + 1].start) - 12 if i + 1 < len(marks) else s.right) - x - 11
        words = "" if m.kind == "check" else vocabulary.in_words(m.label or m.kind)
        if room > min(paint.width(words, "caption"), 60) and x >= free:
            free = x + 11 + paint.text(p, x + 11, y, room, t.H_TRACK, words, "caption", "text")
