"""The drafting room, over the window's panels: picture, files, score, and the walk that differs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent

from app.controls.badge import Badge, SegmentedControl
from app.controls.button import ENTER, Button
from app.controls.header import Header
from app.controls.layout import Separator, Surface, column, label, row, scroll_area, set_tone, wrap_layout
from app.controls.room import Room
from app.controls.tooltip import set_tooltip
from app.drafting.cards import conflict_face, repair_face
from app.drafting.cell_picture import CellPicture, KindList
from app.drafting.pddl_editor import PddlEditor
from app.drafting.runner import DraftRunner
from app.drafting.score_view import ScoreView, VersionList
from app.drafting.source_bar import SourceBar
from app.main_window import MainWindow
from app.review.keys import COMMAND_OF
from app.review.player import Player
from app.review.replay_bar import ReplayBar
from app.theme import tokens as t
from app.widgets.questions.suggestion_card import SuggestionCard
from core.drafting.desk import Desk, Findings, Next, Said
from core.drafting.picture_cells import Unnamed
from core.drafting.rounds import Version
from core.drafting.screening import DOMAIN, PROBLEM
from core.drafting.source import DraftingTools
from core.drafting.world import Cell, name_of_cells
from core.ports import BoundingBox, Frame
from core.review.recording import FrameSequence
from core.text.plural import plural

K = Qt.Key
LEFT, RIGHT, BELOW = 300, 370, 110  # px
LEVELS = ("Watch", "Manual")
SAYS = {Said.DRAFT: ("P", "Draft is right"), Said.SIMULATION: ("S", "Simulation is right")}
SAYS |= {Said.BOTH: ("B", "Both wrong"), Said.UNKNOWN: ("U", "Can't say")}
MAIN = {
    Next.DRAFT: ("Draft", "play"),
    Next.REPAIR: ("Accept repair", "check"),
    Next.ASK: ("Ask for corrections", "eye"),
    Next.DONE: ("Save and run", "play"),
    Next.STUCK: ("Save as domain", "disk"),
}


class DraftingRoom(Room):
    """Shows what `runner` does, and passes on what a person does. GUI thread only."""

    shown = Signal(bool)

    def __init__(self, window: MainWindow, tools: DraftingTools, database: Path) -> None:
        super().__init__(window, "Drafting room")
        self.window_, self.runner = window, DraftRunner(tools, database)
        self.cells: dict[Cell, str] = {}
        self.unnamed: Unnamed | None = None
        self.picture, self.kinds = CellPicture(), KindList()
        self.problem, self.domain = PddlEditor("Problem", PROBLEM), PddlEditor("Domain", DOMAIN)
        self.score, self.versions, self.card = ScoreView(), VersionList(), SuggestionCard()
        self.source = SourceBar(tools)
        self.player = Player(self)
        self.bar = ReplayBar(self.player, of_episode=False)
        self._build()
        self._listen()

    def _build(self) -> None:
        badge = Badge()
        badge.show_as("pencil", "DRAFT")
        self.said = label("", "small", "muted", wrap=True)
        self.level = SegmentedControl(LEVELS, 1, "Level")
        self.save = Button("Save as domain", "disk", "Ctrl+S", "quiet", t.H_CONTROL)
        self.main = Button("Draft", "play", "Enter", "primary", t.H_CONTROL)
        close = Button("Back to live", "undo", "Ctrl+D", "quiet", t.H_CONTROL)
        close.clicked.connect(self.toggle)
        head = Surface("surface", "b")
        head.setFixedHeight(44)
        line = row(badge, (self.said, 1), self.level, self.save, self.main, close, spacing=t.S)
        line.setContentsMargins(t.M, 0, t.S, 1)
        head.setLayout(line)
        left, right = Surface(), Surface()
        left.setFixedWidth(LEFT)
        left.setLayout(column(Header("Picture"), self.source, (self.picture, 1), self.kinds))
        right.setFixedWidth(RIGHT)
        self.accept, self.edit = Button("Accept", "check", "Enter"), Button("Edit", "pencil", "E")
        self.refuse, self.undo = Button("Refuse", "cross", "O"), Button("Undo", "undo", "Ctrl+Z")
        decide = row(self.accept, self.edit, self.refuse, self.undo, spacing=t.XS)
        decide.setContentsMargins(t.M, t.S, t.S, t.S)
        card = scroll_area(wrap_layout(column(self.card, 1)))
        tall = column(Header("Score"), self.score, Header("Versions"), (self.versions, 1))
        for part, stretch in ((Header("Proposed"), 0), (card, 3), (wrap_layout(decide), 0)):
            tall.addWidget(part, stretch)
        right.setLayout(tall)
        below = Surface("surface", "t")
        self.differs = label("", "small", "text", wrap=True)
        self.says = {
            said: Button(words, "", key, "quiet", t.H_CONTROL) for said, (key, words) in SAYS.items()
        }
        judged = row((self.differs, 1), *self.says.values(), spacing=t.XS, margins=(t.M, t.XS, t.S, t.XS))
        below.setLayout(column(judged, self.bar.header, (self.bar, 1)))
        below.setFixedHeight(BELOW)
        lines = [Separator(vertical=True) for _ in range(3)]
        body = row(left, lines[0], (self.problem, 2), lines[1], (self.domain, 3), lines[2], right, spacing=0)
        self.setLayout(column(head, (body, 1), below))

    def _listen(self) -> None:
        runner = self.runner
        runner.opened.connect(self._open)
        runner.pictured.connect(lambda frame: self._show_picture(frame, {}, ()))
        runner.unnamed.connect(self._name)
        runner.made.connect(self._show_version)
        runner.looked.connect(self._show_findings)
        runner.told.connect(self.tell)
        self.source.opened.connect(runner.open)
        self.picture.edited.connect(self._change_cell)
        self.picture.boxed.connect(self._box)
        self.kinds.chosen.connect(self._light)
        self.versions.moved.connect(self._choose)
        self.player.moved.connect(self._moved)
        for editor in (self.problem, self.domain):
            editor.edited.connect(lambda: runner.write(self.domain.text, self.problem.text))
        pressed: dict[Button, Callable[[], object]] = {self.main: self.go_on, self.accept: self.go_on}
        pressed |= {self.edit: self.edit_repair, self.refuse: runner.refuse, self.undo: self.go_back}
        pressed |= {button: partial(runner.say, said) for said, button in self.says.items()}
        for button, do in {**pressed, self.save: runner.save}.items():
            button.activated.connect(do)

    # --- open and closed ---------------------------------------------------------------------------------

    def toggle(self) -> None:
        on = self.isHidden()
        self.setVisible(on)
        self.window_.set_overlay(self if on else None)
        if on:
            self.place()
            self.raise_()
            self.setFocus()
            if self.runner.desk is None:
                self.runner.open(self.source.source)
        else:
            self.player.pause()
            self.window_.setFocus()
        self.shown.emit(on)

    # --- what a person does ------------------------------------------------------------------------------

    def go_on(self) -> None:
        """Do what comes next; at Watch, all that follows as well."""
        self.runner.go_on(alone=self.level.current_index == 0)

    def go_back(self) -> None:
        """Go back to the version that this one was made from."""
        if self.runner.current is not None:
            self.runner.choose(self.runner.current.parent)

    def edit_repair(self) -> None:
        """Write the proposed repair into the editors, as the person's own text."""
        desk, found = self.runner.desk, self.runner.found
        if desk is not None and found is not None and found.repair is not None:
            domain, problem = desk.bench.texts_of(found.repair.problem)
            self.domain.show_text(domain)
            self.problem.show_text(problem)
            self.runner.write(domain, problem)
            self.domain.field.setFocus()

    def _choose(self) -> None:
        if (item := self.versions.current) is not None and isinstance(item.key, int):
            self.runner.choose(item.key)

    def _change_cell(self, cell: Cell) -> None:
        """Make a cell the chosen kind, else its next one: another map, with drafts of its own."""
        desk, kind = self.runner.desk, self.kinds.kind
        if self.unnamed is not None and kind:
            named = self.unnamed.with_name(cell, kind)
            self._name(named) if isinstance(named, Unnamed) else self.runner.open(named)
        elif desk is not None:
            kinds = desk.game.kinds
            kind = kind or kinds[(kinds.index(self.cells[cell]) + 1) % len(kinds)]
            map = name_of_cells(desk.game, {**self.cells, cell: kind})
            self.runner.open(replace(desk.source, map=map))

    def _box(self, *sides: float) -> None:
        """Give the next object of a photograph that has none this box."""
        source = self.source.source
        named = {box.name for box in source.boxes}
        objects = [part.partition(" - ")[0].strip() for part in source.objects.split(",")]
        name = next((name for name in objects if name and name not in named), "")
        if name:
            self.source.opened.emit(replace(source, boxes=(*source.boxes, BoundingBox(name, *sides))))
        else:
            self.tell("Each object has its box: name more objects first.", "doubt")

    # --- showing -----------------------------------------------------------------------------------------

    def tell(self, words: str, tone: str = "muted") -> None:
        self.said.setText(words)
        set_tone(self.said, tone)
        set_tooltip(self.said, words)
        self._show_buttons()

    def _open(self, desk: Desk) -> None:
        self.unnamed = None
        self.source.show_source(desk.source)
        self._show_picture(desk.frame, dict(desk.world.cells(desk.world.first)), desk.game.kinds)
        self.picture.show_boxes(desk.source.boxes)

    def _show_picture(self, frame: Frame, cells: dict[Cell, str], kinds: tuple[str, ...]) -> None:
        self.cells = cells
        self.picture.show_picture(frame, max((row for row, _ in cells), default=0))
        self.picture.show_boxes(())
        self.kinds.show_kinds(kinds if cells else (), cells, frame)

    def _name(self, unnamed: Unnamed) -> None:
        """Have the person name each kind of cells that no known look names."""
        self.unnamed, read = unnamed, unnamed.read
        self.source.show_source(unnamed.source)
        self._show_version(None)
        self._show_picture(unnamed.frame, read.cells, unnamed.game.kinds)
        self._light("")
        left = plural(read.unnamed, "kind")
        self.tell(f"{left} of cells to name: choose a kind, then click on one of the outlined cells.")

    def _show_version(self, version: Version | None) -> None:
        domain, problem = version.texts if version else ("", "")
        self.domain.show_text(domain)
        self.problem.show_text(problem)
        desk = self.runner.desk
        self.versions.blockSignals(True)
        self.versions.show_versions(tuple(desk.versions) if desk else (), version)
        self.versions.blockSignals(False)
        self._show_findings(Findings(version) if version else None)

    def _show_findings(self, found: Findings | None) -> None:
        version, walk = (found.version, found.difference) if found else (None, None)
        self.score.display(found, self.runner.working)
        for editor in (self.problem, self.domain):
            marks = found.marks if found and editor is self.domain else ()
            editor.show_findings(version.faults if version else (), marks)
        self.differs.setText(walk.sentence if walk else found.compared if found else "")
        walked = FrameSequence(found.moments if found else ())
        if walked.frames != getattr(self.player.replay, "frames", None):
            self.player.load(walked)
            self.bar.show_timeline()
            self.player.go(1)
        self._show_card(found)

    def _show_card(self, found: Findings | None) -> None:
        desk = self.runner.desk
        conflicts = desk.conflicts if desk is not None else ()
        face = conflict_face(conflicts[0]) if conflicts else repair_face(found)
        self.card.setVisible(face is not None)
        if face is not None:
            self.card.show_face(face)
        self.accept.relabel("Keep mine" if conflicts else "Accept")
        self.refuse.relabel("Take theirs" if conflicts else "Refuse")
        for button in (self.accept, self.refuse):
            button.setEnabled(face is not None)
        self.edit.setEnabled(face is not None and not conflicts)
        self.undo.setEnabled(found is not None and found.version.parent > 0)
        for button in self.says.values():
            button.setEnabled(found is not None and found.difference is not None)
        self._show_buttons()

    def _show_buttons(self) -> None:
        runner = self.runner
        conflict = runner.desk is not None and bool(runner.desk.conflicts)
        self.main.relabel(*("Keep mine", "person") if conflict else MAIN[runner.next])
        self.main.setEnabled(not runner.working and runner.desk is not None)
        set_tooltip(self.main, f"Not now: {runner.working.lower()}." if runner.working else "")
        self.save.setEnabled(runner.current is not None and runner.current.problem is not None)

    def _moved(self) -> None:
        """Show the moment of the walk; at its beginning the picture with its cells."""
        self.picture.show_moment(self.player.state.frame if self.player.index > 1 else None)

    def _light(self, kind: str) -> None:
        self.picture.light(frozenset(cell for cell, one in self.cells.items() if one == kind))

    # --- keys --------------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        """Keep keys from the live episode while the room has the focus, except Esc, which stops."""
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.ShortcutOverride:
            free = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
            ours = event.key() in (K.Key_Z, K.Key_S)
            if event.key() != K.Key_Escape and (ours or not event.modifiers() & free):
                event.accept()
                return True
        return bool(super().event(event))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        runner, says = self.runner, {getattr(K, f"Key_{key}"): said for said, (key, _) in SAYS.items()}
        keys: dict[int, Callable[[], object]] = {K.Key_E: self.edit_repair, K.Key_O: runner.refuse}
        keys |= {key: partial(runner.say, said) for key, said in says.items()}
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            keys = {K.Key_Z: self.go_back, K.Key_S: runner.save}
        keys |= dict.fromkeys(ENTER, self.go_on)
        if (do := keys.get(event.key())) is not None:
            do()
        elif not self.bar.carry_out(COMMAND_OF.get(Qt.Key(event.key()), "")):
            super().keyPressEvent(event)
