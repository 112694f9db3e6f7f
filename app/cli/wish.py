"""`wish`: from a person's words to steps, tests and motions, without doing any."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

import typer
from typer import Option

from app.cli.help_text import CommandLine
from app.cli.options import Database, Json, Plugins, log_path
from app.cli.output.json_output import print_json
from app.cli.output.printing import PlainConsole, print_line
from core.config import EpisodeComponents, Settings
from core.errors import BadValue, UnknownName
from core.install_paths import COMMAND
from core.planners import PlansMotion
from core.planning.domain_library import load_domain_spec
from core.planning_model import Plan, PlanStatus
from core.ports import Model
from core.scene import ProvidesScene
from core.stop_token import StopToken
from core.text.plural import plural
from core.wish import Wish, WishOptions
from core.wishes.authoring import Brief, write_wish
from core.wishes.confinement import WrittenTest
from core.wishes.word_sources import SOURCES, word_source

cli = CommandLine()
DOMAIN = "tabletop-wishes"


@dataclass(frozen=True)
class WishFound:
    """What `--json` prints. `tests` are by the number of the wish's step; `why` says why there is no plan."""

    words: str
    scene: str
    by: str
    steps: tuple[str, ...]
    tests: Mapping[str, tuple[str, ...]]
    goal_tests: tuple[str, ...]
    plan: tuple[str, ...]
    samples: int
    asked: int
    seconds: float
    why: str


@cli.command("wish")
def wish_command(
    context: typer.Context,
    words: str = typer.Argument(help="What you wish, in your own words."),
    scene: str = Option("berry_2", help="The things on the table: a task of the domain tabletop-wishes."),
    by: str = Option(
        "grammar", help="Who writes it: grammar, recorded (no models), or a model, as --answerer."
    ),
    seed: int = Option(0, min=0, help="Random seed of the scene and the search: same seed, same plan."),
    sheet: bool = Option(False, "--sheet", help="See, paint and approve what it means, in the window."),
    plugins: Plugins = None,
    database: Database = None,
    as_json: Json = False,
) -> None:
    """Find steps, tests and motions for a wish in your own words; nothing moves.

    The words become steps and tests, which run confined. A search finds a grasp, a place and a way for each
    step, and rehearses it in physics. To do it as well: `run SCENE --method owl-tamp --knower grammar -o
    method.words="..."`.

    Exit 0: there is a plan. 1: there is none; it says why. 2: the input is wrong.
    """
    began = time.perf_counter()
    tasks = load_domain_spec(DOMAIN).tasks
    task = next((name for name in tasks if name.replace("_", "") == scene.replace("_", "")), "")
    if not task:
        raise UnknownName("scene", scene, tasks)
    if sheet:
        options = {"method.words": words}
        asked = Settings(task=task, domain=DOMAIN, seed=seed, method="owl-tamp", knower=by, options=options)
        raise typer.Exit(context.obj.console(asked, log_path(database), False, ""))
    made: EpisodeComponents = context.obj.make(
        Settings(
            task=task,
            domain=DOMAIN,
            seed=seed,
            method="classical",
            answerer="perfect",
            pictures=by not in SOURCES,
        )
    )
    try:
        found = _found(made, words, by, seed)
    finally:
        made.close()
    found = replace(found, scene=task, seconds=round(time.perf_counter() - began, 3))
    if as_json:
        print_json(found)
    else:
        _print(PlainConsole(), found)
    raise typer.Exit(bool(found.why))


def _found(made: EpisodeComponents, words: str, by: str, seed: int) -> WishFound:
    robot, planner, problem = made.robot, made.planner, made.task.problem
    assert isinstance(robot, ProvidesScene) and isinstance(planner, PlansMotion)
    brief = Brief(words, made.domain_spec, problem, robot.scene())
    source, cancel, asked = _source(by, brief, seed), StopToken(), 0
    pictures = (robot.look(cancel).png,) if by not in SOURCES else ()
    wish, plan, why = None, Plan(PlanStatus.TIMEOUT), ""
    authoring = write_wish(brief)
    try:
        latest = next(authoring)
        while plan.status is not PlanStatus.FOUND:
            if isinstance(latest, Wish):
                wish = latest
                plan = planner.plan_motion(problem, wish, brief.scene, WishOptions(), cancel)
                if plan.status is not PlanStatus.FOUND:
                    latest = authoring.send(plan.reason)
                continue
            asked += 1
            latest = authoring.send(source.ask(latest.messages, pictures, cancel).text)
    except BadValue as refused:
        why = str(refused)
    steps = tuple(f"{s}; {d}" for s, d in zip(wish.steps, wish.descriptions, strict=True)) if wish else ()
    tests = {str(n): _sources(of) for n, of in wish.tests.items()} if wish else {}
    ends = _sources(wish.goal_tests) if wish else ()
    done = tuple(map(str, plan.steps))
    return WishFound(words, "", source.name, steps, tests, ends, done, plan.expanded, asked, 0.0, why)


def _sources(tests: tuple[object, ...]) -> tuple[str, ...]:
    return tuple(test.source for test in tests if isinstance(test, WrittenTest))


def _source(by: str, brief: Brief, seed: int) -> Model:
    if by in SOURCES:
        return word_source(by, brief, seed)
    from core.vqa.registry import ModelSettings, language_model

    return language_model(by, ModelSettings())


def _print(console: PlainConsole, found: WishFound) -> None:
    print_line(console, f"By {found.by}, {plural(found.asked, 'answer')}", "dim")
    for step in found.steps:
        print_line(console, step)
    for source in (*found.goal_tests, *(s for of in found.tests.values() for s in of)):
        print_line(console, "")
        for line in source.splitlines():
            print_line(console, f"    {line}", "dim")
    if found.why:
        print_line(console, found.why, "yellow")
        return
    print_line(console, "")
    for step in found.plan:
        print_line(console, step, "green")
    print_line(
        console,
        f"{found.samples} samples, {found.seconds:.1f} s. Now: {COMMAND} run {found.scene} "
        f'--method owl-tamp -o method.words="..." --knower ...',
        "dim",
    )
