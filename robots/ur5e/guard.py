"""Guard the arm's control process: the permits that it needs before it moves, and what makes it stop."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from time import monotonic

from core.arm.arm_capabilities import ACTIVATION
from core.stop.heartbeat import HEARTBEAT_TIMEOUT, Heartbeat, HeartbeatWatch
from core.stop.stop_socket import STOP_TIMEOUT, Standstill, StopListener
from robots.remote.wire_message import WireMessage
from robots.stop_pedal import StopPedal
from robots.ur5e.dashboard import DashboardStopChannel
from robots.ur5e.rtde_receiver import RtdeReceiver

# seconds; a console that can stop by itself comes first
_HEARTBEAT_TIMEOUT = HEARTBEAT_TIMEOUT + 0.1
_DATA_TIMEOUT_S = 3.0  # for its first data, while ur_rtde holds Python's lock
_HERTZ = 25.0  # at which it looks at the arm
_OLD_S = 0.5  # the console checks with its setup's own limit, which is less


class Guard:
    """Stops the arm, and refuses what no open permit allows; any thread, and no stop waits for anything.

    A permit is opened once, if no other is open and the last stop is the one it was asked for under. Every
    stop closes it. `interrupt` ends what this process itself has under way. The guard counts the stops that
    the console did not ask for, tells it of each (`tell(why, count)`) and opens no permit until the console
    has answered with a numbered stop of its own, which only a person releases. `note(sentence)` says that
    `stop` in a terminal does not reach it.
    """

    def __init__(
        self,
        address: str,
        interrupt: Callable[[], None],
        tell: Callable[[str, int], None],
        note: Callable[[str], object],
        pedal: str,
        key: int,
    ) -> None:
        self._address, self._interrupt, self._tell, self._note = address, interrupt, tell, note
        self._channel = DashboardStopChannel(
            address, lambda words: note(f'The controller refused a stop: "{words}". Look at the arm.')
        )
        self.receiver = RtdeReceiver(address, slider=False, hertz=_HERTZ)  # its own look at the arm
        self._lock = Lock()  # held for an instant
        self._last_stop = 0.0  # the number of the console's last stop
        self._answer = 0.0  # the same, of those that it has asked for here
        self._own_stops = self._own_stops_seen = 0.0
        self._permit: WireMessage | None = None  # the open one
        self._used: set[float] = set()  # the numbers of all permits so far
        self.has_control = False  # a process that never had it stops nothing: another console may be at work
        self.orphaned = False
        self._pedal_path, self._key = pedal, key
        self._pedal: StopPedal | None = None
        self._listener: StopListener | None = None

    def listen(self, operator: Heartbeat) -> None:
        """From now on stop for the pedal, for `stop` in a terminal, and without the operator's heartbeat."""
        if self._pedal_path:
            self._pedal = StopPedal(self._pedal_path, self._key, self.stop_here)
        HeartbeatWatch(
            operator, lambda: self._permit is not None, self.stop_here, "The console", _HEARTBEAT_TIMEOUT
        )
        self._listener = StopListener("guard", self._stop_from_terminal, self._note)

    # --- stops ---------------------------------------------------------------------------------------------

    def note_stops(self, message: WireMessage) -> None:
        """Learn the number of the console's last stop."""
        with self._lock:
            self._last_stop = max(self._last_stop, message.number("number"))

    def stop_for_console(self, message: WireMessage) -> None:
        """Stop because the console asks for it; a new stop answers as many of ours as it has seen."""
        self.note_stops(message)
        with self._lock:
            if message.number("number") > self._answer:
                self._answer = message.number("number")
                self._own_stops_seen = max(self._own_stops_seen, message.number("seen"))
        self._stop()

    def stop_here(self, reason: str) -> None:
        """Stop although the console did not ask for it."""
        with self._lock:
            self._own_stops += 1
        self._stop()
        self._tell(reason, int(self._own_stops))

    def stop_again(self) -> None:
        """Repeat the stop, as a program may have begun since."""
        self._channel.stop()

    def on_orphaned(self) -> None:
        """Stop because the console is gone; nothing moves here any more."""
        self.orphaned = True
        self._stop(self.has_control)

    def finish_answers(self, seconds: float) -> None:
        """Wait until a terminal's `stop` has been told of the standstill."""
        if self._listener is not None:
            self._listener.finish_answers(seconds)

    def _stop(self, controller: bool = True) -> None:
        self._permit = None
        if controller:
            self._channel.stop()
        self._interrupt()

    def _stop_from_terminal(self, reason: str) -> tuple[str, Standstill]:
        if not self.has_control:
            return "", lambda: None
        self.stop_here(reason)
        return f"the UR5e at {self._address}", self._time_to_standstill

    def _time_to_standstill(self) -> float | None:
        began = monotonic()
        stands = self.receiver.wait(lambda state: state.at_standstill, STOP_TIMEOUT)
        return monotonic() - began if stands else None

    # --- permits -------------------------------------------------------------------------------------------

    def open(self, permit: WireMessage) -> None:
        """Let the motions begin that this permit allows, unless it was shown before, or a stop came since."""
        number = permit.number("number")
        with self._lock:
            unused = number > 0 and number not in self._used and self._permit is None
            self._used.add(number)
            if unused and permit.number("stop", -1) == self._last_stop and not self._stop_unanswered:
                self._permit = permit

    def close(self, number: float) -> bool:
        """Close this permit. Return False if it was not open."""
        with self._lock:
            if self._permit is None or self._permit.number("number") != number:
                return False
            self._permit = None
            return True

    def on_motion_end(self, motion: WireMessage) -> None:
        """Close the permit of this motion, which was for one only, unless it is for a step."""
        permit = self._permit
        if permit is not None and permit.text("allows") != "STEP":
            self.close(motion.number("permit"))

    def refusal(self, motion: WireMessage) -> str:
        """Return why the motion that was asked for in this message may not begin or go on; else ""."""
        permit = self._permit
        if self._stop_unanswered:
            return "a stop came first"
        if permit is None or permit.number("number") != motion.number("permit"):
            return "no permit is open for it: a stop came first, or it was used"
        if motion.kind not in _motions(permit):
            return f"its permit is for {permit.text('what')}"
        return self._pedal.refusal if self._pedal is not None else ""

    def sees(self) -> bool:
        """Wait until data come to this process that were measured now. Return False if none do."""
        return self.receiver.wait(lambda state: True, _DATA_TIMEOUT_S)

    def old_data(self) -> str:
        """Return why the data that come to this process are too old to move by; "" if they are not."""
        return self.receiver.old_data(_OLD_S)

    @property
    def _stop_unanswered(self) -> bool:
        return self._own_stops > self._own_stops_seen or self.orphaned


def _motions(permit: WireMessage) -> tuple[str, ...]:
    """Return the kinds of messages that a permit allows."""
    match permit.text("allows"):
        case "STEP":
            return "joints", "line", "path", "grip"
        case "JOG":
            return ("jog",)
        case "FREEDRIVE":
            return ("freedrive",)
        case "GRIPPER":
            return ("activate",) if permit.text("what") == ACTIVATION else ("grip",)
        case "RECOVERY":
            return (permit.text("what"),)
    return ()
