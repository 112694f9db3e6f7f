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
from core.config import Settings
from core.data_file import write_text
from core.drafting.agreement import Walks
from core.drafting.folder import draft_page, write_folder
from core.drafting.plans import planner
from core.drafting.record import DraftRecord
from core.drafting.rounds import METHODS, Version, draft
from core.drafting.source import DraftSource, drafter_of, frame_of, simulator_of
from core.drafting.world import world_of
from core.errors import BadValue, UnknownName
from core.install_paths import COMMAND
from core.log.recorder import Recorder
from core.planning.domain_library import own_domains_folder
from core.stop_token import StopToken

cli = CommandLine()


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
    room: bool = Option(False, "--room", help="Draft in the window, where you see and say what is right."),
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
    source = DraftSource(map, answerer, simulator, picture, look, seed)
    if room:
        raise typer.Exit(context.obj.console(Settings(), log_path(database), draft=source))
    if METHODS[method].plans and not answerer:
        raise BadValue(f"{method} asks a real model for a plan: name one with --answerer.")
    game, world = world_of(context.obj.games(), map)
    frame = frame_of(context.obj.paint, game, world, source)
    by, ask = drafter_of(game, world, source, frame, StopToken())
    settings = {"map": map, "method": method, "answerer": answerer, "simulator": simulator}
    settings |= {"seed": str(seed), "picture": frame.id}
    console, versions = PlainConsole(), list[Version]()
    with Recorder.open(log_path(database)) as recorder:
        record = DraftRecord(recorder, game.name, settings, frame, by, ask)
        plan = planner(game, {}, StopToken())
        walks = Walks(simulator_of(game, world, source, record.ask), seed)
        made = draft(game, map, walks, record.ask, plan, METHODS[method])
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


def _print(console: PlainConsole, version: Version) -> None:
    print_line(console, f"{version.number}  {version.verdict}", "green" if version.converged else "")
    tried = version.score.tried if version.score and version.score.exact else ""  # EW 1 is not yet right
    for line in (*version.repairs, *version.feedback.splitlines()[:3], version.compared, tried):
        if line:
            print_line(console, f"   {line}", "dim")
