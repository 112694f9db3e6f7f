"""Read a domain, plan once and forecast in another process, so that neither window nor robot waits for it.

`probe_domain` and `forecast_in_process` ask for it, from any thread except the GUI thread.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from app.runtime.background_process import Report, run_in_process
from core.config import Settings
from core.domains import DomainSpec, Task
from core.errors import BadValue, ConsoleError, UnknownName
from core.planning_model import PlanStatus, Problem
from core.robots import RobotRegistry
from core.stop_token import StopToken
from core.text.plural import plural
from core.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from core.evaluation.forecast_report import ForecastReport


@dataclass(frozen=True)
class SetupCheck:
    """One line of the checks. `state` is a key of `theme.states.CHECK`."""

    name: str
    state: str
    text: str


@dataclass(frozen=True)
class ProbeResult:
    """What was found in a domain and its task, as text. It has no tasks if the domain could not be read."""

    checks: tuple[SetupCheck, ...] = ()
    about: str = ""  # the domain
    tasks: tuple[str, ...] = ()
    robot: str = ""  # where the domain is at home
    description: str = ""  # of the task
    goal: str = ""
    plan: tuple[str, ...] = ()
    incapable_robots: Mapping[str, str] = field(default_factory=dict)  # robots that cannot do it, and why
    begins: tuple[str, ...] | None = None  # the atoms that hold as the task begins
    doubts: Mapping[str, str] = field(default_factory=dict)  # what will probably go wrong, by robot


def probe_domain(settings: Settings, cancel: StopToken, robots: str = "") -> ProbeResult:
    """Probe the settings' domain and task in another process, which may take seconds.

    `robots` names the table of robots as "module:NAME"; each is asked whether it can do the task. Raises
    Cancelled after the process was killed.
    """
    work, asked = "app.dialogs.setup.domain_probe:_probe", (settings, robots)
    try:
        found: ProbeResult = run_in_process(work, asked, "reading of the domain", cancel)
        return found
    except BadValue as error:
        return ProbeResult((SetupCheck("Task", "fault", str(error)),))


def forecast_in_process(
    settings: Settings, robots: str, logs: Path, cancel: StopToken, report: Report
) -> ForecastReport:
    """Forecast with somebody to be asked. `robots` is as for `probe_domain`; `logs` has what was learnt.

    Raises Cancelled after the process was killed, and BadValue where there is no forecast.
    """
    work = "app.dialogs.setup.domain_probe:forecast_for"
    found: ForecastReport = run_in_process(work, (settings, robots, logs), "forecast", cancel, report)
    return found


# --- the side that reads ---------------------------------------------------------------------------------


def probe_in_process(settings: Settings, robots: str = "") -> ProbeResult:
    """Do what `probe_domain` does, in this process."""
    from core.planning.domain_library import find_task
    from core.planning.runnable import check_runnable

    try:
        try:
            domain_spec, task = find_task(*settings.task_place)
        except UnknownName as error:
            if error.kind != "task" or not settings.domain:
                raise
            domain_spec, task = find_task(*replace(settings, task="").task_place)  # it has others
        check_runnable(task.problem)
        vocabulary = Vocabulary.of(domain_spec, task.problem)
        check, plan = _plan(settings.engine, settings.options_for("engine"), task, vocabulary)
    except ConsoleError as error:
        return ProbeResult((SetupCheck("Task", "fault", str(error)),))
    except (RecursionError, MemoryError) as error:
        reason = f"The domain is too deep or too large to be read ({type(error).__name__})."
        return ProbeResult((SetupCheck("Task", "fault", reason),))
    unfit, doubts = _unfit(resolve_name(robots), domain_spec, task) if robots else ({}, {})
    goal = ", and ".join(vocabulary.describe_literal(g) for g in task.problem.goal)
    about = (domain_spec.description, tuple(domain_spec.tasks), domain_spec.default_robot)
    checks = (check, *_eye(settings, domain_spec, task.problem))
    begins = tuple(sorted(map(str, task.problem.state)))
    return ProbeResult(checks, *about, task.description, goal, plan, unfit, begins, doubts)


def _eye(settings: Settings, domain_spec: DomainSpec, problem: Problem) -> Iterator[SetupCheck]:
    """Yield a line if an eye is chosen that cannot answer all about the task, or errs too often."""
    from core.vqa.eye.coverage import EYE, doubt_of_eyes

    if settings.answerer == EYE:
        robot = settings.robot or domain_spec.default_robot
        asked = domain_spec, problem, robot, settings.method, settings.pictures
        if said := doubt_of_eyes(settings.options_for("answerer").get("folder"), *asked):
            yield SetupCheck("Answerer", "doubt", said)


def _unfit(
    robots: RobotRegistry, domain_spec: DomainSpec, task: Task
) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Return the robots that cannot do the task, each with its first reason and the number of others, and
    what will probably go wrong on which.
    """
    found, doubts = {}, {}
    for entry in robots:
        try:
            reasons, doubted = entry.incompatibilities(domain_spec, task), entry.doubts(domain_spec, task)
        except Exception as error:  # a plug-in's own fault is told of it alone
            fault = f"It cannot say whether it can do the task ({type(error).__name__}: {error})"
            reasons, doubted = (fault,), ()
        more = f", and {plural(len(reasons) - 1, 'more reason')}" if len(reasons) > 1 else ""
        if reasons:
            first = reasons[0][:1].lower() + reasons[0][1:].rstrip(".")
            found[entry.name] = f"Cannot do this task: {first}{more}"
        elif doubted:
            others = f" `check` names {len(doubted) - 1} more." if len(doubted) > 1 else ""
            doubts[entry.name] = doubted[0] + others
    return found, doubts


def _plan(
    engine: str, options: Mapping[str, str], task: Task, vocabulary: Vocabulary
) -> tuple[SetupCheck, tuple[str, ...]]:
    from core.planning.planner import make_planner

    try:
        began = time.perf_counter()
        with closing(make_planner(engine, options=options)) as planner:
            plan = planner.plan(task.problem, StopToken())
    except ConsoleError as error:
        return SetupCheck("Plan", "fault", str(error)), ()
    took = time.perf_counter() - began
    steps = tuple(vocabulary.describe_step(step) for step in plan.steps)
    if plan.status is PlanStatus.FOUND:
        words = f"{task.name.replace('_', ' ')}: {plan.size} planned in {took:.1f} s"
        return SetupCheck("Plan", "ready", words), steps
    reason = plan.reason or "the goal cannot be reached from the start"
    return SetupCheck("Plan", "doubt", f"No plan at the start ({plan.status.value}): {reason}"), steps


def _probe(asked: tuple[Settings, str], report: Report) -> ProbeResult:
    return probe_in_process(*asked)


def forecast_for(asked: tuple[Settings, str, Path], report: Report) -> ForecastReport:
    """Do what `forecast_in_process` asks, in this process. Raises ConsoleError."""
    from app.episode.kept_knowledge import known_before
    from core.evaluation.forecast_report import CLAIM_PRICES, PRICES, make_forecast
    from core.planning.domain_library import find_task

    settings, robots, logs = asked
    domain_spec, task = find_task(*settings.task_place)
    table = resolve_name(robots)
    viewpoints = table[settings.robot or domain_spec.default_robot].viewpoints
    known = known_before(logs, settings, domain_spec, task, table)
    forecast = partial(make_forecast, prices=PRICES, claim_prices=CLAIM_PRICES, known_before=known)
    return forecast(settings, domain_spec, task, viewpoints=viewpoints, report=report)
