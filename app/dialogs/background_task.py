"""Work for a dialog on a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from core.cancel import Cancel
from core.errors import Cancelled, ConsoleError


class BackgroundTask(QObject):
    """Runs one task at a time; only the result of the latest one is delivered.

    Call its methods from the GUI thread, where its signals arrive as well.
    """

    done = Signal(object)  # what the work returned, or the ConsoleError that it raised
    progressed = Signal(str)  # of a wait

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self._cancel = Cancel()
        self._thread: threading.Thread | None = None

    @property
    def running(self) -> bool:
        return self._thread is not None and self._thread.is_alive() and not self._cancel.ended

    def start(self, work: Callable[[Cancel], object]) -> None:
        """Start this work; a running task is cancelled."""
        self.cancel()
        cancel = self._cancel = Cancel()
        self._thread = threading.Thread(target=self._run, args=(work, cancel), name=self._name, daemon=True)
        self._thread.start()

    def cancel(self) -> None:
        self._cancel.end("the dialog no longer waits")

    def join(self, seconds: float) -> None:
        """Wait for a cancelled task to end."""
        if self._thread is not None:
            self._thread.join(seconds)

    def _run(self, work: Callable[[Cancel], object], cancel: Cancel) -> None:
        try:
            result: object = work(cancel)
        except Cancelled:
            return
        except ConsoleError as error:
            result = error
        if not cancel.ended:
            self.done.emit(result)
