"""The long works of a sheet, each for a thread other than the screen's: look, write, judge, rehearse, try."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np

from core.config import Settings
from core.errors import BadValue, ConsoleError, RobotError
from core.planning.domain_library import load_domain_spec
from core.planning_model import PlanStatus
from core.ports import Frame, Reply, Robot
from core.robots import RobotRegistry
from core.scene import ProvidesScene, Scene
from core.stop_token import StopToken
from core.vqa.registry import ModelSettings, language_model
from core.wish import WishOptions
from core.wishes.authoring import Request
from core.wishes.desk import Hindrances, Job, Place, to_try
from core.wishes.english import TABLE
from core.wishes.judging import Conflict, Judge, Judged, Look, Rehearsed, find_conflict, subject_of
from core.wishes.kept import KeptTests
from core.wishes.motion_process import GraspRequest, MotionProcess, MotionRequest, SkillRequest
from core.wishes.region import Region, Turns, turns_at
from core.wishes.sheet import Sheet, replies_of, row_tests, wish_of, write_sheet
from core.wishes.word_sources import SHEET, is_source, word_source, write_replies

DOMAIN = "tabletop-wishes"
Tell = Callable[[str], None]


def is_simulated(settings: Settings) -> bool:
    """Return True if the next episode is in the simulator, which begins where a sheet says."""
    return settings.domain != DOMAIN or settings.robot in ("", load_domain_spec(DOMAIN).default_robot)


def start_of(look: Look) -> str:
    """Return where the things are, as the task's simulator takes it; "" while the hand has one of them."""
    if "held" in dict(look.scene.setting):
        return ""
    loose = (thing for thing in look.scene.things if thing.shape not in ("mark", "table"))
    return json.dumps({look.problem.name: {one.name: [round(v, 5) for v in one.pose] for one in loose}})


def look_at(robots: RobotRegistry, settings: Settings, task: str, start: str, cancel: StopToken) -> Look:
    """Look at a task's scene in a simulator of its own; nothing moves. Raises ConsoleError, Cancelled."""
    spec = load_domain_spec(DOMAIN)
    entry = robots[spec.default_robot]
    options = entry.read_options({"start": start})
    needs = {"options": options, "domain_spec": spec, "task": spec.tasks[task]}
    robot: Robot = entry.build(**needs, seed=settings.seed, pictures=settings.pictures)
    try:
        if not isinstance(robot, ProvidesScene):
            raise BadValue(f"The robot {robot.name} tells no scene: choose a task of wishes.")
        frame: Frame | None = None
        with suppress(RobotError):  # no OpenGL: the scene is drawn instead
            frame = robot.look(cancel)
        return Look(spec, spec.tasks[task].problem, robot.scene(), frame, start)
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
    model = word_source(by, brief, seed) if known else language_model(by, asking)
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
) -> Judged | tuple[int, Hindrances]:
    """Try the arm at the current row: at some places of its region, or, of a pick, with some grasps.

    It is short, and a cancel kills the process: only the end of the sheet does. Raises Cancelled.
    """
    if region is None:
        return _try_grasps(process, job, closed)
    return _try_places(process, job, region, closed)


def approved(settings: Settings, look: Look, sheet: Sheet, folder: Path, by: str) -> Settings:
    """Write the sheet as a source of words; return the settings of the episode of it. Raises BadFile."""
    task, options = look.problem.name, {"method.words": sheet.words}
    if look.start and is_simulated(settings):
        options["robot.start"] = look.start
    write_replies(path := folder / f"{task}.toml", replies_of(sheet), by)
    robot = settings.robot if settings.domain == DOMAIN else ""
    own = replace(settings, task=task, domain=DOMAIN, domain_file="", problem_file="", robot=robot)
    return replace(own, method="owl-tamp", knower=f"{SHEET}{path}", options=options)


def _try_grasps(process: MotionProcess, job: Job, closed: StopToken) -> Judged:
    """Return grasps of the row's thing."""
    if not job.brief.scene.skills:
        return Judged(job.number)
    step, *following = job.sheet.steps[job.number :]
    request = GraspRequest(_scene_before(job), step, following[0] if following else None)
    return Judged(job.number, grasps=process.ask(request, closed))


def _try_places(
    process: MotionProcess, job: Job, region: Region, closed: StopToken
) -> tuple[int, Hindrances]:
    """Return the row, and what hinders the arm at the places that pass, as far as some of them tell."""
    poses, numbers = to_try(job, region)
    if not job.brief.scene.skills or not poses:
        return job.number, Hindrances()
    thing, on_table = subject_of(job.sheet, job.number), job.places.onto.keys() <= {TABLE}
    asked = SkillRequest(_scene_before(job, apart_from=thing), "hindrances", (thing, poses, on_table))
    said = [one.replace("_", " ") for one in process.ask(asked, closed)]
    words = tuple(dict.fromkeys(filter(None, said)))
    of_tried = [words.index(one) if one else -1 for one in said]
    return job.number, Hindrances(np.array([*of_tried, -1], np.int16)[numbers], words)


def _scene_before(job: Job, apart_from: str = "") -> Scene:
    """Return the scene as the rehearsal leaves it for the current row; one thing stays where it is now."""
    scene, at = job.brief.scene, {**job.befores.get(job.number, {})}
    at.pop(apart_from, None)
    things = (replace(one, pose=at[one.name].pose) if one.name in at else one for one in scene.things)
    return replace(scene, things=tuple(things))
