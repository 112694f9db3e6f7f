"""The sheet of a wish over the window's panels; the top bar and its stop button stay usable."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence

from app.commands import Choice
from app.controls.badge import Badge, SegmentedControl
from app.controls.button import Button
from app.controls.header import Header
from app.controls.input_fields import ComboBox
from app.controls.layout import Separator, Surface, column, label, row, set_tone
from app.controls.rows import Cell, RowLook, RowsModel, RowsTable
from app.controls.text import NoDragTextEdit, TextField
from app.controls.tooltip import set_tooltip
from app.main_window import MainWindow
from app.runtime.background_task import BackgroundTask
from app.theme import tokens as t
from app.theme.states import LEVEL
from app.widgets.camera.frame_images import still
from app.wishes.sheet_work import SheetWork
from app.wishes.table_picture import Hindrance, Shown, TablePicture
from core.config import ComponentFactory, Settings
from core.errors import ConsoleError
from core.planning.domain_library import load_domain_spec
from core.planning_model import PlanStatus
from core.ports import Reply
from core.scene import Shot
from core.text.plural import plural
from core.vqa.registry import uses_network
from core.wishes.desk import TOOLS, Desk
from core.wishes.judging import Conflict, Judged, Look, Rehearsed, RowWords
from core.wishes.kept import KeptTests
from core.wishes.sheet import Mask, Sheet, replies_of
from core.wishes.word_sources import SHEET, SOURCES, write_replies

DOMAIN, FIRST = "tabletop-wishes", "berry_2"
TYPED_MS, SHOT_MS = 120, 100  # from a keystroke to judging; of a moment of the ghost
ASK, SEARCH, APPROVE = "Write it down", "Find motions", "Approve and start"
K = Qt.Key
VERBS = (
    ("compare", "Compare", "columns", "V", "Beside the version before, and the one before that"),
    ("take", "Take back", "undo", "T", "Make the version that is compared with the latest one"),
    ("keep", "Keep", "bookmark", "K", "Offer the test again, for such things, in this domain"),
    ("add", "Add kept", "plus", "A", "Add the kept test that is offered to this row"),
    ("undo", "Undo", "undo", "Ctrl+Z", "Take the last change back"),
    ("redo", "Redo", "replan", "Ctrl+Y", "Do again what was taken back"),
    ("play", "Play", "play", "P", "Play the rehearsal over the picture; nothing moves"),
)
_FOUND = "Found and rehearsed; nothing has moved. Watch it on the picture (P again), then Enter approves it."
_WRITTEN = "Look at the rows: each shows where its tests let the thing go. Enter searches for motions."


def _look(row: RowWords) -> RowLook:
    icon = LEVEL[row.level].icon if row.level else ""
    state = Cell(row.state, icon, row.level or "muted", row.level or "muted", "small")
    cells = Cell(f"{row.number + 1}", tone="muted", font="small"), Cell(row.name, font="strong"), state
    spoken = f"Row {row.number + 1}: {row.name}. {row.state}. {row.note}"
    return RowLook(
        cells, spoken, row.note, row.note, row.level or "muted", ground=row.level and f"{row.level}_soft"
    )


class CodeField(NoDragTextEdit):
    """Leaves to the sheet what is pressed with Ctrl, such as undo over everything."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        mine = event.modifiers() & Qt.KeyboardModifier.ControlModifier and event.key() in _CTRL
        event.ignore() if mine else super().keyPressEvent(event)


_CTRL = (K.Key_Z, K.Key_Y, K.Key_Return, K.Key_Enter)


class SheetWindow(Surface):
    """Words, rows, code and picture of a wish. GUI thread only; nothing moves by it before `approved`."""

    shown = Signal(bool)
    approved = Signal(object)  # Settings of the episode that does what was approved

    def __init__(
        self,
        window: MainWindow,
        make: ComponentFactory,
        settings: Callable[[], Settings],
        by: str,
        folder: Path,
    ) -> None:
        """`settings` are those of the next episode; kept tests and approved sheets go into `folder`."""
        super().__init__("surface")
        self.setParent(window)
        self.window_, self._settings, self._by, self._folder = window, settings, by, folder
        self.work = SheetWork(make, KeptTests(folder))
        self.look: Look | None = None
        self.desk: Desk | None = None
        self._hindrances: tuple[Hindrance, ...] = ()
        self._shots: Iterator[tuple[Shot, str]] = iter(())
        self._build()
        self._connect()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Wish")
        self.hide()
        window.installEventFilter(self)

    def _build(self) -> None:
        badge, close = Badge(), Button("Back to live", "undo", "Ctrl+W", "quiet", t.H_CONTROL)
        badge.show_as("goal", "WISH")
        close.activated.connect(self.toggle)
        self.words = TextField("", "Your wish, in your own words")
        self.words.setPlaceholderText("Your wish, such as: put the strawberry right of the can")
        self.by, self.scene = ComboBox("Who writes it", 110), ComboBox("Scene", 110)
        self.cost, self.said = label("", "small", "muted"), label("", "body", "text", wrap=True)
        self.primary = Button(ASK, "arrow", "Enter", "primary")
        self.model = RowsModel(_look, ("", "Step", ""), lambda words: words.number)
        self.rows = RowsTable(self.model, "Rows of the wish", (26, 0, 176))
        self.rows.installEventFilter(self)
        self.code = CodeField("", "Tests of the row, in Python")
        self.old = NoDragTextEdit("", "The version that it is compared with")
        self.old.setReadOnly(True)
        self.lint = label("", "small", "muted", wrap=True)
        self.picture, self.tools = TablePicture(), SegmentedControl(TOOLS, 0, "Tool")
        b = self.buttons = {
            id: Button(text, icon, key, height=t.H_CONTROL) for id, text, icon, key, _ in VERBS
        }
        wide = (t.M, t.S, t.M, t.S)
        head = row(badge, (self.words, 1), self.scene, self.by, self.cost, self.primary, close, margins=wide)
        verbs = row(b["compare"], b["take"], b["keep"], b["add"], 1, margins=wide)
        told = column(self.lint, margins=wide)
        left = column(
            (self.rows, 3),
            Separator(),
            Header("Tests of this row"),
            (self.code, 3),
            (self.old, 2),
            told,
            verbs,
        )
        tools = row(self.tools, 1, b["undo"], b["redo"], b["play"], margins=wide)
        right = column(tools, (self.picture, 1), column(self.said, margins=wide))
        body = row((left, 4), Separator(vertical=True), (right, 6), spacing=0)
        self.setLayout(column(head, Separator(), (body, 1)))

    def _connect(self) -> None:
        self._typed, self._turning = (QTimer(self, interval=TYPED_MS, singleShot=True) for _ in range(2))
        self._ghost = QTimer(self, interval=SHOT_MS)
        self._typed.timeout.connect(self._code_typed)
        self._turning.timeout.connect(self._ask_turns)
        self._ghost.timeout.connect(self._next_shot)
        self.code.textChanged.connect(self._typed.start)
        self.words.returnPressed.connect(self.press)
        self.words.textEdited.connect(self._show_primary)
        self.scene.activated.connect(self._look_again)
        self.by.currentTextChanged.connect(self._show_cost)
        self.primary.activated.connect(self.press)
        self.rows.selectionModel().currentRowChanged.connect(lambda new, _: self._turn_to(new.row()))
        self.tools.changed.connect(self.picture.use)
        self.picture.painted.connect(self._painted)
        self.picture.pointed.connect(self._turning.start)
        w = self.work
        w.asking.progressed.connect(lambda words: self._say(f"{words}…"))
        w.judging.progressed.connect(self._show_judged)
        w.trying.done.connect(self._tried)
        w.turning.done.connect(self._show_turns)
        self._hear(w.looking, self._looked)
        self._hear(w.asking, self._written)
        self._hear(w.judging, self._show_conflict)
        self._hear(w.planning, self._planned)
        self._hear(w.keeping, lambda _: self._say("Kept: it is offered for such things from now on."))
        for id, text, *_, tip in VERBS:
            self.buttons[id].activated.connect(partial(self.do, id))
            set_tooltip(self.buttons[id], f"{text}: {tip}")

    def _hear(self, task: BackgroundTask, show: Callable[[Any], object]) -> None:
        """Show what a task returns, or the sentence of what went wrong."""

        def done(result: object) -> None:
            self._say(str(result), "fault") if isinstance(result, ConsoleError) else show(result)
            self._show_primary()

        task.done.connect(done)

    # --- open and closed -----------------------------------------------------------------------------------

    def toggle(self) -> None:
        on = self.isHidden()
        self.setVisible(on)
        self._ghost.stop()
        self.window_.set_overlay(self if on else None)
        if on:
            self._place()
            self.raise_()
            if self.look is None:
                self._look_again()
        (self.words if on else self.window_).setFocus()
        self.shown.emit(on)

    def ask(self, settings: Settings) -> None:
        """Open the sheet with the words of these settings, their task, and who is to write it."""
        self._settings = lambda: settings
        if self.isHidden():
            self.toggle()
        self.words.setText(settings.options_for("method").get("words", ""))
        if settings.knower and self.by.findText(settings.knower) < 0:
            self.by.addItem(settings.knower)
        self.by.setCurrentText(settings.knower or self.by.currentText())

    def close_work(self) -> bool:
        """Return True if no thread is left."""
        self._ghost.stop()
        return self.work.close()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.window_ and event.type() is QEvent.Type.Resize:
            self._place()
        key = event.type() is QEvent.Type.KeyPress and watched is self.rows  # which would search for letters
        return key and isinstance(event, QKeyEvent) and self._pressed(event)

    def _place(self) -> None:
        self.setGeometry(0, t.H_TOP, self.window_.width(), self.window_.height() - t.H_TOP - t.H_STATUS)

    def _look_again(self) -> None:
        """Look at the scene that is chosen, in a simulator of its own."""
        s = self._settings()
        if not self.scene.count():
            for task in (tasks := sorted(load_domain_spec(DOMAIN).tasks)):
                self.scene.addItem(task.replace("_", " "), task)
            self.scene.setCurrentIndex(tasks.index(s.task if s.task in tasks else FIRST))
            self.by.addItems([*SOURCES, *([s.answerer] if s.answerer and uses_network(s.answerer) else [])])
        self.desk = self.look = None
        self._changed()
        self._say("Looking at the table…")
        plain = Settings(self.scene.currentData(), DOMAIN, method="classical", answerer="perfect")
        self.work.look(replace(plain, seed=s.seed, pictures=s.pictures))

    def _looked(self, look: Look) -> None:
        self.look = look
        self.picture.show_scene(look.scene, still(look.frame))
        self._say("Say what you wish of these things, then Enter. Nothing moves by it.")

    # --- the three presses: write, search, approve ---------------------------------------------------------

    @property
    def step(self) -> str:
        """Return what Enter does next."""
        if self.desk is None or self.words.text().strip() != self.desk.sheet.words:
            return ASK
        return APPROVE if self.desk.rehearsed and self.desk.rehearsed.film else SEARCH

    def press(self) -> None:
        words, look, desk = self.words.text().strip(), self.look, self.desk
        if look is None or not words or not self.primary.isEnabled():
            return
        if self.step == ASK or desk is None:
            self._say("asking…")
            self.work.write(look, words, self.by.currentText(), self._settings().seed)
        elif self.step == SEARCH:
            self._say("Searching for motions, each step rehearsed in physics. Nothing moves.")
            self.work.plan(desk.job)
        else:
            self._approve(desk.sheet)
        self._show_primary()

    def _written(self, result: tuple[Sheet, tuple[Reply, ...]]) -> None:
        assert self.look is not None
        sheet, replies = result
        if costs := [reply.cost for reply in replies if reply.cost is not None]:
            self.cost.setText(f"{len(replies)} replies, {sum(costs):.3f} $")
        self.desk = Desk(sheet, self.look, self._by)
        self._changed()
        self.rows.setFocus()
        self._say(_WRITTEN)

    def _planned(self, rehearsed: Rehearsed) -> None:
        if self.desk is not None:
            self.desk.rehearsed, found = rehearsed, rehearsed.plan.status is PlanStatus.FOUND
            so = _FOUND if rehearsed.film else "It is so already: nothing has to be done."
            self._say(so if found else rehearsed.plan.reason, "text" if found else "doubt")
            if rehearsed.film:
                self.do("play")
            self.work.judge(self.desk.job)

    def _next_shot(self) -> None:
        """Show the next moment of the rehearsal; the last one stays until something is changed."""
        if (shown := next(self._shots, None)) is None:
            self._ghost.stop()
        else:
            self.picture.show_shot(*shown)

    def _approve(self, sheet: Sheet) -> None:
        s, task = self._settings(), self.scene.currentData()
        path = self._folder / f"{task}.toml"
        try:
            write_replies(path, replies_of(sheet), self._by)
        except ConsoleError as error:
            self._say(str(error), "fault")
            return
        self.toggle()
        robot = s.robot if s.domain == DOMAIN else ""
        options = {"method.words": sheet.words}
        own = replace(s, task=task, domain=DOMAIN, domain_file="", problem_file="", robot=robot)
        self.approved.emit(replace(own, method="owl-tamp", knower=f"{SHEET}{path}", options=options))

    # --- changes -------------------------------------------------------------------------------------------

    def _changed(self) -> None:
        """Show and judge the sheet anew; what was planned before counts no longer."""
        self.work.planning.cancel()
        self._ghost.stop()
        self.picture.show_shot()
        self._hindrances = ()
        self._show_rows()
        self._show_row()
        self._show_primary()

    def _code_typed(self) -> None:
        if self.desk and self.desk.type(self.code.toPlainText()):
            self._changed()

    def _painted(self, mask: Mask) -> None:
        if self.desk and self.desk.paint(mask):
            self._changed()
        else:
            self._say("Paint in the row of a place: what is painted becomes its test.", "doubt")

    def do(self, id: str) -> None:
        """Carry out one of VERBS, if it means something now."""
        if (desk := self.desk) is None:
            return
        changes = {"undo": desk.undo, "redo": desk.redo, "take": desk.take_back, "add": desk.add_kept}
        if id in changes and changes[id]():
            self.rows.setFocus()  # else what is typed in would stay as it is
            self._changed()
        elif id == "compare":
            desk.compare()
            self._show_row()
        elif id == "keep" and (one := desk.to_keep()):
            self.work.keep(desk.look.domain_spec.name, one)
        elif id == "play" and desk.rehearsed and desk.rehearsed.film:
            self._shots = iter(desk.rehearsed.shots(desk.sheet, desk.look.domain_spec))
            self._ghost.start()
        else:
            self._say("That means nothing here now.", "muted")

    # --- showing -------------------------------------------------------------------------------------------

    def _show_judged(self, judged: Judged) -> None:
        if self.desk is None:
            return
        self.desk.judged[judged.number] = judged
        self._show_rows()
        if judged is self.desk.here:
            self._show_region()
            if judged.region:
                self.work.try_places(self.desk.job, judged.region)

    def _show_conflict(self, conflict: Conflict) -> None:
        if self.desk:
            self.desk.conflict = conflict
            self._show_rows()

    def _tried(self, result: object) -> None:
        if isinstance(result, tuple) and self.desk and result[0] == self.desk.number:
            self._hindrances = result[1]
            self._show_region()

    def _turn_to(self, number: int) -> None:
        if self.desk and number not in (-1, self.desk.number):
            self.desk.turn_to(number)
            self._hindrances = ()
            self._show_row()

    def _show_rows(self) -> None:
        if self.model.show_rows(self.desk.words() if self.desk else ()):
            self.rows.fit()
        if self.desk and self.rows.currentIndex().row() != self.desk.number:
            self.rows.setCurrentIndex(self.model.index(self.desk.number, 0))

    def _show_row(self) -> None:
        """Show the row's tests, unless they are being typed, and those that they are compared with."""
        row, old = (self.desk.row, self.desk.compared) if self.desk else (None, None)
        if not self.code.hasFocus() or row is None:
            self.code.blockSignals(True)
            self.code.setPlainText(row.latest.source if row else "")
            self.code.blockSignals(False)
        self.code.setReadOnly(row is None or not row.is_tested)
        self.old.setVisible(old is not None)
        self.old.setPlainText(f"# by {old.by}, {old.at}\n{old.source}" if old else "")
        self._show_region()
        if self.desk:
            self.work.judge(self.desk.job)

    def _show_region(self) -> None:
        desk, here = self.desk, self.desk.here if self.desk else None
        if here is None or desk is None:
            self.picture.show_row(Shown())
            self.lint.setText("")
            return
        shown = Shown(here.region, here.before, desk.painted, self._hindrances, desk.note, here.refusal)
        self.picture.show_row(shown)
        self.lint.setText(here.fault or f"Checked: {plural(len(here.tests), 'test')}")
        set_tone(self.lint, "fault" if here.fault else "muted")

    def _ask_turns(self) -> None:
        if self.desk and self.picture.at and self.desk.here and (region := self.desk.here.region):
            self.work.turn(self.desk.job, self.picture.at, region.rest)

    def _show_turns(self, turns: object) -> None:
        if isinstance(turns, tuple):
            self.picture.show_turns(turns)

    def _show_primary(self, _: object = None) -> None:
        busy = self.work.asking.running or self.work.planning.running
        self.primary.relabel("Working…" if busy else self.step, "clock" if busy else "arrow")
        self.primary.setEnabled(not busy and self.look is not None)

    def _show_cost(self, by: str) -> None:
        self.cost.setText("costs nothing" if by in SOURCES else "one call and one for each place")

    def _say(self, words: str, tone: str = "text") -> None:
        self.said.setText(words)
        set_tone(self.said, tone)

    # --- keys ----------------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        """Keep keys from the live episode, except Esc, the stop, and others with Ctrl than the sheet's."""
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.ShortcutOverride:
            ctrl = event.modifiers() & Qt.KeyboardModifier.ControlModifier
            if event.key() in _CTRL if ctrl else event.key() != K.Key_Escape:
                event.accept()
                return True
        return bool(super().event(event))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._pressed(event):
            super().keyPressEvent(event)

    def _pressed(self, event: QKeyEvent) -> bool:
        """Do what a key means here. Return False if that is nothing."""
        key = QKeySequence(event.keyCombination()).toString()
        if id := next((id for id, _, _, its, _ in VERBS if its == key), ""):
            self.do(id)
        elif event.key() in (K.Key_Return, K.Key_Enter):
            self.press()
        elif key in tuple("12345"):
            self.tools.choose(int(key) - 1)
            self.picture.setFocus()
        else:
            return False
        return True

    def choices(self) -> Iterator[Choice]:
        """Return what the keys do here, as the palette lists it."""
        for id, text, icon, key, tip in VERBS:
            yield Choice(text, tip, key, partial(self.do, id), icon)
