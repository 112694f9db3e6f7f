"""The sheet of a wish over the window's panels; the top bar and its stop button stay usable."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence

from app.commands import Choice
from app.main_window import MainWindow
from app.widgets.camera.frame_images import still
from app.wishes.sheet_layout import CTRL, NOT_NOW, VERBS, K, SheetLayout
from app.wishes.sheet_work import SheetWork
from core.config import Settings
from core.errors import ConsoleError
from core.events import Record
from core.planning.domain_library import load_domain_spec
from core.planning_model import PlanStatus
from core.ports import Frame, Reply
from core.robots import RobotRegistry
from core.scene import Shot
from core.vqa.registry import uses_network
from core.wishes.desk import Desk, Hindrances, Shown
from core.wishes.jobs import DOMAIN, approved, is_simulated, start_of
from core.wishes.judging import Conflict, Judged, Look, Rehearsed
from core.wishes.kept import KeptTests
from core.wishes.logged import Logged
from core.wishes.sheet import Mask, Sheet
from core.wishes.word_sources import SOURCES

FIRST = "berry_2"
TYPED_MS, SHOT_MS = 20, 100  # from a keystroke or a move to judging; of a moment of the ghost
Next = Callable[[], Settings]
Live = Callable[[], Look | None]
ASK, SEARCH, APPROVE = "Write it down", "Find motions", "Approve and start"
_FOUND = "Found and rehearsed; nothing has moved. Watch it on the picture (P again), then Enter approves it."
_CHANGED = "The wish has changed, so the search has ended. Enter searches anew; nothing has moved."
_CONFLICT = "What is marked leaves no place, so a search would find no motions: change one of these tests."
_WRITTEN = "Each row shows where its tests let the thing go (1 and arrows ask). Enter searches for motions."
_UNDONE = "The last change is taken back; Ctrl+Y makes it again. Enter searches for motions."
_BROKEN = "This row's Python does not run, so nothing can be searched: mend it, or take it back with Ctrl+Z."
_IS_SO = "It is so already: nothing has to be done. Say another wish, or draw a box where you want it (4)."
_SAY = "Say what you wish, then Enter. Nothing moves by it."


class SheetWindow(SheetLayout):
    """Words, rows, code and picture of a wish. GUI thread only; nothing moves by it before `approved`."""

    approved = Signal(object, object)  # Settings of the episode that does it, and the Plan as it was seen

    def __init__(
        self, window: MainWindow, robots: RobotRegistry, settings: Next, live: Live, by: str, folder: Path
    ) -> None:
        """`settings` are those of the next episode; kept tests and approved sheets go into `folder`.

        `live` tells what the robot of a running episode last saw: the sheet itself never asks that robot.
        """
        super().__init__(window)
        self._settings, self._live, self._by, self._folder = settings, live, by, folder
        self.work = SheetWork(robots, KeptTests(folder))
        self.look: Look | None = None
        self.desk: Desk | None = None
        self._moment: object = None  # of an episode, that is shown
        self._shots: Iterator[tuple[Shot, str]] = iter(())
        self._connect()
        first, tasks = settings(), sorted(load_domain_spec(DOMAIN).tasks)
        for task in tasks:
            self.scene.addItem(task.replace("_", " "), task)
        self.scene.setCurrentIndex(tasks.index(first.task if first.task in tasks else FIRST))
        models = (first.answerer,) if first.answerer else ()
        self.by.addItems([*SOURCES, *filter(uses_network, models)])

    def _connect(self) -> None:
        self._typed, self._turning = (QTimer(self, interval=TYPED_MS, singleShot=True) for _ in range(2))
        self._ghost = QTimer(self, interval=SHOT_MS)
        self._typed.timeout.connect(self._code_typed)
        self._turning.timeout.connect(self._ask_turns)
        self._ghost.timeout.connect(self._next_shot)
        self.code.textChanged.connect(self._typed.start)
        self.words.returnPressed.connect(self.press)
        self.words.textEdited.connect(self._show_primary)
        self.scene.activated.connect(lambda _: self._look(anew=True))
        self.primary.activated.connect(self.press)
        self.rows.selectionModel().currentRowChanged.connect(lambda new, _: self._turn_to(new.row()))
        self.tools.currentChanged.connect(self.picture.use)
        self.picture.painted.connect(self._painted)
        self.picture.pointed.connect(self._turning.start)
        w = self.work
        w.asking.progressed.connect(lambda words: self.said.say(f"{words}…"))
        w.judging.progressed.connect(self._show_judged)
        for task, show in (
            (w.trying, self._tried),
            (w.turning, self.picture.show_turns),
            (w.looking, self._looked),
            (w.asking, self._written),
            (w.judging, self._show_conflict),
            (w.planning, self._planned),
            (w.keeping, self._kept),
        ):
            task.done.connect(partial(self._hear, show))
        self.close_button.activated.connect(self.toggle)
        for id, button in self.buttons.items():
            button.activated.connect(partial(self.carry_out, id))

    def _hear(self, show: Callable[[Any], object], result: object) -> None:
        """Show what a task returns, or the sentence of what went wrong."""
        self.said.say(str(result), "fault") if isinstance(result, ConsoleError) else show(result)
        self._show_primary()

    # --- open and closed -----------------------------------------------------------------------------------

    def enter(self) -> None:
        if self.look is None or self.is_logged:
            self._look()
        self.follow()
        (self.rows if self.desk else self.words).setFocus()

    def leave(self) -> None:
        self._ghost.stop()

    def ask(self, settings: Settings) -> None:
        """Open the sheet with the words of these settings, their task, and who is to write it."""
        self._settings = lambda: settings
        if self.isHidden():
            self.toggle()
        self.words.setText(settings.options_for("method").get("words", ""))
        self.words.home(False)
        if settings.knower and self.by.findText(settings.knower) < 0:
            self.by.addItem(settings.knower)
        self.by.setCurrentText(settings.knower or self.by.currentText())

    def close_work(self) -> bool:
        """Return True if no thread is left."""
        self._ghost.stop()
        return self.work.close()

    def _look(self, anew: bool = False) -> None:
        """Look at the scene that is chosen: as an episode in it sees or has left it, else at its beginning.

        What an episode has left is looked at in a simulator, which begins so; `anew` drops the wish too.
        """
        if anew or self.is_logged:
            self.desk = None
        live, settings = self._episode(), self._settings()
        self._moment = live and live.moment
        if live and not (live.is_over and (anew or is_simulated(settings))):
            return self._looked(live)
        self.look = None
        self._changed("Looking at the table…")
        self.work.look(settings, self.scene.currentData(), start_of(live) if live and not anew else "")

    def _episode(self) -> Look | None:
        """Return what the robot of an episode in this scene saw last."""
        live = self._live()
        return live if live and live.problem.name == self.scene.currentData() else None

    def follow(self) -> None:
        """Show where things are now, while a robot moves in the scene that is looked at, and at its end."""
        live = self._episode() if self.isVisible() and self.look and not self.is_logged else None
        if live and live.moment != self._moment:
            self._look()

    def show_logged(self, records: Sequence[Record], frame: Frame | None) -> None:
        """Show the wish as it stood after these records of an episode: which test, whose, which region."""
        if self.isHidden():
            self.toggle()
        self.work.read(records, frame)

    def _looked(self, found: Look | Logged) -> None:
        self.look = look = found.look if isinstance(found, Logged) else found
        self.picture.show_scene(look.scene, still(look.frame))
        if isinstance(found, Logged):
            self.desk = Desk(found.sheet, look, self._by, found.befores)
            self.words.setText(found.sheet.words)
            self.words.home(False)
            return self._changed("From the log: nothing here can be changed. Open the sheet again to wish.")
        if self.desk:
            self.desk.follow(look)
        self._changed(f"{look.when}{_SAY}")

    @property
    def is_logged(self) -> bool:
        return self.desk is not None and self.desk.is_logged

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
            self.said.say("asking…")
            self.work.write(look, words, self.by.currentText(), self._settings().seed)
        elif self.step == SEARCH:
            self.said.say("Searching for motions, each step rehearsed in physics. Nothing moves.")
            self.work.plan(desk.job)
        else:
            self._approve(desk)
        self._show_primary()

    def _written(self, result: tuple[Sheet, tuple[Reply, ...]]) -> None:
        assert self.look is not None
        sheet, replies = result
        if costs := [reply.cost for reply in replies if reply.cost is not None]:
            self.cost.setText(f"{len(replies)} replies, {sum(costs):.3f} $")
        self.desk = Desk(sheet, self.look, self._by)
        self.words.home(False)
        self._changed()
        self.rows.setFocus()

    def _planned(self, rehearsed: Rehearsed) -> None:
        if self.desk is not None:
            self.desk.rehearsed, found = rehearsed, rehearsed.plan.status is PlanStatus.FOUND
            so = _FOUND if rehearsed.film else _IS_SO
            self.said.say(so if found else rehearsed.plan.reason, "text" if found else "doubt")
            if rehearsed.film:
                self.carry_out("play")
            self.work.judge(self.desk.job)

    def _next_shot(self) -> None:
        """Show the next moment of the rehearsal; the last one stays until something is changed."""
        if (shown := next(self._shots, None)) is None:
            self._ghost.stop()
        else:
            self.picture.show_shot(*shown)

    def _approve(self, desk: Desk) -> None:
        try:
            own = approved(self._settings(), desk.look, desk.sheet, self._folder, self._by)
        except ConsoleError as error:
            return self.said.say(str(error), "fault")
        self.toggle()
        self.approved.emit(own, desk.rehearsed and desk.rehearsed.plan)

    # --- changes -------------------------------------------------------------------------------------------

    def _changed(self, words: str = _WRITTEN) -> None:
        """Show and judge the sheet anew; what was planned before counts no longer."""
        self.said.say(_CHANGED if self.work.planning.running else words)
        self.work.planning.cancel()
        self._ghost.stop()
        self.picture.show_shot()
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
            self.said.say("Paint in the row of a place: what is painted becomes its test.", "doubt")

    def carry_out(self, id: str) -> None:
        """Carry out one of VERBS, if it means something now."""
        if (desk := self.desk) is None:
            return
        changes = {"undo": desk.undo, "redo": desk.redo, "take": desk.take_back, "add": desk.add_kept}
        keepings = {"keep": desk.keep, "forget": desk.forget}
        if id in changes and changes[id]():
            self.rows.setFocus()  # else what is typed in would stay as it is
            self._changed(_UNDONE if id == "undo" else _WRITTEN)
        elif id == "compare" and desk.compare():
            self._show_row()
        elif id in keepings and (keeping := keepings[id]()):
            self.work.keep(desk.look.domain_spec.name, keeping)
        elif id == "play" and desk.rehearsed and desk.rehearsed.film:
            self._shots = iter(desk.rehearsed.shots(desk.sheet, desk.look.domain_spec))
            self._ghost.start()
        else:
            self.said.say(NOT_NOW.get(id, "No kept test is offered to this row."), "muted")

    def _kept(self, words: str) -> None:
        self.said.say(words)
        if self.desk:
            self.work.judge(self.desk.job)

    # --- showing -------------------------------------------------------------------------------------------

    def _show_judged(self, judged: Judged) -> None:
        if (desk := self.desk) is not None:
            desk.judged[judged.number] = judged
            self._show_rows()
            if judged is desk.here:
                if judged.fault:
                    self.said.say(_BROKEN, "fault")
                self._show_region()
                if judged.region and not desk.is_logged:
                    self.work.try_arm(desk.job, judged.region)

    def _show_conflict(self, conflict: Conflict) -> None:
        if self.desk and conflict != self.desk.conflict:
            self.desk.conflict = conflict
            self._show_rows()
            if conflict.tests:
                self.said.say(_CONFLICT, "doubt")

    def _tried(self, found: Judged | tuple[int, Hindrances]) -> None:
        if isinstance(found, Judged):
            self._show_judged(found)
        elif self.desk and found[0] == self.desk.number:
            self.desk.hindrances = found[1]
            self._show_region()

    def _turn_to(self, number: int) -> None:
        if self.desk and number not in (-1, self.desk.number):
            self.desk.turn_to(number)
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
        self.code.setReadOnly(not self.desk or self.is_logged or not self.desk.row.is_tested)
        self.old.setVisible(old is not None)
        self.old.setPlainText(str(old or ""))
        self._show_region()
        if self.desk:
            self.work.judge(self.desk.job)
            if not self.desk.row.is_tested and not self.desk.is_logged:
                self.work.try_arm(self.desk.job)

    def _show_region(self) -> None:
        shown = self.desk.shown if self.desk else Shown()
        self.picture.show_row(shown)
        self.lint.say(shown.lint, "fault" if shown.is_broken else "muted")

    def _ask_turns(self) -> None:
        at, here = self.picture.at, self.desk.here if self.desk else None
        if self.desk and at and here and here.region and here.region.cell(*at) and not here.fault:
            self.work.turn(self.desk.job, at, here.region.rest)

    def _show_primary(self, _: object = None) -> None:
        busy = self.work.asking.running or self.work.planning.running
        self.primary.relabel("Working…" if busy else self.step, "clock" if busy else "arrow")
        lacks = "" if self.look else "the table is not seen yet"
        why = "it is being done" if busy else "this is from the log" if self.is_logged else lacks
        self.primary.allow(why, "Nothing moves before you approve")

    # --- keys ----------------------------------------------------------------------------------------------

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take keys from the rows, which would search for letters, and with Ctrl from the Python."""
        super().eventFilter(watched, event)
        if not isinstance(event, QKeyEvent) or event.type() is not QEvent.Type.KeyPress:
            return False
        mine = event.modifiers() & Qt.KeyboardModifier.ControlModifier and event.key() in CTRL
        return (watched is self.rows or bool(watched is self.code and mine)) and self.pressed(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.pressed(event):
            super().keyPressEvent(event)

    def pressed(self, event: QKeyEvent) -> bool:
        """Do what a key means here. Return False if that is nothing."""
        key = QKeySequence(event.keyCombination()).toString()
        if id := next((id for id, _, _, its, _ in VERBS if its == key), ""):
            self.carry_out(id)
        elif event.key() in (K.Key_Return, K.Key_Enter):
            self.press()
        elif event.key() == K.Key_Escape:  # the stop itself came first, from wherever it is pressed
            for task in (self.work.asking, self.work.planning):
                task.cancel()
            self._ghost.stop()
            self.said.say("Stopped: nothing is asked or searched any more.")
            self._show_primary()
        elif key in tuple("12345"):
            self.tools.setCurrentIndex(int(key) - 1)
            self.picture.setFocus()
        else:
            return False
        return True

    def choices(self) -> Iterator[Choice]:
        """Return what the keys do here, as the palette lists it."""
        for id, text, icon, key, tip in VERBS:
            yield Choice(text, tip, key, partial(self.carry_out, id), icon)
