"""The episode state that may be shown: what is on disk, unwritten stops, and problems of the log."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

from core import events as ev
from core.episode_state import EpisodeState, Phase
from core.errors import LogError
from core.log.recorder import Recorder
from core.state.state_reducer import apply_record

LAG_WARNING = 1.0  # seconds that a record may wait for the disk before the screen says so
BEHIND = "The log's disk is slow: the view is {:.0f} s old, and newer records are not saved yet."


class LiveProjection:
    """Folds the records of one episode as they are written, on the log's thread. Any thread may call it.

    `changed` is called after each change, from any thread, without a lock held.
    """

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._lock = threading.Lock()
        self._recorder: Recorder | None = None
        self._notices: tuple[ev.Notice, ...] = ()  # about the log, from before the episode
        self._trouble: tuple[ev.Notice, ...] = ()  # of the log now
        self._unsubscribe: Callable[[], None] | None = None
        self._state = EpisodeState()
        self._episode = ""  # its id, once its first record is written
        self._unwritten_stops: dict[int, ev.Record] = {}  # stops that are not on disk yet
        self._log_fault = ""  # why the log cannot be written
        self._crash: ev.EpisodeEnded | None = None
        self.last_record = 0  # number of the last record that is on disk

    def open(self, recorder: Recorder) -> None:
        """Show the notices of this recorder."""
        self._recorder = recorder
        self._notices = tuple(ev.Notice("doubt", sentence) for sentence in recorder.notices)

    def attach(self) -> None:
        """Follow the next episode that begins."""
        if self._recorder is not None:
            self._unsubscribe = self._recorder.listen(self._on_written, self._on_failed)

    def detach(self) -> None:
        """Stop following. Idempotent."""
        if self._unsubscribe is not None:
            self._unsubscribe()

    @property
    def state(self) -> EpisodeState:
        with self._lock:
            state = self._state
            if state.started is not None:
                for record in self._unwritten_stops.values():
                    state = apply_record(state, record)
                if self._crash is not None:
                    ends = {"phase": Phase.ENDED, "acting": None, "proposal": None, "offered_change": None}
                    state = replace(state, ended=self._crash, **ends)  # type: ignore[arg-type]
        before, now = self._log_notices()
        return replace(state, notices=(*before, *state.notices, *now)) if before or now else state

    def _log_notices(self) -> tuple[tuple[ev.Notice, ...], tuple[ev.Notice, ...]]:
        """Return the notices about the log, from before the episode and from now."""
        if self._recorder is None:
            return (), ()
        lag = self._recorder.lag
        trouble = self._log_fault or (BEHIND.format(lag) if lag > LAG_WARNING else "")
        if not self._trouble or self._trouble[0].text != trouble:
            self._trouble = (ev.Notice("fault", trouble),) if trouble else ()
        return self._notices, self._trouble

    def record(self, event: ev.Event) -> None:
        """Record an event of no loop, if an episode is open. Raises LogError, but never for a stop."""
        recorder = self._recorder
        if recorder is None or not self._episode or recorder.episode != self._episode:
            return
        record = recorder.record(event, wait=False)
        if isinstance(event, ev.StopRequested | ev.StandstillMeasured):
            with self._lock:
                if record.number > self.last_record:
                    self._unwritten_stops[record.number] = record
            self._changed()

    def mark_crashed(self, reason: str) -> None:
        """Show a running episode as crashed, whatever the log contains."""
        with self._lock:
            ended = self._state.ended
            if self._state.started is not None and (
                ended is None or ended.result is ev.EpisodeResult.INTERRUPTED
            ):
                self._crash = ev.EpisodeEnded(ev.EpisodeResult.CRASHED, reason)

    # --- the log's thread --------------------------------------------------------------------------------

    def _on_written(self, record: ev.Record) -> None:
        """Fold a record that is on disk, as all before it are."""
        with self._lock:
            if isinstance(record.event, ev.EpisodeStarted) and not self._episode:
                self._episode = record.episode
            if record.episode != self._episode:
                return
            self._state = apply_record(self._state, record)
            self.last_record = record.number
            self._unwritten_stops.pop(record.number, None)
            self._log_fault = ""
        self._changed()

    def _on_failed(self, fault: LogError) -> None:
        with self._lock:
            self._log_fault = str(fault)
        self._changed()
