"""Measure the kitchen: scene load, and skills at pace 0."""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from contextlib import closing
from statistics import median
from time import perf_counter

from benchmarks.shared.harness import TASKS, report, sized
from core.loop.permit_issuer import PermitIssuer
from core.planning import domain_library
from core.planning.planner import make_planner
from core.stop_token import StopToken
from robots.registry import make_robot

LOAD = """
from time import perf_counter, process_time
start = perf_counter()
from core.stop_token import StopToken
from core.planning import domain_library
from robots.registry import make_robot
domain_spec, task = domain_library.load_task("boil_water")
read = perf_counter()
robot = make_robot("kitchen", domain_spec=domain_spec, task=task, seed=0, openness=0)
made = perf_counter()
robot.look(StopToken())
print(read - start, made - read, perf_counter() - made)
robot.close()
begun = process_time()
make_robot("kitchen", domain_spec=domain_spec, task=task, seed=1, openness=0).close()
print(process_time() - begun)
"""


def load() -> None:
    """Measure in fresh processes, including imports."""
    runs = []
    for _ in range(3):
        run = subprocess.run([sys.executable, "-c", LOAD], capture_output=True, text=True, check=True)
        runs.append([float(x) for x in run.stdout.split()])
    read, made, still, again = (median(part) for part in zip(*runs, strict=True))
    print(f"task read {read:.2f} s, scene load {made:.2f} s (limit 1.5), first still {still:.2f} s more")
    print(f"another kitchen in the same process: {again:.2f} s of processor time")


def skills() -> None:
    """Run the skills at pace 0, with situations at openness 1; no picture is drawn."""
    taken: dict[str, list[float]] = defaultdict(list)
    for name in TASKS:
        spec, task = domain_library.load_task(name)
        steps = make_planner().plan(task.problem, StopToken()).steps
        given = {"domain_spec": spec, "task": task, "openness": 1.0, "pace": 0.0}
        for seed in range(sized(6, 1)):
            with closing(make_robot("kitchen", seed=seed, **given)) as robot:
                issuer = PermitIssuer(robot.permits, robot.embodiment)
                for step in steps:
                    began = perf_counter()
                    robot.do(step, issuer.restore(step), StopToken())
                    taken[spec.skills[step.name].skill].append(perf_counter() - began)
    for skill, times in sorted(taken.items()):
        report(skill, times)


PARTS = (load, skills)
