"""The arm: control in a child process, data apart, a line for stops, and nothing that moves by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from time import monotonic

from core.cancel import Cancel
from core.errors import MissingPackage, RobotError, RobotNotReady
from core.ports import Ending, Outcome, World
from robots.halting import Latch
from robots.remote.framing import Message, Value
from robots.remote.supervised import Supervised
from robots.ur5e import limits
from robots.ur5e.dashboard import Dashboard, StopLine
from robots.ur5e.emulator.client import prove
from robots.ur5e.kinematics import Joints, Matrix, apart, flange, inverse, matrix, pose_of
from robots.ur5e.modes import MOVABLE, ROBOT_WORDS, SAFETY_WORDS, RobotMode, Runtime, SafetyMode
from robots.ur5e.receive import Receiver, State
from robots.ur5e.setup import Setup

STOP_DECELERATION = 20.0  # rad/s2 of stopJ; its default of 2 takes ten times as long
LOST = 0.5  # seconds without data in a motion: then it is stopped
_ARRIVED = 0.01  # rad
_CONNECT = 12.0  # seconds that ur_rtde may hold everything up while it connects
_OLDEST = (5, 10)  # PolyScope


@dataclass(frozen=True)
class Check:
    """One line of the preflight list. `why` names cause and way out, "" where all is well."""

    name: str
    why: str

    @property
    def ok(self) -> bool:
        return not self.why


@dataclass(frozen=True)
class StopReport:
    """A software stop: how long the arm went on moving. None: not known to stand."""

    number: int
    seconds: float | None


class Arm:
    """One UR5e. `halt` from any thread; a motion belongs to the thread that asked for it, one at a time.

    Constructing it connects what only listens. Nothing moves before `ready`, and `ready` moves nothing.
    """

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.latch = Latch()
        self.stops: list[StopReport] = []
        self._lock = Lock()  # the child, and the number of the last stop
        self._last_stop = 0
        self._child: Supervised | None = None
        self._answers: SimpleQueue[Message] = SimpleQueue()
        self._moving = Lock()
        self._operations = 0
        self._tcp: Matrix | None = None
        self.enabled = False
        self.trouble = ""  # the last thing that went wrong by itself
        self._closed = False
        self.dashboard = Dashboard(setup.address)
        self._stop_line = StopLine(setup.address)
        self.receiver = Receiver(setup.address, self._told)
        self._serial = ""
        self._world = World.REAL

    # --- who it is -----------------------------------------------------------------------------------------

    def connect(self, seconds: float = 5.0) -> None:
        """Wait for the first data and learn who it is. Raises RobotError."""
        if not self.receiver.wait(lambda state: True, seconds):
            raise RobotError(
                f"No UR controller answers at {self.setup.address}: {self.receiver.why}. Check that it is "
                "switched on, the cable and the address, and RTDE (Settings, Security, Services)."
            )
        self._serial = self.dashboard.ask("get serial number")
        self._world = World.EMULATED if prove(self.setup.address, self._serial) else World.REAL

    @property
    def world(self) -> World:
        """REAL is everything that has not proved to be our emulator."""
        return self._world

    @property
    def serial(self) -> str:
        return self._serial

    @property
    def state(self) -> State | None:
        return self.receiver.latest

    @property
    def tcp(self) -> Matrix:
        """The tool centre point as it was when the arm was made ready. Raises RobotNotReady."""
        if self._tcp is None:
            raise RobotNotReady("The tool centre point is not known yet: make the arm ready first.")
        return self._tcp

    # --- what is in the way --------------------------------------------------------------------------------

    def preflight(self) -> tuple[Check, ...]:
        """Everything that must be so before the arm may move. Asks the dashboard; any thread."""
        state, age = self.receiver.latest, self.receiver.age
        fresh = state is not None and age <= self.setup.limits.fresh
        known = self.receiver.why or f"the last data are {age:.1f} s old: check the cable and the controller"
        checks = [Check("data", "" if fresh else known), Check("stop line", self._stop_line_why())]
        version = self.receiver.version
        old = version and version[:2] < _OLDEST
        checks.append(
            Check(
                "version", f"PolyScope {version[0]}.{version[1]} is older than 5.10: update it" if old else ""
            )
        )
        checks.append(Check("remote control", self._remote_why()))
        if state is not None and fresh:
            checks += [
                Check("safety", _safety_why(state.safety)),
                Check("power", _power_why(state.robot)),
                Check("tool", self._tool_why(state)),
                Check("payload", self._payload_why(state)),
            ]
        return tuple(checks)

    def _stop_line_why(self) -> str:
        return "" if self._stop_line.open else "the line for stops is not open: check the dashboard server"

    def _remote_why(self) -> str:
        try:
            remote = self.dashboard.ask("is in remote control") == "true"
        except RobotError as error:
            return str(error)
        return "" if remote else "the arm is in local control: switch the pendant to Remote Control"

    def _tool_why(self, state: State) -> str:
        offset = inverse(flange(state.q)) @ matrix(state.tool)
        if self.setup.tcp is None and max(apart(offset, _NO_TOOL)) < 0.005:
            return (
                "no tool centre point is set: set it on the pendant (Installation, TCP) or in the setup file"
            )
        return ""

    def _payload_why(self, state: State) -> str:
        mass = self.setup.payload if self.setup.payload is not None else state.payload
        if mass == 0:
            return "no payload is set: set it on the pendant (Installation, Payload) or in the setup file"
        return limits.payload(mass, self.setup.limits)

    # --- power: only by a person's word --------------------------------------------------------------------

    def power_on(self, by: str) -> None:
        """Power on and release the brakes, because `by` said so; blocks. Raises RobotNotReady."""
        _named(by, "switch the arm on")
        self._refuse(("data", "remote control", "safety"))
        if not self._in(RobotMode.IDLE, RobotMode.RUNNING):
            self.dashboard.ask("power on")
            self._arrive("did not power on", RobotMode.IDLE, RobotMode.RUNNING)
        if not self._in(RobotMode.RUNNING):
            self.dashboard.ask("brake release")
            self._arrive("did not release its brakes", RobotMode.RUNNING)

    def _in(self, *modes: RobotMode) -> bool:
        state = self.receiver.latest
        return state is not None and state.robot in modes

    def _arrive(self, failed: str, *modes: RobotMode) -> None:
        if not self.receiver.wait(lambda s: s.robot in modes, 30):
            raise RobotNotReady(f"The arm {failed} within 30 s: look at the pendant.")

    def _refuse(self, names: Sequence[str] = ()) -> None:
        """Raises RobotNotReady with everything that is in the way (of these lines, or of all)."""
        self.receiver.wait(lambda s: True, 1.0)  # a package of now, if there is any
        wrong = [
            f"{c.name}: {c.why}" for c in self.preflight() if not c.ok and (not names or c.name in names)
        ]
        if wrong:
            raise RobotNotReady("The arm cannot move. " + "; ".join(wrong) + ".")

    # --- ready and halt ------------------------------------------------------------------------------------

    def ready(self, up_to: int) -> None:
        """Check everything, start the control program, set the tool, then release halts up to this one.

        Nothing moves, and no motion is taken up again. Raises RobotNotReady.
        """
        if self._closed:
            raise RobotNotReady("The arm is closed: connect again.")
        self._refuse()
        if self.latch.halted or not self.enabled or not self._running():
            self._enable()
        state = self.receiver.latest
        assert state is not None
        self._tcp = (
            matrix(self.setup.tcp) if self.setup.tcp else inverse(flange(state.q)) @ matrix(state.tool)
        )
        self.trouble = ""
        self.latch.release(up_to)

    def _running(self) -> bool:
        state = self.receiver.latest
        return state is not None and state.runtime is Runtime.PLAYING

    def _enable(self) -> None:
        """Start the control program; where the process at hand has lost its link, in a fresh one."""
        why = self._connected()
        if why and self._child is not None:
            self._end_child()
            why = self._connected()
        if why:
            self._end_child()
            raise RobotNotReady(f"The control program cannot be started: {why}.")
        self.enabled = True

    def _connected(self) -> str:
        """Connect the child, and see in data of our own that it took: "" or why not. Moves nothing."""
        child, setup = self._fresh_child(), self.setup
        body: dict[str, Value] = {}
        if setup.tcp is not None:
            body["tcp"] = setup.tcp
        if setup.payload is not None:
            body.update(payload=setup.payload, centre=setup.centre)
        while not self._answers.empty():
            self._answers.get()
        child.patience(_CONNECT)
        try:
            child.send("connect", **body)
        except RobotError:
            return "the robot's own process has ended"
        answer = self._answer(("connected", "refused", "lost", "gone"), _CONNECT + 2)
        if answer is None:
            return "ur_rtde does not come back from connecting"
        if answer.kind != "connected":
            return answer.text("why")
        return (
            ""
            if self.receiver.wait(self._took, 2)
            else "the controller did not take program, tool or payload"
        )

    def _took(self, s: State) -> bool:
        tcp, payload = self.setup.tcp, self.setup.payload
        tool = tcp is None or max(apart(flange(s.q) @ matrix(tcp), matrix(s.tool))) < 0.02
        return s.runtime is Runtime.PLAYING and tool and (payload is None or abs(s.payload - payload) < 1e-3)

    def _fresh_child(self) -> Supervised:
        with self._lock:
            if self._child is None or not self._child.alive:
                _check_package()
                args = (self.setup.address, str(self.setup.watchdog), str(STOP_DECELERATION))
                self._child = Supervised("robots.ur5e.control", args, self._answers.put, self._lost)
            return self._child

    def _lost(self, why: str) -> None:
        """The child is gone: stop what it may have left moving, and let nothing begin."""
        self.enabled = False
        self.trouble = f"{why}; nothing moves until you have looked and released the stop"
        self.halt()
        self._answers.put(Message({"kind": "gone", "why": why}))

    def halt(self) -> int:
        """Any thread, at once: the latch, the dashboard's `stop`, then stopJ by the child."""
        number = self.latch.halt()
        self._stop_line.stop()
        with self._lock:
            self._last_stop = max(self._last_stop, number)
            child = self._child
        if child is not None:
            with suppress(RobotError):  # its end is told elsewhere
                child.send("stop", number=number)
        state = self.receiver.latest
        if not self._closed and state is not None:
            Thread(target=self._measure, args=(number, monotonic()), daemon=True).start()
        return number

    def _measure(self, number: int, began: float) -> None:
        stands = self.receiver.wait(lambda s: s.standing, 5)
        self.stops.append(StopReport(number, monotonic() - began if stands else None))

    def _told(self, state: State) -> None:
        """Every package: a stop by the controller itself latches ours, so that a person has to look."""
        if state.safety not in MOVABLE and self.enabled:
            self.enabled = False
            self.trouble = f"the arm is in {SAFETY_WORDS[state.safety]}"
            Thread(target=self.halt, daemon=True).start()  # this thread must go on receiving

    # --- motion --------------------------------------------------------------------------------------------

    def move_joints(self, goal: Joints, cancel: Cancel, scale: float = 1.0) -> Outcome:
        """To these joints. FAILED with why when a limit forbids it. `scale` of the allowed speed, 0..1."""

        def planned(state: State) -> tuple[str, str, Sequence[float], limits.Pace]:
            why = limits.joint_way(state.q, goal, self.tcp, self.setup.limits)
            return why, "joints", goal, limits.joint_pace(state.q, goal, self.tcp, self.setup.limits, scale)

        return self._move(planned, cancel)

    def move_line(self, goal: Matrix, cancel: Cancel, scale: float = 1.0) -> Outcome:
        """Straight to this pose of the tool in the base frame."""

        def planned(state: State) -> tuple[str, str, Sequence[float], limits.Pace]:
            why, _ = limits.line_way(state.q, goal, self.tcp, self.setup.limits)
            return why, "line", pose_of(goal), limits.line_pace(self.setup.limits, scale)

        return self._move(planned, cancel)

    def _move(
        self, planned: Callable[[State], tuple[str, str, Sequence[float], limits.Pace]], cancel: Cancel
    ) -> Outcome:
        began = monotonic()
        with self._moving:
            outcome = self._moved(planned, cancel)
        return Outcome(outcome.ending, outcome.detail, monotonic() - began)

    def _moved(
        self, planned: Callable[[State], tuple[str, str, Sequence[float], limits.Pace]], cancel: Cancel
    ) -> Outcome:
        with self._lock:
            after, child = self._last_stop, self._child
        if self.latch.halted or cancel.is_set():
            return Outcome(Ending.HALTED, self.trouble or cancel.why or "halted")
        if child is None or not self.enabled:
            return Outcome(Ending.HALTED, self.trouble or "the arm is not ready")
        self.receiver.wait(lambda s: True, 1.0)
        state = self.receiver.latest
        if state is None or self.receiver.age > self.setup.limits.fresh:
            return Outcome(Ending.HALTED, f"the last data are {self.receiver.age:.2f} s old")
        why, kind, target, pace = planned(state)
        if why:
            return Outcome(Ending.FAILED, why)
        self._operations += 1
        operation = f"move {self._operations}"
        longest = 20 + 4 * _length(state, kind, target) / max(pace.speed * max(state.slider, 0.02), 1e-3)
        try:
            child.send(
                kind,
                operation=operation,
                after=after,
                target=tuple(target),
                speed=pace.speed,
                acceleration=pace.acceleration,
            )
        except RobotError as error:
            return Outcome(Ending.HALTED, str(error))
        return self._followed(operation, kind, target, cancel, monotonic() + longest)

    def _followed(
        self, operation: str, kind: str, target: Sequence[float], cancel: Cancel, end: float
    ) -> Outcome:
        """Wait for the move's end, whatever ends it."""
        while True:
            answer = self._answer_to(operation, 0.01)
            if answer is not None and answer.kind == "ended":
                return self._arrived(kind, target)
            if answer is not None and not self.latch.halted and not cancel.is_set():
                self.trouble = answer.text("why")
                self.halt()
            if cancel.is_set() and not self.latch.halted:
                self.halt()
            elif self.receiver.age > LOST and not self.latch.halted:
                self.trouble = f"no data came for {LOST:g} s while the arm moved; it may still move"
                self.halt()
            elif monotonic() > end and not self.latch.halted:
                self.trouble = "the move took far longer than it should"
                self.halt()
            if self.latch.halted:
                stands = self.receiver.wait(lambda s: s.standing, 3)
                unknown = "" if stands else "; it is not known to stand: look at it"
                return Outcome(Ending.HALTED, self._why_halted(cancel) + unknown)

    def _why_halted(self, cancel: Cancel) -> str:
        """A stop by the controller itself explains whatever else was noticed of it."""
        state = self.receiver.latest
        if state is not None and state.safety not in MOVABLE:
            return f"the arm is in {SAFETY_WORDS[state.safety]}"
        return self.trouble or cancel.why or "halted"

    def _arrived(self, kind: str, target: Sequence[float]) -> Outcome:
        """The controller says that the move is over; whether the arm is there is seen in its data."""

        def there(s: State) -> bool:
            if kind == "joints":
                return max(abs(a - b) for a, b in zip(s.q, target, strict=True)) < _ARRIVED
            return max(apart(matrix(s.tool), matrix(target))) < 0.02

        if self.receiver.wait(there, 1.5):
            return Outcome(Ending.DONE)
        if self.latch.halted:
            return Outcome(Ending.HALTED, self.trouble or "halted")
        return Outcome(Ending.FAILED, "the arm ended its move elsewhere")

    def _answer_to(self, operation: str, seconds: float) -> Message | None:
        """What the child says of this operation that ends it; None for nothing yet."""
        end = monotonic() + seconds
        while (left := end - monotonic()) > 0:
            answer = self._answer(("ended", "refused", "lost", "gone"), left)
            if answer is None:
                return None
            if answer.kind in ("lost", "gone") or answer.text("operation") == operation:
                return answer
        return None

    def _answer(self, kinds: Sequence[str], seconds: float) -> Message | None:
        end = monotonic() + seconds
        while True:
            try:
                message = self._answers.get(timeout=max(0.001, end - monotonic()))
            except Empty:
                return None
            if message.kind in kinds:
                return message

    # --- by hand -------------------------------------------------------------------------------------------

    def jog(self, speed: Sequence[float]) -> str:
        """Move while this is called again within 100 ms: m/s and rad/s in the base frame. "" or why not."""
        with self._lock:
            after, child = self._last_stop, self._child
        if self.latch.halted or child is None or not self.enabled:
            return self.trouble or "the arm is not ready"
        state = self.receiver.latest
        if state is None or self.receiver.age > self.setup.limits.fresh:
            return "the data are too old"
        allowed = limits.jog_speed(speed, self.setup.limits)
        ahead = [a + 0.15 * b for a, b in zip(state.tool[:3], allowed[:3], strict=True)]
        for axis, here, then, low, high in zip(
            "xyz", state.tool, ahead, self.setup.limits.lower, self.setup.limits.upper, strict=False
        ):
            if (then < low and then < here) or (then > high and then > here):
                return f"the box ends at {axis} = {low if then < low else high:g} m"
        try:
            child.send("jog", after=after, speed=allowed)
        except RobotError as error:
            return str(error)
        return ""

    def end_jog(self) -> None:
        with self._lock:
            child = self._child
        if child is not None:
            with suppress(RobotError):
                child.send("jog_end")

    def freedrive(self, on: bool, by: str) -> None:
        """Let a hand lead the arm, because `by` said so. Raises RobotNotReady."""
        if on:
            _named(by, "start freedrive")
            self._refuse()
            if self.latch.halted:
                raise RobotNotReady("A stop is in force: release it before freedrive.")
        with self._lock:
            after, child = self._last_stop, self._child
        if child is None:
            raise RobotNotReady("The arm is not ready: start it first.")
        child.send("freedrive", after=after, on=1 if on else 0)

    def set_slider(self, fraction: float) -> float:
        """The speed slider, never 0. Returns what was set. Raises RobotError."""
        try:
            return self.receiver.set_slider(fraction)
        except OSError as error:
            raise RobotError(f"The speed slider cannot be set: {error}.") from error

    # --- the end -------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Stop and let go of everything. Idempotent."""
        if self._closed:
            return
        self.halt()
        self._closed = True
        self._end_child()
        self._stop_line.close()
        self.receiver.close()
        self.dashboard.close()

    def _end_child(self) -> None:
        with self._lock:
            child, self._child = self._child, None
        self.enabled = False
        if child is not None:
            child.close()


_NO_TOOL = matrix((0.0, 0.0, 0.0, 0.0, 0.0, 0.0))


def _named(by: str, what: str) -> None:
    if not by:
        raise RobotNotReady(f"Only a person may {what}: say who.")


def _safety_why(mode: SafetyMode) -> str:
    if mode in MOVABLE:
        return ""
    if mode is SafetyMode.PROTECTIVE_STOP:
        return "protective stop: look what caused it, then recover"
    if mode in (SafetyMode.ROBOT_EMERGENCY_STOP, SafetyMode.SYSTEM_EMERGENCY_STOP):
        return f"{SAFETY_WORDS[mode]}: release the button when all is clear, then switch the arm on"
    if mode is SafetyMode.SAFEGUARD_STOP:
        return "safeguard stop: close the guard, then continue"
    return f"{SAFETY_WORDS[mode]}: see the pendant"


def _power_why(mode: RobotMode) -> str:
    return "" if mode is RobotMode.RUNNING else f"the arm is {ROBOT_WORDS[mode]}: start it"


def _length(state: State, kind: str, target: Sequence[float]) -> float:
    """How far a move goes, in rad or m."""
    if kind == "joints":
        return max(abs(a - b) for a, b in zip(state.q, target, strict=True))
    metres, radians = apart(matrix(state.tool), matrix(target))
    return max(metres, 0.3 * radians)


def _check_package() -> None:
    from importlib.util import find_spec

    if find_spec("rtde_control") is None:
        raise MissingPackage("The UR5e", "ur5e")
