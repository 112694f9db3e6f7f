"""`tasks` and `plan`: which tasks there are, and a plan for one."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import dataclass, replace
from threading import Timer
from typing import Any

import typer
from rich.table import Table
from rich.text import Text
from typer import Option

from app.cli.help_text import CommandLine, listing
from app.cli.options import Json, component_options, number, settings_of
from app.cli.output.json_output import print_json
from app.cli.output.printing import PlainConsole, print_line
from app.cli.settings_options import takes_settings
from core.domains import DomainSpec, Task
from core.errors import BadValue, ConsoleError
from core.planning import domain_library
from core.planning.engines.engine import SearchLimits
from core.planning.engines.registry import ENGINES
from core.planning.planner import ImprovingPlanner, make_planner
from core.planning_model import CHEAPEST, Plan, PlanStatus, Problem
from core.stop_token import StopToken
from core.text.vocabulary import in_words

cli = CommandLine()
IMPROVING = 5.0  # seconds for a shorter plan, where the shortest is not asked for
PATIENCE = 0.7  # seconds without a word


@dataclass(frozen=True)
class PlanFound:
    """A plan and what is known about it."""

    plan: Plan
    best: bool = False  # proven
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    history: tuple[tuple[Plan, float], ...] = ()  # each plan found, and the seconds until then


@cli.command()
@takes_settings("domain")
def tasks(as_json: Json = False, **given: Any) -> None:
    """List the tasks, with the length of their shortest plans."""

    def refused(error: ConsoleError) -> None:
        print_line(PlainConsole(stderr=True), str(error), "yellow")

    found = (
        tuple(domain_library.load_domain_spec(given["domain"]).tasks.values())
        if given["domain"]
        else domain_library.all_tasks(refused)
    )
    if as_json:
        names = ("name", "domain", "description", "plan_length")
        print_json([{name: getattr(task, name) for name in names} for task in found])
        return
    table = Table("task", "domain", "steps", "what to do", box=None, header_style="dim")
    for t in found:
        table.add_row(t.name, t.domain, str(t.plan_length or ""), t.description)
    PlainConsole().print(table)


@cli.command(cls=listing("engines"))
@takes_settings("task", "domain", "domain_file", "problem_file", "engine", "variant")
def plan(
    context: typer.Context,
    optimal: bool = Option(False, "--optimal", help="Prove that no plan is shorter."),
    costs: bool = Option(
        False, "--costs", help="A cheap plan, not a short one, even unasked by the problem."
    ),
    seconds: float | None = number(None, "Limit of seconds, else the engine's own: 60.", 0.1),
    option: list[str] | None = Option(
        None, "--option", "-o", metavar="engine.NAME=VALUE", help="An option of the engine. Again for each."
    ),
    as_json: Json = False,
    **_: Any,
) -> None:
    """Make a plan and print it, without running anything or asking a model.

    After the first plan, search a few seconds for a shorter one; Ctrl+C keeps the best so far.

    Exit 0: a plan was found. 1: there is none, or time ran out. 2: the input is wrong.
    """
    settings = settings_of(context)
    domain_spec, task = domain_library.find_task(*settings.task_place)
    options = component_options(option, "engine")
    own = ENGINES[settings.engine].read_options(options)
    costs = costs or (getattr(own, "costs", False) and domain_spec.domain.has_costs)
    limit = getattr(own, "seconds", SearchLimits.seconds) if seconds is None else seconds
    priced = domain_spec.domain.has_costs
    if costs and not priced:
        raise BadValue(
            f"The domain {domain_spec.domain.name!r} gives its actions no costs: leave --costs out."
        )
    problem = replace(task.problem, metric=CHEAPEST) if costs else task.problem
    better, best = ("cheaper", "cheapest") if problem.by_cost else ("shorter", "shortest")
    began = time.perf_counter()
    # a shorter one is looked for afterwards
    limits = SearchLimits(20_000, limit, improving_seconds=0)
    with closing(make_planner(settings.engine, limits, options)) as planner:
        found = PlanFound(planner.plan(problem, StopToken()))
        is_found = found.plan.status is PlanStatus.FOUND
        if is_found:
            took = time.perf_counter() - began
            left = max(0.0, limit - took if optimal else min(limit - took, IMPROVING))
            found = replace(found, history=((found.plan, took),))
            found = _improved(planner, problem, found, better, left, began, as_json)
    notes = []
    found = replace(found, seconds=time.perf_counter() - began)
    if priced and not problem.by_cost:
        notes.append("Costs are left aside: the plan is to be short. With --costs it is to be cheap.")
    if optimal and is_found and not found.best:
        notes.append(f"Not proved in {found.seconds:.0f} s; {best} found: {found.plan.size}.")
    found = replace(found, notes=tuple(notes))
    if as_json:
        print_json(_form(found, settings.engine))
    else:
        _print(domain_spec, task, found, best)
    raise typer.Exit(0 if is_found else 1)


def _improved(
    planner: ImprovingPlanner,
    problem: Problem,
    found: PlanFound,
    better: str,
    seconds: float,
    began: float,
    as_json: bool,
) -> PlanFound:
    """Return the best plan found in the time; Ctrl+C keeps the best so far."""
    console = PlainConsole(stderr=as_json)

    def announce(plan: Plan) -> None:
        print_line(console, f"{problem.name}: a plan of {plan.size}; looking for a {better} one", "dim")

    soon = Timer(PATIENCE, announce, (found.plan,))  # most proofs are there before anybody could read it
    soon.start()
    try:
        for plan, best in planner.improve(problem, found.plan, seconds, StopToken()):
            found = replace(found, plan=plan, best=best)
            if plan.steps != found.history[-1][0].steps:
                found = replace(found, history=(*found.history, (plan, time.perf_counter() - began)))
            soon.cancel()
            if not best:
                announce(plan)
    except KeyboardInterrupt:
        pass
    finally:
        soon.cancel()
    return found


def _form(found: PlanFound, engine: str) -> dict[str, object]:
    plan = found.plan
    form: dict[str, object] = {
        "status": plan.status.value,
        "length": len(plan.steps) if plan.status is PlanStatus.FOUND else None,
        "steps": [str(step) for step in plan.steps],
        "seconds": round(found.seconds, 4),
        "engine": plan.engine or engine,
        "optimal": found.best,
        "why": plan.reason,
    }
    if found.history:
        form["plans"] = [
            {"length": len(each.steps), "seconds": round(took, 4)}
            | ({} if each.cost is None else {"cost": each.cost})
            for each, took in found.history
        ]
    if plan.cost is not None:
        form["cost"] = plan.cost
    return {**form, "notes": list(found.notes)} if found.notes else form


def _print(domain_spec: DomainSpec, task: Task, found: PlanFound, best: str) -> None:
    console = PlainConsole()
    plan = found.plan
    if plan.status is not PlanStatus.FOUND:
        print_line(console, f"{task.name}: {plan.status.value}. {in_words(domain_spec, plan.reason)}")
        return
    words = [plan.size, *([f"the {best}"] if found.best else [])]
    print_line(console, f"{task.name}: {', '.join((*words, plan.engine))}, {found.seconds:.2f} s", "bold")
    rows = [
        (f"{number:3}  {domain_spec.describe_step(step)}", step) for number, step in enumerate(plan.steps, 1)
    ]
    column = max((len(line) for line, _ in rows), default=0) + 2
    beside = all(column + len(str(step)) <= console.width for _, step in rows)
    for line, step in rows:
        if beside:
            print_line(console, Text.assemble(line.ljust(column), (str(step), "dim")))
        else:
            print_line(console, line)
            print_line(console, f"     {step}", "dim")
    for note in found.notes:
        print_line(console, note, "dim")
