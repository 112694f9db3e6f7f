"""Plan: the steps and their states; a new plan stands beside the old one, with the answer that caused it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QContextMenuEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QMenu, QStyle, QStyledItemDelegate, QWidget

from app.naming import Naming
from app.parts.header import Search
from app.parts.layout import Surface, column, row
from app.theme import glyphs, look, paint
from app.theme import tokens as t
from app.theme.states import LINE, NEW
from app.widgets.panel import Panel
from app.words import count, pending, short
from core.deciding import Revision
from core.facts import Source
from core.story import Line, LineState, Phase, Story
from core.telling import CHOSEN, revised

ROW = Qt.ItemDataRole.UserRole
AnyIndex = QModelIndex | QPersistentModelIndex
KEPT = 150  # steps that were done, at most; the earlier ones are in the log
PAST = (LineState.DONE, LineState.FAILED, LineState.HALTED)


@dataclass(frozen=True)
class Row:
    """One line as it is painted."""

    line: Line
    verb: str
    rest: str
    fresh: bool = False  # brought by the plan that is shown as new
    breakpoint: bool = False
    offered: bool = False  # part of a plan that nobody has taken yet
    last: bool = False


class Steps(QAbstractListModel):
    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[Row, ...] = ()

    def show_rows(self, rows: tuple[Row, ...]) -> None:
        if len(rows) != len(self.rows):
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()
        elif rows != self.rows:
            changed = [i for i, (a, b) in enumerate(zip(rows, self.rows, strict=True)) if a != b]
            self.rows = rows
            self.dataChanged.emit(self.index(changed[0]), self.index(changed[-1]))

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: AnyIndex, role: int = 0) -> object:
        r = self.rows[index.row()]
        if role == ROW:
            return r
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            stop = ", breakpoint" if r.breakpoint else ""
            new = ", new" if r.fresh else ""
            words = f"Step {r.line.number}: {r.verb} {r.rest}, {r.line.state.value}{new}{stop}. {r.line.note}"
            return words.strip() if role == Qt.ItemDataRole.AccessibleTextRole else f"{words}\n{r.line.step}"
        return None


class Delegate(QStyledItemDelegate):
    """Old number | new number | state glyph | action and arguments | note."""

    OLD, NEW, GLYPH, TEXT, SHIFT = 12, 36, 62, 86, 24

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.diff = False  # whether the column of old numbers is there
        self.high = t.H_ROW

    def sizeHint(self, option, index) -> QSize:
        return QSize(10, self.high)

    def paint(self, p: QPainter, option, index) -> None:
        r: Row = index.data(ROW)
        line, box = r.line, QRectF(option.rect)
        x, y, w, h = box.x(), box.y(), box.width(), box.height()
        state = line.state
        running, following = state is LineState.RUNNING, state is LineState.NEXT
        bright = running or following or r.fresh
        p.save()
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        if running or r.fresh:
            p.fillRect(box, look.colour("accent_soft", 1 if running or following else 0.6))
            paint.fill(p, x, y, t.BAR, h, "accent")
        if option.state & QStyle.StateFlag.State_Selected:
            edge = "accent" if option.state & QStyle.StateFlag.State_HasFocus else "edge"
            paint.box(p, x + 1, y, w - 2, h - 1, None, edge, 2)
        paint.fill(p, x, y + h - 1, w, 1, look.colour("hair", 0.7))
        off = 0 if self.diff else -self.SHIFT
        past, dropped = state in PAST, state is LineState.DROPPED
        if self.diff and line.old_number:
            paint.text(
                p, x + self.OLD, y, 18, h, str(line.old_number), "small", "muted", paint.RIGHT, strike=True
            )
        if not dropped:
            role, ink = ("small", "muted") if past else ("label", "ink" if bright else "muted")
            paint.text(p, x + self.NEW + off - 6, y, 24, h, str(line.number), role, ink, paint.RIGHT)
        sign = NEW if r.fresh and not following and not running else LINE[state]
        glyphs.draw(p, sign.glyph, x + self.GLYPH + off, y + h / 2 - 8, 16, sign.colour)
        right = x + w - t.M
        if r.breakpoint:
            glyphs.draw(p, "break", right - 14, y + h / 2 - 7, 14, "text")
            right -= 20
        note, tone = _note(r)
        if note:
            room = min(paint.width(note, "caption"), w * 0.4)
            paint.text(p, right - room, y, room, h, note, "caption", tone, paint.RIGHT)
            right -= room + t.S
        at = x + self.TEXT + off
        ink = "muted" if past or dropped else "ink" if bright else "text"
        role = "strong" if running or following else "body"
        at += paint.text(p, at, y, right - at, h, r.verb, role, ink, strike=dropped) + 5
        quiet = past or dropped or state is LineState.TODO
        paint.text(p, at, y, right - at, h, r.rest, "body", "muted" if quiet else "text", strike=dropped)
        p.restore()


def _note(r: Row) -> tuple[str, str]:
    line = r.line
    match line.state:
        case LineState.RUNNING:
            return "running", "accent"
        case LineState.NEXT:
            return "next", "accent"
        case LineState.FAILED:
            return line.note or "failed", "fault"
        case LineState.HALTED:
            return "halted", "text"
        case LineState.DROPPED:
            return "dropped", "muted"
        case LineState.DONE:
            took = short(line.seconds) if line.seconds and line.seconds >= 0.05 else ""
            return (CHOSEN if line.note == CHOSEN else took), "muted"
    if r.fresh:
        return "new", "accent"
    return (line.note or ("goal" if r.last else ""), "muted")


class DiffHead(Surface):
    """Names both plans, and the answer that caused the new one."""

    def __init__(self) -> None:
        super().__init__("sunken", "b")
        self._old, self._new, self._size, self._cause, self._level = "", "", "", "", ""
        self.setFixedHeight(44)

    def say(self, old: str, new: str, size: str, cause: str, level: str) -> None:
        if (old, new, size, cause, level) != (self._old, self._new, self._size, self._cause, self._level):
            self._old, self._new, self._size, self._cause, self._level = old, new, size, cause, level
            self.setAccessibleName(f"{old} becomes {new}: {size}. {cause}")
            self.setToolTip(cause)
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        with paint.painter(self) as p:
            w = self.width()
            x = t.M + paint.text(p, t.M, 4, 90, 18, self._old, "label", "muted", strike=True) + 6
            glyphs.draw(p, "arrow", x, 7, 12, "muted")
            x += 18 + paint.text(p, x + 18, 4, 90, 18, self._new, "label", "accent") + t.S
            paint.text(p, x, 4, w - x - t.S, 18, self._size, "small", "text")
            level = self._level
            glyphs.draw(p, "diamond" if level else "info", t.M, 24, 13, f"{level}_fill" if level else "muted")
            paint.text(p, t.M + 19, 22, w - 44, 18, self._cause, "small", level or "text")


class List(QListView):
    """The steps. A click on the right edge sets or clears a breakpoint; the menu has more."""

    broken = Signal(object, bool)  # Line, whether for every step of this action

    def __init__(self) -> None:
        super().__init__()
        self.setUniformItemSizes(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setDragEnabled(False)
        self.setDragDropMode(QAbstractItemView.DragDropMode.NoDragDrop)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setAccessibleName("Steps")

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and event.position().x() > self.viewport().width() - 30:
            self.broken.emit(index.data(ROW).line, False)

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
        self.broken.emit(*action.data())


class PlanPanel(Panel):
    EMPTY = ("list", "No plan yet", "The first one is made when the episode starts.")
    breakpoints_changed = Signal(object)  # frozenset of action names and whole steps

    def __init__(self) -> None:
        super().__init__("Plan")
        self.breakpoints: frozenset[str] = frozenset()
        self.foretold = ""  # what the pending answers would do
        self._story = Story()
        self._steps, self.head, self.list = Steps(), DiffHead(), List()
        self._delegate = Delegate(self.list)
        self.list.setModel(self._steps)
        self.list.setItemDelegate(self._delegate)
        self.list.broken.connect(self._broken)
        self._search = Search("Find a step")
        self._search.returnPressed.connect(self._find)
        self._search.textEdited.connect(self._find)
        self._search.hide()
        self._bar = QWidget()
        self._bar.setLayout(row(self._search, margins=(t.M, 6, t.M, 6)))
        self._bar.hide()
        body = QWidget()
        body.setLayout(column(self._bar, self.head, self.list))
        self.fill(body)
        self._followed: object = None
        self.clear()

    def display(self, story: Story) -> None:
        self._story = story
        if story.started is None:
            if not self.telling:
                self.clear()
            return
        if not story.lines and story.offered is None:
            self._empty(story)
            return
        self.untell()
        offered = story.offered
        number = story.plans + 1 if offered else story.plans
        lines = revised(story.lines, offered, number) if offered else story.lines
        if story.ended:  # nothing comes next any more
            todo = {LineState.NEXT: LineState.TODO}
            lines = tuple(replace(ln, state=todo.get(ln.state, ln.state)) for ln in lines)
        self._show_head(story, offered)
        lines = recent(lines)
        last = max((i for i, ln in enumerate(lines) if ln.state is not LineState.DROPPED), default=-1)
        ahead = (LineState.TODO, LineState.NEXT, LineState.RUNNING)
        self._steps.show_rows(
            tuple(
                Row(
                    line,
                    *self.naming.parts(line.step),
                    fresh=number > 1 and line.plan == number and line.state in ahead,
                    breakpoint=line.state in ahead and self._breaks(line),
                    offered=offered is not None,
                    last=i == last,
                )
                for i, line in enumerate(lines)
            )
        )
        self._follow(lines)

    def _empty(self, story: Story) -> None:
        if story.revision is None:
            self.tell("list", "Making the first plan", "Nothing moves while there is none.")
        else:
            why = story.revision.new.why or "Nothing that is believed leads to the goal."
            self.tell("diamond", "No plan", why, "doubt", "Correct the belief, or end the episode")

    def _show_head(self, story: Story, offered: Revision | None) -> None:
        revision = offered or story.revision
        fresh = (
            revision is not None and (offered is not None or story.plans > 1) and revision.turn == story.turn
        )
        self.head.setVisible(fresh)
        self._delegate.diff = fresh
        n = story.plans + 1 if offered else story.plans
        if answers := pending(story):
            self.header.note.say(self.foretold or f"{count(len(answers), 'answer')} pending")
            return
        self.foretold = ""
        if revision is None or not fresh:
            self.header.note.say(
                f"plan {n}" + (f" · made in turn {revision.turn}" if revision and revision.turn else "")
            )
            return
        waiting = story.phase is Phase.OFFERED
        self.header.note.say("waits for your look" if waiting else "")
        new = revision.new.steps
        added = len([s for s in new if s not in revision.old])
        size = f"{len(revision.old)} → {len(new)} steps, {added} new"
        words, level = cause(revision, story, self.naming)
        self.head.say(f"Plan {n - 1}", f"Plan {n}", size, words, level)

    def _follow(self, lines: tuple[Line, ...]) -> None:
        """Keep the step of now in sight, unless a person looks elsewhere."""
        now = (LineState.RUNNING, LineState.NEXT)
        at = next((i for i, ln in enumerate(lines) if ln.state in now), None)
        key = (self._story.plans, at)
        if at is not None and key != self._followed:
            self._followed = key
            self.list.scrollTo(self._steps.index(min(at + 3, len(lines) - 1)))
            self.list.scrollTo(self._steps.index(max(0, at - 2)))

    # --- breakpoints -------------------------------------------------------------------------------------

    def _breaks(self, line: Line) -> bool:
        return line.step.name in self.breakpoints or str(line.step) in self.breakpoints

    def _broken(self, line: Line, every: bool) -> None:
        name = line.step.name if every else str(line.step)
        if not every and line.step.name in self.breakpoints:
            name = line.step.name  # it stops there because of its action: that is what goes
        self.breakpoints = self.breakpoints ^ {name}
        self.breakpoints_changed.emit(self.breakpoints)
        self.display(self._story)

    def toggle_breakpoint(self) -> None:
        """On the selected step, or on the next one."""
        index = self.list.currentIndex()
        line = index.data(ROW).line if index.isValid() else None
        if line is None:
            line = next((r.line for r in self._steps.rows if r.line.state is LineState.NEXT), None)
        if line is not None:
            self._broken(line, False)

    # --- the keyboard ------------------------------------------------------------------------------------

    def enter(self) -> None:
        self.list.setFocus()

    def move(self, by: int) -> None:  # type: ignore[override]
        last = self._steps.rowCount() - 1
        if last >= 0:
            at = max(0, min(last, self.list.currentIndex().row() + by))
            self.list.setCurrentIndex(self._steps.index(at))

    def search(self) -> None:
        self._bar.show()
        self._search.show()
        self._search.setFocus()
        self._search.selectAll()

    def _find(self) -> None:
        words = self._search.text().lower().split()
        start = self.list.currentIndex().row() + 1
        places = range(len(self._steps.rows))
        for i in [*places[start:], *places[:start]]:
            r = self._steps.rows[i]
            if words and all(word in f"{r.verb} {r.rest}".lower() for word in words):
                self.list.setCurrentIndex(self._steps.index(i))
                return


def recent(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """Without what was done long ago: an episode of thousands of steps must not slow the window down."""
    if len(lines) <= KEPT:
        return lines
    past = sum(ln.state in PAST for ln in lines)
    return lines[max(0, past - KEPT) :]


def cause(revision: Revision, story: Story, naming: Naming) -> tuple[str, str]:
    """Why there is a new plan: words and level. Amber is the contradiction behind it, never the plan."""
    answer = revision.answer
    if answer is None:
        why = revision.why or ("of what you set" if story.corrections else "the old plan is used up")
        return f"because {why}", ""
    card = next((c for c in story.cards if c.query.atom == answer.atom), None)
    which = (
        f"Q{card.number}"
        if card
        else {Source.OPERATOR: "you", Source.SENSOR: "a sense"}.get(answer.source, "")
    )
    words = f"because of {which}: {naming.asked(answer)}" if which else f"because {naming.asked(answer)}"
    return words, "" if answer.source is Source.OPERATOR else "doubt"
