"""The command line: one function a verb, each with a help text that teaches."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from app.terminal.errors import one_sentence
from app.terminal.options import (
    ArmName,
    Database,
    Domain,
    DomainFile,
    Engine,
    Json,
    LiveVideo,
    ProblemFile,
    RobotName,
    TaskName,
    Variant,
    first_task,
    log_path,
)
from app.terminal.verb_calibrate import Bench, add_calibrate
from app.terminal.verb_confidence import add_confidence
from app.terminal.verb_emulate import Arm, add_emulate
from app.terminal.verb_episodes import add_episodes
from app.terminal.verb_reask import add_reask
from app.terminal.verb_run import add_run
from core.config import Maker, Settings

Console = Callable[[Settings, Path], int]


def command_line(make: Maker, console: Console, arm: Arm, bench: Bench | None = None) -> typer.Typer:
    """`make` builds the parts of an episode; `console` opens the window and returns an exit code; `arm`
    emulates an arm's controller; `bench` calibrates its cameras."""
    cli = typer.Typer(
        add_completion=False,
        pretty_exceptions_enable=False,
        help="DKPROMPT Console: run, watch and overrule a robot that plans, asks a vision-language model "
        "and plans again. Without a verb the window opens; with no display, an episode in the terminal.",
        epilog="Begin with `main.py run halve_egg`: it needs no key, no robot and no display. Each verb has "
        "its own --help.",
    )

    @cli.callback(invoke_without_command=True)
    def main(
        context: typer.Context,
        robot: RobotName = "",
        arm: ArmName = "",
        live_video: LiveVideo = False,
        database: Database = None,
    ) -> None:
        if context.invoked_subcommand is None:
            with one_sentence():
                raise typer.Exit(
                    console(replace(_first(robot, arm), live_video=live_video), log_path(database))
                )

    @cli.command()
    def tasks(domain: Domain = "", as_json: Json = False) -> None:
        """The tasks that are here, with the length of their shortest plan."""
        from app.terminal.plan import list_tasks

        with one_sentence():
            list_tasks(as_json, domain)

    @cli.command()
    def plan(
        task: TaskName = "",
        domain: Domain = "",
        domain_file: DomainFile = "",
        problem_file: ProblemFile = "",
        engine: Engine = "pyperplan",
        variant: Variant = "",
        as_json: Json = False,
    ) -> None:
        """Make a plan and print it: nothing runs, nothing is asked.

        Exit 0: a plan was found. 1: there is none, or no time. 2: the input is wrong.
        """
        from app.terminal.plan import find_task, show_plan

        with one_sentence():
            folder, found = find_task(task or first_task(domain), domain, domain_file, problem_file, variant)
            raise typer.Exit(show_plan(folder, found, engine, as_json))

    add_run(cli, make)
    add_emulate(cli, arm)
    if bench is not None:
        add_calibrate(cli, bench)
    add_episodes(cli)
    add_reask(cli)
    add_confidence(cli)

    @cli.command()
    def doctor(
        model: Annotated[
            str, typer.Option(help="Ask this model one real question (a preset, PRESET:MODEL, or a URL).")
        ] = "",
        as_json: Json = False,
    ) -> None:
        """What this machine has and lacks, and the command that mends it. Exit 1 when something is wrong."""
        from app.terminal.doctor import examine, examine_model, print_findings

        findings = examine_model(model) if model else examine()
        if as_json:
            print(json.dumps([asdict(f) for f in findings]))
        else:
            print_findings(findings)
        raise typer.Exit(1 if any(f.level == "wrong" for f in findings) else 0)

    return cli


SHOWN = 1  # a newcomer's luck: a door stays closed, and it plans again, once


def _first(robot: str, arm: str) -> Settings:
    """What the window opens with; a robot that is named brings a task of its own. Raises UnknownName."""
    if not robot:
        return Settings(pace=1.0, arm=arm, seed=SHOWN)
    from core.planning.shelf import at_home

    return Settings(task=at_home(robot).name, robot=robot, pace=1.0, arm=arm)


def without_display(make: Maker, settings: Settings, database: Path) -> int:
    """What `main.py` does where no window can be: the same episode here, and how to get the window."""
    from app.terminal.running import Output, run_verb

    summary = run_verb(make, replace(settings, pace=0.0), Output(database), ask=False)
    print("There is no display, so the episode ran here. For the window: a desktop session, `ssh -X`,")
    print("or `xvfb-run -s '-screen 0 1440x900x24' make run`.")
    return 0 if summary.believed_goal else 1


def main(make: Maker, console: Console, arm: Arm, bench: Bench) -> None:
    """Run the verb that was asked for."""
    sys.exit(command_line(make, console, arm, bench)())
