"""DKPROMPT Console: connects the packages. Without arguments it opens the window; see `--help`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if sys.argv[1:] == ["stop"]:  # at once: to load the rest of the program takes several times as long
    code = 3  # also if even this breaks: nothing is known to stand still
    try:
        from app.cli.stop_now import stop_everything

        code = stop_everything()
    except BaseException as error:
        sys.stderr.write(f"`stop` cannot begin ({ascii(str(error))[1:-1]}): use the emergency stop.\n")
    finally:
        os._exit(code)

# Matrix products are small here, and must not take the cores on which an arm is watched.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from core.config import EpisodeComponents, Settings, ignore
from core.registry import Registries, late
from core.supervision import WATCH, SupervisionLevels

if TYPE_CHECKING:
    from app.cli.program import Program
    from core.arm.arm_capabilities import ArmByHand
    from core.domains import DomainSpec, Task
    from core.drafting.source import DraftSource
    from core.drafting.world import Game, State, World
    from core.loop.permit_issuer import PermitIssuer
    from core.planners import Planner
    from core.policy import Policy
    from core.ports import Answerer, Model, Robot
    from core.vqa.budget import Meter


def make_components(
    settings: Settings, notify: Callable[[str], None] = ignore, supervision: SupervisionLevels = WATCH
) -> EpisodeComponents:
    """Make the components that the settings name. Raises ConsoleError.

    `notify` receives a message about a slow start and every wait for a model, from any thread.
    """
    from core.loop.permit_issuer import PermitIssuer
    from core.methods.consistency import DomainConsistency
    from core.planning.domain_library import find_task
    from core.planning.runnable import check_runnable
    from core.vqa.budget import Meter
    from robots.registry import make_robot

    s = settings
    domain_spec, task = find_task(*s.task_place)
    check_runnable(task.problem)
    robot = make_robot(
        s.robot or domain_spec.default_robot,
        domain_spec=domain_spec,
        task=task,
        seed=s.seed,
        openness=s.openness,
        pictures=s.pictures,
        pace=s.pace,
        options=s.options_for("robot"),
        is_chosen=s.robot_is_chosen,
        notify=notify,
    )
    try:
        meter = Meter(s.budget)
        s = replace(s, answerer=s.answerer or _default_answerer(s, domain_spec, task, robot))
        answerer, planner, method, model = _make_mind(s, domain_spec, task, robot, meter, notify, supervision)
    except BaseException:
        robot.close()
        raise
    consistency = DomainConsistency(domain_spec, task.problem)
    permits = PermitIssuer(robot.permits, robot.embodiment)
    return EpisodeComponents(
        s, domain_spec, task, robot, answerer, planner, method, permits, meter, consistency, model
    )


def _default_answerer(s: Settings, domain_spec: DomainSpec, task: Task, robot: Robot) -> str:
    from core.ports import Embodiment, ReportsRendering
    from core.vqa.eye.coverage import default_answerer

    blank = isinstance(robot, ReportsRendering) and robot.blank_frames_reason != ""
    return default_answerer(
        domain_spec,
        task.problem,
        s.robot or domain_spec.default_robot,
        pictures=s.pictures and not blank,
        real=robot.embodiment is Embodiment.REAL,
        method=s.method,
    )


def _make_mind(
    s: Settings,
    domain_spec: DomainSpec,
    task: Task,
    robot: Robot,
    meter: Meter,
    notify: Callable[[str], None],
    supervision: SupervisionLevels,
) -> tuple[Answerer, Planner, Policy, Model | None]:
    """Make what answers, plans and decides, and the model for a method's own requests."""
    from core.methods.registry import asks_knower, make_method
    from core.planning.planner import make_planner
    from core.ports import GroundTruth, UsesModel
    from core.scene import ProvidesScene
    from core.stock import KnowsStock
    from core.vqa.knower.registry import default_knower, make_knower
    from core.vqa.registry import ModelSettings, make_answerer, uses_network
    from core.wishes.motion_process import MotionPlanner

    cache = Path(s.cache) if s.cache else None
    asking = ModelSettings(s.model, s.prompt, s.picture_size, cache=cache, notify=notify)
    answerer = make_answerer(
        s.answerer,
        truth=robot if isinstance(robot, GroundTruth) else None,
        problem=task.problem,
        seed=s.seed,
        asking=asking,
        meter=meter,
        options=s.options_for("answerer"),
    )
    kind = MotionPlanner if isinstance(robot, ProvidesScene) else None
    planner = make_planner(s.engine, options=s.options_for("engine"), kind=kind)
    model = answerer.model if isinstance(answerer, UsesModel) else None
    words = s.options_for("method").get("words", "") if s.method == "owl-tamp" else ""
    name = s.knower or ("" if uses_network(s.answerer) else default_knower(s.method, words))
    if asks_knower(s.method) and name:
        task = replace(task, description=words or task.description)
        model = make_knower(name, domain_spec, task, robot, planner, s.seed, asking, meter)
    elif s.method == "owl-tamp" and not uses_network(s.answerer):
        model = None  # a simulated model writes no wishes
    method = make_method(
        s.method,
        domain_spec,
        task.problem,
        s.options_for("method"),
        planner=planner,
        answerer=answerer,
        model=model,
        prompt_style=s.prompt,
        supervision=supervision.allowed_for(robot.embodiment),
        stock=robot.stock() if isinstance(robot, KnowsStock) else (),
    )
    return answerer, planner, method, model


def registries() -> Registries:
    """Return every registry, by kind."""
    from app.panels import PANELS
    from core.log.export.registry import EXPORTERS
    from core.methods.registry import METHODS
    from core.planning.engines.registry import ENGINES
    from core.vqa.registry import answerers
    from robots.registry import ROBOTS

    return {
        "robots": ROBOTS,
        "answerers": answerers(),
        "methods": METHODS,
        "engines": ENGINES,
        "exporters": EXPORTERS,
        "panels": PANELS,
    }


def open_console(
    settings: Settings,
    database: Path,
    reset: bool = False,
    demo: str = "",
    draft: DraftSource | None = None,
) -> int:
    """Open the window, with default preferences if `reset`, as a demo that the word `demo` leaves, or in the
    drafting room; where no display answers, run the same episode in the terminal. Raises BadValue.
    """
    from app.runtime.display import find_display

    answering, fault = find_display()
    if not answering:
        from app.cli.command_line import without_display
        from core.errors import BadValue

        wished = "method.words" in settings.options and "a sheet"
        if room := "a demo" if demo else "a drafting room" if draft else wished:
            raise BadValue(f"{fault}: {room} needs a window.")
        return without_display(make_components, settings, database, fault)
    from app.main import run
    from core.drafting.source import DraftingTools
    from robots.grids.painter import LOOKS
    from robots.registry import ROBOTS

    return run(
        make_components,
        settings,
        database,
        reset=reset,
        robots=ROBOTS,
        open_calibration=calibrator,
        look_at_table=look_at_table,
        demo=demo,
        drafting=DraftingTools(games, paint, tuple(LOOKS)),
        draft=draft,
    )


def open_arm(named: str) -> tuple[ArmByHand, PermitIssuer]:
    """Connect this arm, or the one that DKPROMPT_UR5E names, to be moved by hand. Raises ConsoleError."""
    from core.loop.permit_issuer import PermitIssuer
    from robots.ur5e.arm_by_hand import open_arm

    arm = open_arm(named)
    return arm, PermitIssuer(arm.permits, arm.embodiment)


emulate_arm = late("robots.ur5e.emulator.emulator:emulate")
serve = late("robots.remote.serving:serve_robot")
calibrator = late("robots.ur5e.vision.calibrator:open_calibrator")
draw_board = late("robots.ur5e.vision.calibrator:write_board")
look_at_table = late("robots.ur5e.tabletop.table_look:look_at_table")
games = late("robots.grids.games:games")


def paint(game: Game, world: World, look: str, state: State | None = None) -> bytes:
    """Return a picture of a state of the world, by default its first, as PNG."""
    from core.pictures import encode_png
    from robots.grids.games import picture

    return encode_png(picture(game, world, world.first if state is None else state, look))


def program() -> Program:
    """Return what the commands are given."""
    from app.cli.program import Program

    return Program(
        make_components,
        open_console,
        emulate_arm,
        calibrator,
        draw_board,
        registries,
        serve,
        games,
        paint,
        open_arm,
        look_at_table,
    )


def run_main() -> None:
    """Run the program: `dkprompt` where it is installed."""
    from app.cli.command_line import command_line, main  # here: a trial's process loads this file without it
    from app.cli.output.any_terminal import accept_any_terminal

    accept_any_terminal()
    main(command_line(program()))


if __name__ == "__main__":
    run_main()
