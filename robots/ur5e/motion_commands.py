"""Moves to a target: checked before they begin, monitored until they end, stopped if they go wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain, pairwise
from threading import Lock
from time import monotonic

from core.ports import StepResult, StepStatus
from core.stop_token import Late, StopToken
from robots.remote.wire_message import WireMessage
from robots.ur5e import limits
from robots.ur5e.blended_path import blended_path
from robots.ur5e.kinematics import Joints, Transform, matrix_to_pose, pose_distance, pose_to_matrix
from robots.ur5e.modes import MOTION_ALLOWED, ROBOT_MODE_TEXT, SAFETY_MODE_TEXT, RobotMode, RuntimeState
from robots.ur5e.movable_arm import MovableArm
from robots.ur5e.rtde_receiver import ArmState

DATA_TIMEOUT_S = 0.5  # without data after which a motion is stopped
_TIME_FOR_CAUSE_S = 0.2  # in which the guard, if it stopped the program, says why
_UNWATCHED_S = 0.3  # that a path may move the arm before the controller's watchdog is set again
_ARRIVAL_TOLERANCE_RAD = 0.01
_PROGRAM_RUNS = (RuntimeState.PLAYING, RuntimeState.PAUSING, RuntimeState.PAUSED)


@dataclass(frozen=True)
class PlannedMove:
    """A move as the control process takes it, or why it may not begin."""

    refusal: str
    kind: str
    goal: Sequence[float]  # where it ends: joints, or a pose for a line
    seconds: float  # that it takes at least
    target: Sequence[float]  # the goal, or for a path the numbers of all its points
    pace: limits.MoveSpeed | None = None  # of a path each point has its own


class ProgramWatch:
    """Watches the control program of one move. `restarts`: for a path, for which ur_rtde starts it anew.

    It does not take the control process's word alone, which may not know without a link.
    """

    def __init__(self, arm: MovableArm, operation: str, restarts: bool) -> None:
        self._arm, self._operation = arm, operation
        self._begun = self._runs = not restarts
        self._begun_at = self._watched_at = monotonic()

    def fault(self) -> str:
        """Return that the program has ended, or moves the arm and may not be watched itself; else ""."""
        state, now = self._arm.receiver.latest, monotonic()
        playing = state is not None and state.runtime in _PROGRAM_RUNS
        if not self._begun:
            self._begun, self._begun_at = self._arm.control.begun == self._operation, now
        if self._begun or state is None or state.at_standstill:
            self._watched_at = now
        # data from before it began tell of the program before
        self._runs = self._runs or (self._begun and playing and self._arm.receiver.age < now - self._begun_at)
        if self._runs and not playing:
            return "the control program ended while the arm moved"
        unwatched = now - self._watched_at > _UNWATCHED_S
        return "the path has begun, and its watchdog is not known to be set" if unwatched else ""


class MotionCommands:
    """Runs moves on the open permit, one after the other.

    A move belongs to the thread that asked for it. FAILED says which limit forbids it.
    """

    def __init__(self, arm: MovableArm) -> None:
        self._arm = arm
        self._moving = Lock()

    def move_joints(self, goal: Joints, cancel: StopToken, scale: float = 1.0) -> StepResult:
        """Move to these joint angles. `scale` is the fraction 0..1 of the allowed speed."""

        def plan(state: ArmState) -> PlannedMove:
            tcp, allowed = self._arm.tcp, self._arm.setup.limits
            reason = limits.joint_path_violation(state.q, goal, tcp, allowed)
            pace = limits.joint_move_speed(state.q, goal, tcp, allowed, scale)
            return PlannedMove(reason, "joints", goal, _leg_seconds(state.q, goal, pace), goal, pace)

        return self._move(plan, cancel)

    def move_path(self, way: Sequence[Joints], cancel: StopToken, scale: float = 1.0) -> StepResult:
        """Move through these joint points without a stop between them, as `blended_path` says."""

        def plan(state: ArmState) -> PlannedMove:
            path, reason = blended_path(state.q, way, self._arm.tcp, self._arm.setup.limits, scale)
            legs = zip(pairwise((state.q, *way)), path, strict=True)
            seconds = sum(_leg_seconds(*leg, point.pace) for leg, point in legs)
            numbers = ((*p.q, p.pace.speed, p.pace.acceleration, p.blend) for p in path)
            return PlannedMove(reason, "path", way[-1], seconds, tuple(chain.from_iterable(numbers)))

        return self._move(plan, cancel)

    def move_line(self, goal: Transform, cancel: StopToken, scale: float = 1.0) -> StepResult:
        """Move the tool in a straight line to this pose in the base frame."""

        def plan(state: ArmState) -> PlannedMove:
            allowed = self._arm.setup.limits
            reason, _ = limits.line_path_violation(state.q, goal, self._arm.tcp, allowed)
            pace, pose = limits.line_move_speed(allowed, scale), matrix_to_pose(goal)
            metres, radians = pose_distance(pose_to_matrix(state.tool), goal)
            seconds = max(metres, 0.3 * radians) / max(pace.speed, 1e-3)
            return PlannedMove(reason, "line", pose, seconds, pose, pace)

        return self._move(plan, cancel)

    def _move(self, plan: Callable[[ArmState], PlannedMove], cancel: StopToken) -> StepResult:
        began = monotonic()
        with self._moving:
            outcome = self._execute(plan, cancel)
        return replace(outcome, seconds=monotonic() - began)

    def _execute(self, plan: Callable[[ArmState], PlannedMove], cancel: StopToken) -> StepResult:
        arm = self._arm
        if arm.latch.halted or cancel.is_set():
            return StepResult(StepStatus.HALTED, arm.fault_reason or cancel.reason or "halted")
        arm.receiver.wait(lambda s: True, 1.0)
        state, reason = arm.receiver.latest, arm.motion_refusal()
        if state is None or (reason := reason or _mode_refusal(state)):
            return StepResult(StepStatus.HALTED, arm.with_cause(reason))
        move = plan(state)
        if move.refusal:
            return StepResult(StepStatus.FAILED, move.refusal)
        speeds = asdict(move.pace) if move.pace is not None else {}
        operation = arm.control.request(move.kind, target=tuple(move.target), **speeds)
        return self._monitor(
            operation, move, cancel, monotonic() + 20 + 4 * move.seconds / max(state.slider, 0.02)
        )

    def _monitor(self, operation: str, move: PlannedMove, cancel: StopToken, end: float) -> StepResult:
        """Wait until the move ends, for whatever reason, and return its result."""
        arm = self._arm
        losses, program = arm.receiver.link_losses, ProgramWatch(arm, operation, move.kind == "path")
        while True:
            answer = arm.control.wait_for_result(operation, 0.01)
            lost = arm.receiver.link_losses != losses
            if answer is not None and answer.kind == "ended" and not lost:
                return self._arrival_result(move)
            if not arm.latch.halted:
                fault = self._fault(answer, lost, program.fault(), monotonic() > end)
                if cancel.is_set():
                    arm.halt()
                elif fault:
                    arm.halt()
                    arm.receiver.wait(lambda s: bool(arm.fault_reason), _TIME_FOR_CAUSE_S)
                    arm.fault_reason = arm.fault_reason or arm.with_cause(fault)
            if arm.latch.halted:
                stands = arm.receiver.wait(lambda s: s.at_standstill, 3)
                why = self._why_halted(cancel)
                if not stands:
                    why = type(why)(f"{why}; it is not known to stand: look at it")  # Late stays Late
                return StepResult(StepStatus.HALTED, why)

    def _fault(self, answer: WireMessage | None, lost: bool, program: str, late: bool) -> str:
        """Return why this move must be stopped, "" if it goes on well."""
        if answer is not None and answer.kind == "refused":
            return answer.text("why")
        if old := self._arm.receiver.old_data(DATA_TIMEOUT_S):
            return Late(f"{old.partition(': ')[0]}; it may still move")
        if lost:  # ur_rtde would reconnect and continue
            return "the link to the controller was lost while the arm moved"
        return program or ("the move took far longer than it should" if late else "")

    def _why_halted(self, cancel: StopToken) -> str:
        """Return why the move was halted, first a stop by the controller, which explains the rest."""
        arm = self._arm
        state = arm.receiver.latest
        if state is not None and state.safety not in MOTION_ALLOWED:
            return f"the arm is in {SAFETY_MODE_TEXT[state.safety]}"
        return arm.fault_reason or cancel.reason or "halted"

    def _arrival_result(self, move: PlannedMove) -> StepResult:
        """Return the result of a move that has ended: the data show whether the arm has arrived."""
        arm = self._arm

        def there(s: ArmState) -> bool:
            if move.kind != "line":
                return max(abs(a - b) for a, b in zip(s.q, move.goal, strict=True)) < _ARRIVAL_TOLERANCE_RAD
            return max(pose_distance(pose_to_matrix(s.tool), pose_to_matrix(move.goal))) < 0.02

        if arm.receiver.wait(there, 1.5):
            return StepResult(StepStatus.DONE)
        if arm.latch.halted:
            return StepResult(StepStatus.HALTED, arm.fault_reason or "halted")
        return StepResult(StepStatus.FAILED, "the arm ended its move elsewhere")


def _mode_refusal(state: ArmState) -> str:
    """Return why no move may begin in these modes, or "". A paused program would run it when resumed."""
    if state.safety not in MOTION_ALLOWED:
        return f"the arm is in {SAFETY_MODE_TEXT[state.safety]}"
    if state.robot is not RobotMode.RUNNING:
        return f"the arm is {ROBOT_MODE_TEXT[state.robot]}"
    if state.runtime is not RuntimeState.PLAYING:
        return f"the control program is {state.runtime.name.lower()}"
    return ""


def _leg_seconds(start: Sequence[float], goal: Sequence[float], pace: limits.MoveSpeed) -> float:
    return max(abs(a - b) for a, b in zip(start, goal, strict=True)) / max(pace.speed, 1e-3)
