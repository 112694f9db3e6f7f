"""`tasks` and `plan`: which tasks there are, and a plan for one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from app.cli.choosing import choosing
from app.cli.commands.run import DEFAULT
from app.cli.options import (
    Domain,
    DomainFile,
    Engine,
    Json,
    ProblemFile,
    TaskName,
    Variant,
    first_task,
    number,
    report_errors,
)
from core.registry import Registries


def add_plan(cli: typer.Typer, tables: Callable[[], Registries]) -> None:
    """Add both commands to the command line."""

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
            bool,
            typer.Option("--costs", help="A cheap plan, not a short one, even unasked by the problem."),
        ] = False,
        seconds: Annotated[float, number("Limit of seconds.", 0.1)] = 60.0,
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
