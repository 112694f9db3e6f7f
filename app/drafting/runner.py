"""Run a draft on a thread of its own: open it, make its versions, look at them; alone, or one at a time."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.runtime.background_task import BackgroundTask, Report
from core.drafting.desk import TWO_MODELS, Desk, Findings, Next, Said
from core.drafting.picture_cells import Unnamed, map_shown
from core.drafting.rounds import Version
from core.drafting.source import DraftingTools, DraftSource, picture_of
from core.errors import BadValue, Cancelled, ConsoleError
from core.ports import Frame
from core.stop_token import StopToken

log = logging.getLogger(__name__)
MOST_STEPS = 20  # that are made without a person
STUCK = "The paper's rounds are used up: edit the draft, or save it as it is."
BROKEN = "This could not be worked out ({}): change the draft, or choose an earlier version."
Make = Callable[[Desk], Version]


class DraftRunner(QObject):
    """GUI thread only. `found` is what is known of the version that is shown, None without one."""

    opened = Signal(object)  # Desk
    pictured = Signal(object)  # Frame, of a photograph that cannot be drafted from yet
    unnamed = Signal(object)  # Unnamed
    made = Signal(object)  # Version, or None
    looked = Signal(object)  # Findings
    told = Signal(str, str)  # a sentence and its tone
    run = Signal(object)  # Path of a domain folder

    def __init__(self, tools: DraftingTools, database: Path) -> None:
        super().__init__()
        self._tools, self._database = tools, database
        self.desk: Desk | None = None
        self.found: Findings | None = None
        self.working = ""  # what is being done, "" for nothing
        self._left = 0  # steps to make alone
        self._task, self._marking = BackgroundTask("draft"), BackgroundTask("marks")
        self._task.progressed.connect(self._progressed)
        self._task.done.connect(self._done)
        self._marking.done.connect(self._marked)

    @property
    def current(self) -> Version | None:
        return self.found.version if self.found is not None else None

    @property
    def next(self) -> Next:
        return self.desk.next_step(self.found) if self.desk is not None else Next.DRAFT

    def close(self) -> bool:
        """End what waits, and keep what is there. Return True if no thread is left."""
        self._task.cancel()
        self._marking.cancel()
        _close(self.desk)
        return self._task.join(2.0) and self._marking.join(2.0)

    def open(self, source: DraftSource) -> None:
        """Open a draft; where one from the same source is in the log, its last version."""
        tools, database, old = self._tools, self._database, self.desk
        self.desk, self.found, self._left = None, None, 0

        def work(cancel: StopToken, report: Report) -> Desk | Unnamed:
            _close(old)
            if source.template and source.picture is not None:
                report(picture_of(source.picture))
            shown = map_shown(tools, source)
            return shown if isinstance(shown, Unnamed) else Desk(tools, shown, database)

        self._begin(f"Opening {source.map}", work)

    def _begin(self, words: str, work: Callable[[StopToken, Report], object]) -> None:
        def guarded(cancel: StopToken, report: Report) -> object:
            try:
                return work(cancel, report)
            except (ConsoleError, Cancelled):
                raise
            except Exception as error:  # else the room would wait for ever
                log.exception("while %s", words)
                raise BadValue(BROKEN.format(type(error).__name__)) from error

        self._marking.cancel()
        self.working = words
        self.told.emit(f"{words}…", "muted")
        self._task.start(guarded)

    def do(self, make: Make, words: str) -> None:
        """Make a version on the draft's thread, and look at it."""
        if (desk := self.desk) is None:
            return

        def work(cancel: StopToken, report: Report) -> Findings:
            with desk.lock:
                desk.begin(cancel)
                version = make(desk)
                report(version)
                return desk.look(version, cancel, report)

        self._begin(words, work)

    def look(self, version: Version) -> None:
        """Show a version, and look at it."""
        self._left = 0
        self.do(lambda _: version, f"Comparing version {version.number}")

    def _progressed(self, news: object) -> None:
        if isinstance(news, Frame):
            self.pictured.emit(news)
        elif isinstance(news, Version):
            self._show(news)
        elif isinstance(news, Findings):
            self.found = news
            self.looked.emit(news)

    def _show(self, version: Version | None) -> None:
        self.found = Findings(version) if version is not None else None
        self.made.emit(version)

    def _done(self, result: object) -> None:
        self.working = ""
        if isinstance(result, Desk):
            self.desk = result
            self.opened.emit(result)
            self._show(result.versions[-1] if result.versions else None)
            if self.current is not None:
                return self.look(self.current)
        elif isinstance(result, Unnamed):
            return self.unnamed.emit(result)
        elif isinstance(result, Findings):
            self.found = result
            self.looked.emit(result)
            self._mark(result)
        if isinstance(result, ConsoleError):
            self._left = 0
            self.told.emit(str(result), "fault")
        elif self._left and self.next not in (Next.DONE, Next.STUCK):
            self._left -= 1
            self._make(consented=False)
        else:
            self._tell_next()

    def _tell_next(self) -> None:
        """Say what the next key does and costs, or what else a person should know."""
        desk, asks = self.desk, self.next in (Next.DRAFT, Next.ASK)
        if desk is not None:
            words = f"Enter asks {desk.cost}." if asks else STUCK if self.next is Next.STUCK else ""
            self.told.emit(words or (TWO_MODELS if desk.bench.world is None else ""), "muted")

    def _mark(self, found: Findings) -> None:
        """Mark the literals, which may take long, while the person goes on."""
        if (desk := self.desk) is None:
            return

        def work(cancel: StopToken, report: Report) -> Findings:
            with desk.lock:
                desk.begin(cancel)
                return desk.mark(found, cancel)

        self._marking.start(work)

    def _marked(self, result: object) -> None:
        if isinstance(result, Findings) and self.current is result.version and not self.working:
            self.found = result
            self.looked.emit(result)

    # --- what a person does ------------------------------------------------------------------------------

    def go_on(self, alone: bool) -> None:
        """Do what comes next; `alone`, all that follows as well, until nothing differs or a limit is met."""
        if self.desk is None or self.working:
            return
        if self.desk.conflicts:
            self.desk.conflicts = self.desk.conflicts[1:]
            self.looked.emit(self.found)
        elif self.next in (Next.DONE, Next.STUCK):
            self.save(then_run=self.next is Next.DONE)
        else:
            self._left = MOST_STEPS if alone else 0
            self._make(consented=True)

    def _make(self, consented: bool) -> None:
        found, repairs = self.found, self.next is Next.REPAIR
        words = "Repairing" if repairs else "The model corrects" if found else "The model drafts"
        self.do(lambda desk: desk.make(found, consented), words)

    def write(self, domain_text: str, problem_text: str) -> None:
        """Take what the person wrote as a version."""
        self._left, parent = 0, self.current
        if parent is None or parent.texts != (domain_text, problem_text):
            self.do(lambda desk: desk.write(domain_text, problem_text, parent), "Reading what you wrote")

    def refuse(self) -> None:
        """Refuse the repair that is proposed; where two changed the same, take theirs."""
        desk, found = self.desk, self.found
        if desk is None or found is None:
            return
        if desk.conflicts:
            conflict = desk.conflicts[0]
            self.do(lambda desk: desk.resolve(conflict, found.version), "Taking theirs")
        elif found.repair is not None:
            desk.refused |= {one.edit for one in found.repair.repairs}
            self.look(found.version)

    def choose(self, number: int) -> None:
        """Go back to a version, and on from there."""
        version = self.desk.version(number) if self.desk is not None else None
        if version is not None and version is not self.current:
            self._left = 0
            self._show(version)
            self.do(lambda desk: desk.choose(version), f"Comparing version {number}")

    def say(self, said: Said) -> None:
        """Keep what the person says of the walk that differs."""
        found, self._left = self.found, 0
        if found is not None and (walk := found.difference) is not None:
            self.do(
                lambda desk: desk.say(found.version, walk, said), "Comparing what you have not judged yet"
            )

    def save(self, then_run: bool = False) -> None:
        """Write the version that is shown as a domain folder of the person's own."""
        if self.desk is None or self.current is None:
            return self.told.emit("There is no version to save yet.", "doubt")
        try:
            folder = self.desk.save(self.current)
        except ConsoleError as error:
            return self.told.emit(str(error), "fault")
        self.told.emit(f"Saved as the domain {folder.name}, in {folder.parent}.", "muted")
        if then_run:
            self.run.emit(folder)


def _close(desk: Desk | None) -> None:
    if desk is not None:
        try:
            desk.close()
        except (ConsoleError, Cancelled) as error:
            log.error("%s", error)
