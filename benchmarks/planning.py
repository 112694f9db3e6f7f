"""Measure planning: replanning against a full Fast Downward call, the growth with the number of objects, and
large classic problems. Needs the extra `fast-downward`.

Ratios within one run are comparable; milliseconds depend on the machine. The large problems are planned
for with the command `plan`, and with Fast Downward alone (its own driver, alias lama) on the same files, 2
minutes a problem at most. Each cell is ours, then Fast Downward's: seconds to the first plan by the clock, in
brackets of processor time, all processes together, without starting ours; then the steps (the cost, where
there are costs) of the first plan, and of the best after 5 and 30 s. "=": proved best; "-": no answer. Exits
with 1 if `plan` broke, or had no answer where Fast Downward has one.
"""

from __future__ import annotations

import json
import re
import resource
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.large.problems import PROBLEMS
from benchmarks.shared.harness import ROOT, TASKS, load, sized, timed
from core.planners import Planner
from core.planning import domain_library, semantics
from core.planning.compiled import ground_task
from core.planning.engines.engine import SearchLimits
from core.planning.engines.pyperplan import Pyperplan
from core.planning.pddl.reader import read_domain, read_problem
from core.planning.pddl.writer import write_domain, write_problem
from core.planning.planner import make_planner
from core.planning_model import PlanStatus, Problem
from core.stop_token import StopToken
from tests.core.planning.shared import crowded

REPEATS = sized(5, 1)
ENGINES = ("pyperplan", "fast-downward")
SIZES = (10, 20, 40, 80, 160)[: sized(5, 1)]


def driver() -> Path:
    """Return the package's own driver of Fast Downward, which the program never uses."""
    package = find_spec("up_fast_downward")
    assert package and package.submodule_search_locations, "needs the extra fast-downward"
    return Path(package.submodule_search_locations[0], "downward", "fast-downward.py")


def full_call(problem: Problem, seconds: int = 60) -> None:
    """Run translator and search as the package's own driver does."""
    search = "astar(hmax())" if len(problem.objects) <= 20 else "let(h,ff(),eager_greedy([h],preferred=[h]))"
    with TemporaryDirectory() as folder:
        domain, task = Path(folder, "domain.pddl"), Path(folder, "problem.pddl")
        domain.write_text(write_domain(problem.domain))
        task.write_text(write_problem(problem))
        command = [sys.executable, driver(), "--overall-time-limit", f"{seconds}s"]  # its children too
        subprocess.run([*command, domain, task, "--search", search], cwd=folder, capture_output=True)


def row(*cells: object) -> None:
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


def told(spent: list[float]) -> str:
    """Return median and worst in ms."""
    return f"{1000 * median(spent):.1f} ({1000 * max(spent):.0f})"


def replanning() -> None:
    """Replan from every state on the way of every task, with only the state changed."""
    for variant in ("repaired", "printed")[: sized(2, 1)]:
        print(f"\nReplanning at the paper's size, {variant}: median ms (worst)\n")
        row("task", "A*, hFF", "Fast Downward on our grounding", "full Fast Downward call", "ratio")
        row(*["---"] * 5)
        every: list[float] = []
        full: list[float] = []
        for name in TASKS:
            problem = domain_library.load_task(name, variant)[1].problem
            ours, theirs = (searches(problem, engine) for engine in ENGINES)
            called = timed(lambda p=problem: full_call(p), REPEATS)
            every += ours
            full += called
            row(name, told(ours), told(theirs), told(called), f"1/{median(called) / median(ours):.0f}")
        ratio = median(full) / median(every)
        verdict = "within" if ratio >= 10 else "ABOVE"
        print(f"\nmedian of all replans / median of all full calls = 1/{ratio:.0f}, {verdict} 1/10")


def searches(problem: Problem, engine: str) -> list[float]:
    """Search with a fresh cache but the same grounding, as a replan after an unexpected answer does."""
    planner = make_planner(engine)
    states = [problem.state]
    for step in planner.plan(problem, StopToken()).steps[:-1]:
        states.append(semantics.apply(problem, states[-1], step))
    return [solved(planner, replace(problem, state=state)) for state in states]


def solved(planner: Planner, problem: Problem) -> float:
    """Return the seconds of making a plan again."""
    planner._memo.clear()  # type: ignore[attr-defined]
    plans = []
    (seconds,) = timed(lambda: plans.append(planner.plan(problem, StopToken())))
    assert plans[0].status is PlanStatus.FOUND, plans
    return seconds


# --- with more objects ------------------------------------------------------------------------------


def growing() -> None:
    print("\nboil_water in a crowd: ms\n")
    columns = [costs(crowded(size)) for size in SIZES]
    row("objects", *SIZES)
    row(*["---"] * (len(SIZES) + 1))
    for what in columns[0]:
        row(what, *(column[what] for column in columns))


def costs(problem: Problem) -> dict[str, str]:
    table = ground_task(problem, 10**6, StopToken())
    (ground,) = timed(lambda: ground_task(problem, 10**6, StopToken()))
    found = {"ground actions": f"{len(table.operators):,}", "grounding": f"{1000 * ground:.0f}"}
    changed = replace(
        problem, state=problem.state - {min(a for a in problem.state if a.predicate == "ontop")}
    )
    for engine in ENGINES:
        planner = make_planner(engine)
        found[f"{engine}: first plan"] = f"{1000 * solved(planner, problem):.0f}"
        again = median(solved(planner, changed) for _ in range(REPEATS))
        found[f"{engine}: replan"] = f"{1000 * again:.0f}"
    whole = Pyperplan().search(table, problem.state, SearchLimits(10**9, 20), StopToken())
    over = whole.status is PlanStatus.TIMEOUT
    found["pyperplan over all objects at once"] = "> 20,000" if over else f"{whole.seconds * 1000:.0f}"
    (call,) = timed(lambda: full_call(problem))
    found["full Fast Downward call"] = f"{1000 * call:.0f}" if call < 60 else "> 60,000"
    return found


# --- large classic problems ---------------------------------------------------------------------------

SECONDS = sized(30, 1)
SOON = 5.0


@dataclass(frozen=True)
class Timed:
    """What a command said line by line, with the seconds until then."""

    lines: tuple[tuple[float, str], ...]
    status: int | None  # None: killed
    seconds: float
    processor: float


Quality = list[tuple[float, float]]  # seconds, and the steps or cost of the plan found then


def large(problem: str = "gripper 12" if sized(0, 1) else "") -> None:
    """Plan for those problems whose name contains this."""
    row("problem", "first plan, s", "first", "after 5 s", "after 30 s")
    row(*["---"] * 5)
    failed, costs = [], [0.0, 0.0]
    for name, (domain, text) in PROBLEMS.items():
        if problem not in name:
            continue
        with TemporaryDirectory() as folder:
            file = Path(folder, "problem.pddl")
            file.write_text(text)
            priced = "total-cost" in text
            seconds, processor = first_plan(domain, file)
            alone_first = fast_downward(domain, file, "lama-first")
            ours, proved, run = planned(domain, file, priced)
            alone = quality(fast_downward(domain, file, "lama"), priced)
        if run.status not in (0, 1) or (alone and not ours):
            failed.append(name)
            print(f"{name}: exit {run.status}, {run.lines[-3:]}", file=sys.stderr)
        costs = [costs[0] + processor, costs[1] + alone_first.processor]
        times = f"{seconds:.1f} ({processor:.1f}); {alone_first.seconds:.1f} ({alone_first.processor:.1f})"
        cells = [times, *(f"{best(ours, t)}; {best(alone, t)}" for t in (0.0, SOON))]
        row(name, *cells, f"{'= ' * proved}{best(ours, SECONDS)}; {best(alone, SECONDS)}")
    print(f"\nFirst plans, processor time of ours to Fast Downward's: {costs[0] / costs[1]:.1f}; {load()}")
    if failed:
        sys.exit(f"Failed: {', '.join(failed)}")


def best(found: Quality, seconds: float) -> str:
    """Return the best value until then; with 0, the first."""
    values = [value for at, value in found if at <= seconds] if seconds else [value for _, value in found[:1]]
    return f"{min(values):g}" if values else "-"


def first_plan(domain: Path, problem: Path) -> tuple[float, float]:
    """Return the seconds to our first plan, by the clock and of processor time."""
    task = read_problem(problem, read_domain(domain))
    before, began = processor(), time.perf_counter()
    limits = SearchLimits(20_000, SECONDS, improving_seconds=0)
    planner = make_planner(limits=limits)
    planner.plan(task, StopToken())
    seconds = time.perf_counter() - began
    planner.close()  # so that its processes are counted
    return seconds, processor() - before


def planned(domain: Path, problem: Path, priced: bool) -> tuple[Quality, bool, Timed]:
    """Return the plans of `plan --optimal`, and whether the last one was proved best."""
    command = [sys.executable, "main.py", "plan", f"--domain-file={domain}", f"--problem-file={problem}"]
    command += ["--json", "--optimal", "--seconds", str(SECONDS), *(["--costs"] if priced else [])]
    run = listened(command, ROOT)
    said = next((line for _, line in reversed(run.lines) if line.startswith("{")), "{}")
    found = json.loads(said)
    key = "cost" if priced else "length"
    return [(p["seconds"], p[key]) for p in found.get("plans", ())], found.get("optimal", False), run


def fast_downward(domain: Path, problem: Path, alias: str) -> Timed:
    known, folder = read_domain(domain), problem.parent
    (folder / "d.pddl").write_text(write_domain(known))  # its translator wants the sections in order
    (folder / "p.pddl").write_text(write_problem(read_problem(problem, known)))
    command = [sys.executable, str(driver()), "--overall-time-limit", f"{SECONDS}s", "--plan-file", "plan"]
    return listened([*command, "--alias", alias, "d.pddl", "p.pddl"], folder)


def quality(run: Timed, priced: bool) -> Quality:
    word = "Plan cost: " if priced else "Plan length: "
    found = ((at, re.search(word + r"(\d+)", line)) for at, line in run.lines)
    return [(at, float(match[1])) for at, match in found if match]


def listened(command: list[str], folder: Path) -> Timed:
    """Run a command in a process group of its own, killed 20 s after its time."""
    before, began, lines = processor(), time.perf_counter(), []
    with subprocess.Popen(
        ["timeout", "--signal", "KILL", str(SECONDS + 20), *command],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
    ) as child:  # fmt: skip
        assert child.stdout
        for line in child.stdout:
            lines.append((time.perf_counter() - began, line.rstrip()))
    status = None if child.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL) else child.returncode
    return Timed(tuple(lines), status, time.perf_counter() - began, processor() - before)


def processor() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


PARTS = (replanning, growing, large)
