"""Guard a served robot: the permits of its console that it needs before it moves, and what stops it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from time import monotonic

from core.arm.arm_capabilities import ReportsStandstill
from core.errors import MotionRefused
from core.permit import Permit, PermitKind, describe_motion
from core.ports import Robot
from core.stop.heartbeat import HEARTBEAT_PERIOD, Heartbeat, HeartbeatWatch
from robots.remote.wire_message import WireMessage

CONSOLE_TIMEOUT = 1.0  # seconds without the console's heartbeat after which a motion ends
STALE_AFTER = 2.0  # seconds after which a request to move counts as delayed on its way


class SessionGuard:
    """Stops the robot, and refuses what no permit of its console allows. Any thread; no stop waits.

    A permit allows one motion, if it is newer than every one before, and the console's last stop is the one
    that it was asked for under. The guard counts the stops that the console did not ask for, and tells it of
    each; nothing moves until the console has answered with a numbered stop of its own, which only a person
    releases. It also tells when the robot stood still after each of the console's stops. It tells by
    `send(kind, **body)`. `beats` returns how many heartbeats we have sent: a request to move quotes the last
    that its console had heard, and so shows that it was not delayed.
    """

    def __init__(self, robot: Robot, beats: Callable[[], int], send: Callable[..., None]) -> None:
        self._robot, self._beats, self._send = robot, beats, send
        self._authority = robot.permits.claim()
        self._lock = Lock()  # held for an instant
        self._last_permit = self._last_stop = 0
        self._own_stops = self._own_stops_seen = 0
        self._halts: list[tuple[int, int]] = []  # the console's number, and the robot's own
        self._awaited: list[tuple[int, float]] = []  # stops after which it was not yet seen to stand still
        self.moving = False
        self.own_reason = ""  # why the motion was stopped here, if it was
        self.operator = Heartbeat()
        self.operator.beat()
        if isinstance(robot, ReportsStandstill):
            robot.on_standstill(self._on_standstill)
        self._watch = HeartbeatWatch(
            self.operator, lambda: self.moving, self.stop_here, "The console", CONSOLE_TIMEOUT
        )

    def close(self) -> None:
        """Halt, and let nothing move any more. Idempotent."""
        self._robot.halt()
        self._authority.release()
        self._watch.close()

    # --- stops ---

    def stop_for_console(self, number: int, seen: int) -> None:
        """Stop because the console asks for it; a new stop answers as many of ours as it has seen."""
        with self._lock:
            self._last_stop = max(self._last_stop, number)
        halt, now = self._robot.halt(), monotonic()
        with self._lock:
            self._own_stops_seen = max(self._own_stops_seen, seen)
            self._halts.append((number, halt))
            self._awaited.append((number, now))
        if not self.moving and not isinstance(self._robot, ReportsStandstill):
            self._tell_standing()

    def stop_here(self, reason: str) -> None:
        """Stop although the console did not ask for it."""
        with self._lock:
            self._own_stops += 1
            count, self.own_reason = self._own_stops, reason
        self._robot.halt()
        self._send("stopped", why=reason, count=count)

    def release(self, up_to: int) -> None:
        """Release the console's stops up to this number, with ours that they answered."""
        with self._lock:
            halts = [halt for number, halt in self._halts if number <= up_to]
        self._robot.release_stop(max(halts, default=0))

    def _on_standstill(self, halt: int, seconds: float | None) -> None:
        with self._lock:
            numbers = [number for number, own in self._halts if own <= halt]
        if numbers:
            self._send("stands", number=max(numbers), seconds=seconds)

    def _tell_standing(self) -> None:
        with self._lock:
            awaited, self._awaited = self._awaited, []
        for number, asked in awaited:
            self._send("stands", number=number, seconds=monotonic() - asked)

    # --- permits ---

    @contextmanager
    def permitted(self, request: WireMessage, motion: object, *kinds: PermitKind) -> Iterator[Permit]:
        """Yield the robot's own permit for what the console's permit allows. Raises MotionRefused."""
        stop_number = self._authority.last_stop
        if why := self._refusal(request, motion, kinds):
            raise MotionRefused(f"The robot does not move: {why}.")
        kind = PermitKind[request.text("permit_kind")]
        proposal = request.whole("proposal")
        permit = self._authority.issue(kind, motion, stop_number, proposal, request.text("by"))
        self.moving, self.own_reason = True, ""
        try:
            yield permit
        finally:
            self._authority.void(permit)
            self.moving = False
            if not isinstance(self._robot, ReportsStandstill):
                self._tell_standing()

    def _refusal(self, request: WireMessage, motion: object, kinds: tuple[PermitKind, ...]) -> str:
        number = request.whole("permit")
        with self._lock:
            unused, self._last_permit = number > self._last_permit, max(number, self._last_permit)
            if not unused:
                return f"its permit {number} is missing, or was used already"
            if request.text("permit_kind") not in {kind.name for kind in kinds}:
                return f"its permit {number} is for something else"
            if request.text("permitted") != describe_motion(motion):
                return f"its permit {number} is for {request.text('permitted')}"
            if self._own_stops > self._own_stops_seen or request.whole("stop", -1) != self._last_stop:
                return f"a stop came after its permit {number} was asked for"
        if (self._beats() - request.whole("beat")) * HEARTBEAT_PERIOD > STALE_AFTER:
            return "the request was delayed on its way, and may be out of date"
        return ""
