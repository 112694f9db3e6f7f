"""Above the belief: how likely the goal is reached, and the likeliest hypotheses."""

from __future__ import annotations

from app.controls.layout import Surface, column, label, row
from app.controls.text_rows import TextRow, TextRows
from app.presentation.goal_probability_series import GoalProbabilitySeries
from app.presentation.hypothesis_rows import SAME, HypothesisRow
from app.presentation.likelihood import fine_percent, percent
from app.theme import tokens as t
from core.text.untrusted_text import tooltip

SHARE = 6  # of the window's height, a kept height takes at most
FIGURE = 34  # px of a row's probability
LINE = "below it, the goal is claimed once making sure costs more than the doubt"


class HypothesesStrip(Surface):
    """Shown for methods that keep several hypotheses. While an episode runs it grows with its hypotheses and
    never shrinks, so that the table below stays where it is.
    """

    def __init__(self) -> None:
        super().__init__("surface", "b")
        self._text, self._figure = label("", "strong", "ink", wrap=True), label("", "caption", "text")
        self._rows = TextRows("Hypotheses", FIGURE, "small")
        head = column(row(label("Goal", "caption", "muted"), (self._text, 1)), self._figure, spacing=1)
        head.setContentsMargins(t.M, 6, t.M, 0)
        self.setLayout(column(head, self._rows))
        self.setAccessibleName("The goal, and the likeliest hypotheses")
        self.hide()

    def clear(self) -> None:
        self.setMinimumHeight(0)
        self.hide()

    def show_hypotheses(
        self, curve: GoalProbabilitySeries | None, hypotheses: tuple[HypothesisRow, ...], ended: bool = False
    ) -> None:
        self.setVisible(curve is not None and bool(hypotheses))
        if curve is None:
            return
        self._text.setText(curve.text)
        self._figure.setText(", ".join(filter(None, (curve.figure, _claims(curve)))))
        self._rows.show_rows([_row(h, i == 0, len(hypotheses)) for i, h in enumerate(hypotheses)])
        least = max(self.minimumHeight(), self.sizeHint().height())
        self.setMinimumHeight(0 if ended else min(least, self.window().height() // SHARE))
        lines = [_spoken(one) for one in hypotheses]
        lines.insert(0, f"The goal is {curve.text}: {curve.figure}")
        if curve.line:
            lines.insert(1, f"{_claims(curve)[:1].upper()}{_claims(curve)[1:]}: {LINE}")
        self.setAccessibleDescription(". ".join(lines))
        self.setToolTip(tooltip("\n".join(lines)))


def _row(one: HypothesisRow, first: bool, of: int) -> TextRow:
    words = one.brief if of > 1 else "as listed below: no other hypothesis is likely"
    return TextRow(words, percent(one.probability), tone="ink" if first else "text", note=one.cost)


def _spoken(row: HypothesisRow) -> str:
    differences = ", ".join(row.differences) or SAME
    return ": ".join(filter(None, (percent(row.probability), differences, row.cost)))


def _claims(curve: GoalProbabilitySeries) -> str:
    return f"always claimed at {fine_percent(curve.line)} or more" if curve.line else ""
