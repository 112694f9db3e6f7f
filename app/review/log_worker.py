"""Work on the log in a thread of its own; results arrive on the GUI thread."""

from __future__ import annotations

import itertools
import logging
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal

from core.errors import Cancelled, ConsoleError
from core.log.annotations import EpisodeAnnotations
from core.log.store import Store

log = logging.getLogger(__name__)
T = TypeVar("T")
OFTEN = 5_000  # of SQLite's instructions, between two looks whether the work was dropped
Progress = Callable[[int, int], None]  # done, of so many; raises Cancelled
Work = Callable[["LogHandles", Progress], T]


@dataclass
class LogHandles:
    """What work may use, on the log's thread only. `annotations` keeps deleted episodes until the end."""

    store: Store
    annotations: EpisodeAnnotations


@dataclass(eq=False)
class LogJob:
    work: Work[Any]
    then: Callable[[Any], None]
    what: str
    key: str
    cancelled: threading.Event = field(default_factory=threading.Event)
    done: bool = False  # then `result` is what the work returned
    result: Any = None


class LogWorker(QObject):
    """Runs work on the log. GUI thread only. The thread starts and the log opens with the first `submit`.

    What a job holds (widgets) must end on the GUI thread: Qt breaks if the log's thread lets go of it
    last. So a job stays in `_jobs` until the GUI thread has heard its end, and the log's thread gets
    its number.
    """

    failed = Signal(str)  # one sentence
    progressed = Signal(str, int, int)  # what takes long, how far, of how much; "" when nothing does
    _ended = Signal(int)  # the number of a job of which the log's thread holds nothing any more

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self._queue: queue.SimpleQueue[int | None] = queue.SimpleQueue()
        self._jobs: dict[int, LogJob] = {}
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        self._waiting: dict[str, LogJob] = {}  # the latest of each key
        self._running: LogJob | None = None
        self._handles: LogHandles | None = None
        self._thread: threading.Thread | None = None
        self._closed = False
        self._ended.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def submit(self, work: Work[T], then: Callable[[T], None], what: str = "", key: str = "") -> None:
        """Run `work` on the log's thread, then call `then` with its result on the GUI thread.

        Unfinished work with the same `key` is cancelled; work without a key never is. While it runs, `what`
        is shown with a Cancel button. After `close` nothing is begun any more.
        """
        if self._closed:
            return
        job = LogJob(work, then, what, key)
        if key:
            self.cancel(key)
            self._waiting[key] = job
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="library", daemon=True)
            self._thread.start()
        number = next(self._numbers)
        self._jobs[number] = job
        self._queue.put(number)

    def cancel(self, key: str = "") -> None:
        """Cancel the work with this key; "" cancels the running work, if it may be cancelled."""
        with self._lock:
            job = self._waiting.get(key) if key else self._running
            if job is None or not job.key:
                return
            job.cancelled.set()

    def close(self) -> bool:
        """Finish the work that must not be lost, and make deletions permanent. Return True if the thread
        ended.

        No result is delivered any more, because the widgets may be gone.
        """
        self._closed = True
        if self._thread is None:
            return True
        for job in list(self._waiting.values()):
            self.cancel(job.key)
        self._queue.put(None)
        self._thread.join(30)
        return not self._thread.is_alive()

    def _deliver(self, number: int) -> None:
        job = self._jobs.pop(number)
        if self._waiting.get(job.key) is job:
            del self._waiting[job.key]
        if job.done and not self._closed and not job.cancelled.is_set():
            job.then(job.result)

    # --- the log's thread --------------------------------------------------------------------------------

    def _run(self) -> None:
        while (number := self._queue.get()) is not None:
            self._do(self._jobs[number])
            self._ended.emit(number)
        self._shut()

    def _do(self, job: LogJob) -> None:
        if job.cancelled.is_set():
            return
        with self._lock:
            self._running = job
        try:
            job.result = job.work(self._open(), self._progress(job))
            job.done = True
        except Cancelled:
            pass
        except Exception as error:
            if not job.cancelled.is_set():
                self._broken(error)
        finally:
            with self._lock:
                self._running = None
            self.progressed.emit("", 0, 0)

    def _broken(self, error: Exception) -> None:
        if isinstance(error, ConsoleError):
            self.failed.emit(str(error))
        else:
            log.error("work on the log broke", exc_info=error)
            self.failed.emit(f"A part of the program broke ({type(error).__name__}: {error}).")

    def _open(self) -> LogHandles:
        if self._handles is None:
            store = Store.open(self.path)
            store.db.set_progress_handler(self._is_cancelled, OFTEN)
            for sentence in store.notices:
                self.failed.emit(sentence)
            self._handles = LogHandles(store, EpisodeAnnotations(store))
        return self._handles

    def _is_cancelled(self) -> bool:
        """Return True to make SQLite abort a running query. Its `interrupt` would have no effect just before
        the query begins.
        """
        job = self._running
        return job is not None and job.cancelled.is_set()

    def _progress(self, job: LogJob) -> Progress:
        def progress(done: int, of: int) -> None:
            if job.cancelled.is_set():
                raise Cancelled("another was asked for")
            if job.what:
                self.progressed.emit(job.what, done, of)

        if job.what:
            progress(0, 0)
        return progress

    def _shut(self) -> None:
        if self._handles is None:
            return
        try:
            self._handles.annotations.close()
        except ConsoleError as error:
            log.error("%s", error)
        finally:
            self._handles.store.close()
