"""The command `bench`, from a design to its table and files."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from shlex import join
from threading import Thread

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from app.cli.output.printing import PlainConsole
from app.runtime.os_signals import NUMBERS
from core.config import ComponentFactory
from core.data_file import write_text
from core.errors import BadFile, BadValue
from core.evaluation.bench import Progress as BenchProgress
from core.evaluation.bench import check_design, run_design
from core.evaluation.comparison import ComparisonRow, comparison_rows
from core.evaluation.executor import TrialExecutor, TrialRunner
from core.evaluation.report import report_page
from core.evaluation.table import Results, as_csv
from core.evaluation.trial import Design
from core.evaluation.trial_store import TrialStore
from core.evaluation.workers import LocalProcesses
from core.install_paths import COMMAND
from core.text.plural import plural
from core.vqa.rate_limit import RateLimit
from core.vqa.registry import uses_network

HEADS = (
    *("method", "profile", "openness", "trials", "success", "95 %", "believed", "false claims"),
    *("steps", "calls", "questions", "re-plans"),
)
WIDTH = 140  # characters, at least: a table that is broken cannot be read
CTRL_C = 130  # what shells say of a program that it ended


@dataclass(frozen=True)
class BenchOutput:
    """The files to write. None writes none, but the database is then in the data folder and the report beside
    it."""

    database: Path | None = None
    json: Path | None = None
    csv: Path | None = None
    report: Path | None = None
    log: Path | None = None
    resume: bool = False
    follow: bool = False  # progress as JSON on stdout, for a program that watches


@dataclass(frozen=True)
class Execution:
    """Where the trials run, and how fast a real model may be asked."""

    workers: int = 1
    cluster: str = ""  # the address of a Ray cluster; "": this machine
    calls_per_minute: float | None = None


def run_bench(make: ComponentFactory, design: Design, output: BenchOutput, execution: Execution) -> int:
    """Run the design, print and write the table, and return the exit code. Raises ConsoleError."""
    console = PlainConsole(stderr=True)
    database = output.database or _default_database()
    rate = _rate(execution, database)
    check_design(design, make, execution.workers, uses_network, rate)
    report = output.report or database.with_suffix(".html")
    for file in (output.json, output.csv, report):
        if file is not None and not file.resolve().parent.is_dir():
            raise BadFile(file, "its folder does not exist", remedy="Make it first")
    runner = TrialRunner(make, output.log, rate)
    watching = follow() if output.follow else _progress(console)
    with TrialStore(database) as store, watching as advance, _ended_as_by_ctrl_c():
        results = run_design(design, runner, store, _executor(execution), output.resume, advance)
    if output.json:
        write_text(output.json, json.dumps(results.as_json(), indent=1) + "\n")
    if output.csv:
        write_text(output.csv, as_csv(results))
    write_text(report, report_page(results, f"{COMMAND} {join(sys.argv[1:])}"))
    if not output.follow:
        shown = PlainConsole()
        shown.width = max(WIDTH, shown.width)
        shown.print(_table(results))
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


def _rate(execution: Execution, database: Path) -> RateLimit | None:
    if execution.calls_per_minute is None:
        return None
    if execution.cluster:
        raise BadValue("The machines of a cluster do not share a rate: leave --calls-per-minute out.")
    return RateLimit(database.with_name(f"{database.name}.rate"), execution.calls_per_minute)


def _executor(execution: Execution) -> TrialExecutor:
    if execution.cluster:
        from core.evaluation.ray_cluster import RayCluster

        return RayCluster(execution.cluster, execution.workers)
    return LocalProcesses(execution.workers)


def _default_database() -> Path:
    from core.log.database import default_path

    return default_path().with_name("trials.db")


@contextmanager
def _progress(console: PlainConsole) -> Iterator[BenchProgress]:
    """Show a progress bar with the time left, on a terminal only."""
    columns = (TextColumn("trials"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("trials")
        yield lambda results: bar.update(task, completed=results.done, total=results.total)


def _table(results: Results) -> Table:
    """Return the table with one line for each method; the files have it task by task."""
    table = Table(box=None, header_style="dim")
    for head in HEADS:
        table.add_column(head, no_wrap=True)
    rows = comparison_rows(results)
    unusual = any(r.situations for r in rows)
    for head in ("situations", "handled", "handling") if unusual else ():
        table.add_column(head, no_wrap=True)
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


def _handling(line: ComparisonRow) -> tuple[str, str, str]:
    share = "–" if line.handling is None else f"{100 * line.handling:.1f} %"
    return str(line.situations), str(line.handled), share


LINE_INTERVAL = 0.5  # seconds between two lines
NICENESS = 10  # a robot's control and the window come first


@contextmanager
def follow() -> Iterator[BenchProgress]:
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
    rows = [asdict(line) for line in comparison_rows(results)]
    told = {"done": results.done, "total": results.total, "lost": len(results.lost), "lines": rows}
    print(json.dumps(told), flush=True)


def _end_with_stdin() -> None:
    with suppress(OSError):
        while os.read(0, 4096):  # not sys.stdin, whose lock would be held when the program ends
            pass
    os.kill(os.getpid(), signal.SIGINT)
