"""`forecast`: what to expect of an episode before it begins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from app.cli.choosing import choosing
from app.cli.commands.run import DEFAULT, AnswererName, RobotName, Seed
from app.cli.options import (
    Domain,
    DomainFile,
    Engine,
    Json,
    PartOptions,
    Plugins,
    ProblemFile,
    TaskName,
    Variant,
    first_task,
    part_options,
    report_errors,
    settings_of,
)
from core.registry import Registries

Alone = Annotated[bool, typer.Option("--alone", help="Nobody is there to be asked.")]
Episodes = Annotated[int, typer.Option(min=1, max=10_000, help="That are played.")]


def add_forecast(cli: typer.Typer, tables: Callable[[], Registries]) -> None:
    """Add the command to the command line."""

    @cli.command(cls=choosing(tables, "answerers"))
    def forecast(
        context: typer.Context,
        task: TaskName = "",
        domain: Domain = DEFAULT.domain,
        domain_file: DomainFile = DEFAULT.domain_file,
        problem_file: ProblemFile = DEFAULT.problem_file,
        variant: Variant = DEFAULT.variant,
        answerer: AnswererName = DEFAULT.answerer,
        robot: RobotName = DEFAULT.robot,
        option: PartOptions = None,
        max_steps: Annotated[int, typer.Option(help="Limit of actions.")] = DEFAULT.max_steps,
        alone: Alone = False,
        episodes: Episodes = 40,
        engine: Engine = DEFAULT.engine,
        plugins: Plugins = None,
        seed: Seed = DEFAULT.seed,
        as_json: Json = False,
    ) -> None:
        """Forecast an episode with the method `careful`: success, false claims, calls, questions to you.

        Episodes are played in the method's own model, with the situations of the domain and the error rates
        that the answerer states. Nothing moves and nobody is asked. It is as good as these rates. With -o
        method.operator_cost=1 a question to you costs one step, with -o method.false_claim_cost=1000 a false
        claim costs a thousand; `run` takes both as well.

        Exit 0: a forecast was made. 2: the input is wrong. 130: Ctrl+C.
        """
        from app.cli.forecast import show_forecast
        from app.cli.plan import find_task

        with report_errors():
            named, chosen = task or first_task(domain), part_options(option)
            settings = settings_of(context, task=named, method="careful", options=chosen)
            found = find_task(named, domain, domain_file, problem_file, variant)
            entry = tables()["robots"][robot or found[0].default_robot]
            viewpoints = getattr(entry, "viewpoints", ())
            show_forecast(settings, found, viewpoints, not alone, episodes, as_json)
