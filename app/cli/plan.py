"""The commands `tasks` and `plan`."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, replace
from threading import Timer
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from app.cli.output.printing import PlainConsole, print_line
from core.cancel import Cancel
from core.domains import DomainSpec, Task
from core.errors import BadFile, BadValue, ConsoleError, UnknownName
from core.planning_model import CHEAPEST, Plan, PlanStatus, Problem
from core.text.written_pddl import in_words

if TYPE_CHECKING:
    from core.planning.planner import ImprovingPlanner

IMPROVING = 5.0  # seconds for a shorter plan, where the shortest is not asked for
PATIENCE = 0.7  # seconds without a word


@dataclass(frozen=True)
class PlanRequest:
    """The requested properties of a plan."""

    seconds: float = 60.0
    optimal: bool = False
    costs: bool = False

    @property
    def better(self) -> str:
        return "cheaper" if self.costs else "shorter"

    @property
    def best(self) -> str:
        return "cheapest" if self.costs else "shortest"


@dataclass(frozen=True)
class PlanFound:
    """A plan and what is known about it."""

    plan: Plan
    best: bool = False  # proven
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    history: tuple[tuple[Plan, float], ...] = ()  # each plan found, and the seconds until then


def find_task(
    task: str, domain: str = "", domain_file: str = "", problem_file: str = "", variant: str = ""
) -> tuple[DomainSpec, Task]:
    """Return a named task, one of a domain folder, or that of a pair of PDDL files. Raises ConsoleError.

    With a folder, `task` "" is its first task.
    """
    from core.planning import domain_library

    if domain_file or problem_file:
        if not (domain_file and problem_file):
            raise BadValue("A problem needs its domain: give both --domain-file and --problem-file.")
        folder = domain_library.load_pddl_pair(domain_file, problem_file)
        return folder, next(iter(folder.tasks.values()))
    if not domain:
        return domain_library.load_task(task, variant or None)
    folder = domain_library.load_domain_spec(domain, variant or None)
    if not folder.tasks:
        raise BadFile(folder.path, "the domain has no task", remedy="Put a problem into its folder tasks/")
    name = task or next(iter(folder.tasks))
    if name not in folder.tasks:
        raise UnknownName("task", name, folder.tasks)
    return folder, folder.tasks[name]


def list_tasks(as_json: bool, domain: str = "") -> None:
    from core.planning import domain_library

    def refused(error: ConsoleError) -> None:
        print_line(PlainConsole(stderr=True), str(error), "yellow")

    tasks = (
        tuple(domain_library.load_domain_spec(domain).tasks.values())
        if domain
        else domain_library.all_tasks(refused)
    )
    if as_json:
        print(json.dumps([_task_form(task) for task in tasks]))
        return
    table = Table(box=None, header_style="dim")
    for column in ("task", "domain", "steps", "what to do"):
        table.add_column(column)
    for t in tasks:
        table.add_row(t.name, t.domain, str(t.plan_length or ""), t.description)
    PlainConsole().print(table)


def _task_form(task: Task) -> dict[str, object]:
    return {
        "name": task.name,
        "domain": task.domain,
        "description": task.description,
        "plan_length": task.plan_length,
    }


def show_plan(folder: DomainSpec, task: Task, engine: str, wish: PlanRequest, as_json: bool) -> int:
    """Print the plan. Return 0 if one was found, else 1."""
    from core.planning.engines.engine import SearchLimits
    from core.planning.planner import make_planner

    priced = folder.domain.has_costs
    if wish.costs and not priced:
        raise BadValue(f"The domain {folder.domain.name!r} gives its actions no costs: leave --costs out.")
    problem = replace(task.problem, metric=CHEAPEST) if wish.costs else task.problem
    wish = replace(wish, costs=problem.by_cost)
    began = time.perf_counter()
    # a shorter one is looked for afterwards
    planner = make_planner(engine, SearchLimits(20_000, wish.seconds, improving_seconds=0))
    found = PlanFound(planner.plan(problem, Cancel()))
    if found.plan.status is PlanStatus.FOUND:
        took = time.perf_counter() - began
        found, left = replace(found, history=((found.plan, took),)), wish.seconds - took
        seconds = left if wish.optimal else min(left, IMPROVING)
        found = _improved(planner, problem, found, wish, max(0.0, seconds), began, as_json)
    planner.close()
    notes = []
    found = replace(found, seconds=time.perf_counter() - began)
    if priced and not wish.costs:
        notes.append("Costs are left aside: the plan is to be short. With --costs it is to be cheap.")
    if wish.optimal and found.plan.status is PlanStatus.FOUND and not found.best:
        notes.append(f"Not proved in {found.seconds:.0f} s; {wish.best} found: {found.plan.size}.")
    found = replace(found, notes=tuple(notes))
    if as_json:
        print(json.dumps(_form(found, engine)))
    else:
        _print(folder, task, found, wish)
    return 0 if found.plan.status is PlanStatus.FOUND else 1


def _improved(
    planner: ImprovingPlanner,
    problem: Problem,
    found: PlanFound,
    wish: PlanRequest,
    seconds: float,
    began: float,
    as_json: bool,
) -> PlanFound:
    """Return the best plan found in the time; Ctrl+C keeps the best so far."""
    console = PlainConsole(stderr=as_json)

    def announce(plan: Plan) -> None:
        print_line(console, f"{problem.name}: a plan of {plan.size}; looking for a {wish.better} one", "dim")

    soon = Timer(PATIENCE, announce, (found.plan,))  # most proofs are there before anybody could read it
    soon.start()
    try:
        for plan, best in planner.improve(problem, found.plan, seconds, Cancel()):
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
        form["plans"] = [_found_form(each, took) for each, took in found.history]
    if plan.cost is not None:
        form["cost"] = plan.cost
    return {**form, "notes": list(found.notes)} if found.notes else form


def _found_form(plan: Plan, seconds: float) -> dict[str, object]:
    form: dict[str, object] = {"length": len(plan.steps), "seconds": round(seconds, 4)}
    return form if plan.cost is None else form | {"cost": plan.cost}


def _print(folder: DomainSpec, task: Task, found: PlanFound, wish: PlanRequest) -> None:
    console = PlainConsole()
    plan = found.plan
    if plan.status is not PlanStatus.FOUND:
        print_line(console, f"{task.name}: {plan.status.value}. {in_words(folder, plan.reason)}")
        return
    words = [plan.size, *([f"the {wish.best}"] if found.best else [])]
    print_line(console, f"{task.name}: {', '.join((*words, plan.engine))}, {found.seconds:.2f} s", "bold")
    rows = [(f"{number:3}  {folder.describe_step(step)}", step) for number, step in enumerate(plan.steps, 1)]
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
