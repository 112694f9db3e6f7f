"""One task at a time on a thread of its own, for a part of the window."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from core.cancel import Cancel
from core.errors import Cancelled, ConsoleError

Report = Callable[[Any], None]  # from the task's thread
Work = Callable[[Cancel, Report], object]


class BackgroundTask(QObject):
    """Runs one task at a time; only the latest one, until it is cancelled, is heard.

    Call its methods from the GUI thread, where its signals arrive as well.
    """

    done = Signal(object)  # what the work returned, or the ConsoleError that it raised
    progressed = Signal(object)  # what the work reported
    _said = Signal(object, object, bool)  # a task's Cancel, its report or result, whether it is the result

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self._cancel = Cancel()
        self._thread: threading.Thread | None = None
        self._said.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    @property
    def running(self) -> bool:
        return self._thread is not None and self._thread.is_alive() and not self._cancel.ended

    def start(self, work: Work) -> None:
        """Start this work; a running task is cancelled."""
        self.cancel()
        cancel = self._cancel = Cancel()
        self._thread = threading.Thread(target=self._run, args=(work, cancel), name=self._name, daemon=True)
        self._thread.start()

    def cancel(self) -> None:
        self._cancel.end("the dialog no longer waits")

    def join(self, seconds: float) -> bool:
        """Wait for a cancelled task to end. Return True if it has."""
        if self._thread is not None:
            self._thread.join(seconds)
        return self._thread is None or not self._thread.is_alive()

    def _run(self, work: Work, cancel: Cancel) -> None:
        try:
            result: object = work(cancel, lambda words: self._said.emit(cancel, words, False))
        except Cancelled:
            return
        except ConsoleError as error:
            result = error
        if not cancel.ended:
            self._said.emit(cancel, result, True)

    def _deliver(self, cancel: Cancel, words: object, is_result: bool) -> None:
        """Pass on what a task said, unless it was cancelled while this waited for the GUI thread."""
        if not cancel.ended:
            (self.done if is_result else self.progressed).emit(words)
