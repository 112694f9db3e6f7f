"""One task at a time on a thread of its own, for a part of the window."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from core.errors import BadValue, Cancelled, ConsoleError
from core.stop_token import StopToken

log = logging.getLogger(__name__)
Report = Callable[[Any], None]  # from the task's thread
Work = Callable[[StopToken, Report], object]


class _Run:
    """One work on its thread, and all that it holds.

    What a work holds (the task, a dialog) must end on the GUI thread: Qt breaks if a worker lets go
    of it last. So each run stays in `_RUNS` until the GUI thread has heard its end and joined its
    thread.
    """

    def __init__(self, task: BackgroundTask, work: Work) -> None:
        self.task, self.work, self.cancel = task, work, StopToken()
        self.thread = threading.Thread(target=self._go, name=task.name, daemon=True)

    def _go(self) -> None:
        result: object = None
        try:
            result = self.work(self.cancel, lambda words: self.task.reported.emit(self, words, False))
        except Cancelled as ended:
            self.cancel.end(str(ended))  # nothing to hear
        except ConsoleError as error:
            result = error
        except BaseException as error:
            if self.task.broken and isinstance(error, Exception):
                log.exception("in the task %s", self.task.name)
                result = BadValue(self.task.broken.format(type(error).__name__))
                return
            self.cancel.end("it broke")  # the exception goes to the hook for threads
            raise
        finally:
            self.task.reported.emit(self, result, True)


_RUNS: set[_Run] = set()  # of the GUI thread


def computing() -> bool:
    """Return True while any task runs."""
    return bool(_RUNS)


class BackgroundTask(QObject):
    """Runs one task at a time; only the latest one, until it is cancelled, is heard.

    With `broken`, a sentence with its name, an exception that nobody foresaw is `done` too, as an error.
    Call its methods from the GUI thread, where its signals arrive as well.
    """

    done = Signal(object)  # what the work returned, or the ConsoleError that it raised
    progressed = Signal(object)  # what the work reported
    reported = Signal(object, object, bool)  # from its thread: run, report or result, whether over

    def __init__(self, name: str, broken: str = "") -> None:
        super().__init__()
        self.name, self.broken = name, broken
        self._run: _Run | None = None
        self.reported.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    @property
    def running(self) -> bool:
        run = self._run
        return run is not None and run.thread.is_alive() and not run.cancel.ended

    def start(self, work: Work) -> None:
        """Start this work; a running task is cancelled."""
        self.cancel()
        self._run = _Run(self, work)
        _RUNS.add(self._run)
        self._run.thread.start()

    def cancel(self) -> None:
        if self._run is not None:
            self._run.cancel.end("the dialog no longer waits")

    def join(self, seconds: float) -> bool:
        """Wait for a cancelled task to end. Return True if it has."""
        if self._run is not None:
            self._run.thread.join(seconds)
        return self._run is None or not self._run.thread.is_alive()

    def _deliver(self, run: _Run, words: object, over: bool) -> None:
        """Pass on what a run said, unless it was cancelled while this waited for the GUI thread."""
        if over:
            run.thread.join()  # it has said its last
            _RUNS.discard(run)
            if self._run is run:
                self._run = None
        if not run.cancel.ended:
            (self.done if over else self.progressed).emit(words)
