"""One question as a card: the picture first, then the question, the verdict, and one key to disagree."""

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
    QPainterPath,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from app.reasons import suspicious
from app.theme import glyphs, look, paint
from app.theme import tokens as t
from app.theme.states import VERDICT, State
from app.widgets.picture import Mark, fitted, outline
from app.words import money, short
from core.facts import Purpose, Verdict
from core.ports import Box
from core.story import Card as Asked
from core.story import Story

KEYS = (("Y", Verdict.YES), ("N", Verdict.NO), ("U", Verdict.UNKNOWN))
ZOOM = 1.55


@dataclass(frozen=True)
class Face:
    """What a card shows. All verdicts are about the question's text, not about the atom."""

    question: str = ""
    said: Verdict | None = None  # the model
    quote: str = ""
    expected: Verdict = Verdict.UNKNOWN
    yours: Verdict | None = None
    note: str = ""
    glyph: str = ""
    tone: str = "muted"
    foot: str = ""
    box: Box | None = None


def face_of(card: Asked, story: Story, draft: Verdict | None, box: Box | None, why: str) -> Face:
    """`draft` is a person's verdict about the atom that has not been handed in yet."""
    about = card.query.about_atom
    yours = draft
    if yours is None and card.overridden and card.final is not None:
        yours = card.final.verdict
    glyph, tone, note = _note(card, story, draft)
    numbers = [f"Q{card.number}", why]
    if card.model is not None and card.seconds:
        numbers.append(short(card.seconds))
    if card.model is not None and card.model.confidence is not None:
        numbers.append(f"{card.model.confidence:.0%} sure")
    if card.cost:
        numbers.append(money(card.cost))
    return Face(
        card.query.text,
        about(card.model.verdict) if card.model else None,
        _quote(card),
        about(card.query.expected),
        about(yours) if yours is not None else None,
        note,
        glyph,
        tone,
        " · ".join(filter(None, numbers)),
        box,
    )


def _quote(card: Asked) -> str:
    said = card.model.said if card.model else ""
    return " ".join(said.split())[:60]


def _note(card: Asked, story: Story, draft: Verdict | None) -> tuple[str, str, str]:
    """What the answer does: glyph, colour, words."""
    if card.model is None:
        return "clock", "muted", "waiting for the model"
    if draft is not None:
        same = draft is card.model.verdict
        return "person", "accent", "you agree" if same else "your answer, pending"
    doubted = next((c for c in story.contradictions if card.query.atom in c.atoms), None)
    if card.pending:
        words = "counts after your look"
        return ("diamond", "doubt", words) if suspicious(card) else ("clock", "muted", words)
    if card.overridden:
        return "person", "accent", "set by you"
    if card.model.verdict is Verdict.UNKNOWN:
        kept = card.query.about_atom(story.belief.verdict(card.query.atom))
        return "undo", "muted", f"old value kept: {kept.value}"
    if doubted is not None:
        return "diamond", "doubt", f"contradicts: {doubted.why}"
    if not suspicious(card):
        return "check", "muted", "as expected"
    if card.query.purpose is Purpose.PRECONDITION:
        return "diamond", "doubt", "the next step needs the opposite"
    return "info", "text", "unexpected"


class Key(QPushButton):
    """Y, N or U on a card's edge; the model's own answer is dotted, a person's is filled."""

    def __init__(self, letter: str, word: str) -> None:
        super().__init__(letter)
        self.said = self.yours = self.lit = False
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the card has the focus; the letters are its keys
        self.setAccessibleName(f"Answer {word}")
        self.setToolTip(f"{word} ({letter})")

    def paintEvent(self, _: QPaintEvent) -> None:
        with paint.painter(self) as p:
            w, h = self.width(), self.height()
            ground = (
                "accent" if self.yours else "raised" if self.underMouse() else "surface" if self.lit else None
            )
            edge = "accent" if self.said and self.lit else "edge" if self.said or self.lit else "hair"
            paint.box(p, 0, 0, w, h, ground, None if self.yours else edge)
            ink = "on_accent" if self.yours else "ink" if self.said else "muted"
            paint.text(p, 0, 0, w, h, self.text(), "label", ink, paint.CENTRE)
            if self.said:
                p.setPen(Qt.PenStyle.NoPen)
                p.setBrush(look.colour("on_accent" if self.yours else "accent" if self.lit else "muted"))
                p.drawEllipse(QRectF(w - 8, 4, 4, 4))


class CardView(QWidget):
    """A card. Its focus is the panel's: `lit` is the one that Y, N and U act on."""

    judged = Signal(object, object)  # this view, Verdict about the question's text
    entered = Signal(object)  # this view got the focus
    left = Signal(int)  # for the next or the previous one, by an arrow key

    def __init__(self) -> None:
        super().__init__()
        self.card: Asked | None = None
        self.face, self._lit = Face(), False
        self._image: QImage | None = None
        self.foresee: Callable[[CardView], str] = _nothing
        self._foreseen = ""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setMinimumHeight(92)
        self.setMaximumHeight(116)
        self._keys = tuple(Key(letter, VERDICT[v].word) for letter, v in KEYS)
        for key, (_, verdict) in zip(self._keys, KEYS, strict=True):
            key.setParent(self)
            key.setProperty("verdict", verdict)
            key.clicked.connect(self._key_clicked)

    def sizeHint(self) -> QSize:
        return QSize(300, 112)

    def show_card(self, card: Asked, face: Face, image: QImage | None) -> None:
        self.card = card
        if face == self.face and image is self._image:
            return
        self.face, self._image = face, image
        for key, (_, verdict) in zip(self._keys, KEYS, strict=True):
            key.said, key.yours = face.said is verdict, face.yours is verdict
            key.update()
        said = VERDICT[face.said].word if face.said is not None else "nothing yet"
        yours = f" You say {VERDICT[face.yours].word}." if face.yours is not None else ""
        self.setAccessibleName(f"{face.question} The model says {said}.{yours} {face.note}.")
        self.setToolTip(f"{face.question}\n{face.foot}\n{face.note}")
        self._foreseen = self.foresee(self) if self._lit else ""
        self.update()

    @property
    def lit(self) -> bool:
        return self._lit

    def light(self, on: bool) -> None:
        if on != self._lit:
            self._lit = on
            self._foreseen = self.foresee(self) if on else ""
            for key in self._keys:
                key.lit = on
                key.update()
            self.update()

    def _key_clicked(self) -> None:
        self.judged.emit(self, self.sender().property("verdict"))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.entered.emit(self)

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
        h = self.height()
        return min(h - 2.0 * (t.M if h > 104 else t.S), 104.0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        side = self._side()
        top, high = (self.height() - side) / 2 + 21, (side - 21 - 2 * t.XS) / 3
        for i, key in enumerate(self._keys):
            key.setGeometry(self.width() - t.M - 26, round(top + i * (high + t.XS)), 26, round(high))

    def paintEvent(self, _: QPaintEvent) -> None:
        with paint.painter(self) as p:
            f, w, h, side = self.face, self.width(), self.height(), self._side()
            p.fillRect(self.rect(), look.colour("surface"))
            if self._lit:
                p.fillRect(self.rect(), look.colour("accent_soft", 0.55))
                paint.fill(p, 0, 0, t.BAR, h, "accent")
            paint.fill(p, 0, h - 1, w, 1, "hair")
            top = (h - side) / 2
            self._paint_picture(p, t.M, top, side)
            x = 2 * t.M + side
            room = w - x - t.M
            asked = paint.lines(f.question, "strong", room, 2)
            for i, words in enumerate(asked):
                paint.text(p, x, top - 3 + i * 17, room, 20, words, "strong", "ink")
            more = 17.0 * (len(asked) - 1)
            inner = room - 26 - t.S
            self._paint_verdict(p, x, top + 18 + more, inner)
            y = top + 42 + more
            glyphs.draw(
                p, f.glyph or "dot", x + 1, y + 1, 14, f"{f.tone}_fill" if f.tone == "doubt" else f.tone
            )
            rows = paint.lines(f.note, "small", inner - 22, 2 if side >= 84 and not more else 1)
            for i, words in enumerate(rows):
                paint.text(
                    p,
                    x + 22,
                    y + i * 15,
                    inner - 22,
                    16,
                    words,
                    "small",
                    f.tone if f.tone != "muted" else "text",
                )
            foot = top + side - 13
            least = y + 15 * len(rows) - 2
            for words in reversed(
                paint.lines(self._foreseen, "caption", inner, 2 if foot - 15 >= least else 1)
            ):
                paint.text(p, x, foot, inner, 16, words, "caption", "accent")
                foot -= 15
            if foot >= least:
                paint.text(p, x, foot, inner, 16, f.foot, "caption", "muted")

    def _paint_verdict(self, p: QPainter, x: float, y: float, room: float) -> None:
        f = self.face
        state: State = VERDICT[f.said] if f.said is not None else State("clock", "…")
        glyphs.draw(p, state.glyph, x, y + 2, 16, state.colour)
        at = x + 22
        at += paint.text(p, at, y, 90, 20, state.word, "title", state.colour) + t.S
        if f.yours is not None and f.yours is not f.said:
            mine = VERDICT[f.yours]
            glyphs.draw(p, "arrow", at, y + 4, 12, "accent")
            glyphs.draw(p, mine.glyph, at + 18, y + 3, 14, "accent")
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
        surprising = f.said is not None and f.said is not f.expected and f.said is not Verdict.UNKNOWN
        if f.expected is not Verdict.UNKNOWN and surprising:
            words = f"expected {f.expected.value}"
            if at + paint.width(words, "caption") <= x + room:
                paint.text(p, at, y + 1, x + room - at, 20, words, "caption", "muted")

    def _paint_picture(self, p: QPainter, x: float, y: float, side: float) -> None:
        frame = QRectF(x, y, side, side)
        if self._image is None:
            paint.box(p, x, y, side, side, "sunken", "hair")
            glyphs.draw(p, "camera", x + side / 2 - 9, y + side / 2 - 9, 18, "faint")
            return
        path = QPainterPath()
        path.addRoundedRect(frame, t.RADIUS, t.RADIUS)
        p.save()
        p.setClipPath(path)
        p.fillRect(frame, look.colour("scrim"))
        area = fitted(self._image, side, side).translated(x, y)
        b = self.face.box
        if b is not None:
            area = zoomed(area, frame, b, self._image)
        p.drawImage(area, self._image)
        if b is not None:
            k = area.width() / self._image.width()
            rect = QRectF(
                area.x() + b.left * k, area.y() + b.top * k, (b.right - b.left) * k, (b.bottom - b.top) * k
            )
            outline(
                p,
                rect.intersected(frame.adjusted(2, 2, -2, -2)),
                Mark(b, "", "doubt" if self.face.tone == "doubt" else ""),
            )
        p.restore()
        paint.box(p, x, y, side, side, None, look.colour("ink", 0.18))


def zoomed(area: QRectF, frame: QRectF, box: Box, image: QImage) -> QRectF:
    """The picture enlarged about a box, still covering the frame; a box too big for it stays whole."""
    k = area.width() / image.width()
    wide, high = (box.right - box.left) * k, (box.bottom - box.top) * k
    zoom = max(1.0, min(ZOOM, 0.9 * frame.width() / max(wide, 1.0), 0.9 * frame.height() / max(high, 1.0)))
    k *= zoom
    iw, ih = image.width() * k, image.height() * k
    cx, cy = (box.left + box.right) / 2 * k, (box.top + box.bottom) / 2 * k

    def place(low: float, room: float, size: float, centre: float) -> float:
        if size <= room:
            return low + (room - size) / 2
        return min(max(low + room / 2 - centre, low + room - size), low)

    x = place(frame.x(), frame.width(), iw, cx)
    y = place(frame.y(), frame.height(), ih, cy)
    return QRectF(x, y, iw, ih)


def _nothing(_: CardView) -> str:
    return ""
