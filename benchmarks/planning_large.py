"""Plan for large classic problems with the command `plan`, and with Fast Downward alone on the same files.

Run: python benchmarks/planning_large.py [NAME ...]    (the extra fast-downward; about 5 minutes)

Seconds are by the clock, in brackets of processor time, all processes together. Fast Downward alone: its own
driver, lazy greedy search with hFF. "-" is no answer in 30 s. Exits with 1 if `plan` broke, or had no answer
where Fast Downward has one.
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

sys.path.insert(0, str(ROOT))

from core.planning.pddl.reader import read_domain, read_problem
from core.planning.pddl.writer import write_domain, write_problem

SECONDS = 30
OPTIMAL = ("8-puzzle", "gripper 40", "hanoi 9", "network 4 x 4, 3 things")
SEARCH = "let(h, ff(), lazy_greedy([h], preferred=[h]))"


@dataclass(frozen=True)
class Run:
    output: str
    status: int | None  # None: killed
    seconds: float
    processor: float

    @property
    def cost(self) -> str:
        return f"{self.seconds:.1f} ({self.processor:.1f})"


def main(chosen: list[str]) -> int:
    print("| problem | first plan | s | 5 s later | s | Fast Downward alone | s | `--optimal` | s |")
    print("|---|---|---|---|---|---|---|---|---|")
    failed = []
    for name in chosen or PROBLEMS:
        domain, problem = PROBLEMS[name]
        with TemporaryDirectory() as folder:
            file = Path(folder, "problem.pddl")
            file.write_text(problem)
            ours, run = planned(domain, file)
            alone = fast_downward(domain, file)
            best, proof = planned(domain, file, "--optimal") if name in OPTIMAL else ({}, None)
        found = re.findall(r"Plan length: (\d+)", alone.output)
        if run.status not in (0, 1) or (found and ours.get("status") != "found"):
            failed.append(name)
            print(f"{name}: exit {run.status}, {run.output[-300:]}", file=sys.stderr)
        first = f"{ours['first_seconds']:.1f}" if "first_seconds" in ours else None
        cells = [ours.get("first_length"), first, length(ours), run.cost]
        cells += [found[-1] if found else None, alone.cost, length(best), proof and proof.cost]
        print(f"| {name} | {' | '.join('-' if c is None else str(c) for c in cells)} |", flush=True)
    print(f"\nFailed: {', '.join(failed) or 'none'}")
    return bool(failed)


def length(found: dict[str, object]) -> str | None:
    """Return the plan's length, "=" before it if none is shorter."""
    return f"{'= ' * bool(found['optimal'])}{found['length']}" if found.get("length") else None


def planned(domain: Path, problem: Path, *more: str) -> tuple[dict[str, object], Run]:
    """Return what `plan --json` says, {} if nothing."""
    files = ["--domain-file", str(domain), "--problem-file", str(problem)]
    command = [sys.executable, "main.py", "plan", *files, "--json", "--seconds", str(SECONDS), *more]
    run = timed(command, SECONDS + 20)
    line = run.output.strip().rpartition("\n")[2]
    return json.loads(line) if line.startswith("{") else {}, run


def fast_downward(domain: Path, problem: Path) -> Run:
    package = find_spec("up_fast_downward")
    assert package and package.submodule_search_locations, "needs the extra fast-downward"
    driver = Path(package.submodule_search_locations[0], "downward", "fast-downward.py")
    known, folder = read_domain(domain), problem.parent
    (folder / "d.pddl").write_text(write_domain(known))  # its translator wants the sections in order
    (folder / "p.pddl").write_text(write_problem(read_problem(problem, known)))
    command = [sys.executable, str(driver), "--overall-time-limit", f"{SECONDS}s", "--plan-file", "plan"]
    return timed([*command, "d.pddl", "p.pddl", "--search", SEARCH], SECONDS + 20, folder)


def timed(command: list[str], limit: float, folder: Path = ROOT) -> Run:
    """Run a command in a process group of its own, killed after `limit` seconds."""
    before, began = processor(), time.perf_counter()
    child = subprocess.Popen(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        output, status = child.communicate(timeout=limit)[0], child.returncode
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        output, status = child.communicate()[0], None
    return Run(output, status, time.perf_counter() - began, processor() - before)


def processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
