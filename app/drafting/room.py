"""The drafting room, over the window's panels: picture, files, score, and the walk that differs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent

from app.controls.badge import Badge, SegmentedControl
from app.controls.button import ENTER, Button
from app.controls.header import Header
from app.controls.layout import Separator, Surface, column, label, row, scroll_area, set_tone, wrap_layout
from app.controls.tooltip import set_tooltip
from app.drafting.cards import conflict_face, repair_face
from app.drafting.cell_picture import CellPicture, KindList
from app.drafting.pddl_editor import PddlEditor
from app.drafting.score_view import ScoreView, VersionList
from app.drafting.source_bar import SourceBar
from app.main_window import MainWindow
from app.review.keys import COMMAND_OF
from app.review.player import Player
from app.review.replay_bar import ReplayBar
from app.runtime.background_task import BackgroundTask, Report
from app.theme import tokens as t
from app.widgets.questions.suggestion_card import SuggestionCard
from core.drafting.desk import Desk, Findings, Next, Said
from core.drafting.picture_cells import PictureCells, read_cells
from core.drafting.rounds import Version
from core.drafting.screening import DOMAIN, PROBLEM
from core.drafting.source import DraftingTools, DraftSource, picture_of
from core.drafting.world import Cell, name_of_cells
from core.errors import Cancelled, ConsoleError
from core.ports import Frame
from core.review.recording import FrameSequence
from core.stop_token import StopToken
from core.text.plural import plural

log = logging.getLogger(__name__)
K = Qt.Key
LEFT, RIGHT, BELOW = 300, 370, 110  # px
LEVELS = ("Watch", "Manual")
MOST_STEPS = 20  # that Watch does on its own
SAYS = {Said.DRAFT: ("P", "Draft is right"), Said.SIMULATION: ("S", "Simulation is right")}
SAYS |= {Said.BOTH: ("B", "Both wrong"), Said.UNKNOWN: ("U", "Can't say")}
MAIN = {
    Next.DRAFT: ("Draft", "play"),
    Next.REPAIR: ("Accept repair", "check"),
    Next.ASK: ("Ask for corrections", "eye"),
    Next.DONE: ("Save and run", "play"),
    Next.STUCK: ("Save as domain", "disk"),
}
STUCK = "The paper's rounds are used up: edit the draft, or save it as it is."
Make = Callable[[Desk], Version]


class DraftingRoom(Surface):
    """GUI thread only; drafts on a thread of its own. `run` is told the folder of a domain to run."""

    shown = Signal(bool)
    run = Signal(object)  # Path

    def __init__(self, window: MainWindow, tools: DraftingTools, database: Path) -> None:
        super().__init__("surface")
        self.setParent(window)
        self.window_, self._tools, self._database = window, tools, database
        self.desk: Desk | None = None
        self.current: Version | None = None
        self.found: Findings | None = None
        self._cells: dict[Cell, str] = {}
        self._naming: tuple[DraftSource, Frame, PictureCells] | None = None
        self._going, self._left = False, 0
        self.working = ""  # what is being done, "" for nothing
        self.picture, self.kinds = CellPicture(), KindList()
        self.problem, self.domain = PddlEditor("Problem", PROBLEM), PddlEditor("Domain", DOMAIN)
        self.score, self.versions, self.card = ScoreView(), VersionList(), SuggestionCard()
        self.source = SourceBar(tools)
        self.player = Player(self)
        self.bar = ReplayBar(self.player, of_episode=False)
        self._task, self._marking = BackgroundTask("draft"), BackgroundTask("marks")
        self._build()
        self._listen()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # else the panels below are painted too
        self.setAccessibleName("Drafting room")
        self.hide()
        window.installEventFilter(self)

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
        self._task.progressed.connect(self._progress)
        self._task.done.connect(self._done)
        self._marking.done.connect(self._marked)
        self.source.opened.connect(self.open)
        self.picture.edited.connect(self._change_cell)
        self.kinds.chosen.connect(self._light)
        self.versions.moved.connect(self._choose)
        self.player.moved.connect(self._moved)
        self.main.activated.connect(self.go_on)
        self.save.activated.connect(self.save_domain)
        for editor in (self.problem, self.domain):
            editor.edited.connect(self._edited)
        for button, do in ((self.accept, self.go_on), (self.edit, self.edit_repair)):
            button.activated.connect(do)
        self.refuse.activated.connect(self.refuse_repair)
        self.undo.activated.connect(self.go_back)
        for said, button in self.says.items():
            button.activated.connect(partial(self.say, said))

    # --- open and closed ---------------------------------------------------------------------------------

    def toggle(self) -> None:
        on = self.isHidden()
        self.setVisible(on)
        self.window_.set_overlay(self if on else None)
        if on:
            self._place()
            self.raise_()
            self.setFocus()
            if self.desk is None:
                self.open(self.source.source)
        else:
            self.player.pause()
            self.window_.setFocus()
        self.shown.emit(on)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.window_ and event.type() is QEvent.Type.Resize:
            self._place()
        return False

    def _place(self) -> None:
        w, h = self.window_.width(), self.window_.height()
        self.setGeometry(0, t.H_TOP, w, h - t.H_TOP - t.H_STATUS)

    def close_room(self) -> bool:
        """End what waits, and keep what is there. Return True if no thread is left."""
        self.player.pause()
        self._task.cancel()
        self._marking.cancel()
        _close(self.desk)
        return self._task.join(2.0) and self._marking.join(2.0)

    # --- a draft -----------------------------------------------------------------------------------------

    def open(self, source: DraftSource) -> None:
        """Open a draft; where one from the same source is in the log, its last version."""
        tools, database, old = self._tools, self._database, self.desk
        self.desk, self.current, self.found, self._going = None, None, None, False

        def work(cancel: StopToken, report: Report) -> Desk | tuple[DraftSource, Frame, PictureCells]:
            _close(old)
            game = source.map.split("-", 1)[0]
            if source.picture is None or "-c" in source.map or game not in tools.games():
                return Desk(tools, source, database)
            frame = picture_of(source.picture)
            read = read_cells(tools, tools.games()[game], frame, source.size)
            if read.unnamed:
                return source, frame, read
            return Desk(tools, replace(source, map=name_of_cells(tools.games()[game], read.cells)), database)

        self._naming = None
        self._busy(f"Opening {source.map}")
        self._task.start(work)

    def _name(self, source: DraftSource, frame: Frame, read: PictureCells) -> None:
        """Have the person name each group of cells that no known look names."""
        game = self._tools.games()[source.map.split("-", 1)[0]]
        if not read.unnamed:
            return self.open(replace(source, map=name_of_cells(game, read.cells)))
        self._naming, self._cells, self.working = (source, frame, read), read.cells, ""
        self._show_version(None)
        self.picture.show_picture(frame, read.grid.size)
        self.kinds.show_kinds(game.kinds, self._cells, frame)
        self.picture.light(frozenset(cell for cell, kind in self._cells.items() if not kind))
        left = plural(read.unnamed, "kind")
        self._tell(f"{left} of cells to name: choose a kind, then click on one of the outlined cells.")

    def _opened(self, desk: Desk) -> None:
        self.desk = desk
        self.source.show_source(desk.source)
        self._cells = dict(desk.world.cells(desk.world.first))
        self.picture.show_picture(desk.frame, desk.world.size if self._cells else 0)
        self.kinds.show_kinds(desk.game.kinds if self._cells else (), self._cells, desk.frame)
        self._show_version(desk.versions[-1] if desk.versions else None)
        if self.current is not None:
            self._look(self.current)
        else:
            self._idle()

    def _do(self, make: Make, words: str) -> None:
        """Make a version on the draft's thread, and look at it."""
        desk = self.desk
        if desk is None:
            return

        def work(cancel: StopToken, report: Report) -> Findings:
            with desk.lock:
                cancel.check()
                version = make(desk)
                report(version)
                return desk.look(version, cancel, report)

        self._marking.cancel()
        self._busy(words)
        self._task.start(work)

    def _mark(self, found: Findings) -> None:
        """Mark the literals, which may take long, while the person goes on."""
        desk = self.desk
        if desk is not None:

            def work(cancel: StopToken, report: Report) -> Findings:
                with desk.lock:
                    return desk.mark(found, cancel)

            self._marking.start(work)

    def _marked(self, result: object) -> None:
        if isinstance(result, Findings) and self.found is not None and result.version is self.found.version:
            self._show_findings(result)

    def _look(self, version: Version) -> None:
        self._do(lambda _: version, f"Comparing version {version.number}")

    def _progress(self, news: object) -> None:
        if isinstance(news, Version):
            self._show_version(news)
        elif isinstance(news, Findings):
            self._show_findings(news)

    def _done(self, result: object) -> None:
        if isinstance(result, Desk):
            return self._opened(result)
        if isinstance(result, tuple):
            return self._name(*result)
        if isinstance(result, Findings):
            self._show_findings(result)
        self._idle()
        if isinstance(result, ConsoleError):
            self._going = False
            return self._tell(str(result), "fault")
        if isinstance(result, Findings):
            self._mark(result)
            if self._going and self._left and self._next not in (Next.DONE, Next.STUCK):
                self._left -= 1
                self._step(consented=False)
            else:
                self._going = False

    @property
    def _next(self) -> Next:
        return self.desk.next_step(self.found) if self.desk is not None else Next.DRAFT

    def go_on(self) -> None:
        """Do what comes next; at Watch go on alone after that, until nothing is left to do."""
        if self.desk is None or self.working:
            return
        if self.desk.conflicts and self.current is not None:
            self.desk.conflicts = self.desk.conflicts[1:]
            return self._show_card()
        self._going, self._left = self.level.current_index == 0, MOST_STEPS
        self._step(consented=True)

    def _step(self, consented: bool) -> None:
        last, found = self.current, self.found
        match self._next:
            case Next.DRAFT:
                self._do(lambda desk: desk.ask(None), "The model drafts")
            case Next.ASK:
                self._do(lambda desk: desk.ask(last), "The model corrects")
            case Next.REPAIR if found is not None and found.repair is not None:
                mended, version = found.repair, found.version
                self._do(lambda desk: desk.mend(version, mended, consented), "Repairing")
            case Next.DONE:
                self.save_domain(then_run=True)
            case _:
                self.save_domain()

    def _edited(self) -> None:
        self._going, texts, parent = False, (self.domain.text, self.problem.text), self.current
        if parent is None or texts != parent.texts:
            self._do(lambda desk: desk.write(*texts, parent), "Reading what you wrote")

    def edit_repair(self) -> None:
        """Write the proposed repair into the editors, as the person's own text."""
        if self.found is not None and self.found.repair is not None and self.desk is not None:
            made = self.desk.bench.texts_of(self.found.repair.problem)
            self.domain.show_text(made[0])
            self.problem.show_text(made[1])
            self._edited()
            self.domain.field.setFocus()

    def refuse_repair(self) -> None:
        if self.desk is None or self.current is None or self.found is None:
            return
        if self.desk.conflicts:
            conflict, last = self.desk.conflicts[0], self.current
            return self._do(lambda desk: desk.resolve(conflict, last), "Taking theirs")
        if self.found.repair is not None:
            self.desk.refused |= {one.edit for one in self.found.repair.repairs}
            self._look(self.current)

    def go_back(self) -> None:
        """Show the version that this one was made from again."""
        if self.desk is not None and self.current is not None:
            parent = next((v for v in self.desk.versions if v.number == self.current.parent), None)
            if parent is not None:
                self._show_version(parent)
                self._look(parent)

    def say(self, said: Said) -> None:
        """Keep what the person says of the walk that is shown."""
        if self.desk is not None and self.found is not None and self.found.difference is not None:
            self.desk.say(self.found.difference, said)
            self._look(self.found.version)

    def save_domain(self, then_run: bool = False) -> None:
        """Write the version that is shown as a domain folder of the person's own."""
        if self.desk is None or self.current is None:
            return self._tell("There is no version to save yet.", "doubt")
        try:
            folder = self.desk.save(self.current)
        except ConsoleError as error:
            return self._tell(str(error), "fault")
        self._tell(f"Saved as the domain {folder.name}, in {folder.parent}.")
        if then_run:
            self.run.emit(folder)

    # --- showing -----------------------------------------------------------------------------------------

    def _busy(self, words: str) -> None:
        self.working = words
        self._tell(f"{words}…")
        self._show_buttons()

    def _idle(self) -> None:
        self.working = ""
        self._tell(STUCK if self._next is Next.STUCK and self.found else "")
        self._show_buttons()

    def _tell(self, words: str, tone: str = "muted") -> None:
        self.said.setText(words)
        set_tone(self.said, tone)
        set_tooltip(self.said, words)

    def tell_fault(self, words: str) -> None:
        self._tell(words, "fault")

    def _show_version(self, version: Version | None) -> None:
        mine = self.current is not None and version is not None and version.texts == (
            self.domain.text, self.problem.text
        )  # fmt: skip
        self.current, self.found = version, None
        if not mine:
            self.domain.show_text(version.domain_text if version else "")
            self.problem.show_text(version.problem_text if version else "")
        if self.desk is not None:
            self.versions.blockSignals(True)
            self.versions.show_versions(tuple(self.desk.versions), version)
            self.versions.blockSignals(False)
        self._show_findings(Findings(version) if version else None)

    def _show_findings(self, found: Findings | None) -> None:
        before, self.found = self.found, found
        version = found.version if found else None
        self.score.display(found, self.working)
        for editor in (self.problem, self.domain):
            marks = found.marks if found and editor is self.domain else ()
            editor.show_findings(version.faults if version else (), marks)
        walk = found.difference if found else None
        self.differs.setText(walk.sentence if walk else "" if found is None else found.compared)
        if before is None or found is None or before.moments != found.moments:
            self.player.load(FrameSequence(found.moments if found else ()))
            self.bar.show_timeline()
            self.player.go(1)
        self._show_card()

    def _show_card(self) -> None:
        desk, found = self.desk, self.found
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
        self.undo.setEnabled(self.current is not None and self.current.parent > 0)
        for button in self.says.values():
            button.setEnabled(found is not None and found.difference is not None)
        self._show_buttons()

    def _show_buttons(self) -> None:
        next_ = self._next
        self.main.relabel(*MAIN[next_])
        self.main.setEnabled(not self.working and self.desk is not None)
        cost = self.desk.cost if self.desk is not None and next_ in (Next.DRAFT, Next.ASK) else ""
        set_tooltip(self.main, f"Not now: {self.working.lower()}." if self.working else cost)
        if cost and not self.working:
            self._tell(f"Enter asks the {cost}.")
        self.save.setEnabled(self.current is not None and self.current.problem is not None)

    def _choose(self) -> None:
        item, desk = self.versions.current, self.desk
        if item is None or desk is None or self.current is None or item.key == self.current.number:
            return
        version = next((v for v in desk.versions if v.number == item.key), None)
        if version is not None:
            self._going = False
            self._show_version(version)
            self._look(version)

    def _moved(self) -> None:
        """Show the moment of the walk; at its beginning the picture with its cells."""
        self.picture.show_moment(self.player.state.frame if self.player.index > 1 else None)

    def _light(self, kind: str) -> None:
        self.picture.light(frozenset(cell for cell, one in self._cells.items() if one == kind))

    def _change_cell(self, cell: Cell) -> None:
        """Make a cell the chosen kind, else its next one: another map, with drafts of its own."""
        if self._naming is not None and self.kinds.kind:
            source, frame, read = self._naming
            return self._name(source, frame, read.with_name(cell, self.kinds.kind))
        if self.desk is None:
            return
        kinds = self.desk.game.kinds
        kind = self.kinds.kind or kinds[(kinds.index(self._cells[cell]) + 1) % len(kinds)]
        changed = {**self._cells, cell: kind}
        source = replace(self.desk.source, map=name_of_cells(self.desk.game, changed))
        self.open(source)

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
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        keys: dict[int, Callable[[], object]] = {K.Key_E: self.edit_repair, K.Key_O: self.refuse_repair}
        keys |= {getattr(K, f"Key_{key}"): partial(self.say, said) for said, (key, _) in SAYS.items()}
        if control:
            keys = {K.Key_Z: self.go_back, K.Key_S: self.save_domain}
        keys |= dict.fromkeys(ENTER, self.go_on)
        if (do := keys.get(event.key())) is not None:
            do()
        elif not self.bar.carry_out(COMMAND_OF.get(Qt.Key(event.key()), "")):
            super().keyPressEvent(event)


def _close(desk: Desk | None) -> None:
    if desk is not None:
        try:
            desk.close()
        except (ConsoleError, Cancelled) as error:
            log.error("%s", error)
