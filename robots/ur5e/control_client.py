"""The parent's end of the control process: start it when needed, send requests and sort its replies."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from itertools import count
from threading import Condition, Lock

from core.arm.arm_capabilities import RecoveryStep
from core.errors import MissingPackage, RobotError
from core.permit import Permit
from core.stop.heartbeat import Heartbeat
from robots.remote.supervised_process import SupervisedProcess
from robots.remote.wire_message import JsonValue, WireMessage
from robots.stop_latch import Latch
from robots.ur5e.arm_setup import ArmSetup

log = logging.getLogger(__name__)
STOP_DECELERATION_RAD_PER_S2 = 20.0  # of stopJ; with its default of 2 a stop takes ten times as long
_BY_HAND = ("jog", "freedrive")
_CONNECT_TIMEOUT_S = 12.0  # for which ur_rtde may block while it connects
_RECOVERY_TIMEOUT_S = 8.0  # for the dashboard's replies to a step of recovery
_ANSWERS = 32  # that are kept for whoever waits for one


class ControlClient:
    """Starts and commands the control process, and keeps the permit that is open there: one at a time.

    `on_unsolicited(message)` receives the messages that nobody waits for, and `on_exit(why)` is called when
    the process ends; both from threads of this object.
    """

    def __init__(
        self,
        setup: ArmSetup,
        latch: Latch,
        on_unsolicited: Callable[[WireMessage], None],
        on_exit: Callable[[str], None],
    ) -> None:
        self._setup, self._latch = setup, latch
        self._on_unsolicited, self._on_exit = on_unsolicited, on_exit
        self._lock = Lock()  # held only for an instant, since a stop waits for it
        self._start_lock = Lock()  # held while a process starts, which takes long
        self._permit_lock = Lock()  # held while a permit is opened or closed, here and there
        self._seen = 0  # the last stop that the process caused by itself
        self._permit: Permit | None = None
        self._heartbeat: Heartbeat | None = None
        self._notify: Callable[[str], object] = log.warning
        self._child: SupervisedProcess | None = None
        self._numbers = count(1)
        self.begun = ""  # the last path on which the arm has begun to move
        self._answers: deque[WireMessage] = deque(maxlen=_ANSWERS)
        self._answered = Condition()

    @property
    def pid(self) -> int:
        """Return the id of the process that commands the arm; 0 if there is none."""
        with self._lock:
            return self._child.pid if self._child is not None and self._child.alive else 0

    # --- permits -------------------------------------------------------------------------------------------

    @property
    def activity(self) -> str:
        """Return what the open permit is for, "" if none is open."""
        permit = self._permit
        return "" if permit is None else permit.kind.value

    def open_permit(self, permit: Permit) -> str:
        """Let the arm move as this permit allows, and in no other way, until it is closed.

        Return "", or why not now: the arm is in use. Any thread; never blocks.
        """
        with self._permit_lock:
            if self._permit is not None:
                return f"the arm is in use ({self._permit.kind.value}): wait for its end"
            self._permit = permit
            self._send_permit()
        return ""

    def close_permit(self, permit: Permit) -> None:
        """End what moves on this permit, for good. Idempotent; any thread."""
        with self._permit_lock:
            if self._permit is permit:
                self.end_motion()
                self._permit = None

    def end_motion(self) -> None:
        """End what moves on the open permit, which allows nothing more."""
        self.send("close")

    def _send_permit(self) -> None:
        if permit := self._permit:
            body: dict[str, JsonValue] = {"number": permit.number, "stop": permit.stop_number}
            self.send("permit", **body, allows=permit.kind.name, what=permit.what)

    @contextmanager
    def permitted(self, permit: Permit) -> Iterator[str]:
        """Keep a permit open while the block runs. Yield "" or what has the arm in use."""
        try:
            yield self.open_permit(permit)
        finally:
            self.close_permit(permit)

    # --- requests ------------------------------------------------------------------------------------------

    def connect(self) -> str:
        """Start the control program, set tool and payload. Return "" or why not. Moves nothing. Blocks."""
        setup = self._setup
        body: dict[str, JsonValue] = {"number": self._latch.last_halt()}
        if setup.tcp is not None:
            body["tcp"] = setup.tcp
        if setup.payload is not None:
            body.update(payload=setup.payload, centre=setup.centre)
        self.start().extend_deadline(_CONNECT_TIMEOUT_S)
        answer = self.wait_for_result(self.request("connect", **body), _CONNECT_TIMEOUT_S + 2)
        return (
            "ur_rtde does not come back from connecting" if answer is None else _explain(answer.text("why"))
        )

    def recover(self, step: RecoveryStep) -> None:
        """Have the dashboard told to take this step. Blocks. A RobotError has its words."""
        self.start()
        answer = self.wait_for_result(self.request(str(step)), _RECOVERY_TIMEOUT_S)
        if answer is None or answer.kind == "refused":
            raise RobotError(
                answer.text("why") if answer else "The dashboard does not answer: look at the arm."
            )

    def request(self, kind: str, **body: JsonValue) -> str:
        """Send a request and return the operation that it begins, for `wait_for_result`. Any thread."""
        operation = f"{kind} {next(self._numbers)}"
        if reason := self.send(kind, operation=operation, **body):
            self._on_message(WireMessage({"kind": "refused", "operation": operation, "why": reason}))
        return operation

    def send(self, kind: str, **body: JsonValue) -> str:
        """Send a message that names the open permit, from any thread. Return "" or why it was not sent."""
        child, permit = self._child, self._permit
        if child is None:
            return "the arm is not ready"
        try:
            child.send(kind, permit=permit.number if permit else 0, **body)
        except RobotError:
            return "the robot's own process has ended"
        return ""

    def wait_for_result(self, operation: str, seconds: float) -> WireMessage | None:
        """Wait for the message that ends this operation; return None if none came within `seconds`."""

        def found() -> WireMessage | None:  # the end of the process names no operation
            return next((m for m in self._answers if m.text("operation") in (operation, "")), None)

        with self._answered:
            return self._answered.wait_for(found, seconds)

    def stop(self, number: int) -> None:
        """Have the process that owns ur_rtde send stopJ. Call from any thread."""
        with self._lock:
            child, seen = self._child, self._seen
        if child is not None:
            with suppress(RobotError):  # the end of the process is reported elsewhere
                child.send("stop", number=number, seen=seen)

    # --- the process ---------------------------------------------------------------------------------------

    def follow_heartbeat(self, heartbeat: Heartbeat, notify: Callable[[str], object] = log.warning) -> None:
        """From now on the process stops what it moves when this heartbeat is missing. Any thread.

        `notify` receives a sentence if `stop` in a terminal does not reach the process.
        """
        with self._lock:
            self._heartbeat, self._notify, child = heartbeat, notify, self._child
        if child is not None:
            child.heartbeat = heartbeat

    def start(self) -> SupervisedProcess:
        """Start the process, unless it runs. It commands nothing yet. Blocks."""
        with self._start_lock:
            with self._lock:
                child = self._child
            if child is not None and child.alive:
                return child
            if find_spec("rtde_control") is None:
                raise MissingPackage("The UR5e", "ur5e")
            setup = self._setup
            speeds = str(setup.watchdog), str(STOP_DECELERATION_RAD_PER_S2)
            args = (setup.address, *speeds, setup.pedal, str(setup.pedal_key))
            self._answers.clear()
            child = SupervisedProcess(
                "robots.ur5e.control_process", args, self._on_message, self._handle_exit
            )
            with self._permit_lock:
                with self._lock:
                    self._child, self._seen, child.heartbeat = child, 0, self._heartbeat
                self.send("stops", number=self._latch.last_halt())
                self._send_permit()
            return child

    def end_process(self) -> None:
        """End the process. Idempotent."""
        with self._start_lock, self._lock:
            child, self._child = self._child, None
        if child is not None:
            child.close()

    def _on_message(self, message: WireMessage) -> None:
        if message.kind == "stopped":
            with self._lock:
                self._seen = int(message.number("count"))
        if message.kind == "begun":
            self.begun = message.text("operation")
        elif message.kind == "note":
            self._notify(f"The arm's control process: {message.text('why')}")
        elif message.kind in ("stopped", "lost") or message.text("operation") in _BY_HAND:
            self._on_unsolicited(message)
        else:
            with self._answered:
                self._answers.append(message)
                self._answered.notify_all()

    def _handle_exit(self, reason: str) -> None:
        self._on_exit(reason)
        self._on_message(WireMessage({"kind": "refused", "why": reason}))


def _explain(reason: str) -> str:
    """Return ur_rtde's own message, with the remedy where it is known."""
    if "already in use" in reason:
        return (
            "another client owns the robot's registers: on the pendant turn off EtherNet/IP, PROFINET and "
            "MODBUS (Installation, Fieldbus), and end other programs that control the arm"
        )
    if "remote control" in reason:
        return "the arm is in local control: switch the pendant to Remote Control"
    if "refused" in reason.lower():
        return (
            f"its script port does not answer ({reason}): on the pendant enable the Real-Time Client "
            "Interface (Settings, Security, Services)"
        )
    if "Failed to start control script" in reason:
        return "the control program did not start: see the pendant for a popup, a stop, or local control"
    return reason
