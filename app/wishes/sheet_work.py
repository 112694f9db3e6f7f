"""What a sheet has done for it elsewhere than on the screen's thread: look, ask, judge, plan, and film."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

from PySide6.QtCore import QObject

from app.runtime.background_task import BackgroundTask, Report
from core.config import ComponentFactory, Settings
from core.errors import BadValue, ConsoleError
from core.events import Record
from core.planning_model import PlanStatus
from core.ports import Frame, Reply
from core.scene import ProvidesScene
from core.stop_token import StopToken
from core.vqa.registry import ModelSettings, model_answerer
from core.wish import WishOptions
from core.wishes.authoring import Request
from core.wishes.desk import Hindrance, Job, to_try
from core.wishes.judging import Conflict, Judge, Look, Rehearsed, find_conflict, places_at, subject_of
from core.wishes.kept import KeptTest, KeptTests
from core.wishes.logged import read_wish
from core.wishes.motion_process import MotionProcess, MotionRequest, SkillRequest
from core.wishes.region import Region, turns_at
from core.wishes.sheet import Sheet, row_tests, wish_of, write_sheet
from core.wishes.word_sources import is_source, word_source


class SheetWork(QObject):
    """GUI thread only. Of each kind of work only the latest is heard."""

    def __init__(self, make: ComponentFactory, kept: KeptTests) -> None:
        super().__init__()
        self.kept, self._make, self._judge = kept, make, Judge()
        self._searching, self._trying = MotionProcess(), MotionProcess()
        self._search_lock, self._try_lock, self._judge_lock = Lock(), Lock(), Lock()
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
        """Look at the task's scene in a simulator of its own; nothing moves. Returns a Look."""

        def work(*_: object) -> Look:
            made = self._make(settings)
            try:
                if not isinstance(made.robot, ProvidesScene):
                    raise BadValue(f"The robot {made.robot.name} tells no scene: choose a task of wishes.")
                try:
                    frame = made.robot.look(StopToken())
                except ConsoleError:  # no OpenGL: the scene is drawn instead
                    frame = None
                return Look(made.domain_spec, made.task.problem, made.robot.scene(), frame)
            finally:
                made.close()

        self.looking.start(work)

    def read(self, records: Sequence[Record], frame: Frame | None) -> None:
        """Read the wish from these records of an episode. Returns it as Logged."""
        self.looking.start(lambda *_: read_wish(records, frame))

    def write(self, look: Look, words: str, by: str, seed: int) -> None:
        """Have the words written as a sheet. Reports what is asked for; returns the sheet and the replies."""
        brief = look.brief(words)

        def work(cancel: StopToken, report: Report) -> tuple[Sheet, tuple[Reply, ...]]:
            known = is_source(by)
            asking = ModelSettings(notify=report)
            model = word_source(by, brief, seed) if known else model_answerer(by, None, asking).model
            pictures = () if known or look.frame is None else (look.frame.png,)
            replies: list[Reply] = []

            def ask(request: Request) -> Reply:
                report(f"asking {model.name}: {request.purpose.partition(',')[0].removeprefix('wish ')}")
                replies.append(model.ask(request.messages, pictures, cancel))
                return replies[-1]

            return write_sheet(brief, ask), tuple(replies)

        self.asking.start(work)

    def judge(self, job: Job) -> None:
        """Report what becomes of each row, the current one first; return the Conflict."""

        def work(cancel: StopToken, report: Report) -> Conflict:
            brief, sheet = job.brief, job.sheet
            try:
                kept = self.kept.load(brief.domain_spec.name)
            except ConsoleError:
                kept = ()
            rows = [n for n, row in enumerate(sheet.rows) if row.is_tested]
            for number in sorted(rows, key=lambda n: n != job.number):
                old, at = job.compared if number == job.number else None, job.befores.get(number)
                with self._judge_lock:
                    report(self._judge.row(brief, sheet, number, at, old, kept, cancel.check))
            try:
                return find_conflict(brief, sheet, cancel.check)
            except BadValue:  # some test is broken, as its row says
                return Conflict()

        self.judging.start(work)

    def plan(self, job: Job) -> None:
        """Search for motions and film them; returns what was rehearsed."""

        def work(cancel: StopToken, _: Report) -> Rehearsed:
            scene, wish = job.brief.scene, wish_of(job.sheet, job.brief)
            with self._search_lock:
                request = MotionRequest(job.brief.problem, wish, scene, WishOptions())
                plan = self._searching.plan(request, cancel).plan
                if plan.status is not PlanStatus.FOUND or not plan.steps:
                    return Rehearsed(plan)
                return Rehearsed(
                    plan, self._searching.ask(SkillRequest(scene, "film", (plan.steps,)), cancel)
                )

        self.planning.start(work)

    def try_places(self, job: Job, region: Region) -> None:
        """Try with the arm some of the places that pass; returns the row, and what hinders it there."""
        poses, places, size = to_try(job, region)
        if not job.brief.scene.skills or not poses:
            return
        asked = subject_of(job.sheet, job.number), poses

        def work(*_: object) -> tuple[int, tuple[Hindrance, ...]]:
            with self._try_lock:  # it is short, and a cancel would kill the process
                said = self._trying.ask(SkillRequest(job.brief.scene, "hindrances", asked), StopToken())
            return job.number, tuple(Hindrance(at, size, w) for at, w in zip(places, said, strict=True))

        self.trying.start(work)

    def turn(self, job: Job, at: tuple[float, float], rest: int) -> None:
        """Return which rests and yaws pass at a place."""
        places, row = places_at(job.brief, job.sheet, job.number), job.sheet.rows[job.number]

        def work(*_: object) -> tuple[tuple[bool, ...], tuple[bool, ...]]:
            with self._judge_lock:
                return turns_at(places, row_tests(row, job.brief), at, rest)

        self.turning.start(work)

    def keep(self, domain: str, one: KeptTest) -> None:
        self.keeping.start(lambda *_: self.kept.keep(domain, one))
