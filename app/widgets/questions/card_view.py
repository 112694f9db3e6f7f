"""The card of a question: picture, question, verdict, and one key to disagree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy

from app.controls.painted import Painted
from app.controls.tooltip import set_tooltip
from app.theme import icons, paint, styling
from app.theme import tokens as t
from app.theme.states import VERDICT, StateStyle
from app.widgets.questions.card_view_model import CardViewModel
from app.widgets.questions.question_picture import FocusedQuestion, draw_question_picture
from app.widgets.questions.verdict_button import VerdictButton
from core.belief import Verdict
from core.episode_state import QuestionCard as Asked

LEAST, MOST = 92, 116  # px high, where the words need no more
ROOMY = 104  # px high: above it the margins are wider
SIDE, KEY = 88.0, 26  # px: the picture at most, and the width of a key
SHARE = 0.28  # of a narrow card's width: the picture leaves room for the words
WORDS = 210  # px wide beside a large picture
SILENT = {"fault": StateStyle("fault", "No answer"), "accent": StateStyle("person", "You")}  # by the tone
KEYS = (("Y", Verdict.YES), ("N", Verdict.NO), ("U", Verdict.UNKNOWN))


@dataclass(frozen=True)
class CardText:
    """The text rows of a card."""

    question: list[str]
    note: list[str]
    preview: list[str]
    foot: list[str]

    @property
    def height(self) -> int:
        """Return the height in px, with the verdict."""
        rows = len(self.note) + len(self.preview) + len(self.foot)
        return 17 * len(self.question) + 25 + 15 * rows


class CardView(Painted):
    """A card. `focused` is True for the one that Y, N and U apply to."""

    GROUND = "surface"

    judged = Signal(object, object)  # this view, Verdict about the question's text
    entered = Signal(object)  # this view got the focus
    left = Signal(int)  # for the next or the previous one, by an arrow key

    def __init__(self) -> None:
        super().__init__()
        self.card: Asked | None = None
        self.face, self._focused = CardViewModel(), False
        self._image: QImage | None = None
        self._gaze: QImage | str = ""  # where the eye looked, or why that is not known
        self.effect_preview: Callable[[CardView], str] = _nothing
        self._preview = ""
        self._extra = self._beside = 0  # px: a large picture above the words, or beside them
        self._text_height = 0  # px
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setMinimumHeight(LEAST)
        self.setMaximumHeight(MOST)
        self._keys = tuple(VerdictButton(letter, VERDICT[v].word) for letter, v in KEYS)
        for key, (_, verdict) in zip(self._keys, KEYS, strict=True):
            key.setParent(self)
            key.setProperty("verdict", verdict)
            key.clicked.connect(self._key_clicked)

    def sizeHint(self) -> QSize:
        return QSize(300, 112)

    def show_card(self, card: Asked, face: CardViewModel, image: QImage | None) -> None:
        self.card = card
        if face == self.face and image is self._image:
            return
        self.face, self._image = face, image
        for key, (_, verdict) in zip(self._keys, KEYS, strict=True):
            key.by_model, key.by_person = face.model_verdict is verdict, face.operator_verdict is verdict
            key.setVisible(face.answerable)
            key.update()
        model, own = face.model_verdict, face.operator_verdict
        says = f" The model says {VERDICT[model].word}." if model is not None else ""
        yours = f" You say {VERDICT[own].word}." if own is not None else ""
        self.setAccessibleName(f"{face.question}{says}{yours} {face.note}.")
        lines = (face.question, face.foot, face.note, face.decides)
        set_tooltip(self, "\n".join(filter(None, lines)))
        self._preview = self.effect_preview(self) if self._focused else ""
        self._fit()
        self.update()

    @property
    def image(self) -> QImage | None:
        return self._image

    def show_gaze(self, gaze: QImage | str) -> None:
        """Show the picture with what counted for the answer in place of its own, or why there is none."""
        if gaze is not self._gaze:
            self._gaze = gaze
            self.setAccessibleDescription(gaze if isinstance(gaze, str) else "Shows where the eye looked.")
            self._fit()
            self.update()

    def refresh_preview(self) -> None:
        """Update the preview, which depends on more than the card."""
        preview = self.effect_preview(self) if self._focused and self.card is not None else ""
        if preview != self._preview:
            self._preview = preview
            self._fit()
            self.update()

    @property
    def focused(self) -> bool:
        return self._focused

    @property
    def focused_question(self) -> FocusedQuestion | None:
        """Return what the card shows of its question."""
        doubtful = self.face.tone == "doubt"
        return FocusedQuestion(self.card, self._image, self.face.box, doubtful) if self.card else None

    def set_room(self, high: int) -> None:
        """Enlarge the picture as far as a card of this many px leaves room for, if that is enough to help.

        It stands above the words, or beside them where it can be larger there.
        """
        wide = self.width() - 2 * t.M
        words = max(MOST, self._text(0).height + 2 * t.M) if high > MOST else MOST
        above, beside = min(high - words - t.S, wide), min(high - 2 * t.M, wide - WORDS)
        if max(above, beside) < 1.5 * SIDE or self._image is None:
            above = beside = 0
        room = (0, beside) if beside > above else (above, 0)
        if room != (self._extra, self._beside):
            self._extra, self._beside = room
            self._fit()
            self._place_keys()
            self.update()

    def set_focused(self, on: bool) -> None:
        if on != self._focused:
            self._focused = on
            self._preview = self.effect_preview(self) if on else ""
            self._fit()
            self.update()

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

    def _side(self) -> float:
        """Return the side of the picture beside the words, 0 if it is above them."""
        return 0 if self._extra else self._beside or min(self._tall(), round(SHARE * self.width()))

    def _tall(self) -> float:
        """Return the height available to the picture and the keys."""
        return min(self.height() - 2.0 * self._pad() - self._above(), SIDE)

    def _above(self) -> int:
        return self._extra + t.S if self._extra else 0

    def _pad(self) -> int:
        roomy = max(ROOMY + 1, self._text_height + 2 * t.M)
        return t.M if self.height() - self._above() >= roomy else t.S

    def _text(self, side: float) -> CardText:
        """Lay out the text in the space beside a picture of this side and the keys."""
        room = self.width() - 2 * t.M - (side + t.M if side else 0)
        inner = room - KEY - t.S
        question = paint.lines(self.face.question, "strong", room, 3)
        if len(question) > 1:  # the keys stand beside the second line
            question = paint.lines(self.face.question, "strong", inner, 4)
        return CardText(
            question,
            paint.lines(self.face.note, "small", inner - 22, 4),
            paint.lines(self._preview, "caption", inner, 4),
            paint.lines(self._below(), "caption", inner, 2),
        )

    def _below(self) -> str:
        """Return the bottom line: why there is no heat map, if one is wanted, else what the card is about."""
        return self._gaze if isinstance(self._gaze, str) and self._gaze else self.face.foot

    def _fit(self) -> None:
        """Make the card as high as its text, so that neither a reason nor a preview is cut off.

        What it needs follows from its width alone, measured beside the widest picture that its height
        can give: by the present height, resizing would change what it needs, and that its height again.
        """
        side = 0 if self._extra else self._beside or min(SIDE, round(SHARE * self.width()))
        high = self._text_height = self._text(side).height
        low = MOST if self._extra else max(LEAST, self._beside + 2 * t.M)
        least = max(low, high + 2 * (t.S if high + 2 * t.S <= ROOMY else t.M)) + self._above()
        if least != self.minimumHeight():
            self.setMinimumHeight(least)
            self.setMaximumHeight(max(MOST + self._above(), least))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()
        self._place_keys()

    def _place_keys(self) -> None:
        top, high = self._pad() + 21 + self._above(), (self._tall() - 21 - 2 * t.XS) / 3
        for i, key in enumerate(self._keys):
            key.setGeometry(self.width() - t.M - KEY, round(top + i * (high + t.XS)), KEY, round(high))

    def draw(self, p: QPainter) -> None:
        f, w, h, side, top = self.face, self.width(), self.height(), self._side(), float(self._pad())
        if self._focused:
            p.fillRect(self.rect(), styling.colour("accent_soft", 0.55))
            paint.fill(p, 0, 0, t.BAR, h, "accent")
        paint.fill(p, 0, h - 1, w, 1, "hair")
        doubtful = f.tone == "doubt"
        high = QRectF(t.M, top, w - 2 * t.M, self._extra) if self._extra else QRectF(t.M, top, side, side)
        gaze = None if isinstance(self._gaze, str) else self._gaze
        whole = bool(self._extra or self._beside) or gaze is not None
        draw_question_picture(p, high, gaze or self._image, f.box, doubtful, whole)
        top += self._above()
        x, words = 2 * t.M + side if side else float(t.M), self._text(side)
        room = w - x - t.M
        inner = room - KEY - t.S
        y = top - 3
        for row in words.question:
            paint.text(p, x, y, room, 20, row, "strong", "ink")
            y += 17
        self._paint_verdict(p, x, y + 4, inner)
        y += 28
        fill = f"{f.tone}_fill" if f.tone == "doubt" else f.tone
        icons.draw(p, f.icon or "dot", x + 1, y + 1, 14, fill)
        for row in words.note:
            ink = f.tone if f.tone != "muted" else "text"
            paint.text(p, x + 22, y, inner - 22, 16, row, "small", ink)
            y += 15
        last = [(row, "muted") for row in words.foot] + [(row, "accent") for row in words.preview]
        foot = h - self._pad() + 2 - 15 * len(last)
        for i, (row, ink) in enumerate(last):
            paint.text(p, x, foot + 15 * i, inner, 16, row, "caption", ink)

    def _paint_verdict(self, p: QPainter, x: float, y: float, room: float) -> None:
        f = self.face
        silent = SILENT.get(f.tone, StateStyle("clock", "…"))
        state = VERDICT[f.model_verdict] if f.model_verdict is not None else silent
        icons.draw(p, state.icon, x, y + 2, 16, state.colour)
        at = x + 22
        at += paint.text(p, at, y, 90, 20, state.word, "title", state.colour) + t.S
        if f.operator_verdict is not None and f.operator_verdict is not f.model_verdict:
            mine = VERDICT[f.operator_verdict]
            icons.draw(p, "arrow", at, y + 4, 12, "accent")
            icons.draw(p, mine.icon, at + 18, y + 3, 14, "accent")
            paint.text(p, at + 36, y, x + room - at - 36, 20, mine.word, "title", "accent")
            return
        if f.quote:
            quote = f"“{f.quote}”"
            wide = paint.width(quote, "mono")
            if at + wide <= x + room:
                at += paint.text(p, at, y + 1, x + room - at, 20, quote, "mono", "text") + t.S
            else:
                paint.text(p, at, y + 1, x + room - at, 20, quote, "mono", "text")
                return
        surprising = f.model_verdict not in (None, f.expected, Verdict.UNKNOWN)
        if f.expected is not Verdict.UNKNOWN and surprising:
            words = f"expected {f.expected.value}"
            if at + paint.width(words, "caption") <= x + room:
                paint.text(p, at, y + 1, x + room - at, 20, words, "caption", "muted")


def _nothing(_: CardView) -> str:
    return ""
