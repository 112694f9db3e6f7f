"""The card of a method's own model call: a summary that opens to show prompt and reply."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from app.controls.layout import Surface, clear_layout, column, label
from app.controls.painted import PaintedMixin
from app.controls.text import NoDragTextEdit
from app.controls.tooltip import set_tooltip
from app.presentation.formatting import WHOLE, call_cost_text, call_title, interpretation_text
from app.theme import icons, paint, styling
from app.theme import tokens as t
from core.episode_state import Consultation
from core.events import ModelConsulted
from core.text.untrusted_text import one_line, sanitise

HIGH = 84  # px of the summary
ROWS = 16  # of a prompt or a reply; of a longer one the rest is scrolled to


class CallSummary(PaintedMixin, QPushButton):
    """The call in four lines."""

    def __init__(self) -> None:
        super().__init__()
        self.setCheckable(True)
        self.setAutoDefault(False)
        self.setFixedHeight(HIGH)
        self._call: Consultation | None = None

    def sizeHint(self) -> QSize:
        return QSize(300, HIGH)

    def show_call(self, call: Consultation) -> None:
        self._call = call
        event = call.event
        said = event.error or one_line(event.raw_reply)
        self.setAccessibleName(sanitise(f"{call_title(event)}. {said}. {interpretation_text(event)}"))
        words = (
            call_title(event),
            said,
            interpretation_text(event),
            "Click for the prompt and the whole reply",
        )
        set_tooltip(self, "\n".join(filter(None, words)))
        self.update()

    def draw(self, p: QPainter) -> None:
        if self._call is None:
            return
        event, on = self._call.event, self.isChecked()
        w, h = self.width(), self.height()
        p.fillRect(self.rect(), styling.colour("raised" if self.underMouse() or on else "surface"))
        if self.hasFocus():
            paint.fill(p, 0, 0, t.BAR, h, "accent")
        x, room = t.M + 24.0, w - 2 * t.M - 24.0
        icons.draw(p, "page", t.M, 10, 16, "muted")
        # by whom stands below
        head = event.purpose[:1].upper() + event.purpose[1:] if event.by else call_title(event)
        paint.text(p, x, 8, room - 24, 20, head, "strong", "ink")
        icons.draw(p, "up" if on else "down", w - t.M - 14, 11, 14, "muted")
        if event.error:
            icons.draw(p, "fault", x, 30, 14, "fault_fill")
            paint.wrap(p, x + 20, 29, room - 20, event.error, "small", "fault", 2)
        else:
            paint.text(p, x, 28, room, 17, one_line(event.raw_reply) or "(nothing)", "mono", "text")
            paint.text(
                p,
                x,
                46,
                room,
                16,
                interpretation_text(event),
                "small",
                "text" if event.interpretation else "muted",
            )
        foot = " · ".join(filter(None, (f"C{self._call.number}", event.by, call_cost_text(event))))
        paint.text(p, x, 63, room, 16, foot, "caption", "muted")
        paint.fill(p, 0, h - 1, w, 1, "hair")


class ConsultedView(QWidget):
    """The summary and, once opened, the messages below it."""

    def __init__(self) -> None:
        super().__init__()
        self.call: Consultation | None = None
        self.summary = CallSummary()
        self.summary.toggled.connect(self._open)
        self._parts: QVBoxLayout = column(spacing=t.XS, margins=(t.M + 24, t.S, t.M, t.M))
        self._details = QWidget()
        self._details.setLayout(self._parts)
        self._details.hide()
        self.setLayout(column(self.summary, self._details))

    @property
    def failed(self) -> bool:
        return self.call is not None and bool(self.call.event.error)

    def show_call(self, call: Consultation) -> None:
        if call != self.call:
            self.call = call
            self.summary.setChecked(False)
            self.summary.show_call(call)

    def _open(self, on: bool) -> None:
        clear_layout(self._parts)
        if on and self.call is not None:
            self._fill(self.call.event)
        self._details.setVisible(on)

    def _fill(self, event: ModelConsulted) -> None:
        """Show prompt, reply and the reason for the call."""
        if event.reason is not None:
            self._parts.addWidget(label(event.reason.sentence, "small", "text", wrap=True))
        for message in event.messages:
            self._add(f"Prompt, {message.role}", message.text)
        if not event.error:
            self._add("Reply", event.raw_reply)

    def _add(self, head: str, words: str) -> None:
        self._parts.addWidget(label(head, "caption", "muted"))
        self._parts.addWidget(QuotedText(words, head))


class QuotedText(NoDragTextEdit):
    """A quoted text, as high as it needs up to ROWS."""

    def __init__(self, words: str, name: str) -> None:
        super().__init__(sanitise(words, WHOLE), name)
        self.setReadOnly(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        rows = max(1, min(ROWS, round(self.document().size().height())))  # its unit is a line
        high = rows * self.fontMetrics().lineSpacing() + 2 * round(self.document().documentMargin()) + 4
        if high != self.height():
            self.setFixedHeight(high)


class CallFooter(Surface):
    """The call behind the cards: its raw reply, duration and cost."""

    def __init__(self) -> None:
        super().__init__("sunken", "t")
        self._said, self._cost, self._line = "", "", "none"
        self.setFixedHeight(t.H_CONTROL)
        self.setAccessibleName("Raw reply")

    def show_text(self, said: str, cost: str) -> None:
        if (said, cost) != (self._said, self._cost):
            self._said, self._cost = said, cost
            self._line = one_line(said) or "none"
            set_tooltip(self, said)
            self.setAccessibleDescription(sanitise(said))
            self.update()

    def draw(self, p: QPainter) -> None:
        super().draw(p)
        w, h = self.width(), self.height()
        x = t.M + paint.text(p, t.M, 0, 80, h, "Raw reply", "caption", "muted") + t.S
        paint.text(p, 0, 0, w - t.M, h, self._cost, "caption", "muted", paint.RIGHT)
        room = w - x - t.L - paint.width(self._cost, "caption")
        paint.text(p, x, 0, room, h, self._line, "mono_small", "text")
