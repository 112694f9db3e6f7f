"""The card of a logged question for a reviewer: only picture and question until it is labelled."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QImage, QResizeEvent
from PySide6.QtWidgets import QProgressBar

from app.controls.button import Button
from app.controls.layout import Surface, column, label, row, wrap_layout
from app.controls.text_rows import TextRow, TextRows
from app.review.question_view import QuestionView, ReviewProgress
from app.theme import tokens as t
from app.widgets.camera.picture_view import QuestionPicture
from core.belief import Verdict
from core.ports import BoundingBox

HIGH, SIDE, SMALL = 252, 200, 132  # px: the card, its picture, and that of a narrow card
NARROW = 520
SAYS = (("Yes", "disc", "Y", Verdict.YES), ("No", "ring", "N", Verdict.NO))
CANNOT = ("Can't tell", "dashring", "U", Verdict.UNKNOWN)
HIDDEN = "What the model answered, and everything that depends on it, stays hidden until you answer."
NOTHING = "No question was asked yet at this moment."


class ReviewCard(Surface):
    """Emits verdicts about the question's text."""

    judged = Signal(object)  # Verdict

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(HIGH)
        self._picture, self._below = QuestionPicture(SIDE), label("", "caption", "muted")
        self._head, self._question = label("", "micro", "muted"), label("", "title", "ink", wrap=True)
        self._known = TextRows("What is known", role="small")
        self._done = QProgressBar(textVisible=False)
        self._progress, self._undo = label("", "caption", "muted"), label("", "caption", "muted")
        self.buttons = [self._button(*one) for one in (*SAYS, CANNOT)]
        seen = column(self._picture, self._below, 1, spacing=t.XS)
        counted = row((self._progress, 1), self._undo)
        keys = row(*((button, 1) for button in self.buttons))
        words = column(self._head, self._question, (self._known, 1), keys, self._done, counted, spacing=t.XS)
        self._parts = wrap_layout(row(seen, (words, 1), spacing=t.L, margins=(t.M, t.M, t.M, t.S)))
        self._none = label(NOTHING, "body", "muted")
        self._none.setContentsMargins(t.M, t.M, t.M, t.M)
        self._none.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.setLayout(column(self._none, self._parts))
        self.show_question(None, None, None, None)

    def _button(self, words: str, icon: str, key: str, verdict: Verdict) -> Button:
        button = Button(words, icon, key)
        button.clicked.connect(lambda: self.judged.emit(verdict))
        return button

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        side = SMALL if self.width() < NARROW else SIDE
        self._picture.setFixedSize(side, side)

    def show_question(
        self,
        seen: QuestionView | None,
        progress: ReviewProgress | None,
        image: QImage | None,
        box: BoundingBox | None,
    ) -> None:
        self.seen, self.progress = seen, progress
        self._none.setVisible(seen is None)
        self._parts.setVisible(seen is not None)
        for button in self.buttons:
            button.setEnabled(seen is not None)
        if seen is None:
            return
        known = "" if seen.blind else f" {'. '.join(words for _, _, words in seen.lines)}."
        self.setAccessibleName(f"{seen.question}{known}")
        self._picture.show_picture(image, box)
        self._below.setText(f"Q{seen.number} · {'picture as asked' if image else 'without a picture'}")
        self._head.setText(seen.head.upper())
        self._question.setText(seen.question)
        lines = (("lock", "muted", HIDDEN),) if seen.blind else seen.lines
        self._known.show_rows([_row(*line) for line in lines])
        for part in (self._done, self._progress, self._undo):
            part.setVisible(progress is not None)
        if progress is not None:
            self._done.setRange(0, max(1, progress.of))
            self._done.setValue(len(progress.done))
            self._progress.setText(progress.text)
            judged = not seen.blind and seen.head.startswith("Blind")  # which is final
            goes = "Enter goes to the next" if judged else "Backspace goes back" if progress.back else ""
            self._undo.setText(goes)


def _row(icon: str, tone: str, words: str) -> TextRow:
    return TextRow(
        words, "", icon, "text" if tone == "muted" else tone, "doubt_fill" if tone == "doubt" else tone
    )
