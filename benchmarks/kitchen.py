"""Measure the kitchen: scene load, live view beside a running loop, skills at pace 0."""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing, contextmanager
from statistics import median
from threading import Event, Thread
from time import perf_counter, sleep

from benchmarks.shared.harness import TASKS, report, sized, timed
from core.loop.permit_issuer import PermitIssuer
from core.planning import domain_library
from core.planning.planner import make_planner
from core.planning_model import Step
from core.ports import Frame
from core.stop_token import StopToken
from robots.kitchen.robot import KitchenRobot
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


@contextmanager
def robot_for(name: str, seed: int = 0, pace: float = 0.0, openness: float = 0.0) -> Iterator[KitchenRobot]:
    domain_spec, task = domain_library.load_task(name)
    with closing(
        make_robot("kitchen", domain_spec=domain_spec, task=task, seed=seed, openness=openness, pace=pace)
    ) as robot:
        assert isinstance(robot, KitchenRobot)
        yield robot


def doing(robot: KitchenRobot, task: str) -> Iterator[tuple[Step, float]]:
    """Do what is planned for the task, and yield each step with its seconds."""
    issuer = PermitIssuer(robot.permits, robot.embodiment)
    for step in make_planner().plan(domain_library.load_task(task)[1].problem, StopToken()).steps:
        yield step, timed(lambda step=step: robot.do(step, issuer.restore(step), StopToken()))[0]


def load() -> None:
    """Measure in fresh processes, including imports."""
    runs = []
    for _ in range(3):
        run = subprocess.run([sys.executable, "-c", LOAD], capture_output=True, text=True, check=True)
        runs.append([float(x) for x in run.stdout.split()])
    read, made, still, again = (median(part) for part in zip(*runs, strict=True))
    print(f"task read {read:.2f} s, scene load {made:.2f} s (limit 1.5), first still {still:.2f} s more")
    print(f"another kitchen in the same process: {again:.2f} s of processor time")


def live() -> None:
    """Watch a whole task at pace 1, with a still after each step."""
    alone, _ = episode_at_pace(())
    for views in (("eye",), ("eye", "room")):
        took, rate = episode_at_pace(views)
        print(f"live {' and '.join(views)} at pace 1: {rate} frames a second while it moves (asked for: 15)")
        print(f"the episode beside it takes {took / alone:.2f} times as long")


def episode_at_pace(views: tuple[str, ...]) -> tuple[float, str]:
    """Run an episode. Return its seconds, and the new frames of each view per second of motion."""
    with robot_for("boil_water", pace=1.0) as robot:
        done, new, moving = Event(), dict.fromkeys(views, 0), 0.0
        robot.look(StopToken())

        def watch() -> None:
            last: dict[str, Frame | None] = {}
            while not done.is_set():
                for view in views:
                    frame = robot.live(view)
                    new[view] += frame is not last.get(view)
                    last[view] = frame
                sleep(0.005)

        thread = Thread(target=watch)
        thread.start()
        start = perf_counter()
        for _, seconds in doing(robot, "boil_water"):
            moving += seconds
            robot.look(StopToken())
        took = perf_counter() - start
        done.set()
        thread.join()
    return took, " and ".join(f"{count / moving:.1f}" for count in new.values())


def skills() -> None:
    """Run the skills at pace 0, with situations at openness 1; no picture is drawn."""
    taken: dict[str, list[float]] = defaultdict(list)
    for name in TASKS:
        names = domain_library.load_task(name)[0].skills
        for seed in range(sized(6, 1)):
            with robot_for(name, seed, openness=1.0) as robot:
                for step, seconds in doing(robot, name):
                    taken[names[step.name].skill].append(seconds)
    for skill, times in sorted(taken.items()):
        report(skill, times)


PARTS = (load, live, skills)
