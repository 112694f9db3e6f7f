"""Work for a sheet that must not hold up the screen."""

from __future__ import annotations

import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from core.cancel import Cancel
from core.errors import Cancelled, ConsoleError


class BackgroundTask(QObject):
    """One piece of work at a time, on a thread of its own; only the latest one's result arrives.

    Its methods belong to the screen's thread, and its signals arrive there.
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
        """Whatever is under way is dropped."""
        self.cancel()
        cancel = self._cancel = Cancel()
        self._thread = threading.Thread(target=self._run, args=(work, cancel), name=self._name, daemon=True)
        self._thread.start()

    def cancel(self) -> None:
        self._cancel.end("nobody waits for it any more")

    def join(self, seconds: float) -> None:
        """Wait for a cancelled one to let go."""
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
