"""ur_rtde's control interface in a process of its own, with one thread that commands it.

ur_rtde 1.6.5 ends its process when the link drops, hangs when the controller dies, holds the interpreter's
lock while it connects, and answers one thread's question to another. So it lives here, where all that costs
is this process. `python -m robots.ur5e.control ADDRESS WATCHDOG_HZ STOP_DECELERATION`

In: connect(tcp?, payload?, centre?), joints(operation, after, target, speed, acceleration), line(the same),
jog(after, speed, begin), jog_end, freedrive(after, on, renew), stop(number), quit.
Out: connected, refused(operation, why), started(operation), ended(operation), lost(why). A jog and freedrive
are operations too, of those names. Speeds of a jog are those of the joints, rad/s.

A motion names the last stop that its sender knew (`after`); one that knew less than this process is refused.
"""

from __future__ import annotations

import os
import sys
from queue import Empty
from threading import Event
from time import monotonic
from typing import Any

from core.arm_capabilities import FREEDRIVE_TIMEOUT, JOG_TIMEOUT
from robots.remote.child import Parent
from robots.remote.framing import Message
from robots.ur5e.dashboard import StopLine

_TICK = 0.01  # seconds between two looks at the running operation
_KICK = 0.04  # seconds between two signs of life for the controller's watchdog
_JOG_ACCELERATION, _JOG_BRAKING = 2.0, 5.0  # rad/s2
_ORPHANED = 1.5  # seconds for the command thread's own stop before the process ends


class Control:
    """The command thread is the one that calls `run`."""

    def __init__(self, address: str, watchdog: float, deceleration: float) -> None:
        self._address, self._watchdog, self._deceleration = address, watchdog, deceleration
        self._line = StopLine(address)
        self._stops = 0  # the last one heard of
        self._stopping = Event()
        self._ending = Event()
        self._c: Any = None  # RTDEControlInterface
        self._operation, self._expected = "", -1
        self._jogging = 0.0  # when the jog ends unless it is renewed
        self._free = 0.0  # when freedrive ends unless it is renewed
        self._kicked = 0.0
        self._parent = Parent(self._urgent, self._orphaned)

    # --- the reading thread --------------------------------------------------------------------------------

    def _urgent(self, message: Message) -> None:
        if message.kind == "stop":
            self._stops = max(self._stops, int(message.number("number")))
            self._line.stop()
            self._stopping.set()

    def _orphaned(self, why: str) -> None:
        """Whoever moved the arm is gone: stop it from here, first by the line that needs nobody's lock. What
        never had control stops nothing: another console may be at work."""
        self._stops = 1 << 60
        if self._c is not None:
            self._line.stop()
        self._stopping.set()
        self._ending.wait(_ORPHANED)
        os._exit(3)

    # --- the command thread --------------------------------------------------------------------------------

    def run(self) -> None:
        while True:
            try:
                message = self._parent.messages.get(timeout=_TICK)
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
            except Exception as error:  # ur_rtde raises RuntimeError for whatever it did not like
                self._fail(f"{type(error).__name__}: {error}")
        self._disconnect()
        self._line.close()

    def _fail(self, why: str) -> None:
        if self._operation:
            self._parent.send("refused", operation=self._operation, why=why)
        else:
            self._parent.send("lost", why=why)
        self._operation = ""

    def _stop(self) -> None:
        """stopJ by its owner, synchronous: an asynchronous stop turns all later ones into stopL."""
        self._stopping.clear()
        self._forget_hands()
        if self._c is not None and self._c.isConnected() and self._c.isProgramRunning():
            self._c.stopJ(self._deceleration)
        if self._stops == 1 << 60:
            self._ending.set()

    def _handle(self, message: Message) -> None:
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

    def _connect(self, message: Message) -> None:
        from rtde_control import RTDEControlInterface

        self._operation = ""
        self._forget_hands()
        if self._c is None:
            try:
                self._c = RTDEControlInterface(self._address)
            except RuntimeError as error:
                self._parent.send("refused", operation="connect", why=_explained(str(error)))
                return
        elif not self._c.isConnected():
            self._parent.send("refused", operation="connect", why="the link to the controller is gone")
            return
        elif not self._c.isProgramRunning() and not self._reupload():
            self._parent.send("refused", operation="connect", why="the control program did not start")
            return
        if "tcp" in message.body:
            self._c.setTcp(list(message.numbers("tcp")))
        if "payload" in message.body:
            self._c.setPayload(message.number("payload"), list(message.numbers("centre")))
        self._c.setWatchdog(self._watchdog)
        self._parent.send("connected")

    def _reupload(self) -> bool:
        assert self._c is not None
        self._c.kickWatchdog()  # clears the last command, a jog perhaps: the program would do it on its start
        self._c.reuploadScript()
        end = monotonic() + 3
        while not self._c.isProgramRunning() and monotonic() < end:
            self._stopping.wait(0.02)
            if self._stopping.is_set():
                return False
        return bool(self._c.isProgramRunning())

    def _may(self, message: Message) -> str:
        """Why this motion may not begin."""
        if int(message.number("after")) < self._stops:
            return "a stop came first"
        if self._c is None or not self._c.isConnected():
            return "the controller is not connected"
        if not self._c.isProgramRunning():
            return "the control program does not run"
        if self._operation or self._jogging or self._free:
            return "another motion is under way"
        return ""

    def _move(self, message: Message) -> None:
        operation, why = message.text("operation"), self._may(message)
        if why:
            self._parent.send("refused", operation=operation, why=why)
            return
        assert self._c is not None
        before = self._c.getAsyncOperationProgressEx().operationId()
        move = self._c.moveJ if message.kind == "joints" else self._c.moveL
        speed, acceleration = message.number("speed"), message.number("acceleration")
        if not move(list(message.numbers("target")), speed, acceleration, True):
            self._parent.send("refused", operation=operation, why="the controller did not take the move")
            return
        self._operation, self._expected = operation, (before + 1) % 128
        self._parent.send("started", operation=operation)

    def _jog(self, message: Message) -> None:
        """Begin, or renew: what was not renewed in time has ended, and does not begin again by itself."""
        renewal = self._jogging and not message.body.get("begin")
        why = "a stop came first" if int(message.number("after")) < self._stops else ""
        if not renewal:
            why = self._may(message) if message.body.get("begin") else "the jog has ended"
        if why:
            self._parent.send("refused", operation="jog", why=why)
            return
        assert self._c is not None
        self._jogging = monotonic() + JOG_TIMEOUT
        self._c.speedJ(list(message.numbers("speed")), _JOG_ACCELERATION, 0.0)

    def _end_jog(self) -> None:
        if self._jogging and self._c is not None:
            self._jogging = 0.0
            self._c.speedStop(_JOG_BRAKING)
            self._parent.send("ended", operation="jog")

    def _freedrive(self, message: Message) -> None:
        if message.number("on") <= 0:
            self._end_freedrive()
        elif message.body.get("renew"):  # what has ended does not begin again by it
            self._free = self._free and monotonic() + FREEDRIVE_TIMEOUT
        elif why := self._may(message):
            self._parent.send("refused", operation="freedrive", why=why)
        else:
            assert self._c is not None
            self._c.teachMode()
            self._free = monotonic() + FREEDRIVE_TIMEOUT

    def _end_freedrive(self) -> None:
        if self._free and self._c is not None:
            self._free = 0.0
            if self._c.isProgramRunning():  # whose end has ended freedrive as well
                self._c.endTeachMode()
            self._parent.send("ended", operation="freedrive")

    def _tick(self) -> None:
        if self._c is None:
            return
        if not self._c.isConnected():  # what else it is asked may then be answered from memory
            if self._operation:
                self._fail("the link to the controller is gone")
            self._jogging = self._free = 0.0
            return
        if not self._c.isProgramRunning():
            if self._operation:
                self._fail("the control program was stopped")
            self._forget_hands()
            return
        if monotonic() - self._kicked > _KICK:
            self._kicked = monotonic()
            self._c.kickWatchdog()
        if self._jogging and monotonic() > self._jogging:
            self._end_jog()
        if self._free and monotonic() > self._free:
            self._end_freedrive()
        if self._operation:
            status = self._c.getAsyncOperationProgressEx()
            if status.operationId() == self._expected and not status.isAsyncOperationRunning():
                done, self._operation = self._operation, ""
                self._parent.send("ended", operation=done)

    def _forget_hands(self) -> None:
        """A stop, or the program's end, has ended jog and freedrive as well."""
        if self._jogging:
            self._jogging = 0.0
            self._parent.send("ended", operation="jog")
        self._end_freedrive()

    def _disconnect(self) -> None:
        if self._c is not None and self._c.isConnected():
            self._c.stopScript()
            self._c.disconnect()


def _explained(why: str) -> str:
    """ur_rtde's own words, with the way out where it is known."""
    if "already in use" in why:
        return (
            "another client owns the robot's registers: on the pendant turn off EtherNet/IP, PROFINET and "
            "MODBUS (Installation, Fieldbus), and end other programs that control the arm"
        )
    if "remote control" in why:
        return "the arm is in local control: switch the pendant to Remote Control"
    if "refused" in why.lower():
        return (
            f"its script port does not answer ({why}): on the pendant enable the Real-Time Client Interface "
            "(Settings, Security, Services)"
        )
    if "Failed to start control script" in why:
        return "the control program did not start: see the pendant for a popup, a stop, or local control"
    return why


if __name__ == "__main__":
    Control(sys.argv[1], float(sys.argv[2]), float(sys.argv[3])).run()
