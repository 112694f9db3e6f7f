"""Choose another step: lists what can be done now, and why the rest cannot."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QKeyEvent

from app.controls.button import ENTER
from app.controls.header import SearchField
from app.controls.layout import column, row
from app.controls.list_picker import ListPicker, PickerItem
from app.dialogs.overlay_dialog import OverlayDialog
from app.main_window import MainWindow
from app.presentation.candidates import CandidateRow, blocked_steps, executable_steps, matches
from app.theme import tokens as t
from core.episode_state import EpisodeState
from core.planning_model import Problem
from core.ports import Embodiment
from core.text.plural import plural
from core.text.vocabulary import Vocabulary
from core.work import TooMuchWork

MOST = 200


class ChooseStepDialog(OverlayDialog):
    """Closes when the loop no longer waits for a decision on this step."""

    chosen = Signal(object, object)  # EpisodeState that was seen, Step

    def __init__(
        self, window: MainWindow, problem: Problem, vocabulary: Vocabulary, seen: EpisodeState
    ) -> None:
        super().__init__(window, "Choose a step", "instead of the next one of the plan", QSize(640, 560))
        self._problem, self._vocabulary, self._seen = problem, vocabulary, seen
        self._planned = seen.proposal.step if seen.proposal else None
        self._possible: tuple[CandidateRow, ...] = ()
        self._fault = ""  # why it is not listed what is possible
        try:
            self._possible = executable_steps(problem, vocabulary)
        except TooMuchWork as error:
            self._fault = str(error)
        self._search = SearchField("Find a step; impossible ones say why")
        self._search.textChanged.connect(self._show)
        self._list = ListPicker("Steps")
        self._list.moved.connect(self._moved)
        self.set_body(column(row(self._search, margins=(t.XL, t.M, t.L, t.M)), self._list))
        self.button("Cancel", self.reject)
        self._do = self.button("Do this step", self._take_current, "check", "Enter", primary=True)
        self._do.hold = seen.embodiment == Embodiment.REAL.value
        self.picker = self._list
        if not self._do.hold:  # which a real robot takes
            self._list.picked.connect(self._take)
        self.on_enter = self._do.begin_hold if self._do.hold else self._take_current
        self._show()
        self._search.setFocus()

    def display(self, state: EpisodeState) -> None:
        if state.proposal != self._seen.proposal:
            self.reject()

    def _show(self) -> None:
        search = self._search.text().strip()
        items = [
            PickerItem(c.text, c.step, icon="arrow", trailing_text="next in the plan")
            if c.step == self._planned
            else PickerItem(c.text, c.step, icon="dot")
            for c in sorted(self._possible, key=lambda c: c.step != self._planned)
            if matches(search, c.text, c.step)
        ]
        can = len(items)
        if search:
            others = blocked_steps(self._problem, self._vocabulary, search, MOST - can)
            needs = ((c, f"needs: {', '.join(c.reasons)}") for c in others)
            items += [PickerItem(c.text, c.step, need, "dash", enabled=False) for c, need in needs]
        all_ = plural(len(self._possible), "step")
        found, all_done = f"{can or 'none'} of the {all_} that can be done", f"{all_} can be done now"
        self.hint.setText(self._fault or (found if search else f"{all_done}; search shows the rest"))
        self._list.show_items((*self._option_items(search), *items), none="No step has these words.")

    def _option_items(self, search: str) -> list[PickerItem]:
        """Return the robot's candidates for the next step, best first."""
        proposal, items = self._seen.proposal, []
        for o in proposal.candidates if proposal else ():
            said, reason = f"{self._vocabulary.describe_step(o.step)}, {o.label}", o.unavailable_reason
            if matches(search, said, o.step):
                items.append(PickerItem(said, o.step, reason, "hand", not reason, f"{o.score:.2f}"))
        return items

    def _moved(self) -> None:
        item = self._list.current
        self._do.allow("choose a step" if item is None else "" if item.enabled else item.note)

    def _take_current(self) -> None:
        item = self._list.current
        if item is not None and item.enabled:
            self._take(item.key)

    def _take(self, step: object) -> None:
        self.chosen.emit(self._seen, step)
        self.accept()

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() in ENTER:
            self._do.cancel_hold()
        super().keyReleaseEvent(event)
