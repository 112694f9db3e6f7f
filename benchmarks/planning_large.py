"""Plan for large classic problems with the command `plan`, and with Fast Downward alone on the same files.

Run: python benchmarks/planning_large.py [NAME ...]    (the extra fast-downward; 2 minutes a problem at most)

Fast Downward alone is its own driver with the alias lama. Each cell is ours, then Fast Downward's: seconds
to the first plan by the clock, in brackets of processor time, all processes together, without starting ours;
then the steps (the cost, where there are costs) of the first plan, and of the best after 5 and 30 s. "=":
proved best; "-": no answer. Exits with 1 if `plan` broke, or had no answer where Fast Downward has one.
"""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from large_problems import PROBLEMS, ROOT

from benchmarks.sizes import sized

sys.path.insert(0, str(ROOT))

from core.cancel import Cancel
from core.planning.engines.engine import SearchLimits
from core.planning.pddl.reader import read_domain, read_problem
from core.planning.pddl.writer import write_domain, write_problem
from core.planning.planner import make_planner

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


def main(chosen: list[str]) -> int:
    print("| problem | first plan, s | first | after 5 s | after 30 s |\n|---|---|---|---|---|")
    failed, costs = [], [0.0, 0.0]
    for name in chosen or list(PROBLEMS)[: sized(99, 1)]:
        domain, problem = PROBLEMS[name]
        with TemporaryDirectory() as folder:
            file = Path(folder, "problem.pddl")
            file.write_text(problem)
            priced = "total-cost" in problem
            first = first_plan(domain, file)
            alone_first = fast_downward(domain, file, "lama-first")
            ours, proved, run = planned(domain, file, priced)
            alone = quality(fast_downward(domain, file, "lama"), priced)
        if run.status not in (0, 1) or (alone and not ours):
            failed.append(name)
            print(f"{name}: exit {run.status}, {run.lines[-3:]}", file=sys.stderr)
        costs = [costs[0] + first[1], costs[1] + alone_first.processor]
        times = f"{first[0]:.1f} ({first[1]:.1f}); {alone_first.seconds:.1f} ({alone_first.processor:.1f})"
        cells = [times, *(f"{best(ours, t)}; {best(alone, t)}" for t in (0.0, SOON))]
        cells.append(f"{'= ' * proved}{best(ours, SECONDS)}; {best(alone, SECONDS)}")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    print(f"\nFirst plans, processor time of ours to Fast Downward's: {costs[0] / costs[1]:.1f}")
    print(f"Load: {os.getloadavg()[0]:.0f}. Failed: {', '.join(failed) or 'none'}")
    return bool(failed)


def best(found: Quality, seconds: float) -> str:
    """Return the best value until then; with 0, the first."""
    values = [value for at, value in found if at <= seconds] if seconds else [found[0][1]] if found else []
    return f"{min(values):g}" if values else "-"


def first_plan(domain: Path, problem: Path) -> tuple[float, float]:
    """Return the seconds to our first plan, by the clock and of processor time."""
    task = read_problem(problem, read_domain(domain))
    before, began = processor(), time.perf_counter()
    limits = SearchLimits(20_000, SECONDS, improving_seconds=0)
    planner = make_planner(limits=limits)
    planner.plan(task, Cancel())
    seconds = time.perf_counter() - began
    planner.close()  # so that its processes are counted
    return seconds, processor() - before


def planned(domain: Path, problem: Path, priced: bool) -> tuple[Quality, bool, Timed]:
    """Return the plans of `plan --optimal`, and whether the last one was proved best."""
    command = [
        sys.executable,
        "main.py",
        "plan",
        "--domain-file",
        str(domain),
        "--problem-file",
        str(problem),
    ]
    command += ["--json", "--optimal", "--seconds", str(SECONDS), *(["--costs"] if priced else [])]
    run = timed(command, ROOT)
    said = next((line for _, line in reversed(run.lines) if line.startswith("{")), "{}")
    found = json.loads(said)
    key = "cost" if priced else "length"
    return [(p["seconds"], p[key]) for p in found.get("plans", ())], found.get("optimal", False), run


def fast_downward(domain: Path, problem: Path, alias: str) -> Timed:
    package = find_spec("up_fast_downward")
    assert package and package.submodule_search_locations, "needs the extra fast-downward"
    driver = Path(package.submodule_search_locations[0], "downward", "fast-downward.py")
    known, folder = read_domain(domain), problem.parent
    (folder / "d.pddl").write_text(write_domain(known))  # its translator wants the sections in order
    (folder / "p.pddl").write_text(write_problem(read_problem(problem, known)))
    command = [sys.executable, str(driver), "--overall-time-limit", f"{SECONDS}s", "--plan-file", "plan"]
    return timed([*command, "--alias", alias, "d.pddl", "p.pddl"], folder)


def quality(run: Timed, priced: bool) -> Quality:
    word = "Plan cost: " if priced else "Plan length: "
    found = ((at, re.search(word + r"(\d+)", line)) for at, line in run.lines)
    return [(at, float(match[1])) for at, match in found if match]


def timed(command: list[str], folder: Path) -> Timed:
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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
