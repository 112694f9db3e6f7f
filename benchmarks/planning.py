"""Measure planning: replanning against a full Fast Downward call, and the growth with the number of objects.

Run: python benchmarks/planning.py

Ratios within one run are comparable; milliseconds depend on the machine. Needs the extra `fast-downward`.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.sizes import TASKS, sized
from core.cancel import Cancel
from core.errors import Cancelled
from core.planning import domain_library, semantics
from core.planning.engines.engine import SearchLimits
from core.planning.engines.pyperplan import Pyperplan
from core.planning.engines.registry import make_engine
from core.planning.grounded_task import ground_task
from core.planning.pddl.writer import write_domain, write_problem
from core.planning.planner import make_planner
from core.planning.planner_process import PlannerProcess
from core.planning_model import PlanStatus, Problem
from core.ports import Planner
from tests.core.planning.shared import crowded, latency
from tests.core.planning.test_process import endless

REPEATS = sized(5, 1)
LET_GO = ("pyperplan", "fast-downward")
SIZES = (10, 20, 40, 80, 160)[: sized(5, 1)]


def main() -> None:
    for variant in ("repaired", "printed"):
        replanning(variant)
    growing()
    following()
    abandoned_calls()


def timed(work: Callable[[], object]) -> float:
    """Return the milliseconds that `work` takes."""
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


# --- at the paper's size ----------------------------------------------------------------------------


def replanning(variant: str) -> None:
    """Replan from every state on the way of every task, with only the state changed."""
    print(f"\nReplanning at the paper's size, {variant}: median ms (worst)\n")
    print("| task | A*, hFF | Fast Downward on our grounding | full Fast Downward call | ratio |")
    print("|---|---|---|---|---|")
    every: list[float] = []
    full: list[float] = []
    for name in TASKS:
        problem = domain_library.load_task(name, variant)[1].problem
        ours, theirs = (searches(problem, engine) for engine in ("pyperplan", "fast-downward"))
        called = [timed(lambda p=problem: full_call(p)) for _ in range(REPEATS)]
        every += ours
        full += called
        ratio = statistics.median(ours) / statistics.median(called)
        print(f"| {name} | {report(ours)} | {report(theirs)} | {report(called)} | 1/{1 / ratio:.0f} |")
    ratio = statistics.median(every) / statistics.median(full)
    verdict = "within" if ratio <= 0.1 else "ABOVE"
    print(f"\nmedian of all replans / median of all full calls = 1/{1 / ratio:.0f}, {verdict} 1/10")


def searches(problem: Problem, engine: str) -> list[float]:
    """Search with a fresh cache but the same grounding, as a replan after an unexpected answer does."""
    planner = make_planner(engine)
    states = [problem.state]
    for step in planner.plan(problem, Cancel()).steps[:-1]:
        states.append(semantics.apply(problem, states[-1], step))
    spent = []
    for state in states:
        planner._memo.clear()  # type: ignore[attr-defined]
        spent.append(timed(lambda s=state: planner.plan(replace(problem, state=s), Cancel())))
    return spent


def full_call(problem: Problem, seconds: int = 60) -> bool:
    """Run translator and search as the package's own driver does."""
    package = find_spec("up_fast_downward")
    assert package and package.submodule_search_locations, "needs the extra fast-downward"
    driver = Path(package.submodule_search_locations[0], "downward", "fast-downward.py")
    search = "astar(hmax())" if len(problem.objects) <= 20 else "let(h,ff(),eager_greedy([h],preferred=[h]))"
    with TemporaryDirectory() as folder:
        domain, task = Path(folder, "domain.pddl"), Path(folder, "problem.pddl")
        domain.write_text(write_domain(problem.domain))
        task.write_text(write_problem(problem))
        command = [sys.executable, str(driver), "--overall-time-limit", f"{seconds}s"]  # its children too
        command += [str(domain), str(task), "--search", search]
        return subprocess.run(command, cwd=folder, capture_output=True).returncode == 0


def report(spent: list[float]) -> str:
    return f"{statistics.median(spent):.1f} ({max(spent):.0f})"


# --- with more objects ------------------------------------------------------------------------------


def growing() -> None:
    print("\nboil_water in a crowd: ms\n")
    print("| objects | " + " | ".join(map(str, SIZES)) + " |")
    print("|---|" + "---|" * len(SIZES))
    rows: dict[str, list[str]] = {}
    for size in SIZES:
        problem = crowded(size)
        for what, cost in costs(problem).items():
            rows.setdefault(what, []).append(cost)
    for what, costs_ in rows.items():
        print(f"| {what} | " + " | ".join(costs_) + " |", flush=True)


def costs(problem: Problem) -> dict[str, str]:
    table = ground_task(problem, 10**6, Cancel())
    ground = timed(lambda: ground_task(problem, 10**6, Cancel()))
    found: dict[str, str] = {"ground actions": f"{len(table.operators):,}", "grounding": f"{ground:.0f}"}
    for engine in ("pyperplan", "fast-downward"):
        planner = make_planner(engine)
        first = timed(lambda p=planner: solved(p, problem))
        changed = replace(
            problem, state=problem.state - {min(a for a in problem.state if a.predicate == "ontop")}
        )
        again = [timed(lambda p=planner, c=changed: solved(p, c, forget=True)) for _ in range(REPEATS)]
        found[f"{engine}: first plan"] = f"{first:.0f}"
        found[f"{engine}: replan"] = f"{statistics.median(again):.0f}"
    limits = SearchLimits(expansions=10**9, seconds=20)
    whole = Pyperplan().search(table, problem.state, limits, Cancel())
    over = whole.status is PlanStatus.TIMEOUT
    found["pyperplan over all objects at once"] = "> 20,000" if over else f"{whole.seconds * 1000:.0f}"
    call = timed(lambda: full_call(problem))
    found["full Fast Downward call"] = f"{call:.0f}" if call < 60_000 else "> 60,000"
    return found


def solved(planner: Planner, problem: Problem, forget: bool = False) -> None:
    if forget:
        planner._memo.clear()  # type: ignore[attr-defined]
    plan = planner.plan(problem, Cancel())
    assert plan.status is PlanStatus.FOUND, plan


# --- in the loop ------------------------------------------------------------------------------------


def following() -> None:
    problem = domain_library.load_task("boil_water")[1].problem
    planner = make_planner()
    steps = planner.plan(problem, Cancel()).steps
    rounds = sized(500, 5)

    def walk() -> None:
        for _ in range(rounds):
            state = problem.state
            for step in steps:
                assert not semantics.inapplicable_reasons(problem, state, step)
                state = semantics.apply(problem, state, step)

    remembered = timed(lambda: [planner.plan(replace(problem), Cancel()) for _ in range(rounds)])
    print("\nIn the loop, microseconds\n")
    print(f"- applicable and apply, a step: {timed(walk) / rounds / len(steps) * 1000:.1f}")
    print(f"- a plan that is remembered: {remembered / rounds * 1000:.1f}")


# --- a cancel ---------------------------------------------------------------------------------------


def abandoned_calls() -> None:
    """Report the time from a cancel in the middle of a search to the search's end."""
    problem = endless()
    table = ground_task(problem, 10_000, Cancel())
    process = PlannerProcess("pyperplan")
    searches: dict[str, Callable[[Cancel], object]] = {
        name: partial(make_engine(name).search, table, problem.state, SearchLimits(10**9)) for name in LET_GO
    }
    searches["pyperplan in its process"] = partial(process.run, problem, SearchLimits(expansions=10**9))
    print("\nFrom a cancel to the end of the search, ms (goal: under 100)\n")
    for name, search in searches.items():

        def cancelled(cancel: Cancel, search: Callable[[Cancel], object] = search) -> None:
            with suppress(Cancelled):
                search(cancel)

        print(f"- {name}: {report([latency(cancelled) * 1000 for _ in range(REPEATS)])}")


if __name__ == "__main__":
    main()
