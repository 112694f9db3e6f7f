"""Show what the settings mean and whether everything is ready."""

from __future__ import annotations

from PySide6.QtGui import QPainter

from app.controls.painted import Painted
from app.dialogs.setup.domain_probe import SetupCheck
from app.dialogs.setup.settings_checker import SettingsReport
from app.theme import icons, paint
from app.theme import tokens as t
from app.theme.states import CHECK
from core.text.plural import plural


class SetupSummary(Painted):
    def __init__(self) -> None:
        super().__init__()
        self._report: SettingsReport | None = None
        self._waiting = True
        self.setAccessibleName("What will happen")

    def wait(self) -> None:
        """Mark the shown findings as outdated until the next report."""
        self._waiting = True
        self.update()

    def show_report(self, report: SettingsReport) -> None:
        self._report, self._waiting = report, False
        words = (report.outline.description, *(c.text for c in report.checks))
        self.setAccessibleDescription(". ".join(words))
        self.update()

    def draw(self, p: QPainter) -> None:
        w, h = self.width(), self.height()
        paint.fill(p, 0, 0, w, h, "sunken")
        paint.fill(p, 0, 0, 1, h, "hair")
        x, room, y = float(t.L), w - 2.0 * t.L, float(t.L)
        report = self._report
        if report is None:
            self._line(p, SetupCheck("", "wait", "looking"), x, y, room)
            return
        found = report.outline
        if found.description:
            paint.text(p, x, y, room, 16, "WHAT WILL HAPPEN", "micro", "muted")
            y += 18
            y += paint.wrap(p, x, y, room, found.description, "body", "text", 5) + t.S
            paint.text(p, x, y, room, 16, "GOAL", "micro", "muted")
            y += 18
            y += paint.wrap(p, x, y, room, found.goal, "strong", "ink", 3) + t.M
        paint.fill(p, x, y, room, 1, "hair")
        y += t.M
        for check in report.checks:
            y = self._line(
                p, SetupCheck("", "wait", "checking again") if self._waiting else check, x, y, room
            )
            if self._waiting:
                break
        if found.plan and not self._waiting:
            self._plan(p, found.plan, x, y + t.XS, room, h)

    def _line(self, p: QPainter, check: SetupCheck, x: float, y: float, room: float) -> float:
        state = CHECK[check.state]
        tone = state.colour if check.state in ("doubt", "fault") else "muted"
        icons.draw(p, state.icon, x, y + 2, 14, f"{tone}_fill" if tone in ("doubt", "fault") else tone)
        ink = tone if tone in ("doubt", "fault") else "text"
        return y + paint.wrap(p, x + 22, y + 1, room - 22, check.text, "small", ink, 6) + t.S

    def _plan(self, p: QPainter, plan: tuple[str, ...], x: float, y: float, room: float, h: float) -> None:
        paint.fill(p, x, y, room, 1, "hair")
        y += t.M
        paint.text(
            p, x, y, room, 16, f"THE FIRST PLAN, {plural(len(plan), 'step').upper()}", "micro", "muted"
        )
        y += 20
        fit = max(1, int((h - y - t.S) // 18))
        shown = plan if len(plan) <= fit else plan[: fit - 1]
        for i, words in enumerate(shown, 1):
            paint.text(p, x, y, 20, 18, str(i), "small", "muted", paint.RIGHT)
            paint.text(p, x + 30, y, room - 30, 18, words, "small", "text")
            y += 18
        if len(shown) < len(plan):
            paint.text(p, x + 30, y, room - 30, 18, f"and {len(plan) - len(shown)} more", "small", "muted")
