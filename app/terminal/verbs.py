"""The command line: one function a verb, each with a help text that teaches."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from app.terminal.errors import one_sentence
from core.config import Maker, Settings, data_folder
from core.errors import LogError

Json = Annotated[bool, typer.Option("--json", help="Print one line of JSON last on stdout, for scripts.")]
TaskName = Annotated[
    str, typer.Argument(help="A task (`tasks` lists them); by default boil_water, or the domain's first.")
]
Variant = Annotated[str, typer.Option(help="Which of the domain's files: repaired (default) or printed.")]
Engine = Annotated[str, typer.Option(help="pyperplan, or fast-downward (an optional extra).")]
Domain = Annotated[str, typer.Option(help="A domain folder, shipped or yours, instead of all shipped ones.")]
DomainFile = Annotated[str, typer.Option(help="A PDDL domain instead of a task; needs --problem-file.")]
ProblemFile = Annotated[str, typer.Option(help="A PDDL problem; needs --domain-file.")]
Database = Annotated[Path | None, typer.Option(help="The episode log; by default in your data folder.")]


def command_line(make: Maker, console: Callable[[Settings, Path], int]) -> typer.Typer:
    """`make` builds the parts of an episode; `console` opens the window and returns an exit code."""
    cli = typer.Typer(
        add_completion=False,
        pretty_exceptions_enable=False,
        help="DKPROMPT Console: run, watch and overrule a robot that plans, asks a vision-language model "
        "and plans again. Without a verb the window opens; with no display, an episode in the terminal.",
    )

    @cli.callback(invoke_without_command=True)
    def main(context: typer.Context, database: Database = None) -> None:
        if context.invoked_subcommand is None:
            with one_sentence():
                raise typer.Exit(console(Settings(pace=1.0), _log(database)))

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
            folder, found = find_task(task or _first(domain), domain, domain_file, problem_file, variant)
            raise typer.Exit(show_plan(folder, found, engine, as_json))

    @cli.command()
    def run(
        task: TaskName = "",
        domain: Domain = "",
        domain_file: DomainFile = "",
        problem_file: ProblemFile = "",
        seed: Annotated[int, typer.Option(help="The luck: same seed, same episode.")] = 0,
        method: Annotated[str, typer.Option(help="What to ask and what to make of it.")] = "dkprompt",
        answerer: Annotated[
            str, typer.Option(help="Who answers: a profile (perfect, ...), a file, or a model's URL.")
        ] = "perfect",
        openness: Annotated[
            float, typer.Option(help="How much goes wrong: 0 nothing, 1 as in the paper, at most 1.75.")
        ] = 1.0,
        variant: Variant = "",
        robot: Annotated[
            str, typer.Option(help="kitchen or symbolic; by default where the task is at home.")
        ] = "",
        engine: Engine = "pyperplan",
        pace: Annotated[float, typer.Option(help="0 at once, 1 as long as a robot takes.")] = 0.0,
        max_steps: Annotated[int, typer.Option(help="Give up after so many actions.")] = 50,
        ask: Annotated[
            bool, typer.Option("--ask", help="You are at the gate: every step waits for you.")
        ] = False,
        pictures: Annotated[
            bool, typer.Option(help="--no-pictures: same actions and facts, no rendering.")
        ] = True,
        video: Annotated[
            str, typer.Option(help="Write the episode as MP4 to this file (extra: video).")
        ] = "",
        strip: Annotated[
            str, typer.Option(help="Where the picture strip goes; by default beside the log.")
        ] = "",
        database: Database = None,
        as_json: Json = False,
    ) -> None:
        """Run one episode and log it as it happens.

        Exit 0: the goal is believed reached. 1: it is not. 2: the input is wrong. Ctrl+C stops the motion.
        """
        from app.terminal.running import run_verb

        with one_sentence():
            settings = Settings(
                task=task or _first(domain),
                domain=domain,
                domain_file=domain_file,
                problem_file=problem_file,
                variant=variant,
                robot=robot,
                answerer=answerer,
                method=method,
                engine=engine,
                seed=seed,
                openness=openness,
                pace=pace,
                pictures=pictures,
                max_steps=max_steps,
            )
            summary, strip_path = run_verb(make, settings, _log(database), ask, as_json, strip, video)
            if as_json:
                print(json.dumps(asdict(summary)))
            elif strip_path:
                print(f"  pictures: {strip_path}")
            raise typer.Exit(0 if summary.believed_goal else 1)

    @cli.command()
    def doctor(as_json: Json = False) -> None:
        """What this machine has and lacks, and the command that mends it. Exit 1 when something is wrong."""
        from app.terminal.doctor import examine, print_findings

        findings = examine()
        if as_json:
            print(json.dumps([asdict(f) for f in findings]))
        else:
            print_findings(findings)
        raise typer.Exit(1 if any(f.level == "wrong" for f in findings) else 0)

    return cli


def without_display(make: Maker, settings: Settings, database: Path) -> int:
    """What `main.py` does where no window can be: the same episode here, and how to get the window."""
    from app.terminal.running import run_verb

    summary, strip = run_verb(make, settings, database, False, False, "", "")
    if strip:
        print(f"  pictures: {strip}")
    print(
        "There is no display, so the episode ran here. For the window: a desktop session, `ssh -X`, or",
        end=" ",
    )
    print("`xvfb-run -s '-screen 0 1440x900x24' make run`.")
    return 0 if summary.believed_goal else 1


def _first(domain: str) -> str:
    return "" if domain else Settings().task


def _log(database: Path | None) -> Path:
    """The log that was named, or the one in the user's data folder, which is made where it is missing."""
    if database is not None:
        return database
    folder = data_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LogError(
            f"The data folder {folder} cannot be made ({error.strerror}): give a log with --database."
        ) from None
    return folder / "episodes.sqlite"


def main(make: Maker, console: Callable[[Settings, Path], int]) -> None:
    """Run the verb that was asked for."""
    sys.exit(command_line(make, console)())
