"""The button STOP MOTION (software): always visible and enabled; it shows the progress of the stop."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QPushButton

from app.controls.painted import PaintedMixin
from app.controls.tooltip import set_tooltip
from app.presentation.formatting import duration
from app.theme import icons, paint, styling
from app.theme import tokens as t
from core.episode_state import EpisodeState

PHASES = ("requested", "slowing", "stopped")
TIP = "Stop motion (Esc). A software stop: the emergency stop is on the robot."
NO_ANSWER = 1.0  # seconds without a sign of standstill


class StopButton(PaintedMixin, QPushButton):
    """A solid button with a white square, in the colour of a stop that is not an emergency stop (IEC
    60204-1).

    It acts when pressed, not when released: connect `pressed`.
    """

    def __init__(self) -> None:
        super().__init__("STOP MOTION (software)")
        self._phase, self._detail = "", ""
        self.setFixedSize(t.W_STOP, t.H_STOP)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName("Stop motion, software stop")
        self.setToolTip(TIP)

    @property
    def phase(self) -> str:
        """Return the progress of the stop, "" if none is in force."""
        return self._phase

    def fit(self, compact: bool) -> None:
        """Make the button narrower for a narrow window; nothing else changes."""
        self.setFixedWidth(t.W_STOP_COMPACT if compact else t.W_STOP)

    def display(self, state: EpisodeState) -> None:
        phase, detail = stop_progress(state)
        if (phase, detail) != (self._phase, self._detail):
            self._phase, self._detail = phase, detail
            said = f"{phase}, {detail}" if phase else ""
            self.setAccessibleDescription(said)
            set_tooltip(self, f"{TIP}\n{said.capitalize()}." if said else TIP)
            self.update()

    def draw(self, p: QPainter) -> None:
        w, h = self.width(), self.height()
        paint.box(p, 0, 0, w, h, "ink", None, t.RADIUS_BIG)
        if self.isDown():
            paint.box(p, 0, 0, w, h, styling.colour("paper", 0.16), None, t.RADIUS_BIG)
        if self.hasFocus():
            paint.box(p, 2, 2, w - 4, h - 4, None, "paper", t.RADIUS)
        icons.draw(p, "stop", t.M, h / 2 - 9, 18, "paper")
        x = t.M + 28.0
        if not self._phase:
            paint.text(p, x, 4, w - x, 18, "STOP MOTION", "strong", "paper")
            paint.text(p, x, 20, w - x, 14, "software", "caption", styling.colour("paper", 0.75))
            kw = paint.width("Esc", "caption") + 10
            edge = styling.colour("paper", 0.8)
            paint.box(p, w - kw - t.M, h / 2 - 9, kw, 18, None, edge, 3)
            paint.text(p, w - kw - t.M, h / 2 - 9, kw, 18, "Esc", "caption", edge, paint.CENTRE)
            return
        words, room = f"{self._phase.capitalize()}, {self._detail}", w - x - t.S
        role = next((r for r in ("strong", "label", "caption") if paint.width(words, r) <= room), "caption")
        paint.text(p, x, 2, room, 18, words, role, "paper")
        reached = PHASES.index(self._phase)
        widths = [paint.width(name, "caption") for name in PHASES]
        gap = max(4.0, (w - x - t.M - sum(widths)) / 2)
        for i, (name, ww) in enumerate(zip(PHASES, widths, strict=True)):
            bright = i <= reached
            paint.box(p, x, 22, ww, 2, styling.colour("paper", 1 if bright else 0.28), None, 1)
            paint.text(
                p, x, 24, ww + 4, 14, name, "caption", styling.colour("paper", 0.9 if bright else 0.55)
            )
            x += ww + gap


def stop_progress(state: EpisodeState) -> tuple[str, str]:
    """Return the progress of the stop in force, and what was measured of it."""
    stop = state.stop
    if stop is None or stop.released or state.ended:
        return "", ""
    if stop.seconds is not None:
        speed = "" if stop.speed is None else f", {stop.speed:.2f} m/s"
        return "stopped", f"{duration(stop.seconds)}{speed}"
    waited = state.now - stop.requested_at
    if waited > NO_ANSWER:
        return "requested", "no answer"
    return ("slowing", duration(waited)) if state.acting else ("requested", duration(waited))
