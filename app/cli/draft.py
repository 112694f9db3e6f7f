"""`draft`: a domain from a picture and the rules of its game."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import typer
from typer import Option

from app.cli.help_text import CommandLine
from app.cli.options import Database, Json, Plugins, log_path
from app.cli.output.json_output import print_json
from app.cli.output.printing import PlainConsole, print_line
from core.data_file import read_bytes, write_text
from core.drafting.asking import model_ask
from core.drafting.folder import draft_page, write_folder
from core.drafting.record import DraftRecord
from core.drafting.rounds import METHODS, Ask, Version, draft, prompt
from core.drafting.score import Walks
from core.drafting.simulated import SimulatedDrafter
from core.drafting.simulator import ModelSimulator, Simulator, WorldSimulator
from core.drafting.trials import planner
from core.drafting.world import Game, World, world_of
from core.errors import BadValue, UnknownName
from core.install_paths import COMMAND
from core.log.recorder import Recorder
from core.pictures import blank_frame, frame_of_picture
from core.planning.domain_library import own_domains_folder
from core.ports import Frame
from core.stop_token import StopToken

cli = CommandLine()
CAMERA = "picture"
SIMULATING = ("scene", "simulate")  # what the simulating model is asked
MOST_BYTES = 50_000_000


@dataclass(frozen=True)
class Drafted:
    """What `--json` prints."""

    map: str
    method: str
    versions: int
    ew: float | None
    plan: tuple[str, ...] | None
    valid: bool
    converged: bool
    asked: int
    repeated: int  # replies of a draft that was broken off, which were not asked for again
    repairs: tuple[str, ...]
    compared: str
    folder: str


@cli.command("draft")
def draft_domain(
    context: typer.Context,
    map: str = typer.Argument(metavar="GAME-SIZE-SEED", help="The world, such as package-4-0."),
    method: str = Option("ours", help=f"{', '.join(METHODS)}."),
    answerer: str = Option("", help="The model that drafts, as of `run`; by default a simulated one."),
    simulator: str = Option("", help="The model that says what steps do; by default the world, with proof."),
    picture: Path | None = Option(None, help="What the model is shown; by default the world's, painted."),
    look: str = Option("ice", help="How it is painted: ice, lava, grass, space, paper, desert, or any text."),
    seed: int = Option(0, help="Random seed of the walks, and of a simulated model's errors."),
    to: Path | None = Option(None, help="The domain folder to write; by default one in your data folder."),
    report: Path | None = Option(None, metavar="FILE", help="One HTML page: picture, versions, differences."),
    database: Database = None,
    plugins: Plugins = None,
    as_json: Json = False,
) -> None:
    """Draft a domain from a picture and the rules of its game.

    A model writes the problem and the domain; they are screened, scored against the world by random walks,
    and corrected in rounds. `vlmfp` is the paper's pipeline: the model corrects what it is told. `ours`
    searches the edit of one literal or fact with which most walks agree, asks the model only where none
    helps, and compares every state with the world. `direct` and `cot` ask a real model for a plan alone.

    The result is a domain folder: `plan`, `check`, `ew` and `run` take it with --domain. Each reply is in
    the log before it counts: after Ctrl+C or a crash the same command goes on, and asks nothing twice.

    Exit 0: EW is 1 and the plan is valid. 1: not so; the best version is kept. 2: the input is wrong.
    """
    if method not in METHODS:
        raise UnknownName("method", method, METHODS)
    if METHODS[method].plans and not answerer:
        raise BadValue(f"{method} asks a real model for a plan: name one with --answerer.")
    game, world = world_of(context.obj.games(), map)
    frame = _frame(context, game, world, picture, look)
    by, ask = _drafter(game, world, answerer, simulator, seed, frame)
    settings = {"map": map, "method": method, "answerer": answerer, "simulator": simulator}
    settings |= {"seed": str(seed), "picture": frame.id}
    console, versions = PlainConsole(), list[Version]()
    with Recorder.open(log_path(database)) as recorder:
        record = DraftRecord(recorder, game.name, settings, frame, by, ask)
        plan, proven = planner(game, {}, StopToken()), None if simulator else world
        walks = Walks(_simulator(game, world, simulator, record.ask), seed)
        made = draft(game, map, walks, record.ask, plan, METHODS[method], proven)
        for version in record.follow(made):
            versions.append(version)
            if not as_json:
                _print(console, version)
    best, folder = versions[-1], to or own_domains_folder() / map
    if best.problem is not None:
        write_folder(folder, game, best, f"{game.name}, drafted with the method {method}.")
    if report is not None:
        write_text(report, draft_page(f"A draft of {map}", frame, versions))
    found = Drafted(
        map,
        method,
        len(versions),
        round(best.score.ew, 6) if best.score else None,
        best.plan,
        best.valid,
        best.converged,
        record.asked,
        record.repeated,
        tuple(edit for version in versions for edit in version.repairs),
        best.compared,
        str(folder),
    )
    if as_json:
        print_json(found)
    else:
        print_line(console, f"{record.asked} replies asked for, {record.repeated} known from before.", "dim")
        print_line(console, f"Now: {COMMAND} run --domain {folder}" if best.problem else "Nothing to keep.")
    raise typer.Exit(not best.converged)


def _frame(context: typer.Context, game: Game, world: World, picture: Path | None, look: str) -> Frame:
    if picture is not None:
        return frame_of_picture(read_bytes(picture, MOST_BYTES), CAMERA, 0.0, "")
    png: bytes = context.obj.paint(game, world, look)
    return frame_of_picture(png, CAMERA, 0.0, "") if png else blank_frame(CAMERA, 0.0, "")


def _drafter(
    game: Game, world: World, answerer: str, simulator: str, seed: int, frame: Frame
) -> tuple[str, Ask]:
    """Return who drafts, and how it and the simulating model are asked."""
    simulated = SimulatedDrafter(game, world, seed)
    drafts, name = model_ask(answerer, frame.png) if answerer else (simulated.ask, "simulated drafter")
    judges = model_ask(simulator, frame.png)[0] if simulator else drafts

    def ask(purpose: str, prompt: str) -> str:
        return (judges if purpose in SIMULATING else drafts)(purpose, prompt)

    return name, ask


def _simulator(game: Game, world: World, name: str, ask: Ask) -> Simulator:
    if not name:
        return WorldSimulator(world)
    return ModelSimulator(
        world.words, lambda purpose, **values: ask(purpose, prompt(purpose, game, **values))
    )


def _print(console: PlainConsole, version: Version) -> None:
    score = f"EW {version.score.ew:.3f}" if version.score else "cannot be read"
    plan = "valid plan" if version.valid else "no valid plan"
    print_line(console, f"{version.number}  {score}, {plan}", "green" if version.converged else "")
    for line in (*version.repairs, *version.feedback.splitlines()[:3], version.compared):
        if line:
            print_line(console, f"   {line}", "dim")
