"""The command line: the window's own options, and all commands."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from app.cli.commands.bench import add_bench
from app.cli.commands.calibrate import CalibrationTools, add_calibrate
from app.cli.commands.check import add_check
from app.cli.commands.confidence import add_confidence
from app.cli.commands.doctor import add_doctor
from app.cli.commands.emulate import Arm, add_emulate
from app.cli.commands.episodes import add_episodes
from app.cli.commands.eye import add_eye
from app.cli.commands.forecast import add_forecast
from app.cli.commands.parts import add_parts
from app.cli.commands.plan import add_plan
from app.cli.commands.reask import add_reask
from app.cli.commands.run import add_run
from app.cli.commands.serve import Serve, add_serve
from app.cli.commands.stop import add_stop
from app.cli.completion import use_tables
from app.cli.help_text import CommandLine
from app.cli.options import (
    ArmName,
    Database,
    LiveVideo,
    OperatorName,
    PartOptions,
    Plugins,
    RobotName,
    chosen_robot,
    log_path,
    part_options,
    report_errors,
)
from app.cli.output.printing import PlainLogFormatter, print_text
from core.config import ComponentFactory, Settings
from core.errors import BadValue, UnknownName
from core.install_paths import COMMAND
from core.registry import Registries
from core.robots import RobotEntry

Console = Callable[[Settings, Path, bool], int]
Reset = Annotated[
    bool, typer.Option("--reset", help="Forget set-up, layout, colours and supervision of the window first.")
]


def command_line(
    make: ComponentFactory,
    console: Console,
    arm: Arm,
    calibration_tools: CalibrationTools | None = None,
    tables: Callable[[], Registries] = dict,
    serve: Serve | None = None,
) -> typer.Typer:
    """Return the command line. `make` makes the components of an episode; `console` opens the window,
    with default preferences if its last argument is True, and returns an exit code; `arm` emulates an arm's
    controller; `calibration_tools` calibrates its cameras; `tables` are the registries;
    `serve` serves a simulator to other consoles.
    """
    use_tables(tables)
    cli = CommandLine(
        help="DKPROMPT Console: run, watch and overrule a robot that plans, asks a vision-language model "
        "and plans again. Without a command the window opens; with no display, an episode in the terminal.",
        epilog=f"Begin with `{COMMAND} run halve_egg`: it needs no key, no robot and no display. Each "
        "command has its own --help.",
    )

    @cli.callback(invoke_without_command=True)
    def main(
        context: typer.Context,
        robot: RobotName = "",
        arm: ArmName = "",
        option: PartOptions = None,
        operator: OperatorName = "",
        plugins: Plugins = None,
        live_video: LiveVideo = False,
        database: Database = None,
        reset: Reset = False,
    ) -> None:
        with report_errors():
            if context.invoked_subcommand is not None:
                _refuse_options_before(context.invoked_subcommand, context)
            else:
                named, chosen = chosen_robot(robot, part_options(option, arm), tables())
                first = replace(_first(named, tables()), options=chosen, live_video=live_video)
                raise typer.Exit(console(first, log_path(database), reset))

    add_plan(cli, tables)
    add_run(cli, make, tables)
    add_stop(cli)
    add_bench(cli, make, tables)
    add_forecast(cli, tables)
    add_parts(cli, tables)
    add_check(cli, tables)
    add_emulate(cli, arm)
    if serve is not None:
        add_serve(cli, serve)
    if calibration_tools is not None:
        add_calibrate(cli, calibration_tools)
    add_episodes(cli, tables)
    add_reask(cli)
    add_confidence(cli)
    add_eye(cli)
    add_doctor(cli, tables)
    return cli


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
        entry = tables["robots"][robot] if "robots" in tables else None
        if not isinstance(entry, RobotEntry):
            raise
        if not entry.trials:
            return Settings(robot=robot, pace=1.0)
        trial = entry.trials[0]
        return Settings(task=trial.task, domain=trial.domain, robot=robot, pace=1.0)


def without_display(make: ComponentFactory, settings: Settings, database: Path, why: str) -> int:
    """Run the same episode in the terminal where no window can open, and say how to get the window."""
    from app.cli.run_command import RunOutput, run_episode_command

    summary = run_episode_command(make, replace(settings, pace=0.0), RunOutput(database))
    print_text(f"{why}, so the episode ran here. For the window: a desktop session, `ssh -X`,")
    print_text(f"or `xvfb-run -s '-screen 0 1440x900x24' {COMMAND}`.")
    return 0 if summary.believed_goal else 1


def _refuse_options_before(verb: str, context: typer.Context) -> None:
    """Raise BadValue for an option before a verb, which would be ignored. Plug-ins are loaded by then."""
    given = [name for name, value in context.params.items() if value and name != "plugins"]
    if given:
        option = "--" + given[0].replace("_", "-")
        raise BadValue(f"{option} before `{verb}` is the window's: write it after `{verb}`.")


def main(
    make: ComponentFactory,
    console: Console,
    arm: Arm,
    calibration_tools: CalibrationTools,
    tables: Callable[[], Registries] = dict,
    serve: Serve | None = None,
) -> None:
    """Run the requested command."""
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(PlainLogFormatter())
    sys.exit(command_line(make, console, arm, calibration_tools, tables, serve)())
