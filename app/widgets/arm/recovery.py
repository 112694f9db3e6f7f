"""The recovery from a stop, or the way to a start: numbered steps that cannot be skipped."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import QScrollArea, QSizePolicy, QWidget

from app.controls.button import Button
from app.controls.layout import column, label, row, set_tone
from app.controls.painted import Painted
from app.theme import icons, paint
from app.theme import tokens as t
from core.arm.arm_capabilities import RecoveryState, RecoveryStep, SupportsRecovery
from core.loop.permit_issuer import ManualActuation
from core.permit import PermitKind

WAIT = 5.0  # seconds that the controller wants; what is shown is what it tells
REVEALS = 5  # looks at the arm in which a new step is brought into sight
STOPPED = ("See the cause", "Check the cell and confirm", "Wait at least 5 s", "Release the stop", "Check")
ELSEWHERE = ("Fix the cause", "Switch the arm on, if it is off", "Check")
STARTING = ("Switch the arm on", "Release the brakes", "Check and make ready")
WORDS = {
    RecoveryStep.ACKNOWLEDGE: "I checked: the cause is gone",
    RecoveryStep.UNLOCK: "Hold to release the stop",
    RecoveryStep.POWER_ON: "Hold to switch the arm on",
    RecoveryStep.RELEASE_BRAKES: "Hold to release the brakes",
    RecoveryStep.READY: "Hold to make the arm ready",
}
DONE = {
    RecoveryStep.ACKNOWLEDGE: "looked at the cell and confirmed",
    RecoveryStep.UNLOCK: "released the protective stop",
    RecoveryStep.POWER_ON: "switched the arm on",
    RecoveryStep.RELEASE_BRAKES: "released the brakes",
    RecoveryStep.READY: "made the arm ready",
}


class RecoverySteps(Painted):
    """The numbers of the steps on a line; done steps have a check mark, the open one is filled."""

    GROUND = "surface"

    def __init__(self) -> None:
        super().__init__()
        self._names: tuple[str, ...] = ()
        self._open, self._words, self._wait = 0, "", 0.0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Recovery")

    def show_steps(self, names: tuple[str, ...], open_: int, words: str, wait: float) -> None:
        now = (names, open_, words, round(wait, 1))
        if now != (self._names, self._open, self._words, self._wait):
            self._names, self._open, self._words, self._wait = now
            self.setAccessibleDescription(f"{open_ + 1} of {len(names)}: {words}")
            self.setFixedHeight(sum(self._row_height(i) for i in range(len(names))) + t.S)
            self.update()

    def _row_height(self, i: int) -> int:
        if i != self._open:
            return 28
        lines = len(paint.lines(self._words, "small", max(60, self.width() - 3 * t.M - 26), 4))
        return 30 + 16 * lines + (36 if self._wait else 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.setFixedHeight(sum(self._row_height(i) for i in range(len(self._names))) + t.S)

    def draw(self, p: QPainter) -> None:
        y = 4.0
        for i, name in enumerate(self._names):
            high = self._row_height(i)
            if i + 1 < len(self._names):
                ink = "muted" if i < self._open else "edge"
                paint.line(p, t.M + 10.5, y + 22, t.M + 10.5, y + high + 2, ink)
            self._number(p, i, y)
            ink = "ink" if i <= self._open else "muted"
            role = "strong" if i == self._open else "label"
            paint.text(p, t.M + 32, y + 2, self.width() - t.M - 40, 18, name, role, ink)
            if i == self._open:
                self._opened(p, y + 20)
            y += high

    def _number(self, p: QPainter, i: int, y: float) -> None:
        if i < self._open:
            paint.box(p, t.M, y, 21, 21, None, "muted", 10.5, 1.5)
            icons.draw(p, "check", t.M + 4, y + 4, 13, "text")
        elif i == self._open:
            paint.box(p, t.M, y, 21, 21, "accent", None, 10.5)
            paint.text(p, t.M, y, 21, 21, str(i + 1), "label", "on_accent", paint.CENTRE)
        else:
            paint.box(p, t.M, y, 21, 21, None, "edge", 10.5, 1.5)
            paint.text(p, t.M, y, 21, 21, str(i + 1), "label", "muted", paint.CENTRE)

    def _opened(self, p: QPainter, y: float) -> None:
        left, room = t.M + 32.0, self.width() - 3 * t.M - 26
        if self._wait:
            x = left + paint.text(p, left, y, room, 22, f"{self._wait:.1f} s", "title", "accent") + t.S
            paint.text(p, x, y + 1, room, 22, "left", "small", "muted")
            paint.box(p, left, y + 25, room, 4, "raised", None, 2)
            done = 1 - min(1.0, self._wait / WAIT)
            paint.box(p, left, y + 25, max(4.0, room * done), 4, "accent", None, 2)
            y += 36
        paint.wrap(p, left, y, room, self._words, "small", "muted", 4)


class RecoveryControls(QWidget):
    """Visible only if something can be done here, or only at the pendant."""

    action_done = Signal(str)

    def __init__(self, robot: SupportsRecovery, actuate: ManualActuation) -> None:
        super().__init__()
        self._robot, self._actuate = robot, actuate
        self._way: RecoveryStep | None = None
        self._starting, self._reveals = False, 0
        self._passed = False  # something was done here, and the last station is shown until the arm is ready
        self._steps_view = RecoverySteps()
        self.button = Button("", kind="primary")
        self.button.activated.connect(self._do)
        self._failed = label("", "small", "doubt", wrap=True)
        self._head = label("", "label", "ink")
        self._body = column(
            row(self._head, 1, margins=(t.M, t.S, t.M, t.S)),
            self._steps_view,
            row(self._failed, margins=(t.M, 0, t.M, 0)),
            row(self.button, margins=(t.M, t.XS, t.M, t.M)),
        )
        self.setLayout(self._body)
        self.hide()

    def show_arm(self, real: bool, cause: str, ready: bool) -> None:
        """Update the controls. `cause` is why the arm stopped by itself; `ready` is True if no
        check fails.
        """
        now = self._robot.recovery
        if now.next_step in (RecoveryStep.POWER_ON, RecoveryStep.RELEASE_BRAKES, RecoveryStep.READY):
            self._starting = True
        elif now.next_step is not None:
            self._starting = False
        if ready or (now.next_step is None and not self._passed and not now.on_site_only):
            self._passed = False
            self.hide()
            return
        names, open_ = self._place(now)
        self._head.setText("Start the arm" if self._starting else "Recovery")
        words = now.message
        if open_ + 1 == len(names) and now.next_step is None and self._passed:
            words = "Modes, payload, tool, watchdog; then Resume releases"
        if cause and now.next_step is RecoveryStep.ACKNOWLEDGE:
            words = f"{cause}: {now.message}"
        self._steps_view.show_steps(names, open_, _sentence(words), now.wait_seconds)
        self._button(now, real)
        self._failed.setText(now.failure)
        self._failed.setVisible(bool(now.failure))
        self.show()
        if self._reveals > 0:
            self._reveal()

    def _place(self, now: RecoveryState) -> tuple[tuple[str, ...], int]:
        if self._starting:
            return STARTING, {RecoveryStep.POWER_ON: 0, RecoveryStep.RELEASE_BRAKES: 1}.get(
                now.next_step, 2
            ) if now.next_step else 2
        match now.next_step:
            case RecoveryStep.ACKNOWLEDGE:
                return STOPPED, 1
            case RecoveryStep.UNLOCK:
                return STOPPED, 2 if now.wait_seconds > 0 else 3
        return (ELSEWHERE, 0) if now.on_site_only else (STOPPED, 4)

    def _button(self, now: RecoveryState, real: bool) -> None:
        if now.next_step is not self._way:
            self.button.cancel_hold()  # what was held for is over
            self._reveals = REVEALS if now.next_step is not None else 0
        self._way = now.next_step
        self.button.setVisible(now.next_step is not None)
        if now.next_step is None:
            return
        self.button.hold = real or now.next_step is not RecoveryStep.ACKNOWLEDGE
        words = WORDS[now.next_step]
        if now.busy:
            words = "Under way…"
        elif now.wait_seconds > 0:
            words = f"{words}, in {now.wait_seconds:.0f} s"
        elif real and now.next_step is RecoveryStep.ACKNOWLEDGE:
            words = f"Hold: {words}"
        self.button.relabel(words, "lock" if now.wait_seconds > 0 or now.busy else "")
        self.button.setEnabled(not now.busy and now.wait_seconds <= 0)
        set_tone(self._failed, "doubt")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._way is not None:
            self._reveals = REVEALS

    def _reveal(self) -> None:
        """Scroll the next step into view in a low window."""
        self._reveals -= 1
        area = self.parentWidget()
        while area is not None and not isinstance(area, QScrollArea):
            area = area.parentWidget()
        if area is not None:
            area.ensureWidgetVisible(self.button, 0, t.M)

    def _do(self) -> None:
        way = self._way
        if way is None:
            return
        reason = self._actuate(PermitKind.RECOVERY, way, partial(self._robot.recover, way))
        self._failed.setText(reason)
        self._failed.setVisible(bool(reason))
        if not reason:
            self._passed = True
            self.action_done.emit(DONE[way])


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:].rstrip(".") + "."
