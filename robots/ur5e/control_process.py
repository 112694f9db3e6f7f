"""ur_rtde's control interface in its own process, commanded by one thread.

ur_rtde 1.6.5 ends its process when the link drops, hangs when the controller dies, holds the GIL while it
connects, and gives the answer to one thread's question to another. It runs here so that these defects can
harm only this process.
Run: `python -m robots.ur5e.control_process ADDRESS WATCHDOG_HZ STOP_DECELERATION PEDAL KEY`

In: connect(tcp?, payload?, centre?), joints(operation, after, target, speed, acceleration), line(the same),
jog(after, speed, begin), jog_end, freedrive(after, on, renew), activate(operation, after, seconds),
grip(operation, after, position, speed, force, seconds), grip_stop, stop(number, seen), quit.
Out: connected, refused(operation, why), started(operation), ended(operation), lost(why), stopped(count, why).
Jog and freedrive are operations too, named "jog" and "freedrive". The speeds of a jog are joint speeds in
rad/s.

A motion names the last stop that its sender knew of (`after`). It is refused if this process knows of a later
stop, or has stopped by itself since (`StopGuard`).
"""

from __future__ import annotations

import os
import sys
from queue import Empty
from threading import Event
from time import monotonic
from typing import Any

from core.arm.arm_capabilities import FREEDRIVE_TIMEOUT, JOG_TIMEOUT
from robots.remote.child_side import ChildSide
from robots.remote.wire_message import WireMessage
from robots.ur5e.gripper_motion import GripperMotion
from robots.ur5e.stop_guard import StopGuard

_TICK = 0.01  # seconds between two checks of the running operation
_WATCHDOG_PERIOD = 0.04  # seconds between two kicks of the controller's watchdog
_JOG_ACCELERATION, _JOG_BRAKING = 2.0, 5.0  # rad/s2
_ORPHAN_STOP_TIMEOUT = 1.5  # seconds allowed for the command thread's own stop before the process ends


class ControlProcess:
    """Runs operations on the arm. The thread that calls `run` is the command thread."""

    def __init__(self, address: str, watchdog: float, deceleration: float, pedal: str, key: int) -> None:
        self._address, self._watchdog, self._deceleration = address, watchdog, deceleration
        self._stopping = Event()
        self._ending = Event()
        self._rtde_control: Any = None  # RTDEControlInterface
        self._operation, self._expected_id = "", -1
        self._jog_deadline = 0.0  # when the jog ends unless it is renewed
        self._freedrive_deadline = 0.0  # when freedrive ends unless it is renewed
        self._last_kick = 0.0
        self._gripper_motion: GripperMotion | None = None
        self._guard = StopGuard(address, self._interrupt, self._tell_of_stop, pedal, key)
        self._child_side = ChildSide(self._on_message, self._on_orphaned)
        self._guard.listen(self._child_side.operator, self._moves)

    # --- any thread ----------------------------------------------------------------------------------------

    def _on_message(self, message: WireMessage) -> None:
        if message.kind == "stop":
            self._guard.on_stop_message(message)

    def _on_orphaned(self, reason: str) -> None:
        self._guard.on_orphaned()
        self._ending.wait(_ORPHAN_STOP_TIMEOUT)
        os._exit(3)

    def _moves(self) -> bool:
        grips = self._gripper_motion is not None and not self._gripper_motion.over
        return bool(grips or self._operation or self._jog_deadline or self._freedrive_deadline)

    def _interrupt(self) -> None:
        """End what is under way, without waiting: the command thread may be blocked in ur_rtde."""
        if self._gripper_motion is not None:
            self._gripper_motion.stop()
        self._stopping.set()

    def _tell_of_stop(self, reason: str, count: int) -> None:
        self._child_side.send("stopped", count=count, why=reason)

    # --- the command thread --------------------------------------------------------------------------------

    def run(self) -> None:
        while True:
            try:
                message = self._child_side.messages.get(timeout=_TICK)
            except Empty:
                message = None
            try:
                if self._stopping.is_set():
                    self._stop()
                if message is not None:
                    if message.kind == "quit":
                        break
                    self._handle(message)
                self._tick()
            except Exception as error:  # ur_rtde raises RuntimeError for every kind of failure
                self._fail(f"{type(error).__name__}: {error}")
        self._disconnect()
        self._guard.close()

    def _fail(self, reason: str) -> None:
        if self._operation:
            self._child_side.send("refused", operation=self._operation, why=reason)
        else:
            self._child_side.send("lost", why=reason)
        self._operation = ""

    def _stop(self) -> None:
        """Send stopJ from the thread that owns ur_rtde, synchronously: an asynchronous stop turns all later
        ones into stopL.
        """
        self._stopping.clear()
        self._end_manual_motion()
        if (
            self._rtde_control is not None
            and self._rtde_control.isConnected()
            and self._rtde_control.isProgramRunning()
        ):
            self._rtde_control.stopJ(self._deceleration)
        if self._guard.orphaned:
            self._ending.set()

    def _handle(self, message: WireMessage) -> None:
        match message.kind:
            case "connect":
                self._connect(message)
            case "joints" | "line":
                self._move(message)
            case "jog":
                self._jog(message)
            case "jog_end":
                self._end_jog()
            case "freedrive":
                self._freedrive(message)
            case "grip" | "activate":
                self._move_gripper(message)
            case "grip_stop" if self._gripper_motion is not None:
                self._gripper_motion.stop()

    def _connect(self, message: WireMessage) -> None:
        from rtde_control import RTDEControlInterface

        self._operation = ""
        self._end_manual_motion()
        if self._rtde_control is None:
            try:
                self._rtde_control = RTDEControlInterface(self._address)
                self._guard.has_control = True
            except RuntimeError as error:
                self._child_side.send("refused", operation="connect", why=str(error))
                return
        elif not self._rtde_control.isConnected():
            self._child_side.send("refused", operation="connect", why="the link to the controller is gone")
            return
        elif not self._rtde_control.isProgramRunning() and not self._reupload():
            self._child_side.send("refused", operation="connect", why="the control program did not start")
            return
        if "tcp" in message.body:
            self._rtde_control.setTcp(list(message.numbers("tcp")))
        if "payload" in message.body:
            self._rtde_control.setPayload(message.number("payload"), list(message.numbers("centre")))
        self._rtde_control.setWatchdog(self._watchdog)
        self._child_side.send("connected")

    def _reupload(self) -> bool:
        assert self._rtde_control is not None
        self._rtde_control.kickWatchdog()  # clears the last command, which a program repeats when it starts
        self._rtde_control.reuploadScript()
        end = monotonic() + 3
        while not self._rtde_control.isProgramRunning() and monotonic() < end:
            self._stopping.wait(0.02)
            if self._stopping.is_set():
                return False
        return bool(self._rtde_control.isProgramRunning())

    def _motion_refusal(self, message: WireMessage) -> str:
        """Return why this motion may not begin, or ""."""
        if reason := self._guard.refusal(message):
            return reason
        if self._rtde_control is None or not self._rtde_control.isConnected():
            return "the controller is not connected"
        if not self._rtde_control.isProgramRunning():
            return "the control program does not run"
        if self._operation or self._jog_deadline or self._freedrive_deadline:
            return "another motion is under way"
        return ""

    def _move(self, message: WireMessage) -> None:
        operation, reason = message.text("operation"), self._motion_refusal(message)
        if reason:
            self._child_side.send("refused", operation=operation, why=reason)
            return
        assert self._rtde_control is not None
        before = self._rtde_control.getAsyncOperationProgressEx().operationId()
        move = self._rtde_control.moveJ if message.kind == "joints" else self._rtde_control.moveL
        speed, acceleration = message.number("speed"), message.number("acceleration")
        if not move(list(message.numbers("target")), speed, acceleration, True):
            self._child_side.send("refused", operation=operation, why="the controller did not take the move")
            return
        self._operation, self._expected_id = operation, (before + 1) % 128
        self._child_side.send("started", operation=operation)

    def _jog(self, message: WireMessage) -> None:
        """Begin or renew a jog.

        A jog that was not renewed in time has ended, and a renewal does not begin it again.
        """
        renewal = self._jog_deadline and not message.body.get("begin")
        reason = self._guard.refusal(message)
        if not renewal:
            reason = self._motion_refusal(message) if message.body.get("begin") else "the jog has ended"
        if reason:
            self._child_side.send("refused", operation="jog", why=reason)
            return
        assert self._rtde_control is not None
        self._jog_deadline = monotonic() + JOG_TIMEOUT
        self._rtde_control.speedJ(list(message.numbers("speed")), _JOG_ACCELERATION, 0.0)

    def _end_jog(self) -> None:
        if self._jog_deadline and self._rtde_control is not None:
            self._jog_deadline = 0.0
            self._rtde_control.speedStop(_JOG_BRAKING)
            self._child_side.send("ended", operation="jog")

    def _freedrive(self, message: WireMessage) -> None:
        if message.number("on") <= 0:
            self._end_freedrive()
        elif message.body.get("renew"):  # a renewal does not begin freedrive again after its end
            self._freedrive_deadline = self._freedrive_deadline and monotonic() + FREEDRIVE_TIMEOUT
        elif reason := self._motion_refusal(message):
            self._child_side.send("refused", operation="freedrive", why=reason)
        else:
            assert self._rtde_control is not None
            self._rtde_control.teachMode()
            self._freedrive_deadline = monotonic() + FREEDRIVE_TIMEOUT

    def _move_gripper(self, message: WireMessage) -> None:
        """Begin a motion of the gripper, which needs no control program and runs in its own thread."""
        operation, former = message.text("operation"), self._gripper_motion
        if former is not None and not former.over:
            self._child_side.send("refused", operation=operation, why="the gripper is moving")
            return
        # Set before the check, so that a stop that comes after the check finds it, and ends it.
        self._gripper_motion = motion = GripperMotion(self._address, message)
        if reason := self._guard.refusal(message):
            motion.over = True
            self._child_side.send("refused", operation=operation, why=reason)
            return
        motion.start(lambda reason: self._child_side.send("ended", operation=operation, why=reason))

    def _end_freedrive(self) -> None:
        if self._freedrive_deadline and self._rtde_control is not None:
            self._freedrive_deadline = 0.0
            if self._rtde_control.isProgramRunning():  # if not, its end has ended freedrive as well
                self._rtde_control.endTeachMode()
            self._child_side.send("ended", operation="freedrive")

    def _tick(self) -> None:
        if self._rtde_control is None:
            return
        if not self._rtde_control.isConnected():  # without a link it may answer further questions from memory
            if self._operation:
                self._fail("the link to the controller is gone")
            self._jog_deadline = self._freedrive_deadline = 0.0
            return
        if not self._rtde_control.isProgramRunning():
            if self._operation:
                self._fail("the control program was stopped")
            self._end_manual_motion()
            return
        if monotonic() - self._last_kick > _WATCHDOG_PERIOD:
            self._last_kick = monotonic()
            self._rtde_control.kickWatchdog()
        if self._jog_deadline and monotonic() > self._jog_deadline:
            self._end_jog()
        if self._freedrive_deadline and monotonic() > self._freedrive_deadline:
            self._end_freedrive()
        if self._operation:
            status = self._rtde_control.getAsyncOperationProgressEx()
            if status.operationId() == self._expected_id and not status.isAsyncOperationRunning():
                done, self._operation = self._operation, ""
                self._child_side.send("ended", operation=done)

    def _end_manual_motion(self) -> None:
        """Record that jog and freedrive have ended with a stop or with the program."""
        if self._jog_deadline:
            self._jog_deadline = 0.0
            self._child_side.send("ended", operation="jog")
        self._end_freedrive()

    def _disconnect(self) -> None:
        if self._rtde_control is not None and self._rtde_control.isConnected():
            self._rtde_control.stopScript()
            self._rtde_control.disconnect()


if __name__ == "__main__":
    address, watchdog, deceleration, pedal, key = sys.argv[1:]
    ControlProcess(address, float(watchdog), float(deceleration), pedal, int(key)).run()
