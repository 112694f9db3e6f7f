"""The recovery from a stop, or the way to a start: numbered steps that cannot be skipped."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QProgressBar, QScrollArea, QWidget

from app.controls.button import Button
from app.controls.layout import column, label, row, wrap_layout
from app.controls.text_rows import TextRow, TextRows
from app.theme import tokens as t
from core.arm.arm_capabilities import RecoveryState, RecoveryStep, SupportsRecovery
from core.loop.permit_issuer import ManualActuation
from core.permit import PermitKind
from core.state.causes import capitalised

WAIT = 5.0  # seconds that the controller wants; what is shown is what it tells
REVEALS = 5  # looks at the arm in which a new step is brought into sight
STOPPED = ("See the cause", "Check the cell and confirm", "Wait at least 5 s", "Release the stop", "Check")
ELSEWHERE = ("Fix the cause", "Switch the arm on, if it is off", "Check")
RELEASING = ("Release the stop",)
STARTING = ("Switch the arm on", "Release the brakes", "Check and make ready")
WORDS = {
    RecoveryStep.ACKNOWLEDGE: "I checked: the cause is gone",
    RecoveryStep.UNLOCK: "Hold to release the stop",
    RecoveryStep.POWER_ON: "Hold to switch the arm on",
    RecoveryStep.RELEASE_BRAKES: "Hold to release the brakes",
    RecoveryStep.READY: "Hold to make the arm ready",
    RecoveryStep.RELEASE: "Hold to release the stop",
}
DONE = {
    RecoveryStep.ACKNOWLEDGE: "looked at the cell and confirmed",
    RecoveryStep.UNLOCK: "released the protective stop",
    RecoveryStep.POWER_ON: "switched the arm on",
    RecoveryStep.RELEASE_BRAKES: "released the brakes",
    RecoveryStep.READY: "made the arm ready",
    RecoveryStep.RELEASE: "released the stop",
}


class RecoveryControls(QWidget):
    """Visible only if something can be done here, or only at the pendant."""

    action_done = Signal(str)

    def __init__(self, robot: SupportsRecovery, actuate: ManualActuation) -> None:
        super().__init__()
        self._robot, self._actuate = robot, actuate
        self._way: RecoveryStep | None = None
        self.idle = True  # no episode runs, which would ask for the release of a stop
        self._starting, self._reveals = False, 0
        self._passed = False  # something was done here, and the last station is shown until the arm is ready
        self._rows, self._left = TextRows("Steps"), label("", "label", "accent")
        self._wait = QProgressBar(maximum=100, textVisible=False)
        self._waiting = wrap_layout(row((self._wait, 1), self._left, margins=(2 * t.M + 14, 0, t.M, 0)))
        self.button = Button("", kind="primary")
        self.button.activated.connect(self._do)
        self._failed = label("", "small", "doubt", wrap=True)
        self._head = label("", "label", "ink")
        self._head.setContentsMargins(t.M, t.S, t.M, t.S)
        self._failed.setContentsMargins(t.M, 0, t.M, 0)
        button = row(self.button, margins=(t.M, t.XS, t.M, t.M))
        self.setLayout(column(self._head, self._rows, self._waiting, self._failed, button))
        self.setAccessibleName("Recovery")
        self.hide()

    def show_arm(self, real: bool, cause: str, ready: bool, by_hand: bool) -> None:
        """Update the controls. `cause` is why the arm stopped by itself; `ready` is True if no
        check fails, `by_hand` if none does that a person needs to move the arm.
        """
        now = self._robot.recovery
        if self.idle and now.halted and by_hand and now.next_step is None:
            now, ready = replace(now, next_step=RecoveryStep.RELEASE, message="nothing moves by it"), False
        if self.idle and by_hand and now.next_step is RecoveryStep.READY:
            ready = False
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
            words = "Checking modes, payload, tool and watchdog. Then hold Resume"
        if cause and now.next_step is RecoveryStep.ACKNOWLEDGE:
            words = f"{cause}: {now.message}"
        self._show_steps(names, open_, f"{capitalised(words).rstrip('.')}.", now.wait_seconds)
        self._button(now, real)
        self._failed.setText(now.failure)
        self._failed.setVisible(bool(now.failure))
        self.show()
        if self._reveals > 0:
            self._reveal()

    @property
    def offers_release(self) -> bool:
        """Return True while a stop is in force that is to be released here."""
        return self._way is RecoveryStep.RELEASE and not self.isHidden()

    def _show_steps(self, names: tuple[str, ...], open_: int, words: str, wait: float) -> None:
        """Show the steps: done ones have a check mark, the open one says what it wants."""
        rows: list[TextRow] = []
        for i, name in enumerate(names):
            later = ("dot", "edge") if i > open_ else ("arrow", "accent")
            icon, ink = ("check", "muted") if i < open_ else later
            said = f"{i + 1}  {name}" + (f"\n{words}" if i == open_ else "")
            rows.append(TextRow(said, "", icon, "ink" if i == open_ else "muted", ink))
        self._rows.show_rows(rows)
        self._waiting.setVisible(bool(wait))
        self._wait.setValue(round(100 - 100 * min(1.0, wait / WAIT)))
        self._left.setText(f"{wait:.1f} s left")
        self.setAccessibleDescription(f"{open_ + 1} of {len(names)}: {words}")

    def _place(self, now: RecoveryState) -> tuple[tuple[str, ...], int]:
        if self._starting:
            steps = (RecoveryStep.POWER_ON, RecoveryStep.RELEASE_BRAKES)
            return STARTING, steps.index(now.next_step) if now.next_step in steps else 2
        match now.next_step:
            case RecoveryStep.RELEASE:
                return RELEASING, 0
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
            area.horizontalScrollBar().setValue(0)  # in a narrow panel the words begin at the left

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
