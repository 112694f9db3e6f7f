"""The heartbeat of the thread through which a person stops the robot; without it, what moves is stopped."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Event, Thread
from time import monotonic
from typing import Protocol, runtime_checkable

from core.stop_token import Late

HEARTBEAT_PERIOD = 0.05  # seconds between two beats
HEARTBEAT_TIMEOUT = 0.5  # seconds without a beat after which a motion ends; a busy window is 0.2 s late

log = logging.getLogger(__name__)


class Heartbeat:
    """Beaten by one thread, the one that would notice a stop; read by any. Takes no lock."""

    def __init__(self) -> None:
        self._last: float | None = None

    def beat(self, age: float = 0.0) -> None:
        """Beat now, or pass on a beat that is so many seconds old; what is no age is no sign of life."""
        self._last = monotonic() - age if age >= 0 else float("-inf")

    @property
    def age(self) -> float:
        """Return the seconds since the last beat; 0 before the first, when nobody watches over anything."""
        last = self._last
        return 0.0 if last is None else monotonic() - last


@runtime_checkable
class FollowsHeartbeat(Protocol):
    """A robot whose own process stops it when the heartbeat is missing."""

    def follow_heartbeat(self, heartbeat: Heartbeat, notify: Callable[[str], object]) -> None:
        """From now on move only while this heart beats. `notify` receives a sentence, from any thread, if
        `stop` in a terminal does not reach that process.
        """


class HeartbeatWatch:
    """Calls `stop(why)` once, from a thread of its own, when a beat is missing while `moving()`.

    `what` names in the reason what no longer responds; `timeout` is HEARTBEAT_TIMEOUT by default.
    """

    def __init__(
        self,
        heartbeat: Heartbeat,
        moving: Callable[[], bool],
        stop: Callable[[str], object],
        what: str,
        timeout: float | None = None,
    ) -> None:
        self._heartbeat, self._moving, self._stop = heartbeat, moving, stop
        self._timeout = HEARTBEAT_TIMEOUT if timeout is None else timeout
        self._reason = Late(f"{what} did not respond for {self._timeout:g} s while the robot moved.")
        self._closing = Event()
        self._thread = Thread(target=self._watch, name="heartbeat", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Idempotent."""
        self._closing.set()
        self._thread.join()

    def _watch(self) -> None:
        stopped = False
        while not self._closing.wait(HEARTBEAT_PERIOD):
            due = self._heartbeat.age > self._timeout and self._moving()
            if due and not stopped:
                try:
                    self._stop(self._reason)
                except Exception:
                    log.exception("the robot did not take the stop")
            stopped = due
