"""`bench draft`: draft domains for many pictures, plan on new ones, and count."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import typer
from rich.table import Table
from typer import Option

from app.cli.bench import executor_of
from app.cli.help_text import CommandLine
from app.cli.options import Plugins
from app.cli.output.printing import PlainConsole, print_line, right_column
from core.data_file import write_text
from core.drafting.rounds import METHODS
from core.drafting.trials import DRAFTS, DraftRow, DraftTrial
from core.errors import BadValue, UnknownName
from core.evaluation.job import JobStore, run_jobs
from core.intervals import wilson_interval
from core.log.database import default_path

PAPER: Mapping[str, tuple[float, ...]] = {  # Tables 2, 3 and 5, seen: frozenlake, maze, sokoban, package, ...
    "vlmfp": (95.2, 88.7, 55.8, 75.2, 58.7, 46.2, 92.4, 80.3),
    "no-feedback": (95.5, 84.9, 38.0, 58.9, 53.4, 35.9),
    "no-prescreening": (94.3, 62.5, 23.9, 56.9, 37.3, 10.3),
    "codepddl": (88.1, 87.5, 0.0, 0.0, 7.2, 1.1),
    "direct": (7.0, 1.0, 0.0, 0.0, 0.0, 0.0),  # GPT-4o
    "cot": (9.0, 1.0, 0.0, 0.0, 0.0, 0.0),
}
SIX = ("frozenlake", "maze", "sokoban", "package", "printer", "overcooked")
GAMES = (*SIX, "assembly", "multirob")  # in the order of PAPER
NOTE = (
    "Success: new maps on which the drafted domain's plan reaches the goal. The drafting model is simulated, "
    "with stated errors; our simulators know the rules, where the paper's network reads them from text."
)
cli = CommandLine()


@dataclass(frozen=True)
class Line:
    game: str
    method: str
    drafts: int
    converged: int
    new: int
    solved: int
    rate: float
    low: float
    high: float
    paper: float | None


@cli.command("bench-draft")
def bench_draft(
    context: typer.Context,
    methods: str = Option(
        ",".join(name for name in METHODS if not METHODS[name].plans),
        help="Separated by commas; with a real model, direct and cot as well.",
    ),
    games: str = Option(",".join(SIX), help="Separated by commas; assembly and multirob as well."),
    starts: int = Option(15, min=1, help="Pictures to draft from, each on its own."),
    new: int = Option(100, min=1, help="New maps to plan on with each draft."),
    look: str = Option(
        "ice,lava,grass,space,paper",
        help="How pictures are painted, in turn: desert, or any text. Empty: none is read.",
    ),
    seed: int = Option(0, min=0, help="Another one gives other maps, errors and walks."),
    errs: bool = Option(
        True, "--errs/--exact", help="The simulating model errs as the paper's does, or not."
    ),
    every_size: bool = Option(False, "--every-size", help="All sizes in turn, not the smallest alone."),
    answerer: str = Option("", help="The model that drafts, as of `run`; by default a simulated one."),
    workers: int = Option(1, min=1, help="Processes at a time."),
    cluster: str = Option("", metavar="ADDRESS", help="Run the workers on a Ray cluster (extra: cluster)."),
    database: Path | None = Option(
        None, help="Where rows are kept; by default drafts.db in your data folder."
    ),
    as_json: Path | None = Option(None, "--json", metavar="FILE", help="The table, a list."),
    resume: bool = Option(False, "--resume", help="Run only what is not finished."),
    plugins: Plugins = None,
) -> None:
    """Draft domains for many pictures, plan on new ones with each, and count.

    The table has the share of new maps that are solved, with the paper's. Every row is kept at once: after
    Ctrl+C, the same command with --resume goes on. The same table with any number of workers.

    Exit 0: all drafts are done. 1: some were lost. 2: the input is wrong.
    """
    known, make = context.obj.games(), context.obj.games
    chosen = [name.strip() for name in games.split(",") if name.strip()]
    ways = [name.strip() for name in methods.split(",") if name.strip()]
    for kind, names, table in (("game", chosen, known), ("method", ways, METHODS)):
        for name in names:
            if name not in table:
                raise UnknownName(kind, name, table)
    if not answerer and (plans := [name for name in ways if METHODS[name].plans]):
        raise BadValue(f"{plans[0]} asks a real model for a plan: name one with --answerer.")
    looks, paint = tuple(filter(None, map(str.strip, look.split(",")))), context.obj.paint
    jobs = [
        DraftTrial(g, m, s, new, make, errs, seed, looks, paint, answerer, every_size)
        for s in range(starts)
        for g in chosen
        for m in ways
    ]
    path = database or default_path().with_name("drafts.db")
    with JobStore(path, DRAFTS) as store:
        results = run_jobs(jobs, store, executor_of(workers, cluster), resume)
    lines = [_line(g, m, results.finished) for g in chosen for m in ways]
    lines = [line for line in lines if line.drafts]
    console = PlainConsole()
    console.print(_table(lines))
    print_line(console, NOTE, "dim")
    for trial, reason in list(results.lost.items())[:3]:
        print_line(PlainConsole(stderr=True), f"lost: {trial.game}, {trial.method}, {trial.start}: {reason}")
    if as_json:
        write_text(as_json, json.dumps([line.__dict__ for line in lines], indent=1) + "\n")
    raise typer.Exit(len(results.finished) < len(jobs))


def _line(game: str, method: str, finished: Mapping[DraftTrial, DraftRow]) -> Line:
    rows = [row for job, row in finished.items() if (job.game, job.method) == (game, method)]
    new, solved = sum(row.new for row in rows), sum(row.solved for row in rows)
    low, high = wilson_interval(solved, new)
    paper = dict(zip(GAMES, PAPER.get(method, ()), strict=False)).get(game)
    rate = round(solved / new, 6) if new else 0.0
    converged = sum(row.converged for row in rows)
    return Line(game, method, len(rows), converged, new, solved, rate, round(low, 6), round(high, 6), paper)


def _table(lines: list[Line]) -> Table:
    figures = map(right_column, ("drafts", "converged", "solved", "95 %", "paper"))
    table = Table("game", "method", *figures, box=None, header_style="dim")
    for line in lines:
        interval = f"{100 * line.low:.0f} to {100 * line.high:.0f}"
        paper = "" if line.paper is None else f"{line.paper:.1f}"
        solved = f"{100 * line.rate:.1f}"
        table.add_row(line.game, line.method, str(line.drafts), str(line.converged), solved, interval, paper)
    for method in dict.fromkeys(line.method for line in lines):
        mine = [line for line in lines if line.method == method]
        papers = [line.paper for line in mine if line.paper is not None]
        mean = f"{100 * sum(line.rate for line in mine) / len(mine):.1f}"
        of_paper = f"{sum(papers) / len(papers):.1f}" if papers else ""
        table.add_row("mean", method, "", "", mean, "", of_paper, style="bold")
    return table
