"""Ask before a running episode is ended for the one that was set up."""

from __future__ import annotations

from PySide6.QtCore import QSize

from app.controls.badge import Icon
from app.controls.layout import column, label, row
from app.dialogs.overlay_dialog import OverlayDialog
from app.main_window import MainWindow
from app.theme import tokens as t
from core.episode_state import EpisodeState


class EndRunningDialog(OverlayDialog):
    """Accepted if the running episode may end. Closes when it has ended by itself."""

    def __init__(self, window: MainWindow, running: str, wanted: str) -> None:
        super().__init__(window, "An episode is running", "Nothing has changed yet", QSize(620, 250))
        reason = (
            f"End the running episode ({running}) and start {wanted}? The robot stops; the log is kept. "
            "If you let it run, your set-up is used the next time you start."
        )
        line = row(
            Icon("diamond", "doubt_fill", 20), (label(reason, "body", "text", wrap=True), 1), spacing=t.M
        )
        self.set_body(column(line, 1, margins=(t.XL, t.L, t.XL, t.M)))
        self.button("End it and start", self.accept, "flag")
        keep = self.button("Let it run", self.reject, "play", "Enter", primary=True)
        self.on_enter = self.reject
        keep.setFocus()

    def display(self, state: EpisodeState) -> None:
        """Close if the episode has ended meanwhile: then nothing has to be asked."""
        if self.isVisible() and not state.is_running:  # while it closes, what it starts is shown already
            self.accept()
