"""The list of a plan's steps, and its breakpoints."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QAction, QContextMenuEvent, QFocusEvent, QResizeEvent
from PySide6.QtWidgets import QMenu

from app.controls.rows import ROW, Cell, RowLook, RowsModel, RowsTable
from app.presentation.formatting import duration
from app.theme.states import LEVEL, LINE, NEW
from core.episode_state import PlanRow, PlanRowState
from core.state.plan_rows import CHOSEN

PAST = (PlanRowState.DONE, PlanRowState.FAILED, PlanRowState.HALTED)
TEXT, BREAK = 2, 4  # columns that are always there
ROOMY = 240  # px from which a short note has a column of its own; else the sign tells it
SHORT = 9  # characters of a note beside its step; a longer one stands below


@dataclass(frozen=True)
class PlanListItem:
    """One step as it is shown."""

    line: PlanRow
    verb: str
    rest: str
    fresh: bool = False  # brought by the plan that is shown as new
    breakpoint: bool = False
    last: bool = False
    ineffective: bool = False  # reported done, and its effect was not found

    @property
    def current(self) -> bool:
        """Return True for the step that runs or comes next."""
        return self.line.state in (PlanRowState.RUNNING, PlanRowState.NEXT)


def step_look(r: PlanListItem) -> RowLook:
    """Return old number, new number with the state's icon, action with arguments, note, and breakpoint."""
    line, (note, tone) = r.line, step_note(r)
    past, dropped = line.state in PAST, line.state is PlanRowState.DROPPED
    sign = NEW if r.fresh and not r.current else LINE[line.state]
    sign = LEVEL["doubt"] if r.ineffective else sign
    ink = "muted" if past or dropped else "ink" if r.current or r.fresh else "text"
    beside, font = note if len(note) <= SHORT else "", "strong" if r.current else "body"
    cells = (
        Cell(str(line.old_number or ""), tone="muted", font="small", right=True, strike=True),
        Cell("" if dropped else str(line.number), tone="muted" if past else ink, font="label", right=True),
        Cell(f"{r.verb} {r.rest}", sign.icon, ink, sign.colour, font, False, dropped),
        Cell(beside, tone=tone, font="caption", right=True),
        Cell("", "break" if r.breakpoint else ""),
    )
    stop, new = ", breakpoint" if r.breakpoint else "", ", new" if r.fresh else ""
    state = f"{line.state.value}, no effect seen" if r.ineffective else line.state.value
    spoken = f"Step {line.number}: {r.verb} {r.rest}, {state}{new}{stop}. {line.note}".strip()
    ground = "accent_soft" if r.fresh or line.state is PlanRowState.RUNNING else ""
    return RowLook(cells, spoken, f"{spoken}\n{line.step}", "" if beside else note, tone, ground=ground)


def step_note(r: PlanListItem) -> tuple[str, str]:
    """Return what is to be said of a step, and its colour."""
    line = r.line
    match line.state:
        case PlanRowState.RUNNING:
            return "running", "accent"
        case PlanRowState.NEXT:
            return "next", "accent"
        case PlanRowState.FAILED:
            return line.note or "failed", "fault"
        case PlanRowState.HALTED:
            return "halted", "text"
        case PlanRowState.DROPPED:
            return "dropped", "muted"
        case PlanRowState.DONE if r.ineffective:
            return "no effect seen", "doubt"
        case PlanRowState.DONE:
            took = duration(line.seconds) if line.seconds and line.seconds >= 0.05 else ""
            return (CHOSEN if line.note == CHOSEN else took), "muted"
    if r.fresh:
        return "new", "accent"
    return (line.note or ("goal" if r.last else ""), "muted")


class PlanListView(RowsTable):
    """The list of steps. A click on the right edge sets or clears a breakpoint; the menu offers more."""

    breakpoint_toggled = Signal(object, bool)  # Line, whether for every step of this action

    def __init__(self) -> None:
        self.steps = RowsModel(step_look, [""] * 5)
        self.diff = False  # whether the column of old numbers is there
        self._kept: tuple[int, ...] = ()  # rows in view, until a person scrolls
        super().__init__(self.steps, "Steps", (-1, 32, 0, 56, 14))
        self.horizontalHeader().hide()
        self.clicked.connect(self._clicked)
        self.verticalScrollBar().actionTriggered.connect(self._leave)

    def show_steps(self, rows: tuple[PlanListItem, ...], diff: bool) -> None:
        changed = self.steps.show_rows(rows)
        if changed or diff is not self.diff:
            self.diff = diff
            self.fit()

    def fit(self) -> None:
        rows, roomy = self.steps.rows, self.width() >= ROOMY
        noted = roomy and any(0 < len(step_note(row)[0]) <= SHORT for row in rows)
        marked = any(row.breakpoint for row in rows)
        self.set_widths((30 if self.diff else -1, 32, 0, 56 if noted else -1, 22 if marked else 14))
        super().fit()
        if self._kept:
            self.keep_in_view(*self._kept)

    def keep_in_view(self, *rows: int) -> None:
        """Scroll to these rows, the last one first of all, and again when the size changes."""
        self._kept = rows
        for row in rows:
            self.scrollTo(self.steps.index(row, TEXT))

    def _leave(self) -> None:
        self._kept = ()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._soon.start()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Select the next step on keyboard focus, so that the focus is visible."""
        super().focusInEvent(event)
        by_mouse = event.reason() is Qt.FocusReason.MouseFocusReason
        if self.steps.rows and not by_mouse and not self.selectionModel().hasSelection():
            now = (i for i, row in enumerate(self.steps.rows) if row.current)
            self.select(next(now, 0))

    def select(self, at: int) -> None:
        """Select the row at this place, or the nearest."""
        if self.steps.rows:
            self.setCurrentIndex(self.steps.index(max(0, min(len(self.steps.rows) - 1, at)), TEXT))

    def _clicked(self, index: QModelIndex) -> None:
        if index.column() == BREAK:
            self.breakpoint_toggled.emit(index.data(ROW).line, False)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        index = self.indexAt(event.pos())
        if not index.isValid():
            return
        line = index.data(ROW).line
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        every = f"Breakpoint on every {line.step.name}"
        for words, all_ in (("Breakpoint on this step (F9)", False), (every, True)):
            action = QAction(words, menu)
            action.setData((line, all_))
            menu.addAction(action)
        menu.triggered.connect(lambda action: self.breakpoint_toggled.emit(*action.data()))
        menu.popup(event.globalPos())
