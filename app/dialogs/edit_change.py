"""Edit a suggested change before it is accepted: leave a part out, or put other values in it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QWidget

from app.controls.input_fields import CheckBox, ComboBox
from app.controls.layout import Separator, clear_layout, column, label, row, scroll_area, wrap_layout
from app.controls.text import TextField
from app.dialogs.overlay_dialog import OverlayDialog
from app.main_window import MainWindow
from app.presentation.change_drafts import DraftField, draft_fields, renamed, substitute_of, with_substitute
from app.presentation.change_drafts import with_value as changed
from app.presentation.suggestions import waiting_suggestion
from app.theme import styling
from app.theme import tokens as t
from core.episode_state import EpisodeState
from core.errors import BadValue
from core.knowledge.apply import change_faults
from core.knowledge.changes import Change
from core.planning_model import Problem
from core.state.causes import capitalised
from core.stock import StockItem
from core.text.untrusted_text import one_line

NAMES = ("predicate", "substitute", "name")  # new names, which the other changes use as well
NOTHING = "Nothing is left of it: keep a part, or refuse the change."
GOOD = "It can be applied; the plan is made anew with it."


class EditChangeDialog(OverlayDialog):
    """Closes when the suggestion no longer waits. `problem` is the one in force."""

    edited = Signal(object, object)  # the state that was seen, tuple[Change, ...]

    def __init__(
        self, window: MainWindow, problem: Problem, seen: EpisodeState, stock: tuple[StockItem, ...] = ()
    ) -> None:
        super().__init__(window, "Edit the change", "counts only for what you leave in", QSize(760, 560))
        self._problem, self._seen = problem, seen
        self._object_name = window.plan.vocabulary.object_name
        suggestion = waiting_suggestion(seen)
        learnt = suggestion.changes if suggestion else ()
        self._changes: list[Change] = [one.change for one in learnt]
        self._left_out: set[int] = set()
        self._bad: dict[tuple[int, str], str] = {}  # values that cannot be read
        self._stock = stock
        self._rows = column(spacing=t.M, margins=(t.XL, t.M, t.XL, t.M))
        told = suggestion.situation.sentence if suggestion else ""
        head = label(f"“{one_line(told, 200)}”", "strong", "ink", wrap=True)
        head.setContentsMargins(t.XL, t.M, t.XL, 0)
        self._verdict = label("", "small", "text", wrap=True)
        self._verdict.setContentsMargins(t.XL, t.S, t.XL, t.S)
        self._verdict.setMinimumHeight(2 * t.L + t.S)
        area = scroll_area(wrap_layout(column(self._rows, 1)))
        self.set_body(column(head, (area, 1), Separator(), self._verdict))
        self.button("Cancel", self.reject)
        self._accept = self.button("Accept as edited", self._decide, "check", primary=True)
        self._fill()

    @property
    def changes(self) -> tuple[Change, ...]:
        """Return what would be accepted now."""
        return tuple(c for i, c in enumerate(self._changes) if i not in self._left_out)

    @property
    def fault(self) -> str:
        """Return why it cannot be accepted, one sentence; "" if it can."""
        bad = [why for (i, _), why in self._bad.items() if i not in self._left_out]
        if bad or not self.changes:
            return bad[0] if bad else NOTHING
        return next(iter(change_faults(self._problem, self.changes)), "")

    def display(self, state: EpisodeState) -> None:
        if state.proposal != self._seen.proposal:
            self.reject()

    def _fill(self) -> None:
        """Make the fields anew: another value may allow other ones."""
        clear_layout(self._rows)
        self._words = [label("", "strong", "ink", wrap=True) for _ in self._changes]
        self._pddl = [label("", "mono_small", "muted", wrap=True) for _ in self._changes]
        if self._stock and (found := substitute_of(self._changes)):
            self._rows.addWidget(self._substitute_row(found[1].name))
        for i, change in enumerate(self._changes):
            self._rows.addWidget(self._change_row(i, change))
        self._check()

    def _substitute_row(self, name: str) -> QWidget:
        names = [f"{item.name} ({item.kind})" for item in self._stock]
        box = ComboBox("Which thing at hand is the substitute", 260)
        known = [item.name for item in self._stock]
        box.addItems(names if name in known else [f"{name} (as suggested)", *names])
        shift = 0 if name in known else 1
        box.setCurrentIndex(known.index(name) if name in known else 0)
        box.activated.connect(lambda at: self._substituted(at - shift))
        return wrap_layout(row(label("The substitute is", "label", "ink"), box, 1, spacing=t.S))

    def _change_row(self, i: int, change: Change) -> QWidget:
        keep = CheckBox("", on=i not in self._left_out)
        keep.setAccessibleName(f"Keep: {one_line(change.describe(), 200)}")
        keep.setFixedWidth(t.XL)
        keep.toggled.connect(partial(self._keep, i))
        fields = row(spacing=t.S)
        for field in draft_fields(change, self._problem, self._changes):
            fields.addWidget(label(field.label, "small", "muted"))
            fields.addWidget(self._editor(i, field), {"facts": 3, "name": 2}.get(field.name, 1))
        parts = column(self._words[i], self._pddl[i], fields, spacing=t.XS)
        return wrap_layout(row(wrap_layout(column(keep, 1)), (parts, 1), spacing=t.S))

    def _editor(self, i: int, field: DraftField) -> ComboBox | TextField:
        if field.options:
            box = ComboBox(field.label)
            box.addItems(field.options)
            box.setCurrentText(field.value)
            box.textActivated.connect(partial(self._chosen, i, field.name))
            return box
        line = TextField(field.value, field.label)
        line.setFont(styling.font("mono"))
        line.setMaxLength(400)
        line.textEdited.connect(partial(self._typed, i, field.name))
        return line

    # --- what a person does ------------------------------------------------------------------------------

    def _keep(self, i: int, on: bool) -> None:
        (self._left_out.discard if on else self._left_out.add)(i)
        self._check()

    def _chosen(self, i: int, name: str, value: str) -> None:
        self._typed(i, name, value)
        self._fill()

    def _typed(self, i: int, name: str, value: str) -> None:
        """Take a value; a name that this change brought in is replaced wherever the others use it."""
        old, self._bad = self._changes[i], {k: v for k, v in self._bad.items() if k != (i, name)}
        try:
            new = changed(old, name, value)
        except BadValue as error:
            self._bad[i, name] = str(error)
            self._check()
            return
        before, after = getattr(old, name), getattr(new, name)
        self._changes[i] = new
        if name in NAMES and before not in self._known_names() and after:
            self._changes = list(renamed(self._changes, before, after))
        self._check()

    def _known_names(self) -> set[str]:
        domain = self._problem.domain
        names = {p.name for p in domain.predicates} | {typed.name for typed in domain.types}
        return names | {o.name for o in self._problem.all_objects}

    def _substituted(self, at: int) -> None:
        if at >= 0:
            self._changes = list(with_substitute(self._changes, self._stock[at]))
            self._fill()

    def _check(self) -> None:
        for i, change in enumerate(self._changes):
            left_out = i in self._left_out
            words = capitalised(one_line(change.describe(self._object_name), 200))
            self._words[i].say(*((f"{words} (left out)", "muted") if left_out else (words, "ink")))
            self._pddl[i].setText(one_line(change.pddl, 300))
        fault = self.fault
        self._verdict.say(fault or GOOD, "fault" if fault else "text")
        self._accept.allow(fault.rstrip("."))

    def _decide(self) -> None:
        if not self.fault:
            self.edited.emit(self._seen, self.changes)
            self.accept()
