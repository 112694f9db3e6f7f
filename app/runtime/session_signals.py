"""The callbacks of an episode's session as Qt signals: the only place where an episode meets Qt."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal


class SessionSignals(QObject):
    """Emits what a session reports from its threads; connect queued to receive it on the GUI thread."""

    changed = Signal()  # the episode state or the stage changed
    failed = Signal(str)  # one sentence for a person

    def on_changed(self) -> None:
        self.changed.emit()

    def on_failed(self, reason: str) -> None:
        self.failed.emit(reason)
