"""The card of a question: picture, question, verdict, and one key to disagree; and what is shown on cards."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QImage, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QPushButton, QSizePolicy

from app.controls.badge import Icon
from app.controls.layout import column, label, row, set_property, set_tone, wrap_layout
from app.controls.tooltip import set_tooltip
from app.presentation.card_words import (
    card_foot,
    card_note,
    expected_words,
    model_verdict,
    operator_verdict,
    said_beside,
)
from app.presentation.what_if import Draft
from app.theme import styling
from app.theme import tokens as t
from app.theme.states import VERDICT, StateStyle
from app.widgets.camera.frame_images import box_of, kept_still, still
from app.widgets.camera.picture_view import QuestionPicture
from core.belief import Verdict
from core.episode_state import EARLIER_CARDS, EpisodeState, QuestionCard
from core.ports import BoundingBox

SIDE, KEY = 80, 26  # px: the picture at most, and the width of a key
SHARE = 0.28  # of a narrow card's width: the picture leaves room for the words
LEAST = 116  # px high that the words get beside or below a large picture
WORDS = 210  # px wide beside a large picture
SILENT = {"fault": StateStyle("fault", "No answer"), "accent": StateStyle("person", "You")}  # by the tone
KEYS = {"Y": Verdict.YES, "N": Verdict.NO, "U": Verdict.UNKNOWN}


class VerdictKey(QPushButton):
    """Y, N or U; the model's answer has a dotted edge, a person's is filled."""


class CardView(QFrame):
    """A card. `focused` is True for the one that Y, N and U apply to."""

    judged = Signal(object, object)  # this view, Verdict about the question's text
    entered = Signal(object)  # this view got the focus
    left = Signal(int)  # for the next or the previous one, by an arrow key

    def __init__(self, pictured: bool = True) -> None:
        super().__init__()
        self._pictured = pictured
        self.card: QuestionCard | None = None
        self.focused = self._doubtful = False
        self.effect_preview: Callable[[CardView], str] = lambda _: ""
        self._foot_words = ""
        self.image: QImage | None = None
        self._box: BoundingBox | None = None
        self.gaze: QImage | str = ""  # where the eye looked, or why that is not known
        self._large = QSize()  # of a picture that has more room than usual
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self._picture = QuestionPicture()
        self._question = label(role="strong", tone="ink", wrap=True)
        self._mark, self._verdict, self._said = Icon(), label(role="title"), label(wrap=True)
        self._note_mark, self.note = Icon(size=14), label(role="small", wrap=True)
        self.foot = label(role="caption", tone="muted", wrap=True)
        self.preview = label(role="caption", tone="accent", wrap=True)
        self.keys = {verdict: self._key(letter, verdict) for letter, verdict in KEYS.items()}
        top = Qt.AlignmentFlag.AlignTop
        says = row(self._mark, self._verdict, (self._said, 1), spacing=6)
        noted = row(self._note_mark, (self.note, 1), spacing=8)
        for box, part in ((says, self._mark), (says, self._verdict), (noted, self._note_mark)):
            box.setAlignment(part, top)
        answer = column(says, noted, 1, self.foot, self.preview, spacing=2)
        keys = column(*self.keys.values(), 1, spacing=t.XS)
        self._words = wrap_layout(column(self._question, row((answer, 1), keys, spacing=t.XS), spacing=t.XS))
        self._layout = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._layout.setContentsMargins(t.M - t.BAR, t.S, t.M, t.S)
        self._layout.setSpacing(t.M)
        self._layout.addWidget(self._picture, 0, top)
        self._picture.setVisible(pictured)
        self._layout.addWidget(self._words, 1)

    def _key(self, letter: str, verdict: Verdict) -> VerdictKey:
        key = VerdictKey(letter)
        key.setFixedSize(KEY, 22)
        key.setFont(styling.font("label"))
        key.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the card has the focus; the letters are its keys
        key.setAccessibleName(f"Answer {VERDICT[verdict].word}")
        set_tooltip(key, f"{VERDICT[verdict].word} ({letter})")
        key.clicked.connect(lambda: self.judged.emit(self, verdict))
        return key

    def show_card(
        self,
        card: QuestionCard,
        state: EpisodeState,
        draft: Verdict | None,
        image: QImage | None,
        box: BoundingBox | None,
    ) -> None:
        """Show a question. `draft` is a person's verdict about the atom that is not yet submitted."""
        self.card = card
        icon, tone, note = card_note(card, state, draft)
        model, own, quote = model_verdict(card), operator_verdict(card, draft), said_beside(card)
        for verdict, key in self.keys.items():
            key.setVisible(card.turn == state.turn or card.counts_in(state.belief))
            by = "person" if own is verdict else "model" if model is verdict else ""
            set_property(key, "by", by)
        style = VERDICT[model] if model is not None else SILENT.get(tone, StateStyle("clock", "…"))
        self._mark.show_as(style.icon, style.colour)
        self._verdict.say(style.word, style.colour)
        mine = own is not None and own is not model
        said = f"→ {VERDICT[own].word}" if own is not None and mine else quote
        self._said.setText(said)
        self._said.setFont(styling.font("title" if mine else "mono"))
        set_tone(self._said, "accent" if mine else "text")
        self._note_mark.show_as(icon, "doubt_fill" if tone == "doubt" else tone)
        self.note.say(expected_words(card, note), tone if tone != "muted" else "text")
        self._question.setText(card.query.text)
        self._foot_words = card_foot(card, state)
        says = f" The model says {VERDICT[model].word}." if model is not None else ""
        yours = f" You say {VERDICT[own].word}." if own is not None else ""
        self.setAccessibleName(f"{card.query.text}{says}{yours} {note}.")
        reply = f"Raw reply: {card.raw_reply}" if card.raw_reply else ""
        tip = (card.query.text, self._foot_words, note, card.query.decides, card.error, reply)
        set_tooltip(self, "\n".join(filter(None, tip)))
        if (tone == "doubt", image, box) != (self._doubtful, self.image, self._box):
            self._doubtful, self.image, self._box = tone == "doubt", image, box
            self._show_picture()
        self._show_foot()
        self.refresh_preview()

    def _show_foot(self) -> None:
        """Show why there is no heat map, if one is wanted, else what the card is about."""
        words = self.gaze if isinstance(self.gaze, str) and self.gaze else self._foot_words
        self.foot.setText(words.replace(" ms", "\u00a0ms"))  # a number keeps its unit

    def _show_picture(self) -> None:
        gaze = None if isinstance(self.gaze, str) else self.gaze
        whole = self._large.isValid() or gaze is not None
        self._picture.show_picture(gaze or self.image, self._box, self._doubtful, whole)

    def show_gaze(self, gaze: QImage | str) -> None:
        """Show the picture with what counted for the answer in place of its own, or why there is none."""
        if gaze is not self.gaze:
            self.gaze = gaze
            self.setAccessibleDescription(gaze if isinstance(gaze, str) else "Shows where the eye looked.")
            self._show_foot()
            self._show_picture()

    def refresh_preview(self) -> None:
        """Update what the other answer would change, which depends on more than the card."""
        words = self.effect_preview(self) if self.focused and self.card is not None else ""
        self.preview.setText(words)
        self.preview.setVisible(bool(words))

    @property
    def usual_height(self) -> int:
        """Return the height in px that the card needs with a small picture."""
        side = self._side()
        return max(self._words.heightForWidth(self.width() - 3 * t.M - side), side) + 2 * t.S

    def set_room(self, high: int) -> None:
        """Enlarge the picture as far as a card of this many px leaves room for, if that is enough to help.

        It stands above the words, or beside them where it can be larger there.
        """
        wide = self.width() - 2 * t.M
        words = max(LEAST, self._words.heightForWidth(wide)) + 2 * t.S
        above, beside = min(high - words - t.M, wide), min(high - 2 * t.S, wide - WORDS)
        large = QSize()
        if self._pictured and self.image is not None and max(above, beside) >= 1.5 * SIDE:
            large = QSize(beside, beside) if beside > above else QSize(wide, above)
        if large != self._large:
            self._large = large
            is_above = large.isValid() and large.width() == wide
            direction = QBoxLayout.Direction
            self._layout.setDirection(direction.TopToBottom if is_above else direction.LeftToRight)
            self._fit_picture()
            self._show_picture()

    def set_focused(self, on: bool) -> None:
        self.focused = on
        set_property(self, "lit", on)
        self.refresh_preview()

    def show_keys(self, on: bool) -> None:
        """Mark its keys as those that answer now."""
        for key in self.keys.values():
            set_property(key, "live", on)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() not in (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason):
            self.entered.emit(self)  # by the person, not by the window that comes back

    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
        self.left.emit(by) if by else super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        self.setFocus()

    def _side(self) -> int:
        return min(SIDE, round(SHARE * self.width())) if self._pictured else 0

    def _fit_picture(self) -> None:
        side = self._side()
        self._picture.setFixedSize(self._large if self._large.isValid() else QSize(side, side))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_picture()


class CardContents:
    """Keeps the boxes of the latest frames for earlier cards."""

    def __init__(self, draft: Draft) -> None:
        self._draft, self._state = draft, EpisodeState()
        self._boxes: dict[str, tuple[BoundingBox, ...]] = {}

    def update(self, state: EpisodeState) -> None:
        if state.episode != self._state.episode:
            self._boxes.clear()
        self._state = state
        if state.frame is not None:
            self._boxes[state.frame.id] = state.boxes
            while len(self._boxes) > EARLIER_CARDS:
                del self._boxes[next(iter(self._boxes))]

    def show(self, views: Sequence[CardView], cards: Sequence[QuestionCard]) -> None:
        frame = self._state.frame
        for view, card in zip(views, cards, strict=True):
            ours = frame is not None and card.frame == frame.id
            picture = still(frame) if ours else kept_still(card.frame)
            boxes = self._boxes.get(card.frame, ()) if picture is not None else ()
            draft = self._draft.verdicts.get(card.query.atom) if card.pending else None
            view.show_card(card, self._state, draft, picture, box_of(boxes, card.query.atom.args))
