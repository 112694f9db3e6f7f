"""`bench`: run many episodes and count the results."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from shlex import join
from threading import Thread
from typing import Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Column, Table
from rich.text import Text
from typer import Option

from app.cli.help_text import CommandLine, listing
from app.cli.options import PartOptions, Plugins, number, part_options, settings_of
from app.cli.output.printing import PlainConsole
from app.cli.settings_options import Unused, refuse_unused, takes_settings, unused_of_model
from app.runtime.os_signals import NUMBERS
from core.config import Settings
from core.data_file import write_text
from core.errors import BadFile, BadValue
from core.evaluation import paper
from core.evaluation.bench import OnProgress, check_design, run_design
from core.evaluation.job import Executor, JobStore
from core.evaluation.report import report_page
from core.evaluation.table import ResultRow, Results, as_csv
from core.evaluation.trial import TRIALS, Design, EpisodeRunner
from core.evaluation.workers import LocalProcesses
from core.install_paths import COMMAND
from core.log.database import default_path
from core.planning.domain_library import load_domain_spec
from core.text.chart_files import write_charts
from core.text.numbers import read_numbers
from core.text.plural import plural
from core.vqa.answerers.profiles import symmetric_name
from core.vqa.rate_limit import RateLimit
from core.vqa.registry import uses_network

HEADS = (
    *("method", "profile", "openness", "trials", "success", "95 %", "believed", "false claims"),
    *("steps", "calls", "questions", "re-plans"),
)
WIDTH = 140  # characters, at least: a table that is broken cannot be read
CTRL_C = 130  # what shells say of a program that it ended
METHODS, TASKS = ",".join(paper.METHODS), ",".join(paper.TASKS)
cli = CommandLine()


def _file(default: None, flag: str, help: str) -> Any:
    return Option(default, flag, metavar="FILE", help=help, rich_help_panel="Recording")


@cli.command(cls=listing("methods", "answerers"))
@takes_settings(
    *("domain", "variant", "knower", "engine", "max_steps"),
    robot="By default the one that the task is made for.",
    prompt="For a real model, as of `run`.",
)
def bench(
    context: typer.Context,
    methods: str = Option(
        METHODS, help="Separated by commas; `dkprompt@perfect` brings an answerer of its own. Listed below."
    ),
    tasks: str = Option(TASKS, help="Separated by commas; `tasks` lists them."),
    trials: int = Option(100, help="Of each method, task, answerer and openness."),
    profile: str = Option(
        paper.MAIN_PROFILE,
        "--answerers",
        "--profile",
        help="Who answers, as of `run --answerer`; several separated by commas.",
    ),
    openness: str = Option("1", help="How often things go wrong, 0 to 1.75; several by commas."),
    accuracy: str = Option(
        "",
        help="In place of --answerers: answers that are right so often about what is seen, 0 to 1, by "
        "commas.",
    ),
    first_seed: int = Option(0, help="Random seed of the first trial."),
    workers: int = Option(os.cpu_count() or 1, help="Processes at a time; by default one a processor core."),
    cluster: str = Option(
        "",
        metavar="ADDRESS",
        help="Run the workers on a Ray cluster; `local` starts one here (extra: cluster).",
    ),
    calls_per_minute: float | None = number(
        None, "Of a real model, all workers together. Without it, a real model has one worker."
    ),
    pictures: bool = Option(False, help="Render them, which a real model needs."),
    option: PartOptions = None,
    plugins: Plugins = None,
    database: Path | None = Option(
        None,
        help="Where finished trials are kept; by default trials.db in your data folder.",
        rich_help_panel="Recording",
    ),
    json_file: Path | None = _file(None, "--json", "The rows, a list."),
    csv_file: Path | None = _file(None, "--csv", "The same rows as CSV."),
    report: Path | None = _file(
        None, "--report", "One HTML page with charts; by default beside the database."
    ),
    log: Path | None = _file(None, "--log", "Log every episode there, to open and replay; some 260 KB each."),
    resume: bool = Option(
        False, "--resume", help="Run only the unfinished trials.", rich_help_panel="Recording"
    ),
    follow: bool = Option(False, "--follow", hidden=True),
    **_: Any,
) -> None:
    """Run many episodes, paired across methods, and count the results.

    A first try: bench --methods dkprompt,classical --tasks halve_egg --trials 5. Without options it runs
    the paper's table, 4,000 episodes.

    The same seeds give the same rows, whatever the number of workers. Every finished trial is saved at
    once: after Ctrl+C or a crash, the same command with --resume continues. To repeat a trial, use `run`
    with the same method, task, answerer, openness, seed and --no-pictures.

    Exit 0: all trials are done. 1: some were lost. 2: the input is wrong. 130: Ctrl+C, SIGTERM or
    SIGHUP: --resume continues.
    """
    base = settings_of(context, openness=Settings.openness, options=part_options(option))
    chosen = _words(methods)
    named, _at, own = zip(*(word.partition("@") for word in chosen), strict=True)
    answering = (*filter(None, own), *(() if accuracy else _words(profile)))
    refuse_unused(context, unused_of_model(answering, named, base.knower, base.prompt))
    profiles = tuple(map(symmetric_name, _numbers("accuracy", accuracy))) or _words(profile)
    if accuracy:
        refuse_unused(context, [Unused(("profile",), "--accuracy says who answers")])
    tasks_of, profiles = _of_domain(base.domain, _words(tasks), chosen, profiles)
    levels = _numbers("openness", openness)
    design = Design(chosen, tasks_of, profiles, levels, trials, first_seed, base)
    database = database or default_path().with_name("trials.db")
    report = report or database.with_suffix(".html")
    rate = _rate(database, calls_per_minute, cluster)
    check_design(design, context.obj.make, workers, uses_network, rate)
    for file in (json_file, csv_file, report):
        if file is not None and not file.resolve().parent.is_dir():
            raise BadFile(file, "its folder does not exist", remedy="Make it first")
    console, runner = PlainConsole(stderr=True), EpisodeRunner(context.obj.make, log, rate)
    watching = _followed() if follow else _progress(console)
    with JobStore(database, TRIALS) as store, watching as advance, _ended_as_by_ctrl_c():
        results = run_design(design, runner, store, executor_of(workers, cluster), resume, advance)
    if json_file:
        write_text(json_file, json.dumps(results.as_json(), indent=1) + "\n")
    if csv_file:
        write_text(csv_file, as_csv(results.as_json()))
    page = report_page(results, f"{COMMAND} {join(sys.argv[1:])}")
    write_text(report, page)
    write_charts(page, report)
    if not follow:
        shown = PlainConsole()
        shown.width = max(WIDTH, shown.width)
        shown.print(_table(results))
    raise typer.Exit(_tell_rest(results, report, console))


def _of_domain(
    domain: str, tasks: tuple[str, ...], methods: tuple[str, ...], profiles: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the domain's own tasks where none are named, and no errors where no picture is asked about."""
    if domain and tasks == _words(TASKS):
        tasks = tuple(load_domain_spec(domain).tasks)
    if set(methods) <= set(paper.COWP_TABLE_4) and profiles == (paper.MAIN_PROFILE,):
        profiles = ("perfect",)
    return tasks, profiles


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _numbers(what: str, text: str) -> tuple[float, ...]:
    try:
        return read_numbers(text)
    except BadValue as error:
        raise BadValue(f"The {what}: {error}") from None


def _tell_rest(results: Results, report: Path, console: PlainConsole) -> int:
    """Print what is not in the table, and return the exit code."""
    for trial, reason in list(results.lost.items())[:3]:
        console.print(Text(f"lost: {trial.cell.method}, {trial.cell.task}, seed {trial.seed}: {reason}"))
    crashed = [(trial, outcome) for trial, outcome in results.outcomes.items() if outcome.crashed]
    for trial, outcome in crashed[:1]:
        where = f"{trial.cell.method}, {trial.cell.task}, seed {trial.seed}: {outcome.reason}"
        count = plural(len(crashed), "trial")
        console.print(Text(f"{count} ended with an error, a failure in the table; `run` shows it. {where}"))
    console.print(Text(f"The report, for a browser: {report}"), soft_wrap=True)
    missing = results.total - len(results.outcomes)
    if missing:
        console.print(f"{plural(missing, 'trial')} not done: the same command with --resume goes on.")
    if missing > len(results.lost):
        return CTRL_C
    return 1 if missing else 0


@contextmanager
def _ended_as_by_ctrl_c() -> Iterator[None]:
    """Raise KeyboardInterrupt when asked to end, so that no process is left and the table is shown."""
    handlers = {n: signal.signal(n, signal.default_int_handler) for n in NUMBERS if n != signal.SIGINT}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _rate(database: Path, calls_per_minute: float | None, cluster: str) -> RateLimit | None:
    if calls_per_minute is None:
        return None
    if cluster:
        raise BadValue("The machines of a cluster do not share a rate: leave --calls-per-minute out.")
    return RateLimit(database.with_name(f"{database.name}.rate"), calls_per_minute)


def executor_of(workers: int, cluster: str) -> Executor:
    if not cluster:
        return LocalProcesses(workers)
    from core.evaluation.ray_cluster import RayCluster

    return RayCluster(cluster, workers)


@contextmanager
def _progress(console: PlainConsole) -> Iterator[OnProgress]:
    """Show a progress bar with the time left, on a terminal only."""
    columns = (TextColumn("trials"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("trials")
        yield lambda results: bar.update(task, completed=results.done, total=results.total)


def _table(results: Results) -> Table:
    """Return the table with one line for each method; the files have it task by task."""
    rows = results.rows_over_tasks()
    unusual = any(r.situations for r in rows)
    heads = (*HEADS, *(("situations", "handled", "handling") if unusual else ()))
    table = Table(*(Column(head, no_wrap=True) for head in heads), box=None, header_style="dim")
    for r in rows:
        values = (r.trials, f"{100 * r.rate:.1f} %", f"{100 * r.low:.0f} to {100 * r.high:.0f}", r.believed)
        means = (f"{mean:.1f}" for mean in (r.steps, r.calls, r.questions, r.replans))
        table.add_row(
            r.method,
            r.profile,
            f"{r.openness:g}",
            *map(str, values),
            str(r.false_claims),
            *means,
            *(_handling(r) if unusual else ()),
        )
    return table


def _handling(line: ResultRow) -> tuple[str, str, str]:
    share = "–" if line.handling is None else f"{100 * line.handling:.1f} %"
    return str(line.situations), str(line.handled), share


LINE_INTERVAL = 0.5  # seconds between two lines
NICENESS = 10  # a robot's control and the window come first


@contextmanager
def _followed() -> Iterator[OnProgress]:
    """Yield what prints the table as it fills. When stdin is closed, whoever watched is gone: as Ctrl+C."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's `&` leaves it ignored
    Thread(target=_end_with_stdin, daemon=True).start()
    last, latest = 0.0, None

    def send_progress(results: Results) -> None:
        nonlocal last, latest
        latest = results
        if time.monotonic() - last >= LINE_INTERVAL:
            _print(results)
            last = time.monotonic()

    yield send_progress
    if latest is not None:
        _print(latest)


def _print(results: Results) -> None:
    rows = [asdict(line) for line in results.rows_over_tasks()]
    told = {"done": results.done, "total": results.total, "lost": len(results.lost), "lines": rows}
    print(json.dumps(told), flush=True)


def _end_with_stdin() -> None:
    with suppress(OSError):
        while os.read(0, 4096):  # not sys.stdin, whose lock would be held when the program ends
            pass
    os.kill(os.getpid(), signal.SIGINT)
