"""The card of a method's own model call, and the prompts and replies that it and other cards open."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from app.controls.badge import Icon
from app.controls.button import Button
from app.controls.layout import Surface, clear_layout, column, label, row, wrap_layout
from app.controls.text import NoDragTextEdit
from app.presentation.formatting import WHOLE, call_cost_text, call_title, interpretation_text
from app.theme import tokens as t
from core.episode_state import Consultation
from core.events import ModelConsulted
from core.text.untrusted_text import one_line, sanitise

ROWS = 16  # of a prompt or a reply; of a longer one the rest is scrolled to
Quoted = tuple[str, str]  # a head and its words


class QuotedParts(QWidget):
    """A button that opens and closes quoted texts, each below its head; one without a head is no quote."""

    def __init__(self, about: str = "") -> None:
        super().__init__()
        self._parts: tuple[Quoted, ...] = ()
        self.more = Button("Prompt and reply", "down", kind="quiet", height=24)
        self.more.setCheckable(True)
        self.more.setAccessibleName(about)
        self.more.toggled.connect(self._open)
        self._details = column(spacing=t.XS)
        self._opened = wrap_layout(self._details)
        self._opened.hide()
        self.setLayout(column(row(self.more, 1), self._opened))

    def set_parts(self, parts: Iterable[Quoted]) -> None:
        """Set what is shown once it is opened, and close it."""
        self._parts = tuple((head, words) for head, words in parts if words)
        self.more.setChecked(False)
        self.setVisible(bool(self._parts))

    def _open(self, on: bool) -> None:
        clear_layout(self._details)
        for head, words in self._parts if on else ():
            self._details.addWidget(label(head or words, "caption" if head else "small", "muted", wrap=True))
            if head:
                self._details.addWidget(QuotedText(words, head))
        self.more.relabel(self.more.text(), "up" if on else "down")
        self._opened.setVisible(on)


class ConsultedView(Surface):
    """What was asked for, the reply, how it was read, and what it took; below, the whole messages."""

    def __init__(self) -> None:
        super().__init__("surface", "b")
        self.call: Consultation | None = None
        self._head, self._said = label("", "strong", "ink", wrap=True), label("", "mono", wrap=True)
        self._read, self._foot = label("", "small", wrap=True), label("", "caption", "muted", wrap=True)
        self._icon = Icon("page")
        self.quoted = QuotedParts()
        self.summary = self.quoted.more
        words = column(self._head, self._said, self._read, self._foot, self.quoted, spacing=2)
        mark = wrap_layout(column(self._icon, 1))
        self.setLayout(row(mark, (words, 1), margins=(t.M, t.S, t.M, t.S)))

    def show_call(self, call: Consultation) -> None:
        if call == self.call:
            return
        self.call, event = call, call.event
        said = event.error or one_line(event.raw_reply) or "(nothing)"
        # by whom stands below
        self._head.setText(event.purpose[:1].upper() + event.purpose[1:] if event.by else call_title(event))
        self._said.say(said, "fault" if event.error else "text")
        self._icon.show_as("fault" if event.error else "page", "fault_fill" if event.error else "muted")
        self._read.setText(interpretation_text(event))
        self._read.setVisible(not event.error)
        foot = (f"C{call.number}", event.by, call_cost_text(event))
        self._foot.setText(" · ".join(filter(None, foot)))
        self.quoted.set_parts(_messages(event))
        self.summary.setAccessibleName(sanitise(f"{call_title(event)}. {said}. {interpretation_text(event)}"))


def _messages(event: ModelConsulted) -> Iterable[Quoted]:
    """Return the reason for the call, the prompt and the reply."""
    if event.reason is not None:
        yield "", event.reason.sentence
    yield from ((f"Prompt, {message.role}", message.text) for message in event.messages)
    if not event.error:
        yield "Reply", event.raw_reply


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
