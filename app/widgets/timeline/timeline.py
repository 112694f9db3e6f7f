"""One time axis for turns, steps, questions, plans and the person, live and in the replay."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent, QMouseEvent, QPainter, QPen, QWheelEvent
from PySide6.QtWidgets import QSizePolicy

from app.controls.layout import Painted
from app.presentation.formatting import age, clock, waits_for_person
from app.presentation.signals import Points
from app.theme import paint, styling
from app.theme import tokens as t
from app.widgets.timeline.time_scale import CompressedTime, TimeScale, TrackMarks
from app.widgets.timeline.tracks import TRACKS, paint_tracks
from core.belief import Answer
from core.episode_state import LONG_WAIT, EpisodeState, TimelineMark, TimelineTrack
from core.text.plural import plural
from core.text.vocabulary import Vocabulary

LABELS, H_SIGNAL = 76, 44  # px: the width of names, the height of a plotted signal
WINDOW = 150.0  # seconds shown at most while following, without long waits; a longer episode scrolls
LEAST, NEAREST = 20.0, 2.0  # seconds to be seen: zoomed out, and zoomed in
STEPS = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 7200)


class Timeline(Painted):
    """The wheel zooms, a drag scrubs, a click picks a mark. It follows the episode until a person scrolls.

    In a replay, `length` is that of the whole episode.
    """

    GROUND = "surface"

    picked = Signal(object)  # Mark
    scrubbed = Signal(float)  # seconds

    def __init__(self) -> None:
        super().__init__()
        self.length: float | None = None
        self.vocabulary = Vocabulary()
        self.past: float | None = None  # the earlier moment that the panels show, in seconds
        self.state = EpisodeState()
        self._tracks = {track: TrackMarks() for track in TRACKS}
        self._marks: tuple[TimelineMark, ...] = ()
        self._range: tuple[float, float] | None = None  # None: follow
        self.chosen: TimelineMark | None = None
        self._signal: tuple[str, Points] = ("", ())
        self.thumbnail: Callable[[float], QImage | None] | None = None  # of a moment, shown under the pointer
        self._hovered: float | None = None  # px
        self._dragging = False
        self.setMinimumHeight(t.H_AXIS + len(TRACKS) * t.H_TRACK + 9)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleName("Timeline")

    def display(self, state: EpisodeState) -> None:
        if state.episode != self.state.episode:
            self._range, self.chosen = None, None
        moved = round(self._scale().x(state.now)) != round(self._scale().x(self.state.now))
        before, names = self.state, ("marks", "phase", "missed_effects")
        changed = any(getattr(state, name) is not getattr(before, name) for name in names)
        if state.marks is not self._marks:
            self._add_new_marks(state)
        self.state = state
        if moved or changed:
            marks = plural(len(state.marks), "mark")
            self.setAccessibleDescription(f"{clock(state.now)}, turn {state.turn}, {marks}")
            self.update()

    def show_past(self, seconds: float | None) -> None:
        """Show a second playhead at an earlier moment; None removes it."""
        self.past = seconds
        self.update()

    def show_signal(self, name: str, points: Points) -> None:
        """Plot a signal below the tracks; "" removes it."""
        self._signal = name, points
        self.setMinimumHeight(t.H_AXIS + len(TRACKS) * t.H_TRACK + 9 + (H_SIGNAL if points else 0))
        self.update()

    def _add_new_marks(self, state: EpisodeState) -> None:
        """Add the new marks only, so that updating a long episode costs no more than a short one."""
        if state.episode != self.state.episode or len(state.marks) < len(self._marks):
            self._tracks, self._marks = {track: TrackMarks() for track in TRACKS}, ()
        for mark in state.marks[len(self._marks) :]:
            self._tracks[mark.track].add(mark)
        self._marks = state.marks

    # --- the axis ----------------------------------------------------------------------------------------

    @property
    def end(self) -> float:
        """Return the end of the time axis in seconds."""
        return self.length if self.length is not None else self.state.now

    def _time_axis(self) -> CompressedTime:
        """Return the axis with the waits so far, and the one that goes on."""
        s = self.state
        live = self.length is None and s.is_running
        if live and waits_for_person(s) and s.now - s.since > LONG_WAIT:
            return CompressedTime((*s.waits, (s.since, s.now)))
        return CompressedTime(s.waits)

    def _scale(self) -> TimeScale:
        axis = self._time_axis()
        if self._range is not None:
            begin, end = self._range
        elif self.length is not None:
            begin, end = 0.0, max(self.length, NEAREST)
        else:
            now = axis.units(self.state.now)
            until = max(60.0, now * 1.12) if now < WINDOW else now + WINDOW * 0.12
            begin = axis.seconds(max(0.0, until - WINDOW * 1.12)) if now >= WINDOW else 0.0
            end = axis.seconds(until)
        right = self.width() - t.XL  # half of the last label is right of it
        return TimeScale(begin, end, LABELS, right, axis)

    def follow_latest(self) -> None:
        """Show the whole episode and follow it again."""
        self._range = None
        self.update()

    def zoom(self, factor: float, about: float | None = None) -> None:
        s = self._scale()
        axis = s.time_axis
        begin, centre = axis.units(s.begin), axis.units(self.state.now if about is None else about)
        span = min(max(s.span * factor, NEAREST), max(axis.units(self.end) * 1.2, LEAST))
        self._show_units(axis, centre - (centre - begin) / s.span * span, span)

    def _show_units(self, axis: CompressedTime, begin: float, span: float) -> None:
        """Show this range of the axis."""
        begin = max(0.0, begin)
        self._range = axis.seconds(begin), axis.seconds(begin + span)
        self.update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        s, delta = self._scale(), event.angleDelta()
        if abs(delta.x()) > abs(delta.y()):
            self._show_units(s.time_axis, s.time_axis.units(s.begin) - s.span * delta.x() / 1200, s.span)
        else:
            self.zoom(0.8 if delta.y() > 0 else 1.25, s.time(event.position().x()))
        event.accept()

    # --- picking -----------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus()
        at = event.position()
        if at.y() < t.H_AXIS:
            self._dragging = True
            self.scrubbed.emit(self._clamped(at.x()))
            return
        track = int((at.y() - t.H_AXIS) // t.H_TRACK)
        if 0 <= track < len(TRACKS):
            self._pick(TRACKS[track], at.x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        if self._dragging:
            self.scrubbed.emit(self._clamped(at.x()))
        self._hover(at.x() if self._dragging or 0 <= at.y() < t.H_AXIS else None)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(None)

    def _hover(self, x: float | None) -> None:
        if self.thumbnail is not None and x != self._hovered:
            self._hovered = x
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._dragging = False

    def _clamped(self, x: float) -> float:
        return max(0.0, min(self._scale().time(x), self.end))

    def _pick(self, track: TimelineTrack, x: float) -> None:
        s = self._scale()
        near = self._tracks[track].visible(s)
        if track is TimelineTrack.TURN:
            near = [m for m in near if s.x(m.start) <= x][-1:]
        elif near:
            near = [min(near, key=lambda m: _distance(m, s, x))]
            near = near if _distance(near[0], s, x) < 12 else []
        self.choose(near[0] if near else None)

    def highlight_answer(self, answer: Answer) -> None:
        """Choose the mark of an answer without telling anybody."""
        cards = (*self.state.cards, *self.state.earlier_cards)
        texts = {c.query.text for c in cards if (c.query.atom, c.turn) == (answer.atom, answer.turn)}
        marks = (m for m in reversed(self._marks) if m.track is TimelineTrack.QUESTION and m.end is None)
        self.chosen = next((m for m in marks if m.turn == answer.turn and m.label in texts), None)
        self.update()

    def choose(self, mark: TimelineMark | None) -> None:
        self.chosen = mark
        self.update()
        if mark is not None:
            self.picked.emit(mark)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if by is None or not self._marks:
            if event.key() in (Qt.Key.Key_Plus, Qt.Key.Key_Minus):
                self.zoom(0.8 if event.key() == Qt.Key.Key_Plus else 1.25)
            else:
                super().keyPressEvent(event)
            return
        at = self._marks.index(self.chosen) if self.chosen in self._marks else len(self._marks) - 1 - by
        self.choose(self._marks[max(0, min(len(self._marks) - 1, at + by))])

    # --- looks -------------------------------------------------------------------------------------------

    def draw(self, p: QPainter) -> None:
        w, h, s = self.width(), self.height(), self._scale()
        self._paint_axis(p, s, h)
        p.save()
        p.setClipRect(LABELS - 8, 0, w - LABELS + 8, h)
        paint_tracks(p, s, self._tracks, self.state, self.vocabulary, t.H_AXIS, self.chosen)
        p.restore()
        for i, track in enumerate(TRACKS):
            y, room = t.H_AXIS + i * t.H_TRACK, LABELS - t.M
            paint.text(p, t.M, y, room, t.H_TRACK, track.value, "caption", "muted")
        if self._signal[1]:
            self._paint_signal(p, s, *self._signal)
        self._paint_playhead(p, s, h)
        if self.past is not None and s.begin <= self.past <= s.end:
            self._paint_head(p, s, h, self.past, f"shown {clock(self.past)}", "ink")
        if self._hovered is not None:
            self._paint_thumbnail(p, self._hovered)
        if self.hasFocus():
            paint.box(p, 0, 0, w, h, None, "accent", 2)

    def _paint_signal(self, p: QPainter, s: TimeScale, name: str, points: Points) -> None:
        """Plot it from its least to its greatest value, which may be 0, with the value at the playhead."""
        top, now = t.H_AXIS + len(TRACKS) * t.H_TRACK + 4, self.state.now
        values = [value for _, value in points]
        low, most = min(0.0, *values), max(values)

        def place(seconds: float, value: float) -> QPointF:
            share = (value - low) / (most - low or 1)
            return QPointF(s.x(seconds), top + (H_SIGNAL - 8) * (1 - share))

        p.save()
        p.setClipRect(LABELS - 8, top - 2, self.width(), H_SIGNAL)
        p.setPen(QPen(styling.colour("ink"), 1.5))
        p.drawPolyline(paint.staircase([place(*at) for at in (*points, (self.end, values[-1]))]))
        p.restore()
        value = next((value for at, value in reversed(points) if at <= now), values[0])
        for i, words in enumerate((name, f"{value:.3g} of {most:.3g}")):
            tone = "ink" if i else "muted"
            paint.text(p, t.M, top + i * 16, LABELS - t.M, 16, words, "caption", tone)

    def _paint_thumbnail(self, p: QPainter, x: float) -> None:
        """Paint the picture of the moment under the pointer."""
        picture = self.thumbnail(self._clamped(x)) if self.thumbnail is not None else None
        if picture is None:
            return
        high = self.height() - t.H_AXIS - t.S
        wide = high * picture.width() / picture.height()
        area = QRectF(min(x + t.S, self.width() - wide - t.S), t.H_AXIS + t.XS, wide, high)
        p.drawImage(area, picture)
        paint.box(p, area.x(), area.y(), wide, high, None, "ink", 1)

    def _paint_axis(self, p: QPainter, s: TimeScale, h: int) -> None:
        wanted = s.span / max(1.0, (self.width() - LABELS) / 95)
        step = next((n for n in STEPS if n >= wanted), STEPS[-1])
        heads = [s.x(at) for at in (self.state.now, self.past) if at is not None]
        taken = [*heads, *self._paint_waits(p, s, h, heads)]
        at = s.begin // step * step
        while at <= s.end:
            if (after := s.time_axis.after_wait(at)) != at:
                at = -(-after // step) * step
                continue
            x = round(s.x(at)) + 0.5
            if x >= LABELS - 1:
                paint.line(p, x, t.H_AXIS, x, h, "hair")
                if all(abs(x - other) > 62 for other in taken):
                    paint.text(p, x - 24, 4, 48, 16, clock(at), "caption", "muted", paint.CENTRE)
                    taken.append(x)
            at += step

    def _paint_waits(self, p: QPainter, s: TimeScale, h: int, heads: list[float]) -> list[float]:
        """Paint the compressed waits with their length, if no playhead covers it; return where the labels
        are.
        """
        places = []
        for begin, end in s.time_axis.waits:
            left, right = max(LABELS, s.x(begin)), s.x(end)
            if right <= LABELS or left > self.width():
                continue
            paint.box(p, left, t.H_AXIS, right - left, h, "sunken", radius=0)
            middle = (left + right) / 2
            if right - left > 28 and all(abs(middle - head) > 74 for head in heads):
                words = f"waited {age(end - begin)}"
                words = words if paint.width(words, "caption") < right - left else age(end - begin)
                paint.text(p, middle - 40, 4, 80, 16, words, "caption", "muted", paint.CENTRE)
                places.append(middle)
        return places

    def _paint_playhead(self, p: QPainter, s: TimeScale, h: int) -> None:
        now = self.state.now
        if self.state.started is None or not s.begin <= now <= s.end:
            return
        live = self.state.is_running
        ink = "accent" if live or self.length is not None else "muted"
        words = ("now " if live and self.length is None else "") + clock(now)
        self._paint_head(p, s, h, now, words, ink)

    def _paint_head(self, p: QPainter, s: TimeScale, h: int, at: float, words: str, ink: str) -> None:
        """Paint a line through all tracks with a label on the axis."""
        x = round(s.x(at)) + 0.5
        paint.line(p, x, t.H_AXIS - 2, x, h, ink, 1.5)
        w = paint.width(words, "caption") + 12
        left = min(x - w / 2, self.width() - w - 2)
        paint.box(p, left, 3, w, 18, ink, None, 3)
        tone = "on_accent" if ink == "accent" else "paper"
        paint.text(p, left, 3, w, 18, words, "caption", tone, paint.CENTRE)


def _distance(mark: TimelineMark, s: TimeScale, x: float) -> float:
    begin, end = s.x(mark.start), s.x(mark.end if mark.end is not None else mark.start)
    return 0.0 if begin <= x <= end else min(abs(begin - x), abs(end - x))
