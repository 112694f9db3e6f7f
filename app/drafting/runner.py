"""Run a draft on a thread of its own: open it, make its versions, look at them; alone, or one at a time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from app.controls.list_picker import PickerItem
from app.review.player import FRAME
from app.runtime.background_task import BackgroundTask, Report
from core.drafting.desk import Desk, opened
from core.drafting.findings import Findings, Next
from core.drafting.rounds import Texts, Version
from core.drafting.source import DraftingTools, DraftSource
from core.errors import ConsoleError
from core.stop_token import StopToken

LONGEST = 0.2  # seconds that the draft's thread rests for the window
PAINTED = 2 * FRAME  # ms until what was found is on the screen
BROKEN = "This could not be worked out ({}): change the draft, or choose an earlier version."
Make = Callable[[Desk, Any], Version | Findings]  # of the findings, None without a version


class DraftRunner(QObject):
    """GUI thread only. `typed` returns what is new in the editors; `found` is None without a version."""

    read = Signal(object)  # while it opens: Choices, a file's Frame, Unnamed or the Desk; None: it cannot
    looked = Signal(object)  # Findings, or None without a version
    told = Signal(str, str)  # a sentence and its tone
    run = Signal(object)  # Path of a domain folder

    def __init__(self, tools: DraftingTools, database: Path, typed: Callable[[], Texts | None]) -> None:
        super().__init__()
        self._tools, self._database, self._typed = tools, database, typed
        self.desk: Desk | None = None
        self.found: Findings | None = None
        self.working = ""  # what is being done, "" for nothing
        self.fault = ""  # why the last could not be
        self._task, self._shown = BackgroundTask("draft", BROKEN), Event()
        self._task.progressed.connect(self._heard)
        self._task.done.connect(self._done)

    @property
    def current(self) -> Version | None:
        return self.found.version if self.found is not None else None

    @property
    def next(self) -> Next:
        return self.desk.next_step(self.found) if self.desk is not None else Next.DRAFT

    def close(self) -> bool:
        """End what waits, and keep what is there and what was typed. Return True if no thread is left."""
        self._task.cancel()
        if self.desk is not None:
            self.desk.close(self._typed(), self.current)
        return self._task.join(2.0)

    def open(self, source: DraftSource) -> None:
        """Open a draft; where one from the same source is in the log, its last version."""
        old, typed, last = self.desk, self._typed(), self.current
        self.desk = self.found = None

        def work(cancel: StopToken, report: Report) -> object:
            if old is not None:
                old.close(typed, last)
            return opened(self._tools, source, self._database, report)

        self._begin(f"Opening {source.map}", work)

    def make(self, make: Make, words: str) -> None:
        """Make a version of what is found, look at it, and then mark its literals beside the person."""
        desk, found = self.desk, self.found
        if desk is None:
            return

        def work(cancel: StopToken, report: Report) -> Findings:
            def show(news: Findings) -> None:
                """Report, and rest while the window shows it, which else takes twice as long."""
                self._shown.clear()
                report(news)
                self._shown.wait(LONGEST)

            with desk.lock:
                desk.begin(cancel, show)
                made = make(desk, found)
                return desk.mark(desk.look(made) if isinstance(made, Version) else made)

        self._begin(words, work)

    def _begin(self, words: str, work: Callable[[StopToken, Report], object]) -> None:
        self.working = words
        self.told.emit(f"{words}…", "muted")
        self._task.start(work)

    def _heard(self, news: object) -> None:
        if not isinstance(news, Findings):
            return self.read.emit(news)
        self.found = news
        if news.complete and self.desk is not None:
            self.working = ""
            self.told.emit(self.desk.advice(news), "muted")  # what the next key does and costs
        self.looked.emit(news)
        QTimer.singleShot(PAINTED, self, self._shown.set)

    def _done(self, result: object) -> None:
        if isinstance(result, Findings):
            return self._heard(result)
        self.working, self.fault = "", str(result) if isinstance(result, ConsoleError) else ""
        if self.fault:
            if self.desk is None:
                self.read.emit(None)
            self.looked.emit(self.found)
            return self.told.emit(self.fault, "fault")
        self.desk = result if isinstance(result, Desk) else None
        self.told.emit(self.desk.advice(None) if self.desk is not None else "", "muted")
        self.read.emit(result)
        self.looked.emit(None)
        if self.desk is not None and self.desk.versions.all:
            self.make(lambda desk, _: desk.versions.all[-1], "Comparing")

    # --- what a person does ------------------------------------------------------------------------------

    def go_on(self, alone: bool) -> None:
        """Do what comes next; `alone`, all that follows as well, until nothing differs or a limit is met."""
        if not self.working and self.next is Next.DONE:
            self.save(then_run=True)
        elif not self.working and self.next is not Next.STUCK:
            self.make(partial(Desk.go_on, alone=alone), self.next.value)

    def write(self) -> None:
        """Take what the person wrote as a version."""
        typed, parent = self._typed(), self.current
        if typed is not None:
            self.make(lambda desk, _: desk.write(*typed, parent), "Reading what you wrote")

    def choose(self, item: PickerItem | None) -> None:
        """Go back to a version that was picked, and on from there."""
        version = self.desk.versions.get(item.key) if self.desk and item else None
        if version is not None and version is not self.current:
            self.make(lambda desk, _: desk.choose(version), f"Comparing version {version.number}")

    def save(self, then_run: bool = False) -> None:
        """Write the version that is shown as a domain folder of the person's own."""
        if self.desk is None or self.current is None:
            return
        try:
            folder = self.desk.save(self.current)
        except ConsoleError as error:
            return self.told.emit(str(error), "fault")
        self.told.emit("Saved in your own domains, under the map's name.", "muted")
        if then_run:
            self.run.emit(folder)
