"""Moves to a target: checked before they begin, monitored until they end, stopped if they go wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from time import monotonic

from core.cancel import Cancel
from core.ports import StepResult, StepStatus
from robots.ur5e import limits
from robots.ur5e.kinematics import Joints, Transform, matrix_to_pose, pose_distance, pose_to_matrix
from robots.ur5e.modes import MOTION_ALLOWED, ROBOT_MODE_TEXT, SAFETY_MODE_TEXT, RobotMode, RuntimeState
from robots.ur5e.motion_lock import STEP
from robots.ur5e.movable_arm import MovableArm
from robots.ur5e.rtde_receiver import ArmState

DATA_TIMEOUT = 0.5  # seconds without data after which a motion is stopped
_ARRIVAL_TOLERANCE = 0.01  # rad

PlannedMove = tuple[str, str, Sequence[float], limits.MoveSpeed]  # refusal, kind, target, speed


class MotionCommands:
    """Runs moves.

    A move belongs to the thread that asked for it, one at a time. FAILED says which limit forbids it.
    """

    def __init__(self, arm: MovableArm) -> None:
        self._arm = arm
        self._moving = Lock()
        self._operations = 0

    def move_joints(self, goal: Joints, cancel: Cancel, scale: float = 1.0) -> StepResult:
        arm = self._arm

        def plan(state: ArmState) -> PlannedMove:
            reason = limits.joint_path_violation(state.q, goal, arm.tcp, arm.setup.limits)
            return (
                reason,
                "joints",
                goal,
                limits.joint_move_speed(state.q, goal, arm.tcp, arm.setup.limits, scale),
            )

        return self._move(plan, cancel)

    def move_line(self, goal: Transform, cancel: Cancel, scale: float = 1.0) -> StepResult:
        arm = self._arm

        def plan(state: ArmState) -> PlannedMove:
            reason, _ = limits.line_path_violation(state.q, goal, arm.tcp, arm.setup.limits)
            return reason, "line", matrix_to_pose(goal), limits.line_move_speed(arm.setup.limits, scale)

        return self._move(plan, cancel)

    def _move(self, plan: Callable[[ArmState], PlannedMove], cancel: Cancel) -> StepResult:
        began, arm = monotonic(), self._arm
        with self._moving:
            own_lock = arm.motion_lock.holder != STEP  # a step holds the motion lock for all of its moves
            other = arm.motion_lock.acquire(STEP)
            if other:
                outcome = StepResult(StepStatus.HALTED, f"the arm is in use by hand ({other})")
            else:
                try:
                    outcome = self._execute(plan, cancel)
                finally:
                    if own_lock:
                        arm.motion_lock.release(STEP)
        return StepResult(outcome.status, outcome.detail, monotonic() - began)

    def _execute(self, plan: Callable[[ArmState], PlannedMove], cancel: Cancel) -> StepResult:
        arm = self._arm
        after = arm.control.last_stop  # read before the latch, so that a stop in between causes a refusal
        if arm.latch.halted or cancel.is_set():
            return StepResult(StepStatus.HALTED, arm.trouble or cancel.reason or "halted")
        if not arm.enabled:
            return StepResult(StepStatus.HALTED, arm.trouble or "the arm is not ready")
        arm.receiver.wait(lambda s: True, 1.0)
        state = arm.receiver.latest
        if state is None or arm.receiver.age > arm.setup.limits.fresh:
            return StepResult(StepStatus.HALTED, f"the last data are {arm.receiver.age:.2f} s old")
        if not_now := _mode_refusal(state):
            return StepResult(StepStatus.HALTED, not_now)
        reason, kind, target, pace = plan(state)
        if reason:
            return StepResult(StepStatus.FAILED, reason)
        self._operations += 1
        operation = f"move {self._operations}"
        longest = 20 + 4 * _move_length(state, kind, target) / max(pace.speed * max(state.slider, 0.02), 1e-3)
        reason = arm.control.send(
            kind,
            after,
            operation=operation,
            target=tuple(target),
            speed=pace.speed,
            acceleration=pace.acceleration,
        )
        if reason:
            return StepResult(StepStatus.HALTED, reason)
        return self._monitor(operation, kind, target, cancel, monotonic() + longest)

    def _monitor(
        self, operation: str, kind: str, target: Sequence[float], cancel: Cancel, end: float
    ) -> StepResult:
        """Wait until the move ends, for whatever reason, and return its result."""
        arm = self._arm
        losses = arm.receiver.link_losses
        while True:
            answer = arm.control.wait_for_result(operation, 0.01)
            if answer is not None and answer.kind == "ended" and arm.receiver.link_losses == losses:
                return self._arrival_result(kind, target)
            if answer is not None and not arm.latch.halted and not cancel.is_set():
                arm.trouble = answer.text("why")
                arm.halt()
            if cancel.is_set() and not arm.latch.halted:
                arm.halt()
            elif arm.receiver.age > DATA_TIMEOUT and not arm.latch.halted:
                arm.trouble = f"no data came for {DATA_TIMEOUT:g} s while the arm moved; it may still move"
                arm.halt()
            elif (
                arm.receiver.link_losses != losses and not arm.latch.halted
            ):  # ur_rtde would reconnect and continue
                arm.trouble = "the link to the controller was lost while the arm moved"
                arm.halt()
            elif self._program_ended() and not arm.latch.halted:
                arm.trouble = "the control program ended while the arm moved"
                arm.halt()
            elif monotonic() > end and not arm.latch.halted:
                arm.trouble = "the move took far longer than it should"
                arm.halt()
            if arm.latch.halted:
                stands = arm.receiver.wait(lambda s: s.at_standstill, 3)
                unknown = "" if stands else "; it is not known to stand: look at it"
                return StepResult(StepStatus.HALTED, self._why_halted(cancel) + unknown)

    def _program_ended(self) -> bool:
        """Return True if the data show that the program has ended.

        A control process that lost its link may never learn of it.
        """
        state = self._arm.receiver.latest
        return state is not None and state.runtime not in (
            RuntimeState.PLAYING,
            RuntimeState.PAUSING,
            RuntimeState.PAUSED,
        )

    def _why_halted(self, cancel: Cancel) -> str:
        """Return why the move was halted.

        A stop by the controller itself takes precedence, since it explains the rest.
        """
        arm = self._arm
        state = arm.receiver.latest
        if state is not None and state.safety not in MOTION_ALLOWED:
            return f"the arm is in {SAFETY_MODE_TEXT[state.safety]}"
        return arm.trouble or cancel.reason or "halted"

    def _arrival_result(self, kind: str, target: Sequence[float]) -> StepResult:
        """Return the result once the controller reports the end of the move; the data show whether the arm
        has arrived.
        """
        arm = self._arm

        def there(s: ArmState) -> bool:
            if kind == "joints":
                return max(abs(a - b) for a, b in zip(s.q, target, strict=True)) < _ARRIVAL_TOLERANCE
            return max(pose_distance(pose_to_matrix(s.tool), pose_to_matrix(target))) < 0.02

        if arm.receiver.wait(there, 1.5):
            return StepResult(StepStatus.DONE)
        if arm.latch.halted:
            return StepResult(StepStatus.HALTED, arm.trouble or "halted")
        return StepResult(StepStatus.FAILED, "the arm ended its move elsewhere")


def _mode_refusal(state: ArmState) -> str:
    """Return why no move may begin in these modes, or "".

    A paused program would run the move whenever it is resumed.
    """
    if state.safety not in MOTION_ALLOWED:
        return f"the arm is in {SAFETY_MODE_TEXT[state.safety]}"
    if state.robot is not RobotMode.RUNNING:
        return f"the arm is {ROBOT_MODE_TEXT[state.robot]}"
    if state.runtime is not RuntimeState.PLAYING:
        return f"the control program is {state.runtime.name.lower()}"
    return ""


def _move_length(state: ArmState, kind: str, target: Sequence[float]) -> float:
    """Return the length of a move, in rad or m."""
    if kind == "joints":
        return max(abs(a - b) for a, b in zip(state.q, target, strict=True))
    metres, radians = pose_distance(pose_to_matrix(state.tool), pose_to_matrix(target))
    return max(metres, 0.3 * radians)
