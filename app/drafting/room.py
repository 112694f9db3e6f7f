"""The drafting room, over the window's panels: picture, files, score, and the walk that differs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QKeySequence

from app.controls.badge import Badge, SegmentedControl
from app.controls.button import ENTER, Button
from app.controls.header import Header
from app.controls.layout import Separator, Surface, column, label, row, scroll_area, wrap_layout
from app.controls.list_picker import ListPicker
from app.controls.room import Room
from app.controls.text_rows import TextRows
from app.controls.tooltip import set_tooltip
from app.drafting.cell_picture import CellPicture, KindList, Shown
from app.drafting.pddl_editor import PddlEditor
from app.drafting.runner import DraftRunner, Make
from app.drafting.score_view import proposal_face, score_rows, version_item
from app.drafting.source_bar import SourceBar
from app.main_window import MainWindow
from app.review.keys import PLAY, press
from app.review.player import FRAME, Player
from app.review.replay_bar import ReplayBar
from app.theme import tokens as t
from app.widgets.questions.suggestion_card import SuggestionCard
from core.drafting.desk import Desk
from core.drafting.findings import Findings, Next
from core.drafting.rounds import Texts, Version
from core.drafting.screening import DOMAIN, PROBLEM
from core.drafting.simulator import Said
from core.drafting.source import Against, Choices, DraftingTools, DraftSource, Seams, Unnamed
from core.drafting.world import Cell
from core.ports import BoundingBox, Frame
from core.review.recording import FrameSequence

HEAD, LEFT, RIGHT, BELOW, NAMES = 44, 300, 370, 110, 62  # px
EDGE, MARGINS = (t.M, 0, t.S, 1), (t.M, t.S, t.S, t.S)
USUAL, FIRST = 4, DraftSource()  # cells a side of a picture in which none were found; what is opened
SAID = "Comparing, as you said"
ACTS: tuple[tuple[str, str, Make, str], ...] = (  # key, words, what it makes, and what is said meanwhile
    ("E", "Edit", Desk.edit, "Writing it out"),
    ("O", "Refuse", Desk.refuse, "Looking for another"),
    ("A", "Ask", lambda desk, found: desk.ask(found.version), "The model corrects"),
    ("P", "Draft is right", partial(Desk.say, said=Said.DRAFT), SAID),
    ("S", "Simulation is right", partial(Desk.say, said=Said.SIMULATION), SAID),
    ("B", "Both wrong", partial(Desk.say, said=Said.BOTH), SAID),
    ("U", "Can't say", partial(Desk.say, said=Said.UNKNOWN), SAID),
)
MAIN = {
    Next.DRAFT: ("Draft", "play"),
    Next.REPAIR: ("Accept repair", "check"),
    Next.ASK: ("Ask for corrections", "eye"),
    Next.DONE: ("Save and run", "play"),
    Next.STUCK: ("Nothing left to try", "stop"),
    Next.CONFLICT: ("Keep mine", "person"),
}


class DraftingRoom(Room):
    """Shows what `runner` does, and passes on what a person does. GUI thread only."""

    ctrl = (Qt.Key.Key_Z, Qt.Key.Key_S)

    def __init__(self, window: MainWindow, tools: DraftingTools, log: Path, at: DraftSource = FIRST) -> None:
        super().__init__(window, "Drafting room", window.set_overlay)
        self.runner, self.player = DraftRunner(tools, log, self._typed), Player(self)
        self.read: Desk | Unnamed | None = None  # what the picture shows
        self.map = Shown()
        self._version: Version | None = None  # that is shown
        self.source, self.said = SourceBar(at), label("", "small", "muted", wrap=True)
        self.buttons = list[Button]()
        self._parts = self._build()

    def _build(self) -> Iterator[None]:
        """Make the parts, a few at each step, as all would keep the window; then open what is chosen."""
        head, left, middle, right, below = (Surface("surface", edges) for edges in ("b", "", "", "", "t"))
        head.setFixedHeight(HEAD)
        left.setMaximumWidth(LEFT)
        right.setMaximumWidth(RIGHT)
        below.setFixedHeight(BELOW)
        lines = [Separator(vertical=True) for _ in range(3)]
        body = row((left, 8), lines[0], (middle, 13), lines[1], (right, 9), spacing=0)
        self.setLayout(column(head, (body, 1), below))
        yield
        badge, self.level = Badge(), SegmentedControl(("Watch", "Manual"), 1, "Level")
        badge.show_as("pencil", "DRAFT")
        go_on, level = self.runner.go_on, self.level.currentIndex
        self.main = self._button("Draft", "play", "Enter", lambda: go_on(alone=level() == 0), "primary")
        self.save = self._button("Save as domain", "disk", "Ctrl+S", self.runner.save)
        back = self._button("Back to live", "undo", "Ctrl+D", self.toggle)
        head.setLayout(row(badge, (self.said, 1), self.level, self.save, self.main, back, margins=EDGE))
        yield
        self.kinds = KindList()
        self.picture = CellPicture(self.kinds)
        left.setLayout(column(Header("Picture"), self.source, (self.picture, 1), self.kinds))
        self.source.opened.connect(self.open)
        self.picture.changed.connect(self._change)
        yield
        self.problem, self.domain = PddlEditor("Problem", PROBLEM), PddlEditor("Domain", DOMAIN)
        middle.setLayout(row((self.problem, 2), lines[2], (self.domain, 3), spacing=0))
        for editor in (self.problem, self.domain):
            editor.edited.connect(self.runner.write)
        yield
        self.score, self.versions = TextRows("Score", NAMES), ListPicker("Versions")
        self.card, make = SuggestionCard(), self.runner.make
        acts = (self._button(words, "", key, partial(make, does, said)) for key, words, does, said in ACTS)
        self.edit, self.refuse, self.ask, *self.says = acts
        self.undo = self._button("Undo", "", "Ctrl+Z", self._take_back)
        self.edit.activated.connect(self.domain.field.setFocus)
        self.versions.moved.connect(lambda: self.runner.choose(self.versions.current))
        decide = row(self.edit, self.refuse, self.ask, self.undo, spacing=t.XS, margins=MARGINS)
        told = scroll_area(wrap_layout(column(self.card, Header("Score"), self.score, 1)))
        right.setLayout(column((told, 3), decide, Header("Versions"), (self.versions, 1)))
        yield
        self.bar, self.differs = ReplayBar(self.player, of_episode=False), label("", "small", wrap=True)
        judged = row((self.differs, 1), *self.says, spacing=t.XS, margins=MARGINS)
        below.setLayout(column(judged, self.bar.header, (self.bar, 1)))
        self.player.moved.connect(self._moved)
        self.runner.read.connect(self._read)
        self.runner.looked.connect(self._show)
        self.runner.told.connect(self.tell)
        yield  # its thread would take from what is painted
        self.open(self.source.source)

    def _button(self, words: str, icon: str, key: str, do: Callable[[], object], kind: str = "") -> Button:
        """Make a button of the room, which its key presses."""
        made = Button(words, icon, key, kind or "quiet", t.H_CONTROL)
        made.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # else Enter would not be what the blue one says
        made.activated.connect(do)
        self.buttons.append(made)
        return made

    def _make(self) -> None:
        """Make the next parts, which else are all painted in one go."""
        if next(self._parts, self) is None:
            QTimer.singleShot(FRAME, self, self._make)

    # --- what a person does ------------------------------------------------------------------------------

    def enter(self) -> None:
        super().enter()
        self._make()

    def leave(self) -> None:
        self.player.pause()

    def open(self, source: DraftSource) -> None:
        """Open what a person chose."""
        self.read = None
        self.source.show_source(source)
        self.runner.open(source)

    def _typed(self) -> Texts | None:
        """Return what stands in the editors, if somebody typed there; they do not wait for more."""
        typed, editors = False, (self.domain, self.problem)
        for editor in editors:
            editor.pause.stop()
            typed |= editor.text.strip() != editor.shown.strip()
        return (self.domain.text, self.problem.text) if typed else None

    def _change(self, at: object) -> None:
        """Open what the picture is after a cell or a box was given the chosen kind or object, else the next
        one, or after seams were dragged, by which it is read; a painted one is painted with so many cells.
        """
        source, kind = self.source.source, self.kinds.kind
        match at:
            case Seams(size, sides):
                self.open(source.cut(size if size != self.map.seams.size else source.size, sides))
            case BoundingBox() if source.template:
                self.open(source.with_box(at, kind))
                self.kinds.choose("")
            case tuple() if self.read is not None:
                changed = self.read.with_kind(at, kind)
                self.open(changed) if isinstance(changed, DraftSource) else self._read(changed)

    def _take_back(self) -> None:
        """Take back what was last done to the draft, else in the picture."""
        desk, before = self.runner.desk, self.source.source.before
        if before is not None and not (desk and desk.can_undo(self.runner.current)):
            self.open(before)
        else:
            self.runner.make(Desk.undo, "Going back")

    # --- showing -----------------------------------------------------------------------------------------

    def tell(self, words: str, tone: str = "muted") -> None:
        self.said.say(words, tone)
        set_tooltip(self.said, words)
        self._show_buttons()

    def _read(self, news: object) -> None:
        """Show what is read of a source while it opens."""
        match news:
            case Desk() | Unnamed():
                self.read = news
                self.source.show_source(news.source)
                self._show_cells(news.frame, news.cells, news.game.kinds)
                self.tell(news.advice) if isinstance(news, Unnamed) else self.setFocus()  # Enter goes on
            case Choices():
                self.source.show_choices(news)
            case Frame() | None if news or self.source.source.picture is None:  # else it was shown already
                self._show_cells(news or Shown().frame, {}, ())

    def _show_cells(self, frame: Frame, cells: dict[Cell, str], kinds: tuple[str, ...]) -> None:
        """Show a picture; while it is not known what it shows, with seams to drag."""
        source = self.source.source
        size = max((row for row, _ in cells), default=0 if kinds or source.template else source.size or USUAL)
        self.map = Shown(frame, Seams(size, source.sides), cells, kinds or source.names, source.boxes)
        self.picture.show_map(self.map)
        self.kinds.show_kinds(self.map)

    def _show(self, found: Findings | None) -> None:
        version, walk = (found.version, found.difference) if found else (None, None)
        if version is not self._version or version is None:
            self._version, desk = version, self.runner.desk
            self.domain.show_text(version.domain_text if version else "")
            self.problem.show_text(version.problem_text if version else "")
            with QSignalBlocker(self.versions):
                items = tuple(version_item(one, desk) for one in reversed(desk.versions.all)) if desk else ()
                self.versions.show_items(items, version and version.number)
        rows = score_rows(found, self.runner.working or self.runner.fault)
        QTimer.singleShot(0, self, partial(self.score.show_rows, rows))  # alone: a third of what may be kept
        for editor in (self.problem, self.domain):
            marks = found.marks if found and editor is self.domain else ()
            editor.show_findings((*found.version.faults, *found.otherwise) if found else (), marks)
        self.differs.setText(walk.sentence if walk else found.compared if found else "")
        walked = FrameSequence(found.moments if found else ())
        if walked.frames != getattr(self.player.replay, "frames", None):
            self.player.load(walked)
            self.bar.show_timeline()
            self.player.go(1)
        self._show_buttons()

    def _show_buttons(self) -> None:
        """Show what can be done now, and then what the card says."""
        runner, found, desk, version = self.runner, self.runner.found, self.runner.desk, self.runner.current
        face, disputed = proposal_face(desk, found), runner.next is Next.CONFLICT
        self.card.setVisible(face is not None)
        if face is not None:
            QTimer.singleShot(FRAME, self, partial(self.card.show_face, face))
        self.refuse.relabel("Take theirs" if disputed else "Refuse")
        other = "simulation" if desk is None or desk.against is Against.WORLD else desk.against.value
        self.says[1].relabel(f"{other.capitalize()} is right")
        self.main.relabel(*MAIN[runner.next])
        stuck = desk.unasked(found) if desk and runner.next is Next.STUCK else ""
        self.main.allow(runner.working.lower() or stuck or ("" if desk else "nothing is open"))
        why = dict.fromkeys(self.says, "" if found and found.difference else "no walk differs")
        why |= dict.fromkeys((self.edit, self.refuse), "" if face else "no repair is proposed")
        why |= {self.edit: "say first whose stands"} if disputed else {}
        why[self.ask] = desk.unasked(found) if desk else "nothing is open"
        why[self.save] = "" if version and version.problem else "there is no draft that can be read"
        undoes = self.source.source.before or (desk and desk.can_undo(version))
        why[self.undo] = "" if undoes else "nothing is before it"
        for button, reason in why.items():
            button.allow(reason)

    def _moved(self) -> None:
        """Show the moment of the walk; at its beginning the picture with its cells."""
        frame = self.player.state.frame if self.player.index > 1 else None
        self.picture.show_map(self.map if frame is None else Shown(frame))

    # --- keys --------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = "Enter" if event.key() in ENTER else QKeySequence(event.keyCombination()).toString()
        mine = next((button for button in self.buttons if button.key == key), None)
        if mine is not None and mine.isEnabled():
            mine.click()
        elif mine is not None and not self.runner.working:
            self.tell(mine.toolTip(), "doubt")
        elif mine is None and not press(PLAY, self.bar, event):
            super().keyPressEvent(event)
