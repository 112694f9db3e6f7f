"""Show what was learnt about a domain, in force now or kept for later; remove and export it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent

from app.controls.layout import Separator, clear_layout, column, label, row, scroll_area, wrap_layout
from app.controls.list_picker import ListPicker, PickerItem
from app.controls.text import TextField
from app.dialogs.overlay_dialog import OverlayDialog
from app.main_window import MainWindow
from app.presentation.formatting import spaced
from app.presentation.suggestions import KnownChange, change_face, known_changes
from app.runtime.background_task import BackgroundTask
from app.theme import tokens as t
from app.widgets.questions.suggestion_card import ChangeView
from core.data_file import write_text
from core.episode_state import EpisodeState
from core.errors import ConsoleError
from core.knowledge.apply import apply_changes
from core.log.knowledge_store import AdmittedChange, KnowledgeStore, usable
from core.operator import operator_name
from core.planning.pddl.writer import write_domain
from core.planning_model import Problem

NONE = "Nothing was learnt about this domain yet."


class KnowledgeDialog(OverlayDialog):
    """Reads and writes on a thread of its own."""

    def __init__(
        self, window: MainWindow, store: KnowledgeStore, domain: str, problem: Problem, state: EpisodeState
    ) -> None:
        hint = "the next episode begins with what is kept"
        super().__init__(window, f"What was learnt about {spaced(domain)}", hint, QSize(860, 600))
        self._vocabulary = window.plan.vocabulary
        self._store, self._domain, self._problem, self._state = store, domain, problem, state
        self._kept: tuple[AdmittedChange, ...] = ()
        self._task = BackgroundTask("knowledge")
        self._task.done.connect(self._done)
        self.finished.connect(self._task.cancel)
        self._list = ListPicker("Learnt changes")
        self._list.setFixedWidth(400)
        self._list.moved.connect(self._show)
        self._page = column(spacing=t.S, margins=(0, 0, t.S, 0))
        self._said = label("", "small", "text", wrap=True)
        self._to = TextField(str(store.folder / f"{domain}-learnt.pddl"), "PDDL file")
        below = row(label("Export to", "small", "muted"), (self._to, 1), margins=(t.XL, t.S, t.L, t.S))
        page = scroll_area(wrap_layout(column(self._page, 1)))
        right = column((page, 1), self._said, spacing=t.S, margins=(t.L, t.S, t.L, t.M))
        self.set_body(column((row(self._list, (right, 1), spacing=0), 1), Separator(), below))
        self._switch = self.button("Forget", self._keep_or_forget, "check")
        self._remove = self.button("Remove", self._remove_current, "close", "Del")
        self._export = self.button("Export as PDDL", self._export_all, "export")
        self.button("Close", self.accept, primary=True)
        self.picker = self._list
        self._fill()
        self._task.start(lambda *_: store.load(domain))

    def display(self, state: EpisodeState) -> None:
        """Update the list, since a change may be accepted or taken back while the dialog is open."""
        if (state.knowledge, state.suggestions) != (self._state.knowledge, self._state.suggestions):
            self._state = state
            self._fill()
        self._state = state

    def _fill(self) -> None:
        keep = self._list.current.key if self._list.current else None
        items = (self._item(one) for one in known_changes(self._state, self._kept))
        self._list.show_items(tuple(items), keep, NONE)
        self._show()

    def _item(self, one: KnownChange) -> PickerItem:
        face = change_face(one.learnt, self._vocabulary)
        note, icon = ", ".join(filter(None, (one.origin, one.counts))), "cross" if one.stored else "clock"
        icon = "check" if one.kept else icon
        return PickerItem(face.text, one.learnt.change, note, icon, set_by_person=bool(one.entry.by))

    @property
    def _current(self) -> KnownChange | None:
        key = self._list.current.key if self._list.current else None
        return next((one for one in known_changes(self._state, self._kept) if one.learnt.change == key), None)

    def _show(self) -> None:
        one = self._current
        clear_layout(self._page)
        if one is not None:
            self._page.addWidget(label(self._where(one), "small", "muted", wrap=True))
            self._page.addWidget(ChangeView(change_face(one.learnt, self._vocabulary), False))
        lasting, kept = one is not None and one.learnt.change.lasting, one is not None and one.kept
        self._switch.setText("Forget" if kept else "Keep")
        later = "Later episodes begin with" + ("out it; it stays in this list" if kept else " it")
        self._switch.allow("" if lasting else "it holds for this episode only", later)
        reason = "" if one and one.stored else "it is not stored; Undo takes back what is new"
        self._remove.allow(reason, "Out of this list, with its counts (Del)")
        self._export.allow("" if self._list.items else NONE.rstrip("."))

    @staticmethod
    def _where(one: KnownChange) -> str:
        force = "in force in this episode" if one.in_force else "not in force in this episode"
        return "; ".join(filter(None, (one.origin, force, one.counts)))

    def _keep_or_forget(self) -> None:
        if (one := self._current) is None or not one.learnt.change.lasting:
            return
        learnt = replace(one.learnt, episode=one.learnt.episode or self._state.episode)
        by = one.entry.by if one.kept else operator_name()
        entry = replace(one.entry, learnt=learnt, by=by, kept=not one.kept)
        kept = "Kept: later episodes begin with it."
        self._said.say(kept if entry.kept else "Later episodes do without it.")
        self._change(partial(self._store.keep, self._domain, entry))

    def _remove_current(self) -> None:
        if (one := self._current) is None or not one.stored:
            return
        self._said.say("Removed; it stays in force until this episode ends." if one.in_force else "Removed.")
        self._change(partial(self._store.remove, self._domain, one.learnt.change))

    def _change(self, change: Callable[[], None]) -> None:
        """Change what is stored, and show what is stored then."""
        store, domain = self._store, self._domain

        def work(*_: object) -> tuple[AdmittedChange, ...]:
            change()
            return store.load(domain)

        self._task.start(work)

    def _export_all(self) -> None:
        to, problem = Path(self._to.text()).expanduser(), self._problem
        admitted = tuple(
            replace(one.entry, kept=True)
            for one in known_changes(self._state, self._kept)
            if one.learnt.change.lasting and (one.kept or one.in_force)
        )

        def work(*_: object) -> str:
            changes, faults = usable(problem, admitted)
            text = write_domain(apply_changes(problem, (learnt.change for learnt in changes)).domain)
            write_text(to, text)
            said = f"Written to {to}: name it as a variant in a domain.toml to plan with it."
            return " ".join((said, *faults))

        self._task.start(work)

    def _done(self, result: object) -> None:
        if isinstance(result, ConsoleError):
            self._said.say(str(result), "fault")
        elif isinstance(result, str):
            self._said.say(result)
        elif isinstance(result, tuple):
            self._kept = result
            self._fill()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete and not self._to.hasFocus():
            self._remove.click()
        else:
            super().keyPressEvent(event)
