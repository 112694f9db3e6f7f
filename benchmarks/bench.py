"""Measure the verb `bench`: episodes per second with one worker and with two.

The target is a ratio of 1.7 on two free cores. Wall times mean nothing while others use the machine: then
compare the processor times. What the machine itself gives is measured as well, by two separate runs of one
worker at the same time, each with half of the trials.
"""

from __future__ import annotations

import os
import resource
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.shared.harness import ROOT, TASKS, load, sized

METHODS = ("dkprompt", "eff-only", "suc-qa", "classical")[: sized(4, 1)]
WAYS = {"1 worker": (1, 1), "2 workers": (2, 1), "2 separate runs": (1, 2)}  # workers, runs at a time


@dataclass(frozen=True)
class Measured:
    """One experiment: all times in seconds; `processor` is that of all its processes."""

    wall: float
    processor: float
    playing: float  # the trials' own time, summed over the workers
    planning: float
    rows: bytes


def measure(workers: int, runs: int, seeds: int) -> Measured:
    each, playing, planning, rows = seeds // runs, 0.0, 0.0, b""
    with TemporaryDirectory() as folder:
        design = [f"--methods={','.join(METHODS)}", f"--tasks={','.join(TASKS)}", f"--trials={each}"]
        began, before, children = time.perf_counter(), processor(), []
        for n in range(runs):
            files = [f"--first-seed={n * each}", f"--database={n}.db", f"--json={n}.json"]
            command = [sys.executable, ROOT / "main.py", "bench", f"--workers={workers}", *design, *files]
            nil = subprocess.DEVNULL
            children.append(subprocess.Popen(command, cwd=folder, stdout=nil, stderr=nil))
        assert {child.wait() for child in children} == {0}
        wall, used = time.perf_counter() - began, processor() - before
        for n in range(runs):
            with closing(sqlite3.connect(Path(folder, f"{n}.db"))) as db:
                sums = db.execute("select sum(seconds), sum(planning_seconds) from trial").fetchone()
            playing, planning = playing + sums[0], planning + sums[1]
            rows += Path(folder, f"{n}.json").read_bytes()
    return Measured(wall, used, playing, planning, rows)


def processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def workers(trials: int = sized(26, 2), rounds: int = sized(2, 1)) -> None:
    """Run so many seeds a cell, of 20 cells; the fastest round counts."""
    seeds = trials // 2 * 2
    count = seeds * len(METHODS) * len(TASKS)
    print(f"{count} episodes; {load()} before, on {os.cpu_count()} cores")
    best: dict[str, Measured] = {}
    for _ in range(rounds):
        for name, (workers, runs) in list(WAYS.items())[: sized(3, 1)]:
            found = measure(workers, runs, seeds)
            best[name] = min(best.get(name, found), found, key=lambda m: m.wall)
    one = best["1 worker"]
    assert best.get("2 workers", one).rows == one.rows, "the table depends on the number of workers"
    for name, m in best.items():
        idle = 1 - m.playing / (WAYS[name][0] * WAYS[name][1] * m.wall)
        print(
            f"{name:15} {count / m.wall:.1f} episodes a second, {one.wall / m.wall:.2f} times as many as 1 "
            f"worker (target 1.7); processor {m.processor:.1f} s, {m.processor / one.processor:.2f} of its; "
            f"planning {100 * m.planning / m.playing:.0f} % of the trials; workers idle {100 * idle:.0f} %"
        )
    print(f"{load()} after")


PARTS = (workers,)
