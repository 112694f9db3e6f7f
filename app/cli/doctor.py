"""`doctor`: what is installed, what is missing, and the command to fix it."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Container
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import typer
from rich.table import Column, Table
from typer import Option

from app.cli import completion
from app.cli.help_text import CommandLine
from app.cli.options import Json, PartOptions, Plugins, chosen_robot, part_options, report_signals
from app.cli.output.json_output import print_json
from app.cli.output.printing import PlainConsole, print_in_one_piece, print_text
from app.cli.settings_options import takes_settings
from app.runtime.display import find_display
from core.arm.arm_capabilities import PreflightCheck
from core.config import Settings
from core.data_file import write_text
from core.errors import BadValue, ConsoleError, LogError
from core.install_paths import COMMAND, ROOT, data_folder, resource_path, uninstall, version
from core.log.database import lock_refusal
from core.log.sidecar import world_readable
from core.log.store import Store
from core.planning.domain_library import find_task
from core.registry import Registries
from core.robots import RobotEntry, StartFact, start_check
from core.text.untrusted_text import one_line, sanitise
from core.vqa.doctor import Diagnosis, diagnose_models
from core.vqa.registry import ModelSettings
from core.vqa.replies.cleaning import final_words

NEEDED = (
    "PySide6-Essentials",
    "pyqtgraph",
    "opencv-python-headless",
    "tarski",
    "pyperplan",
    "mujoco",
    "sqlite-utils",
)
MAX_QUOTED = 120  # characters of a model's reply
MANY = 8  # parts of a kind, from which on they are counted and not named
Found = tuple[str, ...]  # of a check: the level, what was found, and what to do
cli = CommandLine()


@dataclass(frozen=True)
class DoctorFinding:
    """`level` is "fine", "optional" (missing, but perhaps never needed) or "wrong"."""

    name: str
    level: str
    found: str
    mend: str = ""


@cli.command()
@takes_settings(
    task="With --robot: compare what it tells of its world with how this task begins.",
    domain="The folder of that task, where it is not a shipped one.",
)
def doctor(
    context: typer.Context,
    model: str = Option("", help="Ask this model ten real questions (a preset, PRESET:MODEL, or a URL)."),
    robot: str = Option(
        "",
        help="Ask this robot what it is and what it lacks; nothing moves. remote:HOST:PORT is one elsewhere.",
        autocompletion=completion.component("robots"),
    ),
    option: PartOptions = None,
    full: bool = Option(False, "--full", help="With --robot: start it and try everything once. Minutes."),
    report: Path | None = Option(None, help="With --robot: write the findings here, to send them back."),
    plugins: Plugins = None,
    as_json: Json = False,
    **_: Any,
) -> None:
    """Report what is installed and what is missing, with the command to fix it. Exit 1: something is
    wrong.
    """
    with report_signals():
        tables = context.obj.tables()
        name, options = chosen_robot(robot, part_options(option), tables)
        if name:
            params = context.params
            asked = Settings(task=params["task"], domain=params["domain"], robot=name, options=options)
            findings = (try_robot if full else examine_robot)(asked, tables)
            if report is not None:
                write_report(report, findings)
        else:
            findings = examine_model(model) if model else examine(tables)
    if as_json:
        print_json(findings)
    else:
        print_findings(findings)
    raise typer.Exit(1 if any(f.level == "wrong" for f in findings) else 0)


def examine(tables: Registries | None = None) -> tuple[DoctorFinding, ...]:
    """Check everything that can be checked without starting anything that moves. Takes a second or two.

    `tables` are the registries; what a component lacks is optional.
    """
    return (
        DoctorFinding("Program", "fine", f"{version()}, in {ROOT}"),
        DoctorFinding("Python", *_python()),
        DoctorFinding("Packages", *_packages()),
        *_parts(tables or {}),
        DoctorFinding("Pictures (GL)", *_gl()),
        DoctorFinding("Fonts", *_fonts()),
        DoctorFinding("Display", *_display()),
        DoctorFinding("Episode log", *_disk()),
    )


def examine_model(name: str) -> tuple[DoctorFinding, ...]:
    """Ask ten real questions about a picture. Takes as long as the model; waits are reported on stderr."""
    asking = ModelSettings(notify=lambda text: print_text(text, error=True))
    return tuple(finding for d in diagnose_models(name, asking) for finding in model_findings(d))


def examine_robot(asked: Settings, tables: Registries) -> tuple[DoctorFinding, ...]:
    """Ask the robot what it is and what it lacks; it is only listened to.

    What it tells of its world is compared with a task's beginning, if there is one. Raises ConsoleError.
    """
    entry = tables["robots"][asked.robot]
    assert isinstance(entry, RobotEntry)
    values, begins = entry.read_options(asked.options_for("robot")), None
    found: tuple[str, ...] = ()
    if asked.task or asked.domain:
        domain_spec, task = find_task(*asked.task_place)
        begins = frozenset(map(str, task.problem.state))
        found = (*entry.incompatibilities(domain_spec, task), *entry.doubts(domain_spec, task))
    if missing := entry.missing():
        return (DoctorFinding("Robot", "wrong", missing.problem, missing.remedy),)
    try:
        report = entry.preflight(values)
    except ConsoleError as error:
        return (DoctorFinding("Robot", "wrong", str(error)),)
    what = "known only once it is connected" if report.embodiment is None else report.embodiment.value
    return (
        DoctorFinding("Robot", "fine", f"{entry.title}: {what}"),
        *(_checked(check) for check in report.checks),
        *_start(report.start, begins),
        *(DoctorFinding("Things", "wrong", reason) for reason in found),
    )


def _start(told: tuple[StartFact, ...], begins: Container[str] | None) -> tuple[DoctorFinding, ...]:
    """Return the finding on the robot's world, where it tells anything of it."""
    if told and begins is None:
        words = ", ".join(fact.words for fact in told)
        return (DoctorFinding("Start", "fine", words, "name a task, to compare its beginning"),)
    return (_checked(start_check(told, begins)),) if told and begins is not None else ()


def try_robot(asked: Settings, tables: Registries) -> tuple[DoctorFinding, ...]:
    """Check the robot, then start it and try everything once, also if a check has failed: minutes.

    A check can be mistaken, or be about what a trial does not need. Raises UnknownName, BadValue, also for a
    robot without such a check.
    """
    entry = tables["robots"][asked.robot]
    if not isinstance(entry, RobotEntry) or entry.full_check is None:
        raise BadValue(f"The robot {asked.robot!r} has no full check: leave out --full.")
    findings = examine_robot(asked, tables)
    given = entry.read_options(asked.options_for("robot"))
    try:
        tried = entry.full_check(given, lambda text: print_text(text, error=True))
    except ConsoleError as error:
        return (*findings, DoctorFinding("Full check", "wrong", str(error)))
    return (*findings, *(_checked(check) for check in tried))


def _checked(check: PreflightCheck) -> DoctorFinding:
    """Return the finding of one check. What was found may stand behind a colon in its name."""
    name, _, found = check.name.partition(": ")
    words = name[:1].upper() + name[1:]
    return DoctorFinding(
        words, "fine" if check.ok else "wrong", check.reason or found or "in order", check.remedy
    )


def write_report(path: Path, findings: tuple[DoctorFinding, ...]) -> None:
    """Write the findings as Markdown that can be sent to the authors. Raises BadFile."""
    lines = ["# What `doctor` found", "", "| what | | found | what to do |", "|---|---|---|---|"]
    cells = ((f.name, f.level, f.found, f.mend) for f in findings)
    lines += ["| " + " | ".join(one_line(cell).replace("|", "/") for cell in row) + " |" for row in cells]
    write_text(path, "\n".join(lines) + "\n")


def model_findings(d: Diagnosis) -> tuple[DoctorFinding, ...]:
    """Return the reply with its duration and cost, or the error and its remedy."""
    if not d.answered:
        return (DoctorFinding("Model", "wrong", d.model, d.problem),)
    cost = (
        "cost not known" if d.cost is None else "free" if not d.cost else f"${d.cost:.4f} a call, unchecked"
    )
    said = repr(final_words(d.raw_reply, MAX_QUOTED))
    right = f"{d.correct} of {d.asked} right"
    return (
        DoctorFinding("Model", "fine", d.model),
        DoctorFinding("Answers", "fine" if d.ok else "wrong", f"{right}: {said}", d.problem),
        DoctorFinding(
            "Time and cost", "fine", f"{d.seconds:.2f} s, the first {d.first_seconds:.2f} s; {cost}"
        ),
        DoctorFinding("Log-probabilities", "fine", "yes" if d.confidences else "no: it gives no confidence"),
    )


def print_findings(findings: tuple[DoctorFinding, ...]) -> None:
    shapes = {"fine": "✓ fine", "optional": "– missing", "wrong": "✗ wrong"}
    console = PlainConsole()
    table = Table(
        Column("what", overflow="fold"), "", Column("found", overflow="fold"), box=None, header_style="dim"
    )
    for f in findings:
        table.add_row(f.name, shapes[f.level], sanitise(f.found), style="red" if f.level == "wrong" else "")
    console.print(table)
    todo = [f"{f.name}: {f.mend}" for f in findings if f.mend]
    for line in ("", "What to do:", *todo) if todo else ():  # below it, so that a command can be copied
        print_in_one_piece(console, line)


def _python() -> Found:
    found = ".".join(map(str, sys.version_info[:3]))
    if (3, 11) <= sys.version_info < (3, 14):
        return "fine", found
    return "fine", f"{found}, untested", "3.11 to 3.13 are what we test on"


def _packages() -> Found:
    missing = [name for name in NEEDED if _version(name) is None]
    if missing:
        return "wrong", f"missing: {', '.join(missing)}", "make setup"
    return "fine", ", ".join(f"{n} {_version(n)}" for n in NEEDED)


def _parts(tables: Registries) -> list[DoctorFinding]:
    """Return one line for each kind of component, and one for each component that lacks something."""
    findings = []
    for kind, table in tables.items():
        lacks = {entry.name: entry.missing() for entry in table}
        there = [name for name, missing in lacks.items() if missing is None]
        words = ", ".join(there) if len(there) < MANY else f"{len(there)} of {len(lacks)}"
        findings.append(DoctorFinding(kind.capitalize(), "fine", words))
        findings += [
            DoctorFinding(f"{table.kind.capitalize()} {name}", "optional", missing.problem, missing.remedy)
            for name, missing in lacks.items()
            if missing is not None
        ]
        findings += [
            DoctorFinding(f"Package {package}", "wrong", str(fault), uninstall(package))
            for package, fault in table.faults().items()
        ]
    return findings


def _gl() -> Found:
    """Check OpenGL in another process, which a broken driver can crash."""
    if importlib.util.find_spec("mujoco") is None:
        return "wrong", "mujoco is missing", "make setup"
    trial = subprocess.run(
        [sys.executable, "-m", "robots.kitchen.rendering.live_render_mode"],
        cwd=ROOT, capture_output=True, text=True, errors="replace", timeout=60, check=False,
    )  # fmt: skip
    if trial.returncode == 0:
        return "fine", trial.stdout.strip()
    if trial.returncode == 1 and trial.stderr:
        return "wrong", "nothing draws", trial.stderr.strip().splitlines()[-1]
    mend = "try the software renderer with MUJOCO_GL=osmesa, or run with --no-pictures"
    return "wrong", f"the driver broke off ({trial.returncode})", mend


def _fonts() -> Found:
    bundled = resource_path("resources", "fonts")
    fonts = sorted(p.stem for p in bundled.glob("*.[to]tf"))
    if fonts:
        return "fine", "bundled: " + ", ".join(fonts)
    listing = shutil.which("fc-list")
    if listing and subprocess.run([listing, ":", "family"], capture_output=True, check=False).stdout.strip():
        return "fine", "the system's"
    return "wrong", "none found", "apt-get install fonts-dejavu-core"


def _display() -> Found:
    answering, fault = find_display()
    if answering:
        return "fine", answering
    mend = f"episodes run in the terminal; for the window: a desktop session, ssh -X, or xvfb-run {COMMAND}"
    return "optional", fault, mend


def _disk() -> Found:
    folder = data_folder()
    there = next(p for p in (folder, *folder.parents) if p.exists())
    free = shutil.disk_usage(there).free / 1e9
    if not os.access(there, os.W_OK):
        return "wrong", f"{there} cannot be written", "give another path: --database FILE"
    if refused := lock_refusal(there):
        mend = "keep it on a local disk: --database FILE, or XDG_DATA_HOME"
        return "wrong", f"no file can be locked in {there} ({refused})", mend
    if free < 1:
        return "wrong", f"{free:.1f} GB free at {there}", "free some space, or --database FILE"
    if exposed := world_readable(folder / "episodes.db"):
        mend = f"the next start makes it yours alone, or chmod -R go= {folder}"
        return "wrong", f"others may read {exposed[0]}", mend
    try:
        if (folder / "episodes.db").exists():
            Store.open(read_only=True).close()
    except LogError as error:
        return "wrong", str(error)
    return "fine", f"{folder}, {free:.0f} GB free"


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
