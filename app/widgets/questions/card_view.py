"""The card of a question: picture, question, verdict, and one key to disagree."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QImage, QKeyEvent, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QGridLayout, QSizePolicy

from app.controls.badge import Icon
from app.controls.layout import column, label, row, set_tone, wrap_layout
from app.controls.painted import Painted
from app.controls.tooltip import set_tooltip
from app.theme import paint, styling
from app.theme import tokens as t
from app.theme.states import VERDICT, StateStyle
from app.widgets.questions.card_view_model import CardViewModel
from app.widgets.questions.question_picture import FocusedQuestion, draw_question_picture
from app.widgets.questions.verdict_button import VerdictButton
from core.belief import Verdict
from core.episode_state import QuestionCard

SIDE, KEY = 80, 26  # px: the picture at most, and the width of a key
SHARE = 0.28  # of a narrow card's width: the picture leaves room for the words
LEAST = 116  # px high that the words get beside or below a large picture
WORDS = 210  # px wide beside a large picture
SILENT = {"fault": StateStyle("fault", "No answer"), "accent": StateStyle("person", "You")}  # by the tone
KEYS = (("Y", Verdict.YES), ("N", Verdict.NO), ("U", Verdict.UNKNOWN))


class CardView(Painted):
    """A card. `focused` is True for the one that Y, N and U apply to."""

    GROUND = "surface"

    judged = Signal(object, object)  # this view, Verdict about the question's text
    entered = Signal(object)  # this view got the focus
    left = Signal(int)  # for the next or the previous one, by an arrow key

    def __init__(self) -> None:
        super().__init__()
        self.card: QuestionCard | None = None
        self.face, self._focused = CardViewModel(), False
        self.image: QImage | None = None
        self._gaze: QImage | str = ""  # where the eye looked, or why that is not known
        self.effect_preview: Callable[[CardView], str] = _nothing
        self._preview = ""
        self._large = QSize()  # of a picture that has more room than usual
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self._picture = _Picture(self)
        self._question = label(role="strong", tone="ink", wrap=True)
        self._mark, self._verdict, self._said = Icon(), label(role="title"), label(wrap=True)
        self._note_mark, self._note = Icon(size=14), label(role="small", wrap=True)
        self._foot = label(role="caption", tone="muted", wrap=True)
        self._then = label(role="caption", tone="accent", wrap=True)
        self._keys = tuple(VerdictButton(letter, VERDICT[v].word) for letter, v in KEYS)
        for key, (_, verdict) in zip(self._keys, KEYS, strict=True):
            key.setFixedWidth(KEY)
            key.setMinimumHeight(18)
            key.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Ignored)
            key.setProperty("verdict", verdict)
            key.clicked.connect(self._key_clicked)
        top = Qt.AlignmentFlag.AlignTop
        says = row(self._mark, self._verdict, (self._said, 1), spacing=6)
        noted = row(self._note_mark, (self._note, 1), spacing=8)
        for box, mark in ((says, self._mark), (noted, self._note_mark)):
            box.setAlignment(mark, top)
        says.setAlignment(self._verdict, top)
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(t.XS)
        grid.addWidget(self._question, 0, 0, 1, 2)
        grid.addLayout(column(says, noted, 1, self._foot, self._then, spacing=2), 1, 0)
        grid.addLayout(column(*self._keys, spacing=t.XS), 1, 1)
        self._words = wrap_layout(grid)
        self._box = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._box.setContentsMargins(t.M, t.S, t.M, t.S)
        self._box.setSpacing(t.M)
        self._box.addWidget(self._picture, 0, top)
        self._box.addWidget(self._words, 1)

    def show_card(self, card: QuestionCard, face: CardViewModel, image: QImage | None) -> None:
        self.card = card
        if face == self.face and image is self.image:
            return
        self.face, self.image = face, image
        for key, (_, verdict) in zip(self._keys, KEYS, strict=True):
            key.by_model, key.by_person = face.model_verdict is verdict, face.operator_verdict is verdict
            key.setVisible(face.answerable)
            key.update()
        model, own = face.model_verdict, face.operator_verdict
        state = VERDICT[model] if model is not None else SILENT.get(face.tone, StateStyle("clock", "…"))
        self._mark.show_as(state.icon, state.colour)
        self._verdict.setText(state.word)
        set_tone(self._verdict, state.colour.removesuffix("_fill"))
        said = f"“{face.quote}”" if face.quote else ""
        if mine := own is not None and own is not model:
            said = f"→ {VERDICT[own].word}"
        self._said.setText(said)
        self._said.setFont(styling.font("title" if mine else "mono"))
        set_tone(self._said, "accent" if mine else "text")
        fill = f"{face.tone}_fill" if face.tone == "doubt" else face.tone
        self._note_mark.show_as(face.icon or "dot", fill)
        self._note.setText(face.note_and_expected)
        set_tone(self._note, face.tone if face.tone != "muted" else "text")
        self._question.setText(face.question)
        says = f" The model says {VERDICT[model].word}." if model is not None else ""
        yours = f" You say {VERDICT[own].word}." if own is not None else ""
        self.setAccessibleName(f"{face.question}{says}{yours} {face.note}.")
        set_tooltip(self, "\n".join(filter(None, (face.question, face.foot, face.note, face.decides))))
        self._show_below(self.effect_preview(self) if self._focused else "")

    def _show_below(self, preview: str) -> None:
        """Show why there is no heat map, if one is wanted, else what the card is about; and the preview."""
        gaze, self._preview = self._gaze, preview
        self._foot.setText(gaze if isinstance(gaze, str) and gaze else self.face.foot)
        self._then.setText(preview)
        self._then.setVisible(bool(preview))
        self._picture.update()
        self.update()

    def show_gaze(self, gaze: QImage | str) -> None:
        """Show the picture with what counted for the answer in place of its own, or why there is none."""
        if gaze is not self._gaze:
            self._gaze = gaze
            self.setAccessibleDescription(gaze if isinstance(gaze, str) else "Shows where the eye looked.")
            self._show_below(self._preview)

    def refresh_preview(self) -> None:
        """Update the preview, which depends on more than the card."""
        preview = self.effect_preview(self) if self._focused and self.card is not None else ""
        if preview != self._preview:
            self._show_below(preview)

    @property
    def focused(self) -> bool:
        return self._focused

    @property
    def focused_question(self) -> FocusedQuestion | None:
        """Return what the card shows of its question."""
        doubtful = self.face.tone == "doubt"
        return FocusedQuestion(self.card, self.image, self.face.box, doubtful) if self.card else None

    @property
    def usual_height(self) -> int:
        """Return the height in px that the card needs with a small picture."""
        side = self._side()
        words = self._words.heightForWidth(self.width() - 3 * t.M - side)
        return max(words, side) + 2 * t.S

    def set_room(self, high: int) -> None:
        """Enlarge the picture as far as a card of this many px leaves room for, if that is enough to help.

        It stands above the words, or beside them where it can be larger there.
        """
        wide = self.width() - 2 * t.M
        words = max(LEAST, self._words.heightForWidth(wide)) + 2 * t.S
        above, beside = min(high - words - t.M, wide), min(high - 2 * t.S, wide - WORDS)
        large = QSize()
        if self.image is not None and max(above, beside) >= 1.5 * SIDE:
            large = QSize(beside, beside) if beside > above else QSize(wide, above)
        if large != self._large:
            self._large = large
            is_above = large.isValid() and large.width() == wide
            direction = QBoxLayout.Direction
            self._box.setDirection(direction.TopToBottom if is_above else direction.LeftToRight)
            self._fit_picture()

    def set_focused(self, on: bool) -> None:
        if on != self._focused:
            self._focused = on
            self._show_below(self.effect_preview(self) if on else "")

    def show_keys(self, on: bool) -> None:
        """Mark its keys as those that answer now."""
        for key in self._keys:
            if key.focused is not on:
                key.focused = on
                key.update()

    def _key_clicked(self) -> None:
        self.judged.emit(self, self.sender().property("verdict"))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() not in (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason):
            self.entered.emit(self)  # by the person, not by the window that comes back

    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
        if by is None:
            super().keyPressEvent(event)
        else:
            self.left.emit(by)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        self.setFocus()

    # --- looks -----------------------------------------------------------------------------------------

    def _side(self) -> int:
        return min(SIDE, round(SHARE * self.width()))

    def _fit_picture(self) -> None:
        self._picture.setFixedSize(
            self._large if self._large.isValid() else QSize(self._side(), self._side())
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_picture()

    def draw(self, p: QPainter) -> None:
        if self._focused:
            p.fillRect(self.rect(), styling.colour("accent_soft", 0.55))
            paint.fill(p, 0, 0, t.BAR, self.height(), "accent")
        paint.fill(p, 0, self.height() - 1, self.width(), 1, "hair")

    def draw_picture(self, p: QPainter, place: QRectF) -> None:
        gaze = None if isinstance(self._gaze, str) else self._gaze
        whole = self._large.isValid() or gaze is not None
        doubtful = self.face.tone == "doubt"
        draw_question_picture(p, place, gaze or self.image, self.face.box, doubtful, whole)


class _Picture(Painted):
    """The place of a card's picture."""

    def __init__(self, card: CardView) -> None:
        super().__init__(card)
        self._card = card

    def draw(self, p: QPainter) -> None:
        self._card.draw_picture(p, QRectF(self.rect()))


def _nothing(_: CardView) -> str:
    return ""
