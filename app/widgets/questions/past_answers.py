"""Below the cards: has this model been wrong here before? Past pictures of the predicate, and the share."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QIcon, QImage, QPixmap
from PySide6.QtWidgets import QSizePolicy, QToolButton

from app.controls.badge import Icon
from app.controls.layout import Surface, clear_layout, column, label, row
from app.controls.tooltip import set_tooltip
from app.presentation.formatting import answerer_name, spaced
from app.theme import styling
from app.theme import tokens as t
from app.theme.states import VERDICT
from core.review.past_answers import PastAnswer, PastAnswers

SIDE = 48  # px of a picture
FEW = 10  # judged answers below which the share is only hinted at


class PastAnswersView(Surface):
    """Hidden until there is something to tell. A click on a past picture opens its moment in the review."""

    opened = Signal(str, int)  # episode, record number

    def __init__(self) -> None:
        super().__init__("surface", "t")
        self.past: PastAnswers | None = None
        self._words, self._pictures = label("", "small", wrap=True), row(1, spacing=t.XS)
        head = row(Icon("clock", size=14), (self._words, 1))
        self.setLayout(column(head, self._pictures, spacing=t.XS, margins=(t.M, t.S, t.M, t.S)))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.hide()

    def show_past(self, past: PastAnswers | None, pictures: Mapping[str, QImage]) -> None:
        """Show what is known, with the pictures by their ids: nothing without a judged answer."""
        self.past = past
        clear_layout(self._pictures, keep=1)
        if past is not None:
            self._words.say(summary(past), "muted" if past.judged < FEW else "text")
            low, high = past.interval if past.judged else (0.0, 1.0)
            set_tooltip(
                self,
                f"{past.model}: between {100 * low:.0f} and {100 * high:.0f} % of such answers are right.",
            )
            self.setAccessibleName(summary(past))
            self.setAccessibleDescription("; ".join(f"{p.atom} {describe(p)}" for p in past.latest))
            for i, answer in enumerate(past.latest):
                self._pictures.insertWidget(i, self._button(answer, pictures.get(answer.frame)))
        self.setVisible(past is not None and past.judged > 0)

    def _button(self, answer: PastAnswer, picture: QImage | None) -> QToolButton:
        right = "right" if answer.right else "wrong"
        button = QToolButton()
        button.setText(f"{right}:\nsaid {VERDICT[answer.model].word}")
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setIconSize(QSize(SIDE, SIDE))
        button.setFont(styling.font("caption"))
        button.setProperty("tone", "" if answer.right else "fault")
        if picture is not None:
            button.setIcon(QIcon(QPixmap.fromImage(picture)))
        set_tooltip(button, f"{answer.atom} {describe(answer)}. A click opens its moment.")
        button.clicked.connect(partial(self.opened.emit, answer.episode, answer.number))
        return button


def summary(past: PastAnswers) -> str:
    """Return words such as "gpt on “inside”: right 41 of 52 times so far"."""
    who = f"{answerer_name(past.model)} on “{spaced(past.predicate)}”"
    if not past.judged:
        return f"{who}: nobody has judged an answer"
    return f"{who}: right {past.right} of {past.judged} times so far"


def describe(answer: PastAnswer) -> str:
    """Return what was answered and who was right, such as "said yes; ada: no"."""
    return f"said {VERDICT[answer.model].word}; {answer.judge}: {VERDICT[answer.truth].word}"
