"""A robot in another process or on another machine, as the loop sees it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from time import monotonic

from core.belief import Atom
from core.errors import BadValue, Cancelled, MotionRefused, NoPicture, RobotError, RobotNotReady
from core.permit import Permit, PermitKind, PermitLedger, describe_motion
from core.pictures import blank_frame, frame_of_picture
from core.planning_model import Step
from core.ports import Embodiment, Frame, StepResult, StepStatus
from core.stop.heartbeat import Heartbeat
from core.stop_token import StopToken
from robots.remote.robot_link import RobotLink
from robots.remote.wire_message import JsonValue, WireMessage
from robots.remote.wire_values import Snapshot, decode, encode
from robots.stop_latch import Latch

_CONFIRM = "The robot has not confirmed the stop: look at it, then release the stop again."
StandstillListener = Callable[[int, float | None], None]


class RemoteRobot:
    """Implements Robot, FollowsHeartbeat and ReportsStandstill; a subclass has what the robot has besides.

    `halt` may be called from any thread, everything else from the loop's. A motion needs a permit here, and
    the same one there. When the link is lost, steps end HALTED, and nothing more is asked of the robot.
    """

    def __init__(self, link: RobotLink, made: WireMessage, embodiment: Embodiment) -> None:
        """`made` is what the robot replied when it was made. Raises RobotError if it cannot be used."""
        self.name, self.embodiment = "remote", embodiment  # the registry's name, as the log keeps it
        self._link, self._made = link, made
        self._latch = Latch()
        self.permits = PermitLedger(self._latch.last_halt)
        self._listeners: tuple[StandstillListener, ...] = ()
        self._own_stop: tuple[int, str] = (0, "")  # the last that the robot caused by itself, and why
        self._closed = False
        self._observable: dict[Atom, bool] = {}  # until the next motion or look
        self._now: Snapshot = decode(Snapshot, made, "now")
        link.attach(self._on_stopped, self._on_stands, self._on_lost)

    # --- Robot ---

    def release_stop(self, up_to: int) -> None:
        self._check_open()
        up_to = min(up_to, self._latch.last_halt())
        if self._link.lost:
            raise RobotNotReady(self._link.lost)
        if not self._link.stopped(up_to):
            raise RobotNotReady(self._link.lost or _CONFIRM)
        self._link.release(up_to)
        self._latch.release(up_to)

    def look(self, cancel: StopToken) -> Frame:
        self._check_open()
        cancel.check()
        return self._frame("look", cancel)

    def sense(self) -> Mapping[Atom, bool]:
        return dict(self._snapshot().senses)

    def do(self, step: Step, permit: Permit, cancel: StopToken) -> StepResult:
        self._check_open()
        restores = (PermitKind.RESTORE,) if self.embodiment is Embodiment.SIM else ()
        try:
            self.permits.redeem(permit, step, PermitKind.STEP, *restores)
        except MotionRefused as refused:
            raise MotionRefused(self._own_reason() or str(refused)) from refused
        began = monotonic()
        self._now = replace(self._now, situation="")
        if self._latch.halted or cancel.is_set():
            return self._halted(began, cancel)
        try:
            reply = self._link.request("do", cancel, step=encode(step), **permit_request(permit, step))
            result: StepResult = decode(StepResult, reply, "result")
            self._take_snapshot(reply)
        except (RobotError, Cancelled) as error:
            if isinstance(error, RobotNotReady):  # among them MotionRefused, which the loop knows
                raise
            return self._halted(began, cancel, str(error))
        if result.status is StepStatus.HALTED:
            return self._halted(began, cancel, result.detail)
        return StepResult(result.status, result.detail, monotonic() - began)

    def _halted(self, began: float, cancel: StopToken, reason: str = "") -> StepResult:
        reason = self._link.lost or cancel.reason or self._own_reason() or reason or "halted"
        return StepResult(StepStatus.HALTED, reason, monotonic() - began)

    def _own_reason(self) -> str:
        """Return why the robot stopped by itself or was lost, "" if a later stop has another reason."""
        number, reason = self._own_stop
        return reason if number and number == self._latch.last_halt() else ""

    def halt(self) -> int:
        number = self._latch.halt()
        self._link.stop(number)
        return number

    def close(self) -> None:
        self.halt()
        self._closed = True
        self._link.close()

    def _check_open(self) -> None:
        if self._closed:
            raise RobotNotReady("The remote robot is closed: start a new episode.")

    def _check_halt(self, cancel: StopToken) -> None:
        """Raise Cancelled while a halt or the cancel is in force."""
        if self._latch.halted or cancel.is_set():
            raise Cancelled(self._halted(0, cancel).detail)

    # --- FollowsHeartbeat and ReportsStandstill ---

    def follow_heartbeat(self, heartbeat: Heartbeat, notify: Callable[[str], object]) -> None:
        self._link.heartbeat = heartbeat

    def on_standstill(self, listener: StandstillListener) -> None:
        self._listeners += (listener,)

    def _on_stands(self, number: int, seconds: float | None) -> None:
        for listener in self._listeners:
            listener(number, seconds)

    def _on_stopped(self, reason: str) -> None:
        """Take a stop that the robot caused by itself: a person releases it like every other."""
        number = self._latch.halt()
        self._own_stop = number, reason
        self._link.stop(number)

    def _on_lost(self, reason: str) -> None:
        number = self._latch.halt()
        self._own_stop = number, reason
        self._on_stands(number, None)

    # --- what is so ---

    def _take_snapshot(self, reply: WireMessage) -> None:
        self._now = decode(Snapshot, reply, "now")
        self._observable.clear()

    def _snapshot(self) -> Snapshot:
        """Return what was so after the last motion or look. Raises RobotError if nobody can know any more."""
        if self._link.lost:
            raise RobotError(self._link.lost)
        return self._now

    def _frame(self, kind: str, cancel: StopToken, **body: JsonValue) -> Frame:
        try:
            reply = self._link.request(kind, cancel, **body)
        except RobotError as error:
            if self._link.lost:  # a person has to see it
                raise NoPicture(self._link.lost) from error
            raise
        self._take_snapshot(reply)
        camera, viewpoint, now = reply.text("camera"), reply.text("viewpoint"), monotonic()
        if not reply.blobs:
            return blank_frame(camera, now, viewpoint)
        try:
            return frame_of_picture(reply.blobs[0], camera, now, viewpoint)
        except BadValue as error:
            raise NoPicture(f"The robot sent what is no picture: {error}") from error


def permit_request(permit: Permit, motion: object) -> dict[str, JsonValue]:
    """Return a permit as a request shows it."""
    return {
        "permit": permit.number,
        "permit_kind": permit.kind.name,
        "permitted": describe_motion(motion),
        "proposal": permit.proposal,
        "stop": permit.stop_number,
        "by": permit.by,
    }
