"""The verbs `tasks` and `plan`."""

from __future__ import annotations

import json
import time

from rich.console import Console
from rich.table import Table

from app.words import count
from core.cancel import Cancel
from core.domains import Folder, Task
from core.errors import BadFile, BadValue, UnknownName
from core.problem import Plan, PlanStatus


def find_task(
    task: str, domain: str = "", domain_file: str = "", problem_file: str = "", variant: str = ""
) -> tuple[Folder, Task]:
    """A shipped task, one of a domain folder's, or that of a pair of PDDL files. Raises ConsoleError.

    With a folder, `task` may be "": then its first.
    """
    from core.planning import shelf

    if domain_file or problem_file:
        if not (domain_file and problem_file):
            raise BadValue("A problem needs its domain: give both --domain-file and --problem-file.")
        folder = shelf.pair(domain_file, problem_file)
        return folder, next(iter(folder.tasks.values()))
    if not domain:
        return shelf.task(task, variant or None)
    folder = shelf.folder(domain, variant or None)
    if not folder.tasks:
        raise BadFile(folder.path, "the domain has no task", way_out="Put a problem into its folder tasks/")
    name = task or next(iter(folder.tasks))
    if name not in folder.tasks:
        raise UnknownName("task", name, folder.tasks)
    return folder, folder.tasks[name]


def list_tasks(as_json: bool, domain: str = "") -> None:
    from core.planning import shelf

    tasks = tuple(shelf.folder(domain).tasks.values()) if domain else shelf.tasks()
    if as_json:
        print(json.dumps([_task_form(task) for task in tasks]))
        return
    table = Table(box=None, header_style="dim")
    for column in ("task", "domain", "steps", "what to do"):
        table.add_column(column)
    for t in tasks:
        table.add_row(t.name, t.domain, str(t.plan_length or ""), t.description)
    Console().print(table)


def _task_form(task: Task) -> dict[str, object]:
    return {
        "name": task.name,
        "domain": task.domain,
        "description": task.description,
        "plan_length": task.plan_length,
    }


def show_plan(folder: Folder, task: Task, engine: str, as_json: bool) -> int:
    """Print the plan. Returns 0 when one was found, else 1."""
    from core.planning.planner import make_planner

    began = time.perf_counter()
    plan = make_planner(engine).plan(task.problem, Cancel())
    seconds = time.perf_counter() - began
    if as_json:
        print(json.dumps(_form(plan, seconds, engine)))
    else:
        _print(folder, task, plan, seconds)
    return 0 if plan.status is PlanStatus.FOUND else 1


def _form(plan: Plan, seconds: float, engine: str) -> dict[str, object]:
    return {
        "status": plan.status.value,
        "length": len(plan.steps) if plan.status is PlanStatus.FOUND else None,
        "steps": [str(step) for step in plan.steps],
        "seconds": round(seconds, 4),
        "engine": plan.engine or engine,
    }


def _print(folder: Folder, task: Task, plan: Plan, seconds: float) -> None:
    console = Console(highlight=False)
    if plan.status is not PlanStatus.FOUND:
        console.print(f"{task.name}: {plan.status.value}. {plan.why}")
        return
    steps = count(len(plan.steps), "step")
    console.print(f"{task.name}: {steps}, {plan.engine}, {seconds:.2f} s", style="bold")
    for number, step in enumerate(plan.steps, 1):
        console.print(f"{number:3}  {folder.say(step):32} [dim]{step}[/dim]")
