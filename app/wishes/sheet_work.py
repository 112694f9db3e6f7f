"""What a sheet has done for it elsewhere than on the screen's thread, one task for each kind of work."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject

from app.runtime.background_task import BackgroundTask
from core.config import Settings
from core.events import Record
from core.ports import Frame
from core.robots import RobotRegistry
from core.stop_token import StopToken
from core.wishes import jobs
from core.wishes.desk import Job, Place
from core.wishes.judging import Judge, Look
from core.wishes.kept import Keeping, KeptTests
from core.wishes.logged import read_wish
from core.wishes.motion_process import MotionProcess
from core.wishes.region import Region


class SheetWork(QObject):
    """GUI thread only. Of each kind of work only the latest is heard; `core.wishes.jobs` says what."""

    def __init__(self, robots: RobotRegistry, kept: KeptTests) -> None:
        super().__init__()
        self._kept, self._robots, self._judge, self._closed = kept, robots, Judge(), StopToken()
        self._searching, self._trying = MotionProcess(), MotionProcess()
        self.looking, self.asking, self.judging = map(BackgroundTask, ("look", "ask", "judge"))
        self.planning, self.trying, self.keeping = map(BackgroundTask, ("plan", "try", "keep"))
        self.turning = BackgroundTask("turn")
        self.tasks = [part for part in vars(self).values() if isinstance(part, BackgroundTask)]

    def close(self) -> bool:
        """End everything. Return True if no thread is left."""
        self._closed.end("closed")
        for task in self.tasks:
            task.cancel()
        gone = [task.join(5.0) for task in self.tasks]
        self._searching.close()
        self._trying.close()
        return all(gone)

    def look(self, settings: Settings, task: str, start: str) -> None:
        self.looking.start(lambda stop, _: jobs.look_at(self._robots, settings, task, start, stop))

    def read(self, records: Sequence[Record], frame: Frame | None) -> None:
        """Read the wish from these records of an episode. Returns it as Logged."""
        self.looking.start(lambda *_: read_wish(records, frame))

    def write(self, look: Look, words: str, by: str, seed: int) -> None:
        self.asking.start(lambda cancel, tell: jobs.write_with(look, words, by, seed, tell, cancel))

    def judge(self, job: Job) -> None:
        self.judging.start(lambda stop, tell: jobs.judge_rows(self._judge, self._kept, job, stop, tell))

    def plan(self, job: Job) -> None:
        self.planning.start(lambda cancel, _: jobs.rehearse(self._searching, job, cancel))

    def try_arm(self, job: Job, region: Region | None = None) -> None:
        self.trying.start(lambda *_: jobs.try_arm(self._trying, job, region, self._closed))

    def turn(self, job: Job, at: Place, rest: int) -> None:
        self.turning.start(lambda *_: jobs.turns(job, at, rest))

    def keep(self, domain: str, keeping: Keeping) -> None:
        self.keeping.start(lambda *_: self._kept.carry_out(domain, keeping))
