"""What a sheet has done for it elsewhere than on the screen's thread, one task for each kind of work."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

from PySide6.QtCore import QObject

from app.runtime.background_task import BackgroundTask, Report
from core.config import ComponentFactory, Settings
from core.events import Record
from core.ports import Frame
from core.stop_token import StopToken
from core.wishes import jobs
from core.wishes.desk import Job
from core.wishes.judging import Conflict, Judge, Look, places_at
from core.wishes.kept import KeptTest, KeptTests
from core.wishes.logged import read_wish
from core.wishes.motion_process import MotionProcess
from core.wishes.region import Region, turns_at
from core.wishes.sheet import row_tests


class SheetWork(QObject):
    """GUI thread only. Of each kind of work only the latest is heard; `core.wishes.jobs` says what."""

    def __init__(self, make: ComponentFactory, kept: KeptTests) -> None:
        super().__init__()
        self._kept, self._make, self._judge = kept, make, Judge()
        self._searching, self._trying = MotionProcess(), MotionProcess()
        self._search_lock, self._try_lock = Lock(), Lock()
        self.looking, self.asking, self.judging = map(BackgroundTask, ("look", "ask", "judge"))
        self.planning, self.trying, self.keeping = map(BackgroundTask, ("plan", "try", "keep"))
        self.turning = BackgroundTask("turn")
        self.tasks = [part for part in vars(self).values() if isinstance(part, BackgroundTask)]

    def close(self) -> bool:
        """End everything. Return True if no thread is left."""
        for task in self.tasks:
            task.cancel()
        gone = [task.join(5.0) for task in self.tasks]
        self._searching.close()
        self._trying.close()
        return all(gone)

    def look(self, settings: Settings) -> None:
        self.looking.start(lambda *_: jobs.look_at(self._make, settings))

    def read(self, records: Sequence[Record], frame: Frame | None) -> None:
        """Read the wish from these records of an episode. Returns it as Logged."""
        self.looking.start(lambda *_: read_wish(records, frame))

    def write(self, look: Look, words: str, by: str, seed: int) -> None:
        self.asking.start(lambda cancel, tell: jobs.write_with(look, words, by, seed, tell, cancel))

    def judge(self, job: Job) -> None:
        """Report what becomes of each row, the current one first; return the Conflict."""

        def work(cancel: StopToken, report: Report) -> Conflict:
            for found in jobs.judge_rows(self._judge, self._kept, job, cancel):
                if isinstance(found, Conflict):
                    return found
                report(found)
            return Conflict()

        self.judging.start(work)

    def plan(self, job: Job) -> None:
        def work(cancel: StopToken, _: Report) -> object:
            with self._search_lock:
                return jobs.rehearse(self._searching, job, cancel)

        self.planning.start(work)

    def try_arm(self, job: Job, region: Region | None = None) -> None:
        """Return what hinders the arm at places of the row's region; of a pick, Judged with its grasps."""

        def work(*_: object) -> object:
            with self._try_lock:  # it is short, and a cancel would kill the process
                if region is None:
                    return jobs.try_grasps(self._trying, job)
                return jobs.try_places(self._trying, job, region)

        self.trying.start(work)

    def turn(self, job: Job, at: tuple[float, float], rest: int) -> None:
        """Return which rests and yaws pass at a place."""
        places, row = places_at(job.brief, job.sheet, job.number), job.sheet.rows[job.number]
        self.turning.start(lambda *_: turns_at(places, row_tests(row, job.brief), at, rest))

    def keep(self, domain: str, one: KeptTest, words: str, forget: bool = False) -> None:
        """Keep or forget a test; return the words."""

        def work(*_: object) -> str:
            (self._kept.forget if forget else self._kept.keep)(domain, one)
            return words

        self.keeping.start(work)
