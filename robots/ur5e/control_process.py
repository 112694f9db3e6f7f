"""ur_rtde's control interface in its own process, commanded by one thread.

ur_rtde 1.6.5 ends its process when the link drops, hangs when the controller dies, holds the GIL while it
connects, and gives the answer to one thread's question to another. It runs here so that these defects can
harm only this process.
Run: `python -m robots.ur5e.control_process ADDRESS WATCHDOG_HZ STOP_DECELERATION PEDAL KEY`

In: stops(number), stop(number, seen), permit(number, stop, allows, what), close(permit),
connect(number, tcp?, payload?, centre?).
In, on an open permit, which each of them names (`Guard`): joints(target, speed, acceleration), line(the
same), path(target: of each point its joints, speed, acceleration and blend), jog(speed, renew),
freedrive(renew), activate(seconds), grip(closed, speed, force, seconds), both with the gripper's protocol,
valve and switch, and the steps of `RecoveryStep` by their names.
Out: refused(operation, why), begun(operation) of a path, ended(operation, why?), lost(why),
stopped(count, why), note(why).

Each request but the first four names an operation. Closing a permit ends what moves on it. The speeds of a
jog are joint speeds in rad/s.
"""

from __future__ import annotations

import os
import signal
import sys
from queue import Empty
from threading import Event, Thread
from time import monotonic
from typing import Any

from core.arm.arm_capabilities import FREEDRIVE_TIMEOUT, JOG_TIMEOUT, RecoveryStep
from core.errors import RobotError
from robots.remote.supervised_process import ChildSide
from robots.remote.wire_message import WireMessage
from robots.ur5e.dashboard import command
from robots.ur5e.gripper.motion import GripperMotion
from robots.ur5e.gripper.protocols import PROTOCOLS
from robots.ur5e.guard import Guard

_TICK_S = 0.01  # between two checks of the running operation
_HERTZ = 125.0  # at which ur_rtde receives, as often as an operation is checked; its default is 500
_WATCHDOG_PERIOD_S = 0.04  # between two kicks of the controller's watchdog
_JOG_ACCELERATION, _JOG_BRAKING = 2.0, 5.0  # rad/s2
_ANSWER_TIMEOUT_S = 1.0  # for telling `stop` in a terminal when the arm stood still
_ORPHAN_STOP_TIMEOUT_S = 1.5  # allowed for the command thread's own stop before the process ends
_UPLOAD_TIMEOUT_S = 0.5  # after a stop, for ur_rtde to come back from starting a program
_PATH_OPERATION = 2  # the number of a path: its program counts from 0, and the first point counts as another
_POINT = 9  # numbers of a path's point
_HOLDS = {"jog": JOG_TIMEOUT, "freedrive": FREEDRIVE_TIMEOUT}  # seconds that a motion by hand lasts unrenewed
_RECOVERY = {  # what the dashboard is told
    str(RecoveryStep.POWER_ON): ("power on",),
    str(RecoveryStep.RELEASE_BRAKES): ("brake release",),
    str(RecoveryStep.UNLOCK): ("close safety popup", "unlock protective stop"),
}


class ControlProcess:
    """Runs operations on the arm. The thread that calls `run` is the command thread."""

    def __init__(self, address: str, watchdog: float, deceleration: float, pedal: str, key: int) -> None:
        self._address, self._watchdog, self._deceleration = address, watchdog, deceleration
        self._stopping = Event()
        self._ending = Event()
        self._uploaded = Event()  # not set while ur_rtde starts a program, and then moves the arm unasked
        self._uploaded.set()
        self._rtde_control: Any = None  # RTDEControlInterface
        self._operation: WireMessage | None = None  # what the arm is doing
        self._expected_id = -1
        self._deadline = 0.0  # when a motion by hand ends unless it is renewed
        self._last_kick = 0.0
        self._lost = False  # the program was out of reach: it gets no sign of life until the next connect
        self._gripper_motion: GripperMotion | None = None
        self._guard = Guard(address, self._interrupt, self._tell_of_stop, self._note, pedal, key)
        self._child_side = ChildSide(self._on_message, self._on_orphaned)
        self._guard.listen(self._child_side.operator)

    # --- any thread ----------------------------------------------------------------------------------------

    def _on_message(self, message: WireMessage) -> None:
        if message.kind == "stop":
            self._guard.stop_for_console(message)
        elif message.kind in ("stops", "connect"):
            self._guard.note_stops(message)
        elif message.kind == "close":
            self._stop_upload()

    def _on_orphaned(self, reason: str) -> None:
        self._guard.on_orphaned()
        self._ending.wait(_ORPHAN_STOP_TIMEOUT_S)
        self._guard.finish_answers(_ANSWER_TIMEOUT_S)
        os._exit(3)

    def end_with_sigterm(self) -> None:
        """Stop, and end: `stop` in a terminal asks for it if it cannot reach this process otherwise."""
        signal.sigwait({signal.SIGTERM})
        self._on_orphaned("SIGTERM")

    def _interrupt(self) -> None:
        """End what is under way, without waiting: the command thread may be blocked in ur_rtde."""
        if self._gripper_motion is not None:
            self._gripper_motion.stop()
        self._stopping.set()
        self._stop_upload()

    def _stop_upload(self) -> None:
        """Stop whatever program ur_rtde starts now, until it has come back: then the command thread stops.

        It may wait for a program without end; then this process ends, and with it what it would send.
        """

        def stop() -> None:
            end = monotonic() + _UPLOAD_TIMEOUT_S
            while not self._uploaded.wait(_TICK_S):
                self._guard.stop_again()
                if monotonic() > end:
                    self._note("ur_rtde does not come back from starting a path, so the process ends")
                    os._exit(4)

        if not self._uploaded.is_set():
            Thread(target=stop, daemon=True).start()

    def _tell_of_stop(self, reason: str, count: int) -> None:
        self._child_side.send("stopped", count=count, why=reason)

    def _note(self, sentence: str) -> None:
        self._child_side.send("note", why=sentence)

    def _reply(self, kind: str, request: WireMessage, **body: str) -> None:
        operation, permit = request.text("operation"), request.number("permit")
        self._child_side.send(kind, operation=operation, permit=permit, **body)

    # --- the command thread --------------------------------------------------------------------------------

    def run(self) -> None:
        while True:
            try:
                message = self._child_side.messages.get(timeout=_TICK_S)
            except Empty:
                message = None
            try:
                if self._stopping.is_set():
                    self._stop()
                if message is not None:
                    self._handle(message)
                self._tick()
            except RobotError as error:
                self._fail(str(error))
            except Exception as error:  # ur_rtde raises RuntimeError for every kind of failure
                self._fail(f"{type(error).__name__}: {error}")

    def _fail(self, reason: str) -> None:
        operation = self._operation
        if operation is None or operation.kind in _HOLDS:  # which its deadline ends
            self._child_side.send("lost", why=reason)
        else:
            self._operation = None
            self._reply("refused", operation, why=reason)

    def _stop(self) -> None:
        """Send stopJ, not asynchronously: an asynchronous stop turns all later ones into stopL."""
        self._stopping.clear()
        self._end_manual_motion(brake=False)
        lost, self._lost = self._lost, True
        if self._program_runs():
            self._rtde_control.stopJ(self._deceleration)
            self._lost = lost
        if self._guard.orphaned:
            self._ending.set()

    def _handle(self, message: WireMessage) -> None:
        match message.kind:
            case "permit":
                self._guard.open(message)
            case "close" if self._guard.close(message.number("permit")):
                self._end_motion()
            case "connect":
                self._connect(message)
            case "joints" | "line":
                self._move(message)
            case "path":
                self._follow_path(message)
            case "jog" | "freedrive":
                self._move_by_hand(message)
            case "grip" | "activate":
                self._move_gripper(message)
            case kind if kind in _RECOVERY:
                self._recover(message)

    def _connect(self, message: WireMessage) -> None:
        from rtde_control import RTDEControlInterface

        self._end_manual_motion()
        self._operation = message  # what fails is its answer
        if self._rtde_control is None:
            try:
                self._rtde_control = RTDEControlInterface(self._address, _HERTZ)
                self._guard.has_control = True
            except RuntimeError as error:
                return self._fail(str(error))
        elif not self._rtde_control.isConnected():
            return self._fail("the link to the controller is gone")
        elif not self._rtde_control.isProgramRunning() and not self._reupload():
            return self._fail("the control program did not start")
        if reason := self._apply_settings(message):
            return self._fail(reason)
        if not self._guard.sees():
            return self._fail(f"the arm's data do not come to the control process: {self._guard.old_data()}")
        self._operation, self._lost = None, False
        self._reply("ended", message)

    def _apply_settings(self, message: WireMessage) -> str:
        """Set tool, payload and watchdog. Return "" or what the controller did not take."""
        control, body = self._rtde_control, message.body
        if "tcp" in body and not control.setTcp(list(message.numbers("tcp"))):
            return "the controller did not take the tool centre point"
        centre = list(message.numbers("centre"))
        if "payload" in body and not control.setPayload(message.number("payload"), centre):
            return "the controller did not take the payload"
        return "" if control.setWatchdog(self._watchdog) else "the controller did not take the watchdog"

    def _reupload(self) -> bool:
        self._rtde_control.kickWatchdog()  # clears the last command, which a program repeats when it starts
        self._rtde_control.reuploadScript()
        end = monotonic() + 3
        while not self._rtde_control.isProgramRunning() and monotonic() < end:
            self._stopping.wait(0.02)
            if self._stopping.is_set():
                return False
        return bool(self._rtde_control.isProgramRunning())

    def _program_runs(self) -> bool:
        control = self._rtde_control
        return control is not None and control.isConnected() and control.isProgramRunning()

    def _motion_refusal(self, message: WireMessage) -> str:
        """Return why this motion may not begin, or ""."""
        if reason := self._guard.refusal(message):
            return reason
        if self._rtde_control is None or not self._rtde_control.isConnected():
            return "the controller is not connected"
        if not self._rtde_control.isProgramRunning():
            return "the control program does not run"
        return "another motion is under way" if self._operation is not None else self._guard.old_data()

    def _move(self, message: WireMessage) -> None:
        if reason := self._motion_refusal(message):
            return self._reply("refused", message, why=reason)
        before = self._rtde_control.getAsyncOperationProgressEx().operationId()
        move = self._rtde_control.moveJ if message.kind == "joints" else self._rtde_control.moveL
        speed, acceleration = message.number("speed"), message.number("acceleration")
        if not move(list(message.numbers("target")), speed, acceleration, True):
            return self._reply("refused", message, why="the controller did not take the move")
        self._operation, self._expected_id = message, (before + 1) % 128

    def _follow_path(self, message: WireMessage) -> None:
        """Begin a way of joint points. ur_rtde restarts the control program for it, with the way inside.

        Until the watchdog is set again, some 20 ms after the arm has begun to move, only this process and the
        console stop it.
        """
        self._uploaded.clear()  # before the check, so that a stop that comes after the check finds it
        try:
            if reason := self._motion_refusal(message):
                return self._reply("refused", message, why=reason)
            self._operation, self._expected_id = message, _PATH_OPERATION  # what fails is its answer
            numbers = iter(message.numbers("target"))
            if not self._rtde_control.moveJ([list(p) for p in zip(*[numbers] * _POINT, strict=True)], True):
                return self._fail("the controller did not take the path")
            if not self._rtde_control.setWatchdog(self._watchdog):
                self._stop()
                return self._fail("the controller did not take the watchdog")
        finally:
            self._uploaded.set()
        self._reply("begun", message)

    def _move_by_hand(self, message: WireMessage) -> None:
        """Begin or renew a jog or freedrive. One that has ended is not begun again by a renewal."""
        kind, renewal = message.kind, bool(message.body.get("renew"))
        if not renewal:
            reason = self._motion_refusal(message)
        elif self._operation is None or self._operation.kind != kind:
            reason = f"the {kind} has ended"
        else:
            reason = self._guard.refusal(message) or self._guard.old_data()
        if reason:
            return self._reply("refused", message, why=reason)
        self._operation, self._deadline = message, monotonic() + _HOLDS[kind]
        taken = True
        if kind == "jog":
            taken = self._rtde_control.speedJ(list(message.numbers("speed")), _JOG_ACCELERATION, 0.0)
        elif not renewal:
            taken = self._rtde_control.teachMode()
        if not taken:
            self._end_manual_motion()
            self._child_side.send("lost", why=f"the controller did not take the {kind}")

    def _move_gripper(self, message: WireMessage) -> None:
        """Begin a motion of the gripper, which needs no control program and runs in its own thread."""
        former = self._gripper_motion
        if former is not None and not former.over:
            return self._reply("refused", message, why="the gripper is moving")
        protocol = PROTOCOLS.get(message.text("protocol"))
        if protocol is None:
            return self._reply("refused", message, why="nothing here drives such a gripper")
        # Set before the check, so that a stop that comes after the check finds it, and ends it.
        self._gripper_motion = motion = protocol.motion(self._address, message, self._guard.receiver)
        if reason := self._guard.refusal(message):
            motion.over = True
            return self._reply("refused", message, why=reason)

        def report(reason: str) -> None:
            self._guard.on_motion_end(message)
            self._reply("ended", message, why=reason)

        motion.start(report)

    def _recover(self, message: WireMessage) -> None:
        if reason := self._guard.refusal(message):
            return self._reply("refused", message, why=reason)
        self._operation = message  # what fails is its answer
        for line in _RECOVERY[message.kind]:
            command(self._address, line)
        self._operation = None
        self._guard.on_motion_end(message)
        self._reply("ended", message)

    def _end_motion(self) -> None:
        """End what moves on a permit that was closed."""
        self._end_manual_motion()
        if self._gripper_motion is not None:
            self._gripper_motion.stop()
        if self._operation is not None:
            self._stop()

    def _end_manual_motion(self, brake: bool = True) -> None:
        """End jog or freedrive, unless it has ended with the program; a jog not gently if a stop follows."""
        operation = self._operation
        if operation is None or operation.kind not in _HOLDS:
            return
        self._operation = None
        self._guard.on_motion_end(operation)
        if self._program_runs() and operation.kind == "freedrive":
            self._rtde_control.endTeachMode()
        elif self._program_runs() and brake:
            self._rtde_control.speedStop(_JOG_BRAKING)
        self._reply("ended", operation)

    def _tick(self) -> None:
        control, operation = self._rtde_control, self._operation
        if control is None:
            return
        if not self._program_runs():  # without a link it may answer further questions from memory
            self._lost = True  # ur_rtde connects again by itself, and the program may go on moving the arm
            self._end_manual_motion()
            if self._operation is not None:
                connected = control.isConnected()
                self._fail(
                    "the control program was stopped" if connected else "the link to the controller is gone"
                )
            return
        if not self._lost and monotonic() - self._last_kick > _WATCHDOG_PERIOD_S:
            self._last_kick = monotonic()
            control.kickWatchdog()
        if operation is None:
            return
        if operation.kind in _HOLDS:
            if monotonic() > self._deadline:
                self._end_manual_motion()
            return
        status = control.getAsyncOperationProgressEx()
        if status.operationId() == self._expected_id and not status.isAsyncOperationRunning():
            self._operation = None
            self._reply("ended", operation)


if __name__ == "__main__":
    address, watchdog, deceleration, pedal, key = sys.argv[1:]
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})  # in every thread: one waits for it
    process = ControlProcess(address, float(watchdog), float(deceleration), pedal, int(key))
    Thread(target=process.end_with_sigterm, daemon=True).start()
    process.run()
