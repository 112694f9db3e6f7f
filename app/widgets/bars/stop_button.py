"""The button STOP MOTION (software): always visible and enabled; it shows the progress of the stop."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from app.controls.badge import Icon
from app.controls.layout import column, label, row
from app.controls.tooltip import set_tooltip
from app.presentation.formatting import duration
from app.theme import styling
from app.theme import tokens as t
from core.episode_state import EpisodeState

PHASES = ("requested", "slowing", "stopped")
TIP = "Stop motion (Esc). A software stop: the emergency stop is on the robot."
NO_ANSWER = 1.0  # seconds without a sign of standstill


class StopButton(QPushButton):
    """A solid button with a white square, in the colour of a stop that is not an emergency stop (IEC
    60204-1).

    It acts when pressed, not when released: connect `pressed`.
    """

    def __init__(self) -> None:
        super().__init__()
        self.phase, self._detail = "", ""
        self._head = label("STOP MOTION", "strong", "paper")
        self._foot = label("software", "caption", "paper")
        self._key = label("Esc", "caption", "paper")
        self._key.setProperty("keycap", True)
        self._key.setFixedHeight(20)
        words = column(1, self._head, self._foot, 1)
        margins = (t.M, 0, t.M, 0)
        self.setLayout(row(Icon("stop", "paper", 18), (words, 1), self._key, spacing=t.S, margins=margins))
        self.setFixedSize(t.W_STOP, t.H_STOP)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName("Stop motion, software stop")
        self.setToolTip(TIP)

    def fit(self, compact: bool) -> None:
        """Make the button narrower for a narrow window; nothing else changes."""
        self.setFixedWidth(t.W_STOP_COMPACT if compact else t.W_STOP)

    def display(self, state: EpisodeState) -> None:
        phase, detail = stop_progress(state)
        if (phase, detail) != (self.phase, self._detail):
            self.phase, self._detail = phase, detail
            said = f"{phase}, {detail}" if phase else ""
            self.setAccessibleDescription(said)
            set_tooltip(self, f"{TIP}\n{said.capitalize()}." if said else TIP)
            reached = PHASES[: PHASES.index(phase) + 1][-2:] if phase else ()
            self._head.setText(said.capitalize() if phase else "STOP MOTION")
            self._head.setFont(styling.font("label" if phase else "strong"))
            self._foot.setText(" → ".join(reached) if phase else "software")
            self._key.setVisible(not phase)


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
