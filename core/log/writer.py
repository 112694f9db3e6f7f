"""The log's only writing thread: many records per transaction, with fsync only for a person's decisions."""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from core.errors import LogError
from core.events import EpisodeEnded, EpisodeStarted, Event, Record
from core.log import lease
from core.log.codec import write_event
from core.log.database import BUSY_SECONDS, Connect, log_error_from, transaction
from core.log.picture_store import PictureStore
from core.log.rows import add_episode, add_record, chain_start, summarise
from core.text.plural import plural

log = logging.getLogger(__name__)

BATCH = 500  # records per transaction
MAX_BACKLOG = 20_000  # records waiting; with more, the disk will not catch up
WRITE_TIMEOUT = BUSY_SECONDS + 2.0  # seconds after which an unwritten record stops the episode
RETRY_SECONDS = 1.0  # after which what could not be written is tried again, though nothing new is recorded
RETRY_BUSY_SECONDS = 0.5  # seconds to wait if the log was locked the last time
CHECKPOINT_RECORDS = 1_000  # records between two checkpoints of the write-ahead log


@dataclass(frozen=True)
class PendingRecord:
    """A record to write; `durable`: with an fsync, because it contains a person's decision."""

    record: Record
    body: str
    durable: bool


class LogWriter:
    """Takes records from any thread and writes them in order. They are kept until they are written.

    After a failure the records stay, `wait` and `check` raise it, and every new record causes another try.
    Listeners are called from the writer's thread with each record once it is on disk, and with each failure.
    """

    def __init__(self, db: sqlite3.Connection, path: Path, connect: Connect) -> None:
        self._db, self._path = db, path
        db.execute("pragma wal_autocheckpoint=0")  # a separate thread does that
        self._album = PictureStore(db, path)
        self._lease = lease.Lease(path)
        lock = threading.RLock()
        self._work, self._done = threading.Condition(lock), threading.Condition(lock)
        self._items: deque[tuple[float, PendingRecord]] = deque()  # with the time of arrival
        self._enqueued = self._written = self._notified = 0
        self._fresh = self._closing = False
        self._fault: LogError | None = None
        self._synced: bool | None = None  # whether commits wait for the disk; None: not set yet
        # Of the last episode: its nr, whether it ended, and the link for its next record.
        self._episode: tuple[int | None, bool, bytes | None] = (None, False, None)
        self._checkpoint = _Checkpointer(path, connect)
        self.listeners: tuple[Callable[[Record], None], ...] = ()
        self.fault_listeners: tuple[Callable[[LogError], None], ...] = ()
        self._thread = threading.Thread(target=self._run, name="log writer", daemon=True)
        self._thread.start()

    def encode(self, event: Event) -> str:
        """Return the body of a record. Called in the event's own thread, before the record is enqueued."""
        return write_event(event)

    def put(self, item: PendingRecord) -> int:
        """Enqueue a record and return its position, for `wait`. Any thread; never blocks on the disk."""
        with self._work:
            self._items.append((time.monotonic(), item))
            self._enqueued += 1
            self._fresh = True
            self._work.notify()
            return self._enqueued

    def check(self) -> None:
        """Raise LogError if the log has failed (then it tries once more) or has fallen behind."""
        with self._done:
            if self._fault:
                self._fresh = True
                self._work.notify()
                raise LogError(str(self._fault))
            if self._items and (len(self._items) > MAX_BACKLOG or self.lag > WRITE_TIMEOUT):
                raise self._too_slow()

    def wait(self, place: int) -> None:
        """Return once that record is on disk. Raises LogError if it cannot be written, or not in time."""
        with self._done:
            self._done.wait_for(lambda: self._written >= place or self._fault, WRITE_TIMEOUT)
            if self._written >= place:
                return
            raise LogError(str(self._fault)) if self._fault else self._too_slow()

    def flush(self) -> None:
        """Return once every listener has received all records so far. Raises LogError as `wait` does."""
        with self._done:
            place = self._enqueued
            self.wait(place)
            self._done.wait_for(lambda: self._notified >= place, WRITE_TIMEOUT)

    @property
    def lag(self) -> float:
        """Return for how many seconds the oldest unwritten record has waited; 0.0 if there is none.

        Any thread.
        """
        with self._done:
            return time.monotonic() - self._items[0][0] if self._items else 0.0

    def close(self) -> None:
        """Write what is left. Raises LogError saying how many records were lost. Idempotent."""
        with self._work:
            if self._closing:
                return
            self._closing = self._fresh = True
            self._work.notify()
        self._thread.join(WRITE_TIMEOUT)
        self._checkpoint.close()
        if self._thread.is_alive():
            raise self._too_slow()
        self._db.close()
        self._lease.release()
        if self._items:
            raise LogError(f"{self._fault} {plural(len(self._items), 'record')} could not be written.")

    # --- the writer's thread -----------------------------------------------------------------------------

    def _run(self) -> None:
        while True:
            with self._work:
                self._work.wait_for(lambda: self._fresh, RETRY_SECONDS if self._fault else None)
                batch = [item for _, item in islice(self._items, BATCH)]
                self._fresh = self._closing or len(self._items) > BATCH
                closing = self._closing
            written = bool(batch) and self._write_safely(batch)
            if closing and not written:
                return
            if written:
                self._notify(batch)

    def _write_safely(self, batch: list[PendingRecord]) -> bool:
        before = self._episode
        try:
            self._write(batch)
        except Exception as error:  # report any error to the loop, so that nobody waits forever
            self._episode = before
            self._set_busy_timeout(RETRY_BUSY_SECONDS)  # having waited once, later tries can be shorter
            self._failed(error if isinstance(error, LogError) else log_error_from(self._path, error))
            return False
        if self._fault:
            self._set_busy_timeout(BUSY_SECONDS)
        with self._done:
            for _ in batch:
                self._items.popleft()
            self._written += len(batch)
            self._fault = None
            self._done.notify_all()
        return True

    def _set_busy_timeout(self, seconds: float) -> None:
        """Set how long to wait for another program that has locked the log."""
        with suppress(sqlite3.Error):
            self._db.execute(f"pragma busy_timeout={round(seconds * 1000)}")

    def _write(self, batch: list[PendingRecord]) -> None:
        durable = any(item.durable for item in batch)
        if durable != self._synced:
            self._synced = None  # unknown until it has been set
            self._db.execute(f"pragma synchronous={'full' if durable else 'normal'}")
            self._synced = durable
        with transaction(self._db):
            for nr in dict.fromkeys(nr for item in batch if (nr := self._add(item)) is not None):
                summarise(self._db, nr)
            if durable:
                self._album.sync()
        last = batch[-1].record
        self._lease.note(last.episode, last.number)
        self._checkpoint.count(len(batch))

    def _add(self, item: PendingRecord) -> int | None:
        """Add a record; return the episode's `nr` if its counts must be recomputed."""
        record, event = item.record, item.record.event
        nr, ended, chain = self._episode
        if isinstance(event, EpisodeStarted):
            nr, ended = add_episode(self._db, record, event, self._lease.writer), False
            chain = chain_start(record.episode)
        chain = add_record(self._db, self._album, nr, record, item.body, chain)
        ended = ended or isinstance(event, EpisodeEnded)
        self._episode = nr, ended, chain
        return nr if ended else None

    def _notify(self, batch: list[PendingRecord]) -> None:
        for item in batch:
            for listener in self.listeners:
                try:
                    listener(item.record)
                except Exception as error:  # a failing view must not stop the log
                    reason = f"A part that shows the log broke ({error}): reopen the episode."
                    self._notify_fault(LogError(reason))
        with self._done:
            self._notified += len(batch)
            self._done.notify_all()

    def _failed(self, fault: LogError) -> None:
        with self._done:
            self._fault = fault
            self._done.notify_all()
        self._notify_fault(fault)

    def _notify_fault(self, fault: LogError) -> None:
        for listener in self.fault_listeners:
            try:
                listener(fault)
            except Exception:  # it cannot be told, but the records matter more
                log.exception("a part that shows the log's faults broke")

    def _too_slow(self) -> LogError:
        waiting = f"{plural(len(self._items), 'record')} waiting, the oldest for {self.lag:.0f} s"
        return LogError(
            f"The disk of the log {self._path} is too slow ({waiting}): choose another one with --database."
        )


class _Checkpointer:
    """Moves the write-ahead log into the database in its own thread, so that records can be written
    meanwhile."""

    def __init__(self, path: Path, connect: Connect) -> None:
        self._path, self._connect = path, connect
        self._due = threading.Semaphore(0)
        self._count = 0
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="log checkpoint", daemon=True)
        self._thread.start()

    def count(self, records: int) -> None:
        self._count += records
        if self._count >= CHECKPOINT_RECORDS:
            self._count = 0
            self._due.release()

    def close(self) -> None:
        self._closing = True
        self._due.release()
        self._thread.join(WRITE_TIMEOUT)

    def _run(self) -> None:
        db: sqlite3.Connection | None = None
        while self._due.acquire() and not self._closing:
            try:
                db = db or self._connect(self._path)
                db.execute("pragma wal_checkpoint(passive)")
            except sqlite3.Error:
                continue  # the records are safe; the next checkpoint tries again
        if db:
            db.close()
