"""Our reading, grounding and searching against Fast Downward's own, on random problems with every feature."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from core.planning import semantics
from core.planning.compiled import plan_cost
from core.planning.engines import downward
from core.planning.pddl.reader import parse_domain, parse_problem
from core.planning.pddl.writer import write_domain, write_problem
from core.planning.planner import make_planner
from core.planning.search import PlanSearch
from core.planning_model import PlanStatus, Problem
from core.stop_token import StopToken
from tests.core.planning.generated import Writer
from tests.core.planning.shared import needs_fast_downward, without_fast_downward
from tests.core.planning.walks import random_walk

SEEDS = range(4)
MANY = (*range(4, 30), *range(1_000, 1_600))


def theirs(domain: str, problem: str, folder: Path, costs: bool) -> float | None:
    """The length, or cost, of their best plan for a text that we have not touched; None: there is none."""
    files = [folder / "domain.pddl", folder / "problem.pddl"]
    files[0].write_text(domain.replace("(either cup place)", "object"))  # it does not read predicates' types
    files[1].write_text(problem if costs else problem.replace("(:metric minimize (total-cost))", ""))
    sas = folder / "sas"
    command = [sys.executable, "-m", "fast_downward.translate", *map(str, files), "--sas-file", str(sas)]
    environment = {**os.environ, "PYTHONPATH": str(downward.binary_folder())}
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True)
    assert done.returncode in (0, 10), done.stdout + done.stderr
    if done.returncode == 10:
        return None
    search = [str(downward.binary_folder() / "downward"), "--search", "astar(blind())"]
    with sas.open() as stdin:
        done = subprocess.run(search, stdin=stdin, cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode in (0, 11), done.stdout
    if done.returncode == 11:
        return None
    said = "Plan cost: " if costs else "Plan length: "
    return float(done.stdout.partition(said)[2].split()[0])


def drawn(seed: int) -> tuple[Writer, str, str]:
    """A domain, and a problem whose goal holds at the end of a random walk and not before, if any does."""
    writer = Writer(seed)
    domain = writer.domain()
    known = parse_domain(domain)
    start = parse_problem(writer.problem("()"), known)
    end = start.state
    for step in random_walk(start, 8, seed):
        end = semantics.apply(start, end, step)
    wanted: list[str] = []
    for _ in range(60):
        goal = writer.condition({}, writer.draw.randint(0, 3))
        found = parse_problem(writer.problem(goal), known)
        if semantics.goal_holds(found, end) and not semantics.goal_holds(found, start.state):
            wanted.append(goal)
    goal = f"(and {' '.join(wanted[:3])})" if wanted else writer.condition({}, 2)
    return writer, domain, writer.problem(goal)


def agrees(seed: int, folder: Path) -> None:
    writer, domain, problem = drawn(seed)
    read = parse_problem(problem, parse_domain(domain))
    again = parse_problem(write_problem(read), parse_domain(write_domain(read.domain)))
    assert again == read
    least = theirs(domain, problem, folder, costs=False)
    short = replace(read, metric="")
    for engine in ("pyperplan", "fast-downward"):
        plan = make_planner(engine).plan(short, StopToken())
        assert plan.status is (PlanStatus.IMPOSSIBLE if least is None else PlanStatus.FOUND), engine
        assert semantics.plan_faults(read, plan) == () or least is None
        if least is not None:
            assert len(plan.steps) >= least
            steps, proven = list(PlanSearch(engine).improve(short, plan, 20, StopToken()))[-1]
            assert proven and len(steps) == least and semantics.plan_faults(read, steps) == ()
    if least is not None:
        steps, proven = list(without_fast_downward().improve(short, plan, 20, StopToken()))[-1]
        assert proven and len(steps) == least
        if writer.costs:
            cheap(read, theirs(domain, problem, folder, costs=True))


def cheap(problem: Problem, least: float | None) -> None:
    for search in (PlanSearch("pyperplan"), PlanSearch("fast-downward"), without_fast_downward()):
        plan = make_planner().plan(problem, StopToken())
        steps, proven = list(search.improve(problem, plan, 20, StopToken()))[-1]
        assert proven and plan_cost(problem, steps) == least and semantics.plan_faults(problem, steps) == ()


@needs_fast_downward
@pytest.mark.parametrize("seed", SEEDS)
def test_that_another_planner_finds_the_same(seed: int, tmp_path: Path) -> None:
    agrees(seed, tmp_path)


@needs_fast_downward
@pytest.mark.long
@pytest.mark.parametrize("seed", MANY)
def test_that_another_planner_finds_the_same_a_long_time(seed: int, tmp_path: Path) -> None:
    agrees(seed, tmp_path)
