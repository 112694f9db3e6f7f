"""`bench`: run many episodes and count the results."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from app.cli.choosing import choosing
from app.cli.commands.run import DEFAULT
from app.cli.options import (
    Domain,
    Engine,
    Knower,
    PartOptions,
    Plugins,
    Variant,
    number,
    part_options,
    report_errors,
    settings_of,
)
from app.cli.unused_options import Unused, refuse_unused, unused_of_model
from core.config import ComponentFactory
from core.evaluation import paper
from core.registry import Registries

METHODS, TASKS = ",".join(paper.METHODS), ",".join(paper.TASKS)
CORES = os.cpu_count() or 1
OUTPUT = "Recording"
Methods = Annotated[
    str,
    typer.Option(help="Separated by commas; `dkprompt@perfect` brings an answerer of its own. Listed below."),
]
Profiles = Annotated[
    str,
    typer.Option(
        "--answerers", "--profile", help="Who answers, as of `run --answerer`; several separated by commas."
    ),
]
OpennessList = Annotated[str, typer.Option(help="How often things go wrong, 0 to 1.75; several by commas.")]
AccuracyList = Annotated[
    str,
    typer.Option(
        help="In place of --answerers: answers that are right so often about what is seen, 0 to 1, by commas."
    ),
]
Workers = Annotated[int, typer.Option(help="Processes at a time; by default one a processor core.")]
Rate = Annotated[
    float | None,
    number("Of a real model, all workers together. Without it, a real model has one worker."),
]
Cluster = Annotated[
    str,
    typer.Option(
        metavar="ADDRESS",
        help="Run the workers on a Ray cluster; `local` starts one here (extra: cluster).",
    ),
]
TrialFile = Annotated[
    Path | None,
    typer.Option(
        "--database",
        help="Where finished trials are kept; by default trials.db in your data folder.",
        rich_help_panel=OUTPUT,
    ),
]
JsonFile = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="The rows, a list.", rich_help_panel=OUTPUT)
]
CsvFile = Annotated[
    Path | None, typer.Option("--csv", metavar="FILE", help="The same rows as CSV.", rich_help_panel=OUTPUT)
]
ReportFile = Annotated[
    Path | None,
    typer.Option(
        "--report",
        metavar="FILE",
        help="One HTML page with charts; by default beside the database.",
        rich_help_panel=OUTPUT,
    ),
]
EpisodeLog = Annotated[
    Path | None,
    typer.Option(
        "--log",
        metavar="FILE",
        help="Log every episode there, to open and replay; some 260 KB each.",
        rich_help_panel=OUTPUT,
    ),
]
Resume = Annotated[
    bool,
    typer.Option("--resume", help="Run only the unfinished trials.", rich_help_panel=OUTPUT),
]


def add_bench(cli: typer.Typer, make: ComponentFactory, tables: Callable[[], Registries]) -> None:
    """Add the command to the command line."""

    @cli.command(cls=choosing(tables, "methods", "answerers"))
    def bench(
        context: typer.Context,
        methods: Methods = METHODS,
        tasks: Annotated[str, typer.Option(help="Separated by commas; `tasks` lists them.")] = TASKS,
        trials: Annotated[int, typer.Option(help="Of each method, task, answerer and openness.")] = 100,
        profile: Profiles = paper.MAIN_PROFILE,
        openness: OpennessList = "1",
        accuracy: AccuracyList = "",
        first_seed: Annotated[int, typer.Option(help="Random seed of the first trial.")] = 0,
        workers: Workers = CORES,
        cluster: Cluster = "",
        calls_per_minute: Rate = None,
        domain: Domain = DEFAULT.domain,
        variant: Variant = DEFAULT.variant,
        robot: Annotated[str, typer.Option(help="By default the one that the task is made for.")] = "",
        knower: Knower = DEFAULT.knower,
        engine: Engine = DEFAULT.engine,
        prompt: Annotated[str, typer.Option(help="For a real model, as of `run`.")] = DEFAULT.prompt,
        pictures: Annotated[bool, typer.Option(help="Render them, which a real model needs.")] = False,
        max_steps: Annotated[int, typer.Option(help="Limit of actions.")] = DEFAULT.max_steps,
        option: PartOptions = None,
        plugins: Plugins = None,
        database: TrialFile = None,
        as_json: JsonFile = None,
        as_csv: CsvFile = None,
        report: ReportFile = None,
        log: EpisodeLog = None,
        resume: Resume = False,
        follow: Annotated[bool, typer.Option("--follow", hidden=True)] = False,
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
        from app.cli.bench import BenchOutput, Execution, run_bench
        from core.evaluation.trial import Design
        from core.vqa.answerers.profiles import symmetric_name

        with report_errors():
            named, _, own = zip(*(word.partition("@") for word in _words(methods)), strict=True)
            answering = (*filter(None, own), *(() if accuracy else _words(profile)))
            refuse_unused(context, unused_of_model(answering, named, knower, prompt))
            base = settings_of(context, openness=DEFAULT.openness, options=part_options(option))
            profiles = tuple(map(symmetric_name, _numbers("accuracy", accuracy))) or _words(profile)
            if accuracy:
                refuse_unused(context, [Unused(("profile",), "--accuracy says who answers")])
            tasks_of, profiles = _of_domain(domain, _words(tasks), _words(methods), profiles)
            levels = _numbers("openness", openness)
            design = Design(_words(methods), tasks_of, profiles, levels, trials, first_seed, base)
            output = BenchOutput(database, as_json, as_csv, report, log, resume, follow)
            raise typer.Exit(run_bench(make, design, output, Execution(workers, cluster, calls_per_minute)))


def _of_domain(
    domain: str, tasks: tuple[str, ...], methods: tuple[str, ...], profiles: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the domain's own tasks where none are named, and no errors where no picture is asked about."""
    from core.evaluation.cowp_paper import METHODS as WITHOUT_PICTURES
    from core.planning.domain_library import load_domain_spec

    if domain and tasks == _words(TASKS):
        tasks = tuple(load_domain_spec(domain).tasks)
    if set(methods) <= set(WITHOUT_PICTURES) and profiles == (paper.MAIN_PROFILE,):
        profiles = ("perfect",)
    return tasks, profiles


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _numbers(what: str, text: str) -> tuple[float, ...]:
    from core.errors import BadValue
    from core.text.numbers import read_numbers

    try:
        return read_numbers(text)
    except BadValue as error:
        raise BadValue(f"The {what}: {error}") from None
