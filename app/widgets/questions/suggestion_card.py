"""The card of a situation: what was told, the changes suggested because of it, and what became of them."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.controls.badge import Icon
from app.controls.layout import Surface, clear_layout, column, label, row, wrap_layout
from app.presentation.suggestions import ChangeViewModel, SuggestionViewModel
from app.theme import tokens as t
from app.widgets.consulted import QuotedParts


class ChangeView(QWidget):
    """A change in words, with its PDDL and source; opened, with every prompt and reply behind it."""

    def __init__(self, face: ChangeViewModel, decided: bool) -> None:
        super().__init__()
        self.face = face
        pddl = label(face.pddl, "mono_small", "muted", wrap=True)
        reason = label(face.reason, "small", "text", wrap=True)
        quoted = QuotedParts(f"Prompt and reply behind: {face.text}")
        self.more = quoted.more
        parts = column(label(face.text, "strong", "ink", wrap=True), pddl, reason, quoted, spacing=2)
        self.setLayout(row(wrap_layout(column(Icon(face.icon, "accent", 14), 1)), (parts, 1), spacing=t.S))
        # Not before they have a parent.
        pairs = ((("Prompt", e.prompt), ("Reply", e.raw_reply)) for e in face.evidence)
        quoted.set_parts(part for pair in pairs for part in pair)
        reason.setHidden(decided)


class SuggestionCard(Surface):
    """Shows a face; a bar at its side says that a person must decide, or that a situation is of no use."""

    def __init__(self) -> None:
        super().__init__("surface", "b")
        self.face: SuggestionViewModel | None = None
        self._sentence = label("", "strong", "ink", wrap=True)
        self._by = label("", "caption", "muted", wrap=True)
        self._fault = label("", "small", "doubt", wrap=True)
        self._effect = label("", "small", "accent", wrap=True)
        self._outcome = label("", "small", "text", wrap=True)
        self._icon = Icon("person", "muted", 14)
        self._changes = column(spacing=t.S)
        self._change_views = wrap_layout(self._changes)
        self._end = wrap_layout(row(wrap_layout(column(self._icon, 1)), (self._outcome, 1), spacing=t.S))
        head = column(self._sentence, self._by)
        parts = (head, self._fault, self._end, self._effect, self._change_views)
        self.setLayout(column(*parts, spacing=t.S, margins=(t.M, t.S, t.M, t.M)))

    @property
    def changes(self) -> tuple[ChangeView, ...]:
        return tuple(self._change_views.findChildren(ChangeView))

    def show_face(self, face: SuggestionViewModel) -> None:
        if face == self.face:
            return
        before, self.face = self.face, face
        quoted = f"“{face.sentence}”" if face.told else face.sentence
        self._sentence.setText(quoted if face.sentence else "A change of the domain")
        waits = face.waiting and face.told
        self._by.setText(f"{face.by} · what is suggested because of it" if waits else face.by)
        for words, view in ((face.fault, self._fault), (face.effect, self._effect), (face.by, self._by)):
            view.setVisible(bool(words))
        self._fault.setText(face.fault)
        self._effect.setText(face.effect)
        self._outcome.setText(face.outcome)
        self._end.setVisible(bool(face.outcome))
        self._icon.show_as(face.icon, "accent" if face.icon != "clock" else "muted")
        if before is None or (face.rows, face.waiting) != (before.rows, before.waiting):
            clear_layout(self._changes)
            for one in face.rows:
                self._changes.addWidget(ChangeView(one, not face.waiting))
        self._change_views.setVisible(bool(face.rows))
        said = (face.sentence, face.by, face.fault, *(r.text for r in face.rows), face.effect, face.outcome)
        self.setAccessibleName(". ".join(filter(None, said)))
        self.show_bar("doubt" if face.fault else "accent" if face.waiting else "surface")
