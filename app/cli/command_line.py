"""The command line: one function for each command, with its help text."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from app.cli import completion
from app.cli.choosing import choosing
from app.cli.commands.bench import add_bench
from app.cli.commands.calibrate import CalibrationTools, add_calibrate
from app.cli.commands.check import add_check
from app.cli.commands.confidence import add_confidence
from app.cli.commands.emulate import Arm, add_emulate
from app.cli.commands.episodes import add_episodes
from app.cli.commands.eye import add_eye
from app.cli.commands.forecast import add_forecast
from app.cli.commands.parts import add_parts
from app.cli.commands.reask import add_reask
from app.cli.commands.run import DEFAULT, add_run
from app.cli.commands.serve import Serve, add_serve
from app.cli.commands.stop import add_stop
from app.cli.completion import use_tables
from app.cli.help_text import CommandLine
from app.cli.options import (
    ArmName,
    Database,
    Domain,
    DomainFile,
    Engine,
    Json,
    LiveVideo,
    OperatorName,
    PartOptions,
    Plugins,
    ProblemFile,
    RobotName,
    TaskName,
    Variant,
    chosen_robot,
    first_task,
    log_path,
    part_options,
    report_errors,
    report_signals,
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

    @cli.command()
    def tasks(domain: Domain = "", as_json: Json = False) -> None:
        """List the tasks, with the length of their shortest plans."""
        from app.cli.plan import list_tasks

        with report_errors():
            list_tasks(as_json, domain)

    @cli.command(cls=choosing(tables, "engines"))
    def plan(
        task: TaskName = "",
        domain: Domain = "",
        domain_file: DomainFile = "",
        problem_file: ProblemFile = "",
        engine: Engine = DEFAULT.engine,
        variant: Variant = "",
        optimal: Annotated[bool, typer.Option("--optimal", help="Prove that no plan is shorter.")] = False,
        costs: Annotated[
            bool, typer.Option("--costs", help="A cheap plan, not a short one (extra: fast-downward).")
        ] = False,
        seconds: Annotated[float, typer.Option(min=0.1, help="Limit of seconds.")] = 60.0,
        as_json: Json = False,
    ) -> None:
        """Make a plan and print it, without running anything or asking a model.

        After the first plan, search a few seconds for a shorter one; Ctrl+C keeps the best so far.

        Exit 0: a plan was found. 1: there is none, or time ran out. 2: the input is wrong.
        """
        from app.cli.plan import PlanRequest, find_task, show_plan

        with report_errors():
            folder, found = find_task(task or first_task(domain), domain, domain_file, problem_file, variant)
            raise typer.Exit(show_plan(folder, found, engine, PlanRequest(seconds, optimal, costs), as_json))

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

    @cli.command()
    def doctor(
        model: Annotated[
            str, typer.Option(help="Ask this model one real question (a preset, PRESET:MODEL, or a URL).")
        ] = "",
        robot: Annotated[
            str,
            typer.Option(
                help="Ask this robot what it is and what it lacks; nothing moves. remote:HOST:PORT is one "
                "elsewhere.",
                autocompletion=completion.component("robots"),
            ),
        ] = "",
        option: PartOptions = None,
        full: Annotated[
            bool, typer.Option("--full", help="With --robot: start it and try everything once. Minutes.")
        ] = False,
        report: Annotated[
            Path | None, typer.Option(help="With --robot: write the findings here, to send them back.")
        ] = None,
        plugins: Plugins = None,
        as_json: Json = False,
    ) -> None:
        """Report what is installed and what is missing, with the command to fix it. Exit 1: something is
        wrong.
        """
        from app.cli.doctor import examine, examine_model, examine_robot, print_findings, try_robot
        from app.cli.doctor import write_report as write

        with report_errors(), report_signals():
            name, options = chosen_robot(robot, part_options(option), tables())
            if name:
                own = Settings(robot=name, options=options).options_for("robot")
                findings = (try_robot if full else examine_robot)(name, own, tables())
                if report is not None:
                    write(report, findings)
            else:
                findings = examine_model(model) if model else examine(tables())
        if as_json:
            print(json.dumps([asdict(f) for f in findings]))
        else:
            print_findings(findings)
        raise typer.Exit(1 if any(f.level == "wrong" for f in findings) else 0)

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


def without_display(make: ComponentFactory, settings: Settings, database: Path) -> int:
    """Run the same episode in the terminal where no window can open, and say how to get the window."""
    from app.cli.run_command import RunOutput, run_episode_command

    summary = run_episode_command(make, replace(settings, pace=0.0), RunOutput(database))
    print_text("There is no display, so the episode ran here. For the window: a desktop session, `ssh -X`,")
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
