"""The list of a plan's steps: model, painting and breakpoints."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QContextMenuEvent, QFocusEvent, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QMenu, QStyle, QStyleOptionViewItem

from app.controls.rows import ROW, AnyIndex, RowDelegate, RowsModel, State, set_up_view
from app.presentation.formatting import duration
from app.theme import icons, paint, styling
from app.theme import tokens as t
from app.theme.states import LEVEL, LINE, NEW
from core.episode_state import PlanRow, PlanRowState
from core.state.plan_rows import CHOSEN
from core.text.untrusted_text import tooltip

MOST = 4  # lines of a note
PAST = (PlanRowState.DONE, PlanRowState.FAILED, PlanRowState.HALTED)


@dataclass(frozen=True)
class PlanListItem:
    """One line as it is painted."""

    line: PlanRow
    verb: str
    rest: str
    fresh: bool = False  # brought by the plan that is shown as new
    breakpoint: bool = False
    offered: bool = False  # part of a plan that nobody has taken yet
    last: bool = False
    ineffective: bool = False  # reported done, and its effect was not found

    @property
    def current(self) -> bool:
        """Return True for the step that runs or comes next."""
        return self.line.state in (PlanRowState.RUNNING, PlanRowState.NEXT)


class PlanListModel(RowsModel[PlanListItem]):
    def update_rows(self, rows: tuple[PlanListItem, ...]) -> bool:
        """Show these rows. Return True if they have changed."""
        if rows == self.rows:
            return False
        if len(rows) != len(self.rows):
            self.show_rows(rows)
        else:
            changed = [i for i, (a, b) in enumerate(zip(rows, self.rows, strict=True)) if a != b]
            self.rows = rows
            self.dataChanged.emit(self.index(changed[0]), self.index(changed[-1]))
        return True

    def accessible_text(self, row: PlanListItem) -> str:
        return _spoken(row).strip()

    def tooltip(self, row: PlanListItem) -> str:
        return tooltip(f"{_spoken(row)}\n{row.line.step}")


def _spoken(r: PlanListItem) -> str:
    stop = ", breakpoint" if r.breakpoint else ""
    new = ", new" if r.fresh else ""
    state = f"{r.line.state.value}, no effect seen" if r.ineffective else r.line.state.value
    return f"Step {r.line.number}: {r.verb} {r.rest}, {state}{new}{stop}. {r.line.note}"


class PlanDelegate(RowDelegate):
    """Paints old number, new number, state icon, action with arguments, and note."""

    OLD, NEW, GLYPH, TEXT, SHIFT = 12, 36, 62, 86, 24
    TALL, LINE = 42, 17  # a row whose words and note take two lines, and what one more adds

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self.diff = False  # whether the column of old numbers is there

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        _, second, below, notes = self._split(index.data(ROW))
        if second is None:
            return QSize(10, t.H_ROW)
        more = max(0, len(second) - 1) + (below + len(notes) - 1 if notes else 0)
        return QSize(10, self.TALL + self.LINE * more)

    def _right(self) -> float:
        """Return where the notes end, with or without a scroll bar, so that its appearance wraps no row."""
        return self.view.width() - t.L

    def _at(self) -> int:
        """Return where the text begins."""
        return self.TEXT + (0 if self.diff else -self.SHIFT)

    def _split(self, r: PlanListItem) -> tuple[str, list[str] | None, bool, list[str]]:
        """Return what follows the verb on its line and on the lines below, whether the note is below these,
        and the note's lines.

        None means that one line suffices for all.
        """
        note, _ = _note(r)
        whole = self._right() - (20 if r.breakpoint else 0) - self._at()
        room = whole - paint.width(r.verb, "strong") - 5
        beside = paint.width(note, "caption") + t.S if note else 0.0
        if paint.width(r.rest, "body") <= room - beside:
            return r.rest, None, False, [note] if note else []
        first = next(iter(paint.lines(r.rest, "body", room, len(r.rest))), "")
        second = paint.lines(r.rest[len(first) :].strip(), "body", whole, MOST)
        below = bool(second) and paint.width(second[-1], "body") + beside > whole
        return first, second, below, paint.lines(note, "caption", whole, MOST)

    def draw(self, p: QPainter, box: QRectF, state: QStyle.StateFlag, index: AnyIndex) -> None:
        r: PlanListItem = index.data(ROW)
        x, y, w, h = box.x(), box.y(), box.width(), box.height()
        if r.fresh or r.line.state is PlanRowState.RUNNING:
            p.fillRect(box, styling.colour("accent_soft", 1 if r.current else 0.6))
            paint.fill(p, x, y, t.BAR, h, "accent")
        if state & State.State_Selected:
            edge = "accent" if state & State.State_HasFocus else "edge"
            paint.box(p, x + 1, y, w - 2, h - 1, None, edge, 2)
        paint.fill(p, x, y + h - 1, w, 1, styling.colour("hair", 0.7))
        self._paint_signs(p, r, x, y)
        self._paint_words(p, r, x, y, h)

    def _paint_signs(self, p: QPainter, r: PlanListItem, x: float, y: float) -> None:
        """Paint the numbers, the icon of the state and the breakpoint."""
        line, off = r.line, 0 if self.diff else -self.SHIFT
        if self.diff and line.old_number:
            old, at = str(line.old_number), x + self.OLD
            paint.text(p, at, y, 18, t.H_ROW, old, "small", "muted", paint.RIGHT, strike=True)
        if line.state is not PlanRowState.DROPPED:
            bright = "ink" if r.current or r.fresh else "muted"
            role, ink = ("small", "muted") if line.state in PAST else ("label", bright)
            paint.text(p, x + self.NEW + off - 6, y, 24, t.H_ROW, str(line.number), role, ink, paint.RIGHT)
        sign = NEW if r.fresh and not r.current else LINE[line.state]
        sign = LEVEL["doubt"] if r.ineffective else sign
        icons.draw(p, sign.icon, x + self.GLYPH + off, y + t.H_ROW / 2 - 8, 16, sign.colour)
        if r.breakpoint:
            icons.draw(p, "break", x + self._right() - 14, y + t.H_ROW / 2 - 7, 14, "text")

    def _paint_words(self, p: QPainter, r: PlanListItem, x: float, y: float, h: float) -> None:
        """Paint the action, its arguments and the note."""
        past, dropped = r.line.state in PAST, r.line.state is PlanRowState.DROPPED
        right = x + self._right() - (20 if r.breakpoint else 0)
        _, tone = _note(r)
        first, second, below, notes = self._split(r)
        tall = second is not None
        high, low = (22.0, y + 19) if tall else (h, y)
        at = x + self._at()
        room = right - at - (paint.width(second[-1], "body") + t.S if second and not below else 0)
        under = low + self.LINE * (max(0, len(second or ()) - 1) + below)
        for i, words in enumerate(notes):
            at_y = under + self.LINE * i
            noted = paint.text(p, right - room, at_y, room, high, words, "caption", tone, paint.RIGHT)
            if not tall:
                right -= noted + t.S
        ink = "muted" if past or dropped else "ink" if r.current or r.fresh else "text"
        quiet = "muted" if past or dropped or r.line.state is PlanRowState.TODO else "text"
        role = "strong" if r.current else "body"
        top = y + 1 if tall else y
        on = at + paint.text(p, at, top, right - at, high, r.verb, role, ink, strike=dropped) + 5
        paint.text(p, on, top, right - on, high, first, "body", quiet, strike=dropped)
        for i, words in enumerate(second or ()):
            paint.text(p, at, low + self.LINE * i, right - at, high, words, "body", quiet, strike=dropped)


def _note(r: PlanListItem) -> tuple[str, str]:
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


class PlanListView(QListView):
    """The list of steps. A click on the right edge sets or clears a breakpoint; the menu offers more."""

    breakpoint_toggled = Signal(object, bool)  # Line, whether for every step of this action

    def __init__(self) -> None:
        super().__init__()
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        set_up_view(self, "Steps")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._kept: tuple[int, ...] = ()  # rows in view, until a person scrolls
        self._scrolled = 0  # px: where they are in view

    def keep_in_view(self, *rows: int) -> None:
        """Scroll to these rows, the last one first of all, and again when the size changes."""
        self._kept = rows
        self.doItemsLayout()  # how high a row is depends on the width and its words
        for row in rows:
            self.scrollTo(self.model().index(row, 0))
        self._scrolled = self.verticalScrollBar().value()

    def resizeEvent(self, event: QResizeEvent) -> None:
        untouched = self.verticalScrollBar().value() == self._scrolled
        super().resizeEvent(event)
        if untouched and self._kept:
            self.keep_in_view(*self._kept)
        else:
            self.scheduleDelayedItemsLayout()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Select the next step on keyboard focus, so that the focus is visible."""
        super().focusInEvent(event)
        rows, by_mouse = self.model().rowCount(), event.reason() is Qt.FocusReason.MouseFocusReason
        if rows and not by_mouse and not self.selectionModel().hasSelection():
            states = [self.model().index(i, 0).data(ROW).line.state for i in range(rows)]
            now = (i for i, s in enumerate(states) if s in (PlanRowState.NEXT, PlanRowState.RUNNING))
            self.setCurrentIndex(self.model().index(next(now, 0), 0))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and event.position().x() > self.viewport().width() - 30:
            self.breakpoint_toggled.emit(index.data(ROW).line, False)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        index = self.indexAt(event.pos())
        if not index.isValid():
            return
        line = index.data(ROW).line
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for words, every in (
            ("Breakpoint on this step (F9)", False),
            (f"Breakpoint on every {line.step.name}", True),
        ):
            action = QAction(words, menu)
            action.setData((line, every))
            menu.addAction(action)
        menu.triggered.connect(self._picked)
        menu.popup(event.globalPos())

    def _picked(self, action: QAction) -> None:
        self.breakpoint_toggled.emit(*action.data())
