"""The arm: control in a child process, separate connections for data and for stops.

Nothing moves by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock, Thread
from time import monotonic

from core.arm.arm_capabilities import PreflightCheck, RecoveryStep
from core.errors import RobotError, RobotNotReady
from core.permit import MANUAL_KINDS, PermitLedger
from core.ports import Embodiment
from core.stop_token import Late
from robots.remote.wire_message import WireMessage
from robots.stop_latch import Latch
from robots.ur5e import preflight
from robots.ur5e.arm_setup import ArmSetup
from robots.ur5e.control_client import ControlClient
from robots.ur5e.dashboard import DashboardClient, DashboardStopChannel
from robots.ur5e.emulator.admin_client import verify_emulator, with_cause
from robots.ur5e.handover import Handover
from robots.ur5e.kinematics import (
    Transform,
    flange_pose,
    invert_transform,
    pose_distance,
    pose_to_matrix,
    tool_speed,
)
from robots.ur5e.manual_motion import ManualMotion
from robots.ur5e.modes import MOTION_ALLOWED, SAFETY_MODE_TEXT, RobotMode, RuntimeState
from robots.ur5e.motion_commands import MotionCommands
from robots.ur5e.rtde_receiver import ArmState, RtdeReceiver

_STANDSTILL_TIMEOUT_S = 5.0  # after a stop within which an arm should stand still
_WATCH_TIMEOUT_S = 600.0  # for which an arm that has not been seen to stand still is watched


@dataclass(frozen=True)
class StopReport:
    """A software stop, and how long the arm kept moving, in seconds.

    None: it has not been seen to stand still and is still being watched.
    """

    number: int
    seconds: float | None


class Arm:
    """The driver of one UR5e.

    Call `halt` from any thread; one thread at a time may ask for a motion, and waits for it.

    Constructing it opens only connections that listen. Nothing moves before `release_stop`, which itself
    moves nothing.
    """

    def __init__(self, setup: ArmSetup) -> None:
        self.setup = setup
        self.latch = Latch()
        self.handover = Handover(self)
        self.permits = PermitLedger(self.latch.last_halt, lambda: self.handover.refusal)
        self.stops: list[StopReport] = []
        self.enabled = False
        self.fault_reason = ""  # the last fault that occurred without a request
        self._preparing = Lock()  # both the panel and an approved step may make the arm ready
        self._tcp: Transform | None = None
        self._had_control = False  # true once this program has controlled the arm
        self._losses = 0  # number of lost links when the control program was started
        self._closed = False
        self._remote = ""  # what the dashboard said last about remote control
        self._on_standstill: Callable[[int, float | None], None] = lambda number, seconds: None
        self._world = Embodiment.REAL
        self.control = ControlClient(setup, self.latch, self._on_unsolicited, self._on_exit)
        moves = MotionCommands(self)
        self.move_joints, self.move_line = moves.move_joints, moves.move_line
        self.move_path = moves.move_path
        self.manual_motion = ManualMotion(self)
        self.dashboard = DashboardClient(setup.address)
        self._stop_channel = DashboardStopChannel(setup.address, self._on_stop_refused)
        self.receiver = RtdeReceiver(setup.address, self._on_state)

    # --- identity ------------------------------------------------------------------------------------------

    def connect(self, seconds: float = 5.0) -> None:
        """Wait for the first data, read the robot's identity, join other consoles. Raises RobotError."""
        if not self.receiver.wait_for_data(seconds):
            raise self.receiver.no_answer()
        serial = self.dashboard.ask("get serial number")
        proved = verify_emulator(self.setup.address, serial)
        self._world = Embodiment.EMULATED if proved else Embodiment.REAL
        self.handover.join(self.setup.address, "" if proved else serial)  # an emulator's is new at each start

    @property
    def embodiment(self) -> Embodiment:
        """Return the arm's embodiment: REAL for everything that has not proved to be our emulator."""
        return self._world

    @property
    def state(self) -> ArmState | None:
        return self.receiver.latest

    @property
    def tcp(self) -> Transform:
        """Return the tool centre point as it was when the arm was made ready. Raises RobotNotReady."""
        if self._tcp is None:
            raise RobotNotReady("The tool centre point is not known yet: make the arm ready first.")
        return self._tcp

    @property
    def tool_speed(self) -> float | None:
        """Return the measured speed of the tool in m/s; None until the arm was made ready here."""
        if (state := self.state) is None or self._tcp is None:
            return None
        return tool_speed(state.q, state.qd, self._tcp)

    # --- preflight -----------------------------------------------------------------------------------------

    def preflight(self) -> tuple[PreflightCheck, ...]:
        """Return everything that must hold before the arm may move. Asks the dashboard; any thread."""
        return self.preflight_checks(self.remote_control_check())

    def remote_control_check(self) -> PreflightCheck:
        """Return whether the arm accepts commands from here. Queries the dashboard, so it may block."""
        try:
            reply = self.dashboard.ask("is in remote control")
            if self._remote not in ("", reply):
                self._stop_channel.renew()
            self._remote = reply
            return preflight.remote_control_check(reply)
        except RobotError as error:
            return preflight.remote_control_check("", str(error))

    def preflight_checks(self, remote: PreflightCheck) -> tuple[PreflightCheck, ...]:
        """Return all checks, given the result of the one for remote control. Never blocks."""
        state = self.receiver.latest
        first = preflight.data_check(state, self.receiver.old_data(self.setup.limits.fresh))
        lines = (
            first,
            preflight.stop_channel_check(self._stop_channel.open),
            preflight.version_check(self.receiver.version),
            remote,
            preflight.console_check(self.handover.refusal),
        )
        return (
            (*lines, *preflight.state_checks(state, self.setup)) if state is not None and first.ok else lines
        )

    # --- power: only by a person's word --------------------------------------------------------------------

    def power(self, step: RecoveryStep, *modes: RobotMode) -> None:
        """Power on, or release the brakes, unless this is done: wait for one of these modes.

        The arm does not move. Needs an open permit. Blocks. Raises RobotError.
        """
        self._require_checks(("data", "remote control", "safety"))
        state = self.receiver.latest
        if state is None or state.robot not in modes:
            self.control.recover(step)
            ended = self.receiver.wait(lambda s: s.robot in modes or s.safety not in MOTION_ALLOWED, 30)
            state = self.receiver.latest
            if not ended or state is None:
                raise RobotNotReady(
                    f"The controller took `{step.value}`, and did not do it within 30 s: look at the pendant."
                )
            if state.robot not in modes:
                raise RobotNotReady(f"The arm is in {SAFETY_MODE_TEXT[state.safety]}: look at the pendant.")

    def _require_checks(self, names: Sequence[str] = ()) -> None:
        """Raise RobotNotReady with every failed check (of those named, or of all), or as only a watcher."""
        if refusal := self.handover.refusal:
            raise RobotNotReady(f"{refusal}.")
        self.receiver.wait(lambda s: True, 1.0)  # wait for a current package, if there is any
        self._stop_channel.wait(1.0)
        checks = (c for c in self.preflight() if not names or c.name in names)
        if reason := preflight.failed_checks_text(checks):
            raise RobotNotReady(f"The arm cannot move. {reason}.")

    def motion_refusal(self) -> str:
        """Return why nothing may move now: a stop, no control program, or old data; else ""."""
        if self.latch.halted:
            return self.fault_reason or "a stop is in force: release it first"
        if not self.enabled:
            return self.fault_reason or "the arm is not ready: see the checks"
        return self.receiver.old_data(self.setup.limits.fresh)

    def with_cause(self, fault: str) -> str:
        """Return a fault of the control program; as `Late` if our emulator knows that it is."""
        emulated = self._world is Embodiment.EMULATED and not isinstance(fault, Late)
        return with_cause(self.setup.address, fault) if emulated else fault

    # --- release and halt ----------------------------------------------------------------------------------

    def release_stop(self, up_to: int) -> None:
        """Run all checks, start the control program, set the tool, then release the halts up to `up_to`.

        Nothing moves, and no motion is resumed. Raises RobotNotReady.
        """
        with self._preparing:
            self._make_ready(up_to)

    @property
    def lost_link(self) -> bool:
        """Return True if the link was lost since the control program was started, which then is of no use."""
        return self.receiver.link_losses != self._losses

    def _make_ready(self, up_to: int) -> None:
        if self._closed:
            raise RobotNotReady("The arm is closed: connect again.")
        self._require_checks()
        lost = self.lost_link
        if self.latch.halted or lost or not self.enabled or not self._program_running():
            self._start_control(lost)
        state = self.receiver.latest
        assert state is not None
        offset = invert_transform(flange_pose(state.q)) @ pose_to_matrix(state.tool)
        self._tcp = pose_to_matrix(self.setup.tcp) if self.setup.tcp else offset
        self.fault_reason = ""
        self.latch.release(up_to)

    def _program_running(self) -> bool:
        state = self.receiver.latest
        return state is not None and state.runtime is RuntimeState.PLAYING

    def _start_control(self, fresh: bool) -> None:
        """Start the control program; in a fresh process after a lost link, as ur_rtde reconnects badly."""
        if fresh:
            self.control.end_process()
        self._losses = self.receiver.link_losses
        had_one = bool(self.control.pid)
        reason = self._connect_control()
        if reason and had_one:
            self.control.end_process()
            reason = self._connect_control()
        if reason:
            self._end_control_process()
            raise RobotNotReady(f"The control program cannot be started: {reason}.")
        self.enabled = True

    def _connect_control(self) -> str:
        """Connect, and confirm it in data that we receive ourselves. Return "" or why it failed."""
        reason = self.control.connect()
        self._had_control = self._had_control or not reason
        if reason or self.receiver.wait(self._settings_applied, 2):
            return reason
        return "the controller did not take program, tool or payload"

    def _settings_applied(self, s: ArmState) -> bool:
        tcp, payload = self.setup.tcp, self.setup.payload
        tool = (
            tcp is None
            or max(pose_distance(flange_pose(s.q) @ pose_to_matrix(tcp), pose_to_matrix(s.tool))) < 0.02
        )
        return (
            s.runtime is RuntimeState.PLAYING
            and tool
            and (payload is None or abs(s.payload - payload) < 1e-3)
        )

    def halt(self) -> int:
        """Stop at once, from any thread: the latch, the dashboard's `stop`, stopJ by the child process."""
        number = self.latch.halt()
        self._send_stop(number)
        return number

    def _send_stop(self, number: int) -> None:
        self._stop_channel.stop()
        self.control.stop(number)
        self.handover.stop_mover()
        if not self._closed and self.receiver.latest is not None:
            Thread(target=self._measure_standstill, args=(number, monotonic()), daemon=True).start()

    def halt_if_in_control(self) -> int:
        """Halt, but send nothing if this program never had control: another console may be at work."""
        return self.halt() if self._had_control else self.latch.halt()

    def give_up_control(self) -> None:
        """End the control program, after a halt and for good, so that another console can control the arm."""
        with self._preparing:
            self._end_control_process()
            self._had_control = False

    def on_standstill(self, listener: Callable[[int, float | None], None]) -> None:
        """From now on call `listener(halt, seconds)` from a thread of this arm; see `ReportsStandstill`."""
        self._on_standstill = listener

    def _measure_standstill(self, number: int, began: float) -> None:
        """Report when the arm stands still. Without data that is unknown: report None and keep watching."""
        for patience in (_STANDSTILL_TIMEOUT_S, _WATCH_TIMEOUT_S):
            stands = self.receiver.wait(lambda s: s.at_standstill, patience)
            if self._closed:
                return
            report = StopReport(number, monotonic() - began if stands else None)
            self.stops.append(report)
            self._on_standstill(report.number, report.seconds)
            if stands:
                return

    # --- callbacks, on other threads -----------------------------------------------------------------------

    def _on_state(self, state: ArmState) -> None:
        """Handle a package: a stop by the controller itself closes our latch, so that a person looks."""
        if state.safety not in MOTION_ALLOWED and self.enabled:
            self._latch_external_stop(f"the arm is in {SAFETY_MODE_TEXT[state.safety]}")

    def _on_unsolicited(self, message: WireMessage) -> None:
        """Handle a message that ends no move: a jog, freedrive, or a failure that nobody waits for."""
        if message.kind in ("lost", "stopped"):
            self._latch_external_stop(message.text("why"))
        else:
            self.manual_motion.on_message(message)

    def _on_stop_refused(self, words: str) -> None:
        """Show a stop that the controller refused, unless the arm is seen to stand: then nothing was left."""
        if "allowed" in words or not self.receiver.wait(lambda s: s.at_standstill, 0.5):
            self.fault_reason = f'the controller refused a stop: "{words}"; look at the arm'

    def _latch_external_stop(self, reason: str) -> None:
        self.enabled = False
        self.fault_reason = reason
        Thread(target=self._halt_from_outside, daemon=True).start()  # this thread must go on listening

    def _halt_from_outside(self) -> None:
        """Halt, and tell the loop: a person releases what the loop knows of, and would have to twice."""
        reason = self.fault_reason
        self.handover.tell_of_halt(self.halt(), reason)

    def _on_exit(self, reason: str) -> None:
        """Handle the end of the child: stop what it may have left moving, and let nothing begin."""
        self.enabled = False
        why = f"{reason}; nothing moves until you have looked and released the stop"
        self.fault_reason = type(reason)(why)  # Late stays Late
        self.manual_motion.end(*MANUAL_KINDS)
        if self.latch.halted and not self._preparing.locked():
            self._send_stop(self.latch.last_halt())  # no stop of its own: a person need not release twice
        else:
            self._halt_from_outside()

    # --- closing -------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Stop the motion under way and release everything. Idempotent."""
        if self._closed:
            return
        self.halt_if_in_control()
        self._closed = True
        self._end_control_process()
        self.handover.close()
        self._stop_channel.close()
        self.receiver.close()
        self.dashboard.close()

    def _end_control_process(self) -> None:
        self.enabled = False
        self.control.end_process()
