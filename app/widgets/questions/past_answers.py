"""Below the cards: how often was this model right here before?"""

from __future__ import annotations

from PySide6.QtWidgets import QSizePolicy

from app.controls.badge import Icon
from app.controls.layout import Surface, label, row
from app.controls.tooltip import set_tooltip
from app.presentation.formatting import answerer_name
from app.theme import tokens as t
from core.review.past_answers import PastAnswers
from core.text.plural import plural

FEW = 10  # judged answers below which the share is only hinted at


class PastAnswersView(Surface):
    """Hidden until there is something to tell."""

    def __init__(self) -> None:
        super().__init__("surface", "t")
        self.past: PastAnswers | None = None
        self._words = label("", "small", wrap=True)
        self.setLayout(row(Icon("clock", size=14), (self._words, 1), margins=(t.M, t.S, t.M, t.S)))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.hide()

    def show_past(self, past: PastAnswers | None) -> None:
        self.past = past
        if past is not None and past.judged:
            self._words.say(summary(past), "muted" if past.judged < FEW else "text")
            low, high = (100 * share for share in past.interval)
            set_tooltip(self, f"{past.model}: between {low:.0f} and {high:.0f} % of such answers are right.")
            self.setAccessibleName(summary(past))
        self.setVisible(past is not None and past.judged > 0)


def summary(past: PastAnswers) -> str:
    """Return words such as "gpt was right 41 of 52 times about such a question"."""
    times = f"{past.right} of {plural(past.judged, 'time')}"
    return f"{answerer_name(past.model)} was right {times} about such a question"
