"""The parent's end of the control process: start it when needed, send requests and sort its replies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.util import find_spec
from queue import Empty, SimpleQueue
from threading import Lock
from time import monotonic

from core.errors import MissingPackage, RobotError
from core.stop.heartbeat import Heartbeat
from robots.remote.supervised_process import SupervisedProcess
from robots.remote.wire_message import JsonValue, WireMessage
from robots.ur5e.arm_setup import ArmSetup

STOP_DECELERATION = 20.0  # rad/s2 of stopJ; with its default of 2 a stop takes ten times as long
MANUAL_OPERATIONS = ("jog", "freedrive")
_CONNECT_TIMEOUT = 12.0  # seconds for which ur_rtde may block while it connects
_PROCESS_ENDED = "the robot's own process has ended"


class ControlClient:
    """Starts and commands the control process.

    `on_unsolicited(message)` receives the messages that belong to no move, and `on_exit(why)` is called when
    the process ends; both from threads of this object.
    """

    def __init__(
        self, setup: ArmSetup, on_unsolicited: Callable[[WireMessage], None], on_exit: Callable[[str], None]
    ) -> None:
        self._setup, self._on_unsolicited, self._on_exit = setup, on_unsolicited, on_exit
        self._lock = Lock()  # held only for an instant, since a stop waits for it
        self._start_lock = Lock()  # held while a process starts, which takes long
        self._last_stop = 0
        self._seen = 0  # the last stop that the process caused by itself
        self._heartbeat: Heartbeat | None = None
        self._child: SupervisedProcess | None = None
        self._connecting = False  # while True, a failure is the reply to `connect`
        self._answers: SimpleQueue[WireMessage] = SimpleQueue()

    @property
    def pid(self) -> int:
        """Return the id of the process that commands the arm; 0 if there is none."""
        with self._lock:
            return self._child.pid if self._child is not None and self._child.alive else 0

    def connect(self) -> str:
        """Start the control program and set tool and payload. Return "" or why it failed.

        Moves nothing. Blocks.
        """
        self._connecting = True
        try:
            return self._connect()
        finally:
            self._connecting = False

    def _connect(self) -> str:
        child, setup = self.start(), self._setup
        body: dict[str, JsonValue] = {}
        if setup.tcp is not None:
            body["tcp"] = setup.tcp
        if setup.payload is not None:
            body.update(payload=setup.payload, centre=setup.centre)
        while not self._answers.empty():
            self._answers.get()
        child.extend_deadline(_CONNECT_TIMEOUT)
        try:
            child.send("connect", **body)
        except RobotError:
            return _PROCESS_ENDED
        answer = self._next_answer(("connected", "refused", "lost", "gone"), _CONNECT_TIMEOUT + 2)
        if answer is None:
            return "ur_rtde does not come back from connecting"
        return "" if answer.kind == "connected" else _explain(answer.text("why"))

    @property
    def last_stop(self) -> int:
        """Return the number of the last stop.

        A request for a motion names the last stop that its sender knew of.
        """
        with self._lock:
            return self._last_stop

    def follow_heartbeat(self, heartbeat: Heartbeat) -> None:
        """From now on the process stops what it moves when this heartbeat is missing. Any thread."""
        with self._lock:
            self._heartbeat, child = heartbeat, self._child
        if child is not None:
            child.heartbeat = heartbeat

    def send(self, kind: str, after: int, **body: JsonValue) -> str:
        """Send a request, from any thread.

        Return "" or why it was not sent. `after` is the last stop that the sender knew of.
        """
        with self._lock:
            child = self._child
        if child is None:
            return "the arm is not ready"
        try:
            child.send(kind, after=after, **body)
        except RobotError:
            return _PROCESS_ENDED
        return ""

    def stop(self, number: int) -> None:
        """Have the process that owns ur_rtde send stopJ. Call from any thread."""
        with self._lock:
            self._last_stop = max(self._last_stop, number)
            child, seen = self._child, self._seen
        if child is not None:
            with suppress(RobotError):  # the end of the process is reported elsewhere
                child.send("stop", number=number, seen=seen)

    def wait_for_result(self, operation: str, seconds: float) -> WireMessage | None:
        """Wait for the message that ends this operation; return None if none came within `seconds`."""
        end = monotonic() + seconds
        while (left := end - monotonic()) > 0:
            answer = self._next_answer(("ended", "refused", "lost", "gone"), left)
            if answer is None:
                return None
            if answer.kind in ("lost", "gone") or answer.text("operation") == operation:
                return answer
        return None

    def end_process(self) -> None:
        """End the process. Idempotent."""
        with self._start_lock, self._lock:
            child, self._child = self._child, None
        if child is not None:
            child.close()

    # --- inside --------------------------------------------------------------------------------------------

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
            speeds = str(setup.watchdog), str(STOP_DECELERATION)
            args = (setup.address, *speeds, setup.pedal, str(setup.pedal_key))
            child = SupervisedProcess(
                "robots.ur5e.control_process", args, self._on_message, self._handle_exit
            )
            with self._lock:
                self._child, self._seen, child.heartbeat = child, 0, self._heartbeat
            return child

    def _on_message(self, message: WireMessage) -> None:
        if message.kind == "stopped":
            with self._lock:
                self._seen = int(message.number("count"))
            self._on_unsolicited(message)
        if (message.kind == "lost" and not self._connecting) or message.text(
            "operation"
        ) in MANUAL_OPERATIONS:
            self._on_unsolicited(message)
        if message.text("operation") not in MANUAL_OPERATIONS:
            self._answers.put(message)

    def _handle_exit(self, reason: str) -> None:
        self._on_exit(reason)
        self._answers.put(WireMessage({"kind": "gone", "why": reason}))

    def _next_answer(self, kinds: Sequence[str], seconds: float) -> WireMessage | None:
        end = monotonic() + seconds
        while True:
            try:
                message = self._answers.get(timeout=max(0.001, end - monotonic()))
            except Empty:
                return None
            if message.kind in kinds:
                return message


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
