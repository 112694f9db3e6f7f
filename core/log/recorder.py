"""One order for everything that happens: the loop's events and those of people, each with its time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from core.closing import close_part
from core.errors import LogError
from core.events import (
    AnswersReviewed,
    DecisionMade,
    EpisodeEnded,
    EpisodeResult,
    EpisodeStarted,
    Event,
    Record,
    StandstillMeasured,
    StopRequested,
)
from core.log.database import Connect, as_log_error, connect, default_path
from core.log.integrity.repair import REPAIRED, repair
from core.log.rows import new_episode_id
from core.log.writer import LogWriter, PendingRecord

_STOPS = (StopRequested, StandstillMeasured)

Listener = Callable[[Record], None]
FaultListener = Callable[[LogError], None]


class Recorder:
    """Gives every event its episode, number and time, and has it written. Any thread may call any method.

    `EpisodeStarted` begins an episode. Everything up to the next one belongs to it, even a standstill
    measured after its end; what comes before the first one belongs to no episode ("").
    """

    def __init__(
        self,
        sink: LogWriter | NullSink,
        repaired: tuple[str, ...] = (),
        wall: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        path: Path | None = None,
        upgraded: tuple[str, ...] = (),
    ) -> None:
        self._sink, self._clock, self._monotonic = sink, wall, monotonic
        self._lock = threading.Lock()
        self._episode, self._number, self._open = "", 0, False
        self.path = path  # of the database; None: records are not written
        self.repaired = repaired  # episodes found interrupted when the log was opened
        self.notices = (*upgraded, *map(REPAIRED.format, repaired))  # what a person should know

    @classmethod
    def open(
        cls,
        path: Path | str | None = None,
        on_fault: Callable[[LogError], None] = lambda fault: None,
        connect: Connect = connect,
        wall: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> Recorder:
        """Open this database, creating it if necessary; None: the one in the user's data folder. Raises
        LogError.

        `on_fault` is called from the writer's thread whenever something cannot be written.
        """
        from core.log.schema import migrate

        place = Path(path) if path is not None else default_path()
        with as_log_error(place):
            db = connect(place)
            try:
                upgraded = migrate(db, place)
                repaired = repair(db, place, wall())
                sink = LogWriter(db, place, connect)
            except BaseException:
                db.close()
                raise
        sink.fault_listeners = (on_fault,)
        return cls(sink, repaired, wall, monotonic, place, upgraded)

    @classmethod
    def without_log(cls) -> Recorder:
        """Return a recorder for experiments without a log: the same records, written nowhere."""
        return cls(NullSink())

    @property
    def episode(self) -> str:
        """Return the id of the episode started last, "" before the first."""
        return self._episode

    @property
    def lag(self) -> float:
        """Return for how many seconds the oldest unwritten record has waited for the disk."""
        return self._sink.lag

    def listen(self, listener: Listener, on_fault: FaultListener = lambda fault: None) -> Callable[[], None]:
        """Call `listener` with every record once it is on disk, in order, from the writer's thread.

        `on_fault` is called whenever something cannot be written. Returns a function that ends this, from any
        thread. A view that shows records this way costs the loop nothing while the disk is slow.
        """
        sink = self._sink
        with self._lock:
            sink.listeners = (*sink.listeners, listener)
            sink.fault_listeners = (*sink.fault_listeners, on_fault)

        def unlisten() -> None:
            with self._lock:
                sink.listeners = tuple(x for x in sink.listeners if x != listener)
                sink.fault_listeners = tuple(x for x in sink.fault_listeners if x != on_fault)

        return unlisten

    def flush(self) -> None:
        """Wait until everything so far is on disk and told to every listener. Raises LogError as `record`."""
        self._sink.flush()

    def record(self, event: Event, wait: bool = True) -> Record:
        """Write an event; return when it is on disk.

        With `wait` False it returns at once, except for a person's decision or review, which never counts
        before it is safely on disk. A stop never waits. Raises LogError if the log has failed or fallen
        behind (never for a stop, which reports to `on_fault` instead).
        """
        body = self._sink.encode(event)
        stop, durable = isinstance(event, _STOPS), _is_operator_event(event)
        with self._lock:
            if not stop:
                self._sink.check()
            if isinstance(event, EpisodeStarted):
                self._begin()
            record = self._next(event)
            place = self._sink.put(PendingRecord(record, body, stop or durable))
        if not stop and (wait or durable):
            self._sink.wait(place)
        return record

    def record_events(self, events: Iterable[Event]) -> Iterator[Record]:
        """Yield a loop's events as records, without waiting for the disk but for a person's decisions and
        reviews, the episode's beginning and its end.

        So a slow disk costs the loop nothing; `check` ends an episode whose disk does not catch up. What
        must be on disk before it is shown comes from `listen`. Belongs to one thread, as `events` does.
        `events` is closed in any case, and an episode that is abandoned is ended as INTERRUPTED. Raises
        LogError once another episode has begun, because the events of one must not be recorded in the other.
        """
        episode: str | None = None
        try:
            for event in events:
                if episode is not None and self._episode != episode:
                    raise LogError("Another episode began before this one had ended: it is broken off.")
                record = self.record(event, wait=isinstance(event, EpisodeStarted | EpisodeEnded))
                episode = record.episode
                yield record
        finally:
            close_part(events)
            if episode is None or self._episode == episode:
                self._interrupt("It was left in its middle.")

    def close(self) -> None:
        """End an open episode as INTERRUPTED and write what is left. Raises LogError. Idempotent."""
        self._interrupt("The program was closed in the middle of it.")
        self._sink.close()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _wall(self) -> float:
        return max(0.0, self._clock())  # no reader takes a time before 1970

    # --- with the lock held ------------------------------------------------------------------------------

    def _begin(self) -> None:
        if self._open:
            self._put_interrupted("Another episode began.")
        self._episode, self._number, self._open = new_episode_id(self._wall()), 0, True

    def _next(self, event: Event) -> Record:
        self._number += 1
        self._open = self._open and not isinstance(event, EpisodeEnded)
        return Record(self._episode, self._number, self._wall(), self._monotonic(), event)

    def _put_interrupted(self, reason: str) -> int:
        event = EpisodeEnded(EpisodeResult.INTERRUPTED, reason)
        return self._sink.put(PendingRecord(self._next(event), self._sink.encode(event), False))

    # -----------------------------------------------------------------------------------------------------

    def _interrupt(self, reason: str) -> None:
        with self._lock:
            place = self._put_interrupted(reason) if self._open else 0
        with suppress(LogError):  # the fault listeners have been told already
            self._sink.check()
            self._sink.wait(place)


def _is_operator_event(event: Event) -> bool:
    if isinstance(event, DecisionMade):
        return bool(getattr(event.decision, "by", ""))
    return isinstance(event, AnswersReviewed)


class NullSink:
    """The sink of a recorder without a log: records reach the listeners at once and are not written."""

    lag = 0.0

    def __init__(self) -> None:
        self.listeners: tuple[Listener, ...] = ()
        self.fault_listeners: tuple[FaultListener, ...] = ()

    def encode(self, event: Event) -> str:
        return ""

    def put(self, item: PendingRecord) -> int:
        for listener in self.listeners:
            listener(item.record)
        return 0

    def check(self) -> None: ...

    def wait(self, place: int) -> None: ...

    def flush(self) -> None: ...

    def close(self) -> None: ...
