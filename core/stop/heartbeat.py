"""The heartbeat of the thread through which a person stops the robot; without it, what moves is stopped."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Event, Thread
from time import monotonic
from typing import Protocol, runtime_checkable

from core import events as ev
from core.operator import Approve

HEARTBEAT_PERIOD = 0.05  # seconds between two beats
HEARTBEAT_TIMEOUT = 0.5  # seconds without a beat after which a motion ends; a busy window is 0.2 s late

log = logging.getLogger(__name__)


class Heartbeat:
    """Beaten by one thread, the one that would notice a stop; read by any. Takes no lock."""

    def __init__(self) -> None:
        self._last = monotonic()

    def beat(self) -> None:
        self._last = monotonic()

    @property
    def age(self) -> float:
        """Return the seconds since the last beat."""
        return monotonic() - self._last


@runtime_checkable
class FollowsHeartbeat(Protocol):
    """A robot whose own process stops it when the heartbeat is missing."""

    def follow_heartbeat(self, heartbeat: Heartbeat) -> None:
        """From now on move only while this heart beats."""


class HeartbeatWatch:
    """Calls `stop(why)` once, from a thread of its own, when a beat is missing while `moving()`.

    `what` names in the reason what no longer responds.
    """

    def __init__(
        self, heartbeat: Heartbeat, moving: Callable[[], bool], stop: Callable[[str], object], what: str
    ) -> None:
        self._heartbeat, self._moving, self._stop = heartbeat, moving, stop
        self._reason = silence_reason(what, HEARTBEAT_TIMEOUT)
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
            due = self._heartbeat.age > HEARTBEAT_TIMEOUT and self._moving()
            if due and not stopped:
                try:
                    self._stop(self._reason)
                except Exception:
                    log.exception("the robot did not take the stop")
            stopped = due


def silence_reason(what: str, seconds: float) -> str:
    """Return why the robot was stopped, as a sentence."""
    return f"{what} did not respond for {seconds:g} s while the robot moved."


def moves_after(moving: bool, event: ev.Event) -> bool:
    """Fold the loop's events into whether the robot may be moving.

    What is approved may be a viewpoint, which has no event of its own when it begins.
    """
    match event:
        case ev.StepStarted() | ev.DecisionMade(decision=Approve()):
            return True
        case (
            ev.StepFinished()
            | ev.FrameCaptured()
            | ev.ActionProposed()
            | ev.DomainChanged()
            | ev.EpisodeEnded()
        ):
            return False
    return moving
