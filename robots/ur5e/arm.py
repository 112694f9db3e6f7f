"""The arm: control in a child process, data apart, a line for stops, and nothing that moves by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock, Thread
from time import monotonic

from core.arm_capabilities import PreflightCheck
from core.cancel import Cancel
from core.errors import RobotError, RobotNotReady
from core.ports import Embodiment, StepResult
from robots.halting import Latch
from robots.remote.framing import Message
from robots.ur5e import preflight
from robots.ur5e.by_hand import ByHand
from robots.ur5e.dashboard import Dashboard, StopLine
from robots.ur5e.emulator.client import prove
from robots.ur5e.kinematics import Joints, Matrix, apart, flange, inverse, matrix
from robots.ur5e.link import Link
from robots.ur5e.modes import MOVABLE, SAFETY_WORDS, RobotMode, Runtime
from robots.ur5e.moves import Moves
from robots.ur5e.receive import Receiver, State
from robots.ur5e.setup import Setup
from robots.ur5e.turn import Turn

_STANDS = 5.0  # seconds after a stop in which an arm comes to stand
_WATCHED = 600.0  # and in which one that is not known to stand is watched


@dataclass(frozen=True)
class StopReport:
    """A software stop: how long the arm went on moving. None: it is not known to stand, and is watched on."""

    number: int
    seconds: float | None


class Arm:
    """One UR5e. `halt` from any thread; a motion belongs to the thread that asked for it, one at a time.

    Constructing it connects what only listens. Nothing moves before `ready`, and `ready` moves nothing.
    """

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.latch = Latch()
        self.turn = Turn()
        self.stops: list[StopReport] = []
        self.enabled = False
        self.trouble = ""  # the last thing that went wrong by itself
        self._preparing = Lock()  # the panel may make it ready, and a step that was approved
        self._tcp: Matrix | None = None
        self._had_control = False  # ever
        self._losses = 0  # of links, when the control program was started
        self._closed = False
        self._tell: Callable[[int, float | None], None] = lambda number, seconds: None
        self._serial = ""
        self._world = Embodiment.REAL
        self.link = Link(setup, self._aside, self._lost)
        self.moves = Moves(self)
        self.by_hand = ByHand(self)
        self.dashboard = Dashboard(setup.address)
        self._stop_line = StopLine(setup.address)
        self.receiver = Receiver(setup.address, self._told)

    # --- who it is -----------------------------------------------------------------------------------------

    def connect(self, seconds: float = 5.0) -> None:
        """Wait for the first data and learn who it is. Raises RobotError."""
        if not self.receiver.wait(lambda state: True, seconds):
            raise RobotError(
                f"No UR controller answers at {self.setup.address}: {self.receiver.why}. Check that it is "
                "switched on, the cable and the address, and RTDE (Settings, Security, Services)."
            )
        self._serial = self.dashboard.ask("get serial number")
        self._world = Embodiment.EMULATED if prove(self.setup.address, self._serial) else Embodiment.REAL

    @property
    def embodiment(self) -> Embodiment:
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

    def preflight(self) -> tuple[PreflightCheck, ...]:
        """Everything that must be so before the arm may move. Asks the dashboard; any thread."""
        return self.checks(self.remote())

    def remote(self) -> PreflightCheck:
        """Whether the arm takes orders from here. Asks the dashboard, so it may block."""
        try:
            return preflight.remote(self.dashboard.ask("is in remote control"))
        except RobotError as error:
            return preflight.remote("", str(error))

    def checks(self, remote: PreflightCheck) -> tuple[PreflightCheck, ...]:
        """All lines, with what is already known of remote control. Never blocks."""
        state, age, fresh = self.receiver.latest, self.receiver.age, self.setup.limits.fresh
        first = preflight.data(state, age, self.receiver.why, fresh)
        lines = (
            first,
            preflight.stop_line(self._stop_line.open),
            preflight.version(self.receiver.version),
            remote,
        )
        return (*lines, *preflight.of_state(state, self.setup)) if state is not None and first.ok else lines

    # --- power: only by a person's word --------------------------------------------------------------------

    def power_on(self, by: str) -> None:
        """Power on and release the brakes, because `by` said so; blocks. Raises RobotNotReady."""
        self.switch_on(by)
        self.release_brakes(by)

    def switch_on(self, by: str) -> None:
        """Power without moving: the brakes stay on. Blocks. Raises RobotNotReady."""
        _named(by, "switch the arm on")
        self._refuse(("data", "remote control", "safety"))
        if not self._in(RobotMode.IDLE, RobotMode.RUNNING):
            self.dashboard.ask("power on")
            self._arrive("did not power on", RobotMode.IDLE, RobotMode.RUNNING)

    def release_brakes(self, by: str) -> None:
        """Blocks. Raises RobotNotReady."""
        _named(by, "release the brakes")
        self._refuse(("data", "remote control", "safety"))
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
        self._stop_line.wait(1.0)
        why = preflight.wrong(tuple(c for c in self.preflight() if not names or c.name in names))
        if why:
            raise RobotNotReady(f"The arm cannot move. {why}.")

    # --- ready and halt ------------------------------------------------------------------------------------

    def release_stop(self, up_to: int) -> None:
        """Check everything, start the control program, set the tool, then release halts up to this one.

        Nothing moves, and no motion is taken up again. Raises RobotNotReady.
        """
        with self._preparing:
            self._ready(up_to)

    def _ready(self, up_to: int) -> None:
        if self._closed:
            raise RobotNotReady("The arm is closed: connect again.")
        self._refuse()
        lost = self.receiver.losses != self._losses
        if self.latch.halted or lost or not self.enabled or not self._running():
            self._enable(lost)
        state = self.receiver.latest
        assert state is not None
        offset = inverse(flange(state.q)) @ matrix(state.tool)
        self._tcp = matrix(self.setup.tcp) if self.setup.tcp else offset
        self.trouble = ""
        self.latch.release(up_to)

    def _running(self) -> bool:
        state = self.receiver.latest
        return state is not None and state.runtime is Runtime.PLAYING

    def _enable(self, fresh: bool) -> None:
        """Start the control program; after a lost link in a fresh process, as ur_rtde mends its own badly."""
        if fresh:
            self.link.end()
        self._losses = self.receiver.losses
        had_one = bool(self.link.pid)
        why = self._connected()
        if why and had_one:
            self.link.end()
            why = self._connected()
        if why:
            self._end_child()
            raise RobotNotReady(f"The control program cannot be started: {why}.")
        self.enabled = True

    def _connected(self) -> str:
        """Connect, and see in data of our own that it took: "" or why not."""
        why = self.link.connect()
        self._had_control = self._had_control or not why
        if why or self.receiver.wait(self._took, 2):
            return why
        return "the controller did not take program, tool or payload"

    def _took(self, s: State) -> bool:
        tcp, payload = self.setup.tcp, self.setup.payload
        tool = tcp is None or max(apart(flange(s.q) @ matrix(tcp), matrix(s.tool))) < 0.02
        return s.runtime is Runtime.PLAYING and tool and (payload is None or abs(s.payload - payload) < 1e-3)

    def halt(self) -> int:
        """Any thread, at once: the latch, the dashboard's `stop`, then stopJ by the child."""
        number = self.latch.halt()
        self._stop_line.stop()
        self.link.stop(number)
        if not self._closed and self.receiver.latest is not None:
            Thread(target=self._measure, args=(number, monotonic()), daemon=True).start()
        return number

    def release_control(self) -> int:
        """As `halt`, but another console may be at work: what never had control sends nothing."""
        return self.halt() if self._had_control else self.latch.halt()

    def on_standstill(self, told: Callable[[int, float | None], None]) -> None:
        """`told(halt, seconds)` from now on, from a thread of this arm's; see `ReportsStandstill`."""
        self._tell = told

    def _measure(self, number: int, began: float) -> None:
        """Without data nobody knows whether it stands: that is told, and looked at on until they come."""
        for patience in (_STANDS, _WATCHED):
            stands = self.receiver.wait(lambda s: s.standing, patience)
            if self._closed:
                return
            report = StopReport(number, monotonic() - began if stands else None)
            self.stops.append(report)
            self._tell(report.number, report.seconds)
            if stands:
                return

    # --- what others tell, on their threads ----------------------------------------------------------------

    def _told(self, state: State) -> None:
        """Every package: a stop by the controller itself latches ours, so that a person has to look."""
        if state.safety not in MOVABLE and self.enabled:
            self._stopped_by_itself(f"the arm is in {SAFETY_WORDS[state.safety]}")

    def _aside(self, message: Message) -> None:
        """The child's word on what is no move: a jog, freedrive, or a failure that nobody waits for."""
        if message.kind == "lost":
            self._stopped_by_itself(message.text("why"))
        else:
            self.by_hand.heard(message)

    def _stopped_by_itself(self, why: str) -> None:
        self.enabled = False
        self.trouble = why
        Thread(target=self.halt, daemon=True).start()  # the thread that told must go on listening

    def _lost(self, why: str) -> None:
        """The child is gone: stop what it may have left moving, and let nothing begin."""
        self.enabled = False
        self.trouble = f"{why}; nothing moves until you have looked and released the stop"
        self.by_hand.lost()
        self.halt()

    # --- motion --------------------------------------------------------------------------------------------

    def move_joints(self, goal: Joints, cancel: Cancel, scale: float = 1.0) -> StepResult:
        """To these joints. FAILED with why when a limit forbids it. `scale` of the allowed speed, 0..1."""
        return self.moves.joints(goal, cancel, scale)

    def move_line(self, goal: Matrix, cancel: Cancel, scale: float = 1.0) -> StepResult:
        """Straight to this pose of the tool in the base frame."""
        return self.moves.line(goal, cancel, scale)

    # --- the end -------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Stop what it moves and let go of everything. Idempotent."""
        if self._closed:
            return
        self.release_control()
        self._closed = True
        self._end_child()
        self._stop_line.close()
        self.receiver.close()
        self.dashboard.close()

    def _end_child(self) -> None:
        self.enabled = False
        self.link.end()


def _named(by: str, what: str) -> None:
    if not by:
        raise RobotNotReady(f"Only a person may {what}: say who.")
