"""Name the old and the new plan, and the answer that caused the new one."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSizePolicy

from app.controls.badge import Icon
from app.controls.layout import Surface, column, label, row, set_tone
from app.controls.tooltip import set_tooltip
from app.theme import tokens as t
from core.episode_state import EpisodeState
from core.operator import PlanChange
from core.state.causes import explain
from core.text.vocabulary import Vocabulary


class PlanDiffHeader(Surface):
    """Both plans, and below them the cause of the new one, on as many lines as it needs."""

    def __init__(self) -> None:
        super().__init__("sunken", "b")
        self._old, self._new = label(role="label", tone="muted"), label(role="label", tone="accent")
        self._size, self._cause, self._sign = (
            label(role="small", wrap=True),
            label(role="small", wrap=True),
            Icon(size=13),
        )
        font = self._old.font()
        font.setStrikeOut(True)
        self._old.setFont(font)
        because = row(self._sign, (self._cause, 1), spacing=6)
        because.setAlignment(self._sign, Qt.AlignmentFlag.AlignTop)
        plans = row(self._old, Icon("arrow", size=12), self._new, (self._size, 1), spacing=6)
        self.setLayout(column(plans, because, spacing=2, margins=(t.M, 5, t.M, 6)))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)

    def show_change(self, old: str, new: str, size: str, cause: str, level: str) -> None:
        for place, words in ((self._old, old), (self._new, new), (self._size, size), (self._cause, cause)):
            if place.text() != words:
                place.setText(words)
        set_tone(self._cause, level or "text")
        self._sign.show_as("diamond" if level else "info", f"{level}_fill" if level else "muted")
        self.setAccessibleName(f"{old} becomes {new}: {size}. {cause}")
        set_tooltip(self, f"{old} → {new}: {size}\n{cause}")


def cause(revision: PlanChange, state: EpisodeState, vocabulary: Vocabulary) -> tuple[str, str]:
    """Return why there is a new plan, and its level. Amber marks the contradiction behind it, not
    the plan.
    """
    because = explain(revision.reason, state, vocabulary, revision.old_steps)
    caused = revision.reason.answer is not None or revision.reason.literals
    return f"because {because.sentence}" if caused else because.head, because.level
