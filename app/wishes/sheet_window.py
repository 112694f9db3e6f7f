"""The sheet of a wish over the window's panels; the top bar and its stop button stay usable."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence

from app.commands import Choice
from app.controls.layout import set_tone
from app.controls.tooltip import set_tooltip
from app.main_window import MainWindow
from app.runtime.background_task import BackgroundTask
from app.widgets.camera.frame_images import still
from app.wishes.sheet_layout import NOT_NOW, VERBS, K, SheetLayout
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
from core.wishes.desk import Desk, Hindrance, Shown
from core.wishes.jobs import DOMAIN, approved
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
_WRITTEN = "Look at the rows: each shows where its tests let the thing go. Enter searches for motions."


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
        self._shots: Iterator[tuple[Shot, str]] = iter(())
        self._connect()

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
        self.tools.currentChanged.connect(self.picture.use)
        self.picture.painted.connect(self._painted)
        self.picture.pointed.connect(self._turning.start)
        w = self.work
        w.asking.progressed.connect(lambda words: self._say(f"{words}…"))
        w.judging.progressed.connect(self._show_judged)
        self._hear(w.trying, self._tried)
        self._hear(w.turning, self.picture.show_turns)
        self._hear(w.looking, self._looked)
        self._hear(w.asking, self._written)
        self._hear(w.judging, self._show_conflict)
        self._hear(w.planning, self._planned)
        self._hear(w.keeping, self._kept)
        self.close_button.activated.connect(self.toggle)
        for id, button in self.buttons.items():
            button.activated.connect(partial(self.carry_out, id))

    def _hear(self, task: BackgroundTask, show: Callable[[Any], object]) -> None:
        """Show what a task returns, or the sentence of what went wrong."""

        def done(result: object) -> None:
            self._say(str(result), "fault") if isinstance(result, ConsoleError) else show(result)
            self._show_primary()

        task.done.connect(done)

    # --- open and closed -----------------------------------------------------------------------------------

    def enter(self) -> None:
        if self.look is None or (self.desk and self.desk.is_logged) or (not self.desk and self._live()):
            self._look_again()
        (self.rows if self.desk else self.words).setFocus()

    def leave(self) -> None:
        self._ghost.stop()

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

    def _look_again(self) -> None:
        """Look at the scene that is chosen: through the robot that runs in it, else in a simulator."""
        s = self._settings()
        if not self.scene.count():
            for task in (tasks := sorted(load_domain_spec(DOMAIN).tasks)):
                self.scene.addItem(task.replace("_", " "), task)
            self.scene.setCurrentIndex(tasks.index(s.task if s.task in tasks else FIRST))
            self.by.addItems([*SOURCES, *([s.answerer] if s.answerer and uses_network(s.answerer) else [])])
        self.desk = self.look = None
        self._changed()
        if (live := self._live()) and live.problem.name == self.scene.currentData():
            self._looked(live)
            return self._show_primary()
        self._say("Looking at the table…")
        self.work.look(s, self.scene.currentData())

    def follow(self) -> None:
        """Show where things are now, while a robot moves in the scene that is looked at."""
        look, live = self.look, self._live() if self.isVisible() else None
        if live is None or look is None or live.problem.name != look.problem.name or live.scene == look.scene:
            return
        if self.desk is None or not self.desk.is_logged:
            self.look = live
            self.picture.show_scene(live.scene, still(live.frame))
            if self.desk:
                self.desk.follow(live)
                self._changed()

    def show_logged(self, records: Sequence[Record], frame: Frame | None) -> None:
        """Show the wish as it stood after these records of an episode: which test, whose, which region."""
        if self.isHidden():
            self.toggle()
        self.work.read(records, frame)

    def _looked(self, found: Look | Logged) -> None:
        self.look = look = found.look if isinstance(found, Logged) else found
        self.picture.show_scene(look.scene, still(look.frame))
        self._say("Say what you wish of these things, then Enter. Nothing moves by it.")
        if isinstance(found, Logged):
            self.desk = Desk(found.sheet, look, self._by, found.befores)
            self.words.setText(found.sheet.words)
            self._changed()
            self._say("From the log: nothing here can be changed. Open the sheet again for a new wish.")

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
            self._approve(desk)
        self._show_primary()

    def _written(self, result: tuple[Sheet, tuple[Reply, ...]]) -> None:
        assert self.look is not None
        sheet, replies = result
        if costs := [reply.cost for reply in replies if reply.cost is not None]:
            self.cost.setText(f"{len(replies)} replies, {sum(costs):.3f} $")
        self.desk = Desk(sheet, self.look, self._by)
        self._changed()
        self.rows.setFocus()

    def _planned(self, rehearsed: Rehearsed) -> None:
        if self.desk is not None:
            self.desk.rehearsed, found = rehearsed, rehearsed.plan.status is PlanStatus.FOUND
            so = _FOUND if rehearsed.film else "It is so already: nothing has to be done."
            self._say(so if found else rehearsed.plan.reason, "text" if found else "doubt")
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
            own = approved(self._settings(), self.scene.currentData(), desk.sheet, self._folder, self._by)
        except ConsoleError as error:
            return self._say(str(error), "fault")
        self.toggle()
        self.approved.emit(own, desk.rehearsed and desk.rehearsed.plan)

    # --- changes -------------------------------------------------------------------------------------------

    def _changed(self) -> None:
        """Show and judge the sheet anew; what was planned before counts no longer."""
        self._say(_CHANGED if self.work.planning.running else _WRITTEN)
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
            self._say("Paint in the row of a place: what is painted becomes its test.", "doubt")

    def carry_out(self, id: str) -> None:
        """Carry out one of VERBS, if it means something now."""
        if (desk := self.desk) is None:
            return
        changes = {"undo": desk.undo, "redo": desk.redo, "take": desk.take_back, "add": desk.add_kept}
        keepings = {"keep": desk.keep, "forget": desk.forget}
        if id in changes and changes[id]():
            self.rows.setFocus()  # else what is typed in would stay as it is
            self._changed()
        elif id == "compare" and desk.compare():
            self._show_row()
        elif id in keepings and (keeping := keepings[id]()):
            self.work.keep(desk.look.domain_spec.name, keeping)
        elif id == "play" and desk.rehearsed and desk.rehearsed.film:
            self._shots = iter(desk.rehearsed.shots(desk.sheet, desk.look.domain_spec))
            self._ghost.start()
        else:
            self._say(NOT_NOW.get(id, "No kept test is offered to this row."), "muted")

    def _kept(self, words: str) -> None:
        self._say(words)
        if self.desk:
            self.work.judge(self.desk.job)

    # --- showing -------------------------------------------------------------------------------------------

    def _show_judged(self, judged: Judged) -> None:
        if (desk := self.desk) is not None:
            desk.judged[judged.number] = judged
            self._show_rows()
            if judged is desk.here:
                self._show_region()
                if judged.region and not desk.is_logged:
                    self.work.try_arm(desk.job, judged.region)

    def _show_conflict(self, conflict: Conflict) -> None:
        if self.desk and conflict != self.desk.conflict:
            self.desk.conflict = conflict
            self._show_rows()
            if conflict.tests:
                self._say(_CONFLICT, "doubt")

    def _tried(self, found: Judged | tuple[int, tuple[Hindrance, ...]]) -> None:
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
        self.code.setReadOnly(not self.desk or self.desk.is_logged or not self.desk.row.is_tested)
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
        self.lint.setText(shown.lint)
        set_tone(self.lint, "fault" if shown.is_broken else "muted")

    def _ask_turns(self) -> None:
        if self.desk and self.picture.at and self.desk.here and (region := self.desk.here.region):
            self.work.turn(self.desk.job, self.picture.at, region.rest)

    def _show_primary(self, _: object = None) -> None:
        busy = self.work.asking.running or self.work.planning.running
        self.primary.relabel("Working…" if busy else self.step, "clock" if busy else "arrow")
        logged = self.desk is not None and self.desk.is_logged
        self.primary.setEnabled(not busy and self.look is not None and not logged)
        set_tooltip(
            self.primary, "Not now: this is from the log." if logged else "Nothing moves before you approve"
        )

    def _show_cost(self, by: str) -> None:
        self.cost.setText("costs nothing" if by in SOURCES else "one call and one for each place")

    def _say(self, words: str, tone: str = "text") -> None:
        self.said.setText(words)
        set_tone(self.said, tone)

    # --- keys ----------------------------------------------------------------------------------------------

    def pressed(self, event: QKeyEvent) -> bool:
        key = QKeySequence(event.keyCombination()).toString()
        if id := next((id for id, _, _, its, _ in VERBS if its == key), ""):
            self.carry_out(id)
        elif event.key() in (K.Key_Return, K.Key_Enter):
            self.press()
        elif event.key() == K.Key_Escape:  # the stop itself came first, from wherever it is pressed
            for task in (self.work.asking, self.work.planning):
                task.cancel()
            self._ghost.stop()
            self._say("Stopped: nothing is asked or searched any more.")
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
