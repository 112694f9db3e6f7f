"""The command line: the window's own options, and the table of all commands."""

from __future__ import annotations

import logging
import sys
from collections.abc import Collection
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import typer
from typer import Option

from app.cli.help_text import CommandLine, HelpfulCommand, HelpfulGroup
from app.cli.options import (
    ArmName,
    Database,
    OperatorName,
    PartOptions,
    Plugins,
    chosen_robot,
    log_path,
    part_options,
)
from app.cli.output.printing import PlainLogFormatter, print_text
from app.cli.program import Program
from app.cli.settings_options import takes_settings
from core.config import ComponentFactory, Settings
from core.errors import BadValue, UnknownName
from core.install_paths import COMMAND, ROOT, version
from core.registry import Registries
from core.robots import RobotEntry

# The file of each command, loaded when the command is called, and the first sentence of its help.
COMMANDS = {
    "tasks": ("plan", "List the tasks, with the length of their shortest plans."),
    "plan": ("plan", "Make a plan and print it, without running anything or asking a model."),
    "run": ("run", "Run one episode, or several, and log it as it happens."),
    "stop": ("stop", "Stop what every program of yours moves on this machine, even if its window hangs."),
    "bench": ("bench", "Run many episodes, paired across methods, and count the results."),
    "forecast": (
        "forecast",
        "Forecast an episode with the method `careful`: success, false claims, calls, questions to you.",
    ),
    "parts": (
        "parts",
        "List every component, with its options, their ranges, and what it lacks on this machine.",
    ),
    "check": (
        "check",
        "Check a domain folder for each robot: PDDL, wording, situations, goals that cannot be reached, "
        "actions that a robot cannot do.",
    ),
    "bench-draft": ("bench_draft", "Draft domains for many pictures, plan on new ones with each, and count."),
    "draft": ("draft", "Draft a domain from a picture and the rules of its game."),
    "wish": ("wish", "Find steps, tests and motions for a wish in your own words; nothing moves."),
    "ew": ("ew", "Score a domain and a problem against their world, and compare them state by state."),
    "read-grid": ("read_grid", "Read pictures of a grid: its size, and what is in each cell."),
    "emulate": ("emulate", "Something to practise on; each listens on this machine until Ctrl+C."),
    "serve": ("serve", "Serve a simulator, and let a console drive it: `--robot remote:HOST:PORT`."),
    "arm": ("arm", "Move a part of the arm by hand, where no window is open."),
    "calibrate": (
        "calibrate",
        "Calibrate a camera's lens and pose with a ChArUco board. The program moves nothing: you move the "
        "arm.",
    ),
    "things": ("things", "The things on the arm's table, from its camera's picture; nothing moves."),
    "knowledge": (
        "knowledge",
        "List what was learnt about a domain; forget it, keep it again, or remove it.",
    ),
    "episodes": ("episodes", "The episode log: list, show, search, export, import, verify, delete, prune."),
    "reask": (
        "reask",
        "Ask logged questions about their pictures again, and compare agreement, duration and cost.",
    ),
    "confidence": (
        "confidence",
        "Calibrate a model's confidence on judged answers; from now on its answers carry the result.",
    ),
    "eye": ("eye", "Teach an eye, choose its version, and measure its errors."),
    "docs": (
        "docs",
        "Print a page of the documentation, or a shipped file, or copy that: `docs models/custom.toml --to "
        "mine.toml`.",
    ),
    "doctor": (
        "doctor",
        "Report what is installed and what is missing, with the command to fix it. Exit 1: something is "
        "wrong.",
    ),
}


@cache
def load(name: str) -> Any:
    """Return a command, or a group of commands, from its file."""
    group = typer.main.get_group(import_module(f"app.cli.{COMMANDS[name][0]}").cli)
    return group.commands.get(name, group)


class LoadingGroup(HelpfulGroup):
    """Lists the commands by the table, and loads the one that is called."""

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        self.commands.update(
            {name: HelpfulCommand(name=name, help=help) for name, (_, help) in COMMANDS.items()}
        )

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[:2] == ["bench", "draft"]:
            args = ["bench-draft", *args[2:]]
        name, command, rest = super().resolve_command(ctx, args)
        return name, command and load(name), rest

    def commands_of(self, name: str) -> Collection[str]:
        return getattr(load(name), "commands", {})


def command_line(program: Program) -> typer.Typer:
    """Return the command line of a program."""
    cli = CommandLine(
        cls=LoadingGroup,
        context_settings={"obj": program},
        help="DKPROMPT Console: run, watch and overrule a robot that plans, asks a vision-language model "
        "and plans again. Without a command the window opens; with no display, an episode in the terminal.",
        epilog=f"Begin with `{COMMAND} run halve_egg`: it needs no key, no robot and no display. Each "
        "command has its own --help.",
    )
    cli.callback(invoke_without_command=True)(open_window)
    return cli


def print_version(wanted: bool) -> None:
    if wanted:
        print_text(f"DKPROMPT Console {version()}, in {ROOT}")
        raise typer.Exit


@takes_settings("live_video", robot="Open the window on this robot; `parts robots` lists them.")
def open_window(
    context: typer.Context,
    arm: ArmName = "",
    option: PartOptions = None,
    operator: OperatorName = "",
    plugins: Plugins = None,
    database: Database = None,
    reset: bool = Option(
        False, "--reset", help="Forget set-up, layout, colours and supervision of the window first."
    ),
    demo: str = Option(
        "",
        metavar="WORD",
        help="Show visitors a simulator: the set-up is locked, nothing is kept but the log, and Ctrl+Q with "
        "this word leaves.",
    ),
    show_version: bool = Option(
        False,
        "--version",
        help="Print this program's version and where it is.",
        is_eager=True,
        callback=print_version,
    ),
    **given: Any,
) -> None:
    program: Program = context.obj
    if context.invoked_subcommand is not None:
        _refuse_options_before(context.invoked_subcommand, context)
    else:
        named, chosen = chosen_robot(given["robot"], part_options(option, arm), program.tables())
        first = replace(_first(named, program.tables()), options=chosen, live_video=given["live_video"])
        raise typer.Exit(program.console(first, log_path(database), reset, demo.strip()))


DEMO_SEED = 1  # a newcomer's luck: a door stays closed, and it plans again, once


def _first(robot: str, tables: Registries) -> Settings:
    """Return the settings that the window opens with. A given robot brings the first task of its default
    domain or of its trials. Raises UnknownName.
    """
    if not robot:
        return Settings(pace=1.0, seed=DEMO_SEED)
    from core.planning.domain_library import default_task_for_robot

    try:
        return Settings(task=default_task_for_robot(robot).name, robot=robot, pace=1.0)
    except UnknownName:
        entry = tables["robots"][robot]
        if not isinstance(entry, RobotEntry):
            raise
        if not entry.trials:
            return Settings(robot=robot, pace=1.0)
        trial = entry.trials[0]
        return Settings(task=trial.task, domain=trial.domain, robot=robot, pace=1.0)


def without_display(make: ComponentFactory, settings: Settings, database: Path, why: str) -> int:
    """Run the same episode in the terminal where no window can open, and say how to get the window."""
    from app.cli.run import RunOutput, run_episode

    summary = run_episode(make, replace(settings, pace=0.0), RunOutput(database))
    print_text(f"{why}, so the episode ran here. For the window: a desktop session, `ssh -X`,")
    print_text(f"or `xvfb-run -s '-screen 0 1440x900x24' {COMMAND}`.")
    return 0 if summary.believed_goal else 1


def _refuse_options_before(verb: str, context: typer.Context) -> None:
    """Raise BadValue for an option before a verb, which would be ignored. Plug-ins are loaded by then."""
    given = [name for name, value in context.params.items() if value and name != "plugins"]
    if given:
        option = "--" + given[0].replace("_", "-")
        raise BadValue(f"{option} before `{verb}` is the window's: write it after `{verb}`.")


def main(command_line: typer.Typer) -> None:
    """Run the requested command."""
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(PlainLogFormatter())
    sys.exit(command_line())
