"""Measure the verb `bench`: episodes per second with one worker and with two, and where the time goes.

Run: `make bench`, or `PYTHONPATH=. .venv/bin/python benchmarks/bench.py`; `--help` lists the options.

The target is a ratio of 1.7 on two free cores. Wall times mean nothing while others use the machine: then
compare the processor times. What the machine itself gives is measured as well, by two separate runs of one
worker at the same time, each with half of the trials.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.sizes import TASKS, sized
from core.evaluation.outcome import run_trial
from core.evaluation.trial import Design
from main import make_components

ROOT = Path(__file__).resolve().parents[1]
METHODS = ("dkprompt", "eff-only", "suc-qa", "classical")[: sized(4, 1)]


@dataclass(frozen=True)
class Measured:
    """One experiment: all times in seconds; `processor` is that of all its processes."""

    wall: float
    processor: float
    playing: float  # the trials' own time, summed over the workers
    planning: float
    rows: bytes


def start(folder: Path, name: str, workers: int, first: int, seeds: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, str(ROOT / "main.py"), "bench", "--methods", ",".join(METHODS)]
    command += ["--tasks", ",".join(TASKS), "--trials", str(seeds), "--first-seed", str(first)]
    command += ["--workers", str(workers), "--database", str(folder / f"{name}.db")]
    command += ["--json", str(folder / f"{name}.json")]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)


def measure(folder: Path, name: str, workers: int, seeds: int) -> Measured:
    began = time.perf_counter()
    with start(folder, name, workers, 0, seeds) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - began
    assert process.returncode == 0
    with closing(sqlite3.connect(folder / f"{name}.db")) as db:
        playing, planning = db.execute("select sum(seconds), sum(planning_seconds) from trial").fetchone()
    rows = (folder / f"{name}.json").read_bytes()
    return Measured(wall, used.ru_utime + used.ru_stime, playing, planning, rows)


def side_by_side(folder: Path, seeds: int) -> float:
    """Return the wall time of two separate runs with one worker each, at the same time."""
    began, half = time.perf_counter(), seeds // 2
    runs = [start(folder, f"half{n}", 1, n * half, half) for n in (0, 1)]
    assert [run.wait() for run in runs] == [0, 0]
    return time.perf_counter() - began


def tell(name: str, runs: list[Measured], workers: int, count: int) -> Measured:
    best = min(runs, key=lambda m: m.wall)
    idle = 1 - best.playing / (workers * best.wall)
    print(
        f"{name:10} {count / best.wall:6.1f} episodes a second, {best.wall:5.1f} s; processor "
        f"{median(m.processor for m in runs):5.1f} s; planning {100 * best.planning / best.playing:.0f} % of "
        f"the trials; {100 * idle:.0f} % of the workers' time without a trial (start, end, waiting)"
    )
    return best


def profile(seeds: int) -> None:
    """Print where one process spends the processor time of the trials, without start-up."""
    trials = tuple(Design(METHODS, TASKS, ("paper-gpt4",), trials=seeds).all_trials())
    watch = cProfile.Profile(time.process_time)
    run_trial(make_components, trials[0].settings)  # what is imported late
    planners: dict[object, object] = {}
    watch.enable()
    for trial in trials:
        run_trial(make_components, trial.settings, None, planners)  # type: ignore[arg-type]
    watch.disable()
    pstats.Stats(watch).sort_stats("cumulative").print_stats(r"core|robots|app|main", 30)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=sized(26, 2), help="seeds a cell; there are 20 cells")
    parser.add_argument("--rounds", type=int, default=sized(2, 1), help="the fastest counts")
    parser.add_argument("--profile", action="store_true", help="also by function, in one process")
    given = parser.parse_args()
    seeds, count = given.trials // 2 * 2, given.trials // 2 * 2 * len(METHODS) * len(TASKS)
    print(f"{count} episodes; load {os.getloadavg()[0]:.1f} before, on {os.cpu_count()} cores")
    ones, twos, apart = [], [], []
    for _ in range(given.rounds):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            ones.append(measure(folder, "one", 1, seeds))
            twos.append(measure(folder, "two", 2, seeds))
            apart.append(side_by_side(folder, seeds))
        assert ones[-1].rows == twos[-1].rows, "the table depends on the number of workers"
    one, two = tell("1 worker", ones, 1, count), tell("2 workers", twos, 2, count)
    print(f"2 workers bring {one.wall / two.wall:.2f} times as much as 1 (target 1.7; the same table)")
    print(f"two separate runs bring {one.wall / min(apart):.2f} times as much")
    cost = min(m.processor for m in twos) / min(m.processor for m in ones)
    print(f"processor time of 2 workers: {cost:.2f} of that of 1; load {os.getloadavg()[0]:.1f} after")
    if given.profile:
        profile(max(2, seeds // 4))
