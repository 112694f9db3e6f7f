"""The arm capabilities of `core.arm.arm_capabilities` for a panel.

A helper thread does what takes long, so that nothing blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from queue import Empty, SimpleQueue
from threading import Event, Thread
from time import monotonic

from core.arm.arm_capabilities import (
    ACTIVATION,
    FREEDRIVE,
    ArmStatus,
    GripperCommand,
    GripperStatus,
    JogCommand,
    PreflightCheck,
    RecoveryState,
    RecoveryStep,
)
from core.arm.handover import HandoverChoice, HandoverNews, SharedArm
from core.errors import RobotError
from core.permit import Permit, PermitKind
from robots.ur5e import preflight
from robots.ur5e.arm import Arm
from robots.ur5e.gripper.gripper import Gripper
from robots.ur5e.kinematics import HOME, PARKED
from robots.ur5e.modes import MOTION_ALLOWED, ROBOT_MODE_TEXT, SAFETY_MODE_TEXT, RobotMode
from robots.ur5e.protective_stop import ProtectiveStopRecovery, RecoveryStage

MAX_TORQUE = (150.0, 150.0, 150.0, 28.0, 28.0, 28.0)  # Nm, the published maximum of each joint
_POLL_PERIOD_S = 0.5  # between two queries of what answers slowly
_KEEP_POLLING_S = 3.0  # for which the queries go on after a panel was last in view
_NOT_ASKED = PreflightCheck("remote control", False, "the controller has not been asked yet", "wait a moment")


class ArmServices:
    """Provides jog, freedrive, gripper, preflight, recovery, status and speed slider of one UR5e.

    Call everything from one thread, the panel's, but `close` from the thread that owns the arm.
    """

    def __init__(self, arm: Arm, gripper: Gripper) -> None:
        self._arm, self._gripper = arm, gripper
        self.permits = arm.permits
        self._protective_stop = ProtectiveStopRecovery(arm)
        self._remote_check = _NOT_ASKED
        self._gripper_status: GripperStatus | None = None
        self._gripper_error = ""
        self._failures: dict[PermitKind, str] = {}  # why the last motion or step of a kind failed
        self._jobs: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._busy = False
        self._last_viewed = 0.0
        self._closing = Event()
        self._helper: Thread | None = None

    # --- status --------------------------------------------------------------------------------------------

    @property
    def status(self) -> ArmStatus:
        self._keep_polling()
        state, arm = self._arm.state, self._arm
        if state is None:
            return _unknown_status(arm.receiver.link_error)
        return ArmStatus(
            ROBOT_MODE_TEXT[state.robot],
            SAFETY_MODE_TEXT[state.safety],
            state.runtime.name.lower(),
            state.q,
            state.tool,
            state.slider,
            state.payload,
            arm.receiver.age,
            not state.at_standstill,
            state.safety in MOTION_ALLOWED,
            tuple(t / most for t, most in zip(state.torque, MAX_TORQUE, strict=True)),
            state.celsius,
            arm.control.activity,
            arm.fault_reason
            or self._failures.get(PermitKind.GRIPPER, "")
            or self._gripper_error
            or arm.receiver.slider_refusal,
            arm.tool_speed,
        )

    @property
    def gripper_status(self) -> GripperStatus | None:
        self._keep_polling()
        return self._gripper_status

    def preflight(self) -> tuple[PreflightCheck, ...]:
        self._keep_polling()
        arm, age = self._arm, self.picture_age
        return (
            *arm.preflight_checks(self._remote_check),
            preflight.control_program_check(arm.enabled, arm.latch.halted),
            preflight.gripper_check(
                self._gripper_status is not None, self._gripper_error, self.holds_unasked
            ),
            *((preflight.camera_check(age),) if age is not None else ()),
        )

    @property
    def holds_unasked(self) -> bool:
        """Return True if the gripper holds something that was not picked up here."""
        return False

    @property
    def picture_age(self) -> float | None:
        """Return the age (seconds) of the picture by which a person moves the arm; None without one."""
        return None

    def _manual_motion_refusal(self) -> str:
        """Return why nobody moves the arm by hand: it is in local control, or cannot be seen; else ""."""
        age = self.picture_age
        return self._remote_check.refusal or ("" if age is None else preflight.camera_check(age).refusal)

    # --- other consoles ------------------------------------------------------------------------------------

    @property
    def shared(self) -> SharedArm | None:
        return self._arm.handover.shared

    def choose(self, choice: HandoverChoice) -> str:
        return self._arm.handover.choose(choice)

    def attend(self, kind: str, listener: Callable[[HandoverNews], None]) -> None:
        self._arm.handover.attend(kind, listener)

    # --- by hand -------------------------------------------------------------------------------------------

    poses: Mapping[str, tuple[float, ...]] = {"home": HOME, "parked": PARKED}

    def begin_jog(self, command: JogCommand, permit: Permit) -> str:
        return (
            self.permits.refusal(permit, command, PermitKind.JOG)
            or self._manual_motion_refusal()
            or self._arm.manual_motion.begin_jog(command, permit)
        )

    def keep_jog_alive(self) -> str:
        if reason := self._manual_motion_refusal():
            self.end_jog()
            return reason
        return self._arm.manual_motion.keep_jog_alive()

    def end_jog(self) -> None:
        self._arm.manual_motion.end(PermitKind.JOG)

    def begin_freedrive(self, permit: Permit) -> str:
        return (
            self.permits.refusal(permit, FREEDRIVE, PermitKind.FREEDRIVE)
            or self._remote_check.refusal
            or self._arm.manual_motion.begin_freedrive(permit)
        )

    def keep_freedrive_alive(self) -> str:
        return self._arm.manual_motion.keep_freedrive_alive()

    def end_freedrive(self) -> None:
        self._arm.manual_motion.end(PermitKind.FREEDRIVE)

    def set_speed(self, fraction: float) -> str:
        if refusal := self._arm.handover.refusal:
            return refusal
        try:
            self._arm.manual_motion.set_slider(fraction)
        except RobotError as error:
            return str(error)
        return ""

    # --- the gripper ---------------------------------------------------------------------------------------

    def move_gripper(self, command: GripperCommand, permit: Permit) -> str:
        opening, speed, force = command.opening, command.speed, command.force
        return self._run_gripper(
            permit, command, lambda ended: self._gripper.move(opening, speed, force, ended)
        )

    def activate_gripper(self, permit: Permit) -> str:
        return self._run_gripper(permit, ACTIVATION, self._gripper.activate)

    def _run_gripper(self, permit: Permit, motion: object, move: Callable[[Callable[[], bool]], None]) -> str:
        """Have the helper move the gripper, unless a stop comes first."""
        arm = self._arm

        def stopped() -> bool:
            return arm.latch.last_halt() != permit.stop_number

        if reason := self.permits.refusal(permit, motion, PermitKind.GRIPPER) or self._remote_check.refusal:
            return reason
        if arm.latch.halted:
            return arm.fault_reason or "a stop is in force: release it first"
        return self._enqueue(permit, lambda: None if stopped() else move(stopped))

    # --- recovery ------------------------------------------------------------------------------------------

    @property
    def recovery(self) -> RecoveryState:
        self._keep_polling()
        state, stage = self._arm.state, self._protective_stop.stage
        failure = self._failures.get(PermitKind.RECOVERY, "")
        if state is None:
            told, halted = "no data from the controller", self._arm.latch.halted
            return RecoveryState(told, failure=failure, busy=self._busy, halted=halted)
        message, next_step, wait = stage.value, None, 0.0
        match stage:
            case RecoveryStage.INSPECT:
                next_step = RecoveryStep.ACKNOWLEDGE
            case RecoveryStage.WAIT | RecoveryStage.UNLOCK:
                next_step, wait = RecoveryStep.UNLOCK, self._protective_stop.seconds_left
            case RecoveryStage.PENDANT_ONLY:
                message = preflight.safety_check(state.safety).refusal
            case RecoveryStage.NONE if state.robot is RobotMode.POWER_OFF:
                message, next_step = "the arm is powered off", RecoveryStep.POWER_ON
            case RecoveryStage.NONE if state.robot is RobotMode.IDLE:
                message, next_step = "the brakes are on", RecoveryStep.RELEASE_BRAKES
            case RecoveryStage.NONE if state.robot is not RobotMode.RUNNING:
                message = f"the arm is {ROBOT_MODE_TEXT[state.robot]}"
            case RecoveryStage.NONE if not self._arm.latch.halted and (
                self._arm.lost_link or not self._arm.enabled
            ):
                message = "the control program does not run; nothing moves by starting it"
                next_step = RecoveryStep.READY
        return RecoveryState(
            message,
            next_step,
            wait,
            self._busy,
            failure,
            stage is RecoveryStage.PENDANT_ONLY,
            self._arm.latch.halted,
        )

    def recover(self, step: RecoveryStep, permit: Permit) -> str:
        if reason := self.permits.refusal(permit, step, PermitKind.RECOVERY):
            return reason
        now, arm = self.recovery, self._arm
        if now.busy:
            return "a step is under way: wait for its end"
        if step is not (now.next_step or (RecoveryStep.RELEASE if now.halted else None)):
            return f"not now: {now.message}"
        if now.wait_seconds > 0:
            return f"the controller allows it in {now.wait_seconds:.0f} s"
        match step:
            case RecoveryStep.ACKNOWLEDGE:
                self._failures[permit.kind] = ""
                self._protective_stop.confirm_inspection()
                return ""
            case RecoveryStep.UNLOCK:
                return self._enqueue(permit, self._protective_stop.unlock)
            case RecoveryStep.POWER_ON:
                return self._enqueue(permit, lambda: arm.power(step, RobotMode.IDLE, RobotMode.RUNNING))
            case RecoveryStep.RELEASE_BRAKES:
                return self._enqueue(permit, lambda: arm.power(step, RobotMode.RUNNING))
            case RecoveryStep.READY:
                return self._enqueue(permit, lambda: arm.release_stop(0))
            case RecoveryStep.RELEASE:
                return self._enqueue(permit, lambda: arm.release_stop(permit.stop_number))

    # --- the helper ----------------------------------------------------------------------------------------

    def close_services(self) -> None:
        """Stop all queries and jobs. Idempotent."""
        self.end_jog()
        self.end_freedrive()
        self._closing.set()

    def _keep_polling(self) -> None:
        """Keep querying what answers slowly for a while: a panel is in view."""
        self._last_viewed = monotonic()
        if self._helper is None or not self._helper.is_alive():
            self._helper = Thread(target=self._poll_loop, daemon=True)
            self._helper.start()

    def _enqueue(self, permit: Permit, job: Callable[[], None]) -> str:
        """Have the helper do this on the permit. Return "" or what has the arm in use."""
        if other := self._arm.control.open_permit(permit):
            return other

        self._failures[permit.kind] = ""

        def go() -> None:
            try:
                job()
            except RobotError as error:
                self._failures[permit.kind] = str(error)
            finally:
                self._arm.control.close_permit(permit)

        self._busy = True
        self._jobs.put(go)
        self._keep_polling()
        return ""

    def _poll_loop(self) -> None:
        while not self._closing.is_set() and monotonic() - self._last_viewed < _KEEP_POLLING_S:
            try:
                job = self._jobs.get(
                    timeout=_POLL_PERIOD_S if self._remote_check is not _NOT_ASKED else 0.001
                )
            except Empty:
                self._poll()
                continue
            try:
                job()
            finally:
                self._busy = not self._jobs.empty()
            self._poll()

    def _poll(self) -> None:
        self._remote_check = self._arm.remote_control_check()
        try:
            self._gripper_status = self._gripper.state()
            self._gripper_error = self._gripper_status.fault
        except RobotError as error:
            self._gripper_status, self._gripper_error = None, str(error)


def _unknown_status(reason: str) -> ArmStatus:
    still = (0.0,) * 6
    return ArmStatus(
        "not known", "not known", "", still, still, 0.0, 0.0, float("inf"), False, False, last_error=reason
    )
