"""The stops of the arm's control process: those of the console, and those that need no console."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from threading import Lock
from time import monotonic

from core.errors import ConsoleError
from core.stop.heartbeat import HEARTBEAT_TIMEOUT, Heartbeat, HeartbeatWatch
from core.stop.stop_socket import STOP_TIMEOUT, Standstill, StopListener
from robots.remote.wire_message import WireMessage
from robots.stop_pedal import StopPedal
from robots.ur5e.dashboard import DashboardStopChannel
from robots.ur5e.rtde_receiver import RtdeReceiver

# seconds; a console that can stop by itself comes first
_HEARTBEAT_TIMEOUT = HEARTBEAT_TIMEOUT + 0.1


class StopGuard:
    """Stops the arm and refuses what was asked for before; any thread, and no stop waits for anything.

    `interrupt` ends what this process itself has under way. The guard counts the stops that the console did
    not ask for, tells it of each (`tell(why, count)`) and refuses every motion until the console has answered
    with a numbered stop of its own, which only a person releases.
    """

    def __init__(
        self,
        address: str,
        interrupt: Callable[[], None],
        tell: Callable[[str, int], None],
        pedal: str,
        key: int,
    ) -> None:
        self._address, self._interrupt, self._tell = address, interrupt, tell
        self._channel = DashboardStopChannel(address)
        self._last_stop = 0  # the number of the console's last stop
        self._counting = Lock()  # held for an instant
        self._own_stops = self._own_stops_seen = 0
        self.has_control = False  # a process that never had it stops nothing: another console may be at work
        self.orphaned = False
        self._pedal_path, self._key = pedal, key
        self._pedal: StopPedal | None = None

    def listen(self, operator: Heartbeat, moves: Callable[[], bool]) -> None:
        """From now on stop for the pedal, for `stop` in a terminal, and without the operator's heartbeat."""
        if self._pedal_path:
            self._pedal = StopPedal(self._pedal_path, self._key, self.stop_here)
        HeartbeatWatch(operator, moves, self.stop_here, "The console", _HEARTBEAT_TIMEOUT)
        with suppress(ConsoleError):  # the console cannot listen either, and says so
            StopListener("guard", self._stop_from_terminal)

    def on_stop_message(self, message: WireMessage) -> None:
        """Stop because the console asks for it."""
        self._last_stop = max(self._last_stop, int(message.number("number")))
        self._own_stops_seen = max(self._own_stops_seen, int(message.number("seen")))
        self._stop()

    def on_orphaned(self) -> None:
        """Stop because the console is gone; nothing moves here any more."""
        self.orphaned = True
        if self.has_control:
            self._channel.stop()
        self._interrupt()

    def stop_here(self, reason: str) -> None:
        """Stop although the console did not ask for it."""
        with self._counting:
            self._own_stops += 1
        self._stop()
        self._tell(reason, self._own_stops)

    def refusal(self, message: WireMessage) -> str:
        """Return why a motion that was asked for in this message may not begin or go on; else ""."""
        own_stop = self._own_stops > self._own_stops_seen or self.orphaned
        if own_stop or int(message.number("after")) < self._last_stop:
            return "a stop came first"
        return self._pedal.refusal if self._pedal is not None else ""

    def close(self) -> None:
        self._channel.close()

    def _stop(self) -> None:
        self._channel.stop()
        self._interrupt()

    def _stop_from_terminal(self, reason: str) -> tuple[str, Standstill]:
        if not self.has_control:
            return "", lambda: None
        self.stop_here(reason)
        return f"the UR5e at {self._address}", self._time_to_standstill

    def _time_to_standstill(self) -> float | None:
        began, receiver = monotonic(), RtdeReceiver(self._address)
        try:
            stands = receiver.wait(lambda state: state.at_standstill, STOP_TIMEOUT)
            return monotonic() - began if stands else None
        finally:
            receiver.close()
