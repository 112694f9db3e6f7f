"""Show what the settings mean and whether everything is ready."""

from __future__ import annotations

from PySide6.QtCore import Qt

from app.controls.layout import Separator, Surface, column, label, scroll_area, wrap_layout
from app.controls.text_rows import TextRow, TextRows
from app.dialogs.setup.domain_probe import SetupCheck
from app.dialogs.setup.settings_checker import SettingsReport
from app.theme import tokens as t
from app.theme.states import CHECK
from core.text.plural import plural

LOOKING = SetupCheck("", "wait", "looking")


class SetupSummary(Surface):
    def __init__(self) -> None:
        super().__init__("sunken")
        self._what, self._goal = label("", "body", wrap=True), label("", "strong", "ink", wrap=True)
        self._heads = [label(words, "micro", "muted") for words in ("WHAT WILL HAPPEN", "GOAL", "")]
        self._checks, self._plan = TextRows("Checks", role="small"), TextRows("The first plan", 20, "small")
        about = column(self._heads[0], self._what, self._heads[1], self._goal, spacing=t.XS)
        about.setContentsMargins(t.L, t.L, t.L, t.S)
        plan = column(self._heads[2], margins=(t.L, t.S, t.L, 0))
        parts = column(about, Separator(), self._checks, Separator(), plan, self._plan, 1)
        area = scroll_area(wrap_layout(parts))
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setLayout(column(area))
        self.setAccessibleName("What will happen")
        for head in self._heads:
            head.hide()
        self._show_checks((LOOKING,))

    def wait(self) -> None:
        """Mark the shown findings as outdated until the next report."""
        self._show_checks((SetupCheck("", "wait", "checking again"),))

    def show_report(self, report: SettingsReport) -> None:
        found = report.outline
        self._what.setText(found.description)
        self._goal.setText(found.goal)
        for head in self._heads:
            head.setVisible(bool(found.description))
        self._show_checks(report.checks)
        self._heads[2].setText(
            f"THE FIRST PLAN, {plural(len(found.plan), 'step').upper()}" if found.plan else ""
        )
        self._plan.show_rows([TextRow(step, str(i), tone="text") for i, step in enumerate(found.plan, 1)])
        words = (found.description, *(c.text for c in report.checks))
        self.setAccessibleDescription(". ".join(words))

    def _show_checks(self, checks: tuple[SetupCheck, ...]) -> None:
        self._checks.show_rows(list(map(_row, checks)))


def _row(check: SetupCheck) -> TextRow:
    state = CHECK[check.state]
    bad = check.state in ("doubt", "fault")
    tones = (state.colour, f"{state.colour}_fill") if bad else ("text", "muted")
    return TextRow(check.text, "", state.icon, *tones)
