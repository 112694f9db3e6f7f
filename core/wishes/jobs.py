"""The long works of a sheet, each for a thread other than the screen's: look, write, judge, rehearse, try."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from core.config import Settings
from core.errors import BadValue, ConsoleError, RobotError
from core.planning.domain_library import load_domain_spec
from core.planning_model import PlanStatus
from core.ports import Frame, Reply, Robot
from core.robots import RobotRegistry
from core.scene import ProvidesScene, Scene
from core.stop_token import StopToken
from core.vqa.registry import ModelSettings, model_answerer
from core.wish import WishOptions
from core.wishes.authoring import Request
from core.wishes.desk import Hindrance, Job, Place, to_try
from core.wishes.judging import Conflict, Judge, Judged, Look, Rehearsed, find_conflict, subject_of
from core.wishes.kept import KeptTests
from core.wishes.motion_process import GraspRequest, MotionProcess, MotionRequest, SkillRequest
from core.wishes.region import Region, Turns, turns_at
from core.wishes.sheet import Sheet, replies_of, row_tests, wish_of, write_sheet
from core.wishes.word_sources import SHEET, is_source, word_source, write_replies

DOMAIN = "tabletop-wishes"
Tell = Callable[[str], None]


def look_at(robots: RobotRegistry, settings: Settings, task: str, cancel: StopToken) -> Look:
    """Look at a task's scene in a simulator of its own; nothing moves. Raises ConsoleError, Cancelled."""
    spec = load_domain_spec(DOMAIN)
    entry = robots[spec.default_robot]
    needs = {"options": entry.read_options({}), "domain_spec": spec, "task": spec.tasks[task]}
    robot: Robot = entry.build(**needs, seed=settings.seed, pictures=settings.pictures)
    try:
        if not isinstance(robot, ProvidesScene):
            raise BadValue(f"The robot {robot.name} tells no scene: choose a task of wishes.")
        frame: Frame | None = None
        with suppress(RobotError):  # no OpenGL: the scene is drawn instead
            frame = robot.look(cancel)
        return Look(spec, spec.tasks[task].problem, robot.scene(), frame)
    finally:
        robot.close()


def write_with(
    look: Look, words: str, by: str, seed: int, tell: Tell, cancel: StopToken
) -> tuple[Sheet, tuple[Reply, ...]]:
    """Have the words written as a sheet, by a source or a model; return it with all replies.

    `tell` is told what is asked for. Raises ConsoleError, Cancelled.
    """
    brief, known, replies = look.brief(words), is_source(by), list[Reply]()
    asking = ModelSettings(notify=tell)
    model = word_source(by, brief, seed) if known else model_answerer(by, None, asking).model
    pictures = () if known or look.frame is None else (look.frame.png,)

    def ask(request: Request) -> Reply:
        tell(f"asking {model.name}: {request.purpose.partition(',')[0].removeprefix('wish ')}")
        replies.append(model.ask(request.messages, pictures, cancel))
        return replies[-1]

    return write_sheet(brief, ask), tuple(replies)


def judge_rows(
    judge: Judge, store: KeptTests, job: Job, cancel: StopToken, report: Callable[[Judged], None]
) -> Conflict:
    """Report what becomes of each row, the current one first; return the conflict. Raises Cancelled."""
    try:
        kept = store.load(job.brief.domain_spec.name)
    except ConsoleError:
        kept = ()
    rows = [n for n, row in enumerate(job.sheet.rows) if row.is_tested]
    for number in sorted(rows, key=lambda n: n != job.number):
        old = job.compared if number == job.number else None
        at = job.befores.get(number)
        report(judge.row(job.brief, job.sheet, number, at, old, kept, cancel.check))
    try:
        return find_conflict(job.brief, job.sheet, cancel.check)
    except BadValue:  # some test is broken, as its row says
        return Conflict()


def rehearse(process: MotionProcess, job: Job, cancel: StopToken) -> Rehearsed:
    """Search for motions, and film them. Raises ConsoleError, Cancelled."""
    scene, wish = job.brief.scene, wish_of(job.sheet, job.brief)
    plan = process.plan(MotionRequest(job.brief.problem, wish, scene, WishOptions()), cancel).plan
    if plan.status is not PlanStatus.FOUND or not plan.steps:
        return Rehearsed(plan)
    return Rehearsed(plan, process.ask(SkillRequest(scene, "film", (plan.steps,)), cancel))


def turns(job: Job, at: Place, rest: int) -> Turns:
    """Return which rests and which of YAWS pass at a place. Raises BadValue."""
    row = job.sheet.rows[job.number]
    return turns_at(job.places, row_tests(row, job.brief), at, rest)


def try_arm(
    process: MotionProcess, job: Job, region: Region | None, closed: StopToken
) -> Judged | tuple[int, tuple[Hindrance, ...]]:
    """Try the arm at the current row: at some places of its region, or, of a pick, with some grasps.

    It is short, and a cancel kills the process: only the end of the sheet does. Raises Cancelled.
    """
    if region is None:
        return _try_grasps(process, job, closed)
    return _try_places(process, job, region, closed)


def approved(settings: Settings, task: str, sheet: Sheet, folder: Path, by: str) -> Settings:
    """Write the sheet as a source of words; return the settings of the episode of it. Raises BadFile."""
    write_replies(path := folder / f"{task}.toml", replies_of(sheet), by)
    robot = settings.robot if settings.domain == DOMAIN else ""
    own = replace(settings, task=task, domain=DOMAIN, domain_file="", problem_file="", robot=robot)
    return replace(own, method="owl-tamp", knower=f"{SHEET}{path}", options={"method.words": sheet.words})


def _try_grasps(process: MotionProcess, job: Job, closed: StopToken) -> Judged:
    """Return grasps of the row's thing."""
    if not job.brief.scene.skills:
        return Judged(job.number)
    step, *following = job.sheet.steps[job.number :]
    request = GraspRequest(_scene_before(job), step, following[0] if following else None)
    return Judged(job.number, grasps=process.ask(request, closed))


def _try_places(
    process: MotionProcess, job: Job, region: Region, closed: StopToken
) -> tuple[int, tuple[Hindrance, ...]]:
    """Return the row, and what hinders the arm at some of the places that pass."""
    poses, places, size = to_try(job, region)
    if not job.brief.scene.skills or not poses:
        return job.number, ()
    thing = subject_of(job.sheet, job.number)
    asked = SkillRequest(_scene_before(job, apart_from=thing), "hindrances", (thing, poses))
    said = process.ask(asked, closed)
    return job.number, tuple(Hindrance(at, size, words) for at, words in zip(places, said, strict=True))


def _scene_before(job: Job, apart_from: str = "") -> Scene:
    """Return the scene as the rehearsal leaves it for the current row; one thing stays where it is now."""
    scene, at = job.brief.scene, {**job.befores.get(job.number, {})}
    at.pop(apart_from, None)
    things = (replace(one, pose=at[one.name].pose) if one.name in at else one for one in scene.things)
    return replace(scene, things=tuple(things))
