"""The kitchen: scene load, stills, live view beside a running loop, skills at pace 0, memory over episodes.

`python benchmarks/kitchen.py [EPISODES]` (default 40; the issue asks for 500: `... 500`).
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from time import perf_counter, sleep

from core.cancel import Cancel
from core.planning import shelf
from core.planning.planner import make_planner
from core.ports import Frame
from robots.choose import make_robot
from robots.kitchen import gl
from robots.kitchen.camera import LIVE, STILL, Camera, Format
from robots.kitchen.robot import KitchenRobot

TASKS = ("boil_water", "bring_in_bottles", "cook_frozen_pie", "halve_egg", "store_firewood")
LOAD = """
from time import perf_counter
start = perf_counter()
from core.cancel import Cancel
from core.planning import shelf
from robots.choose import make_robot
folder, task = shelf.task("boil_water")
read = perf_counter()
robot = make_robot("kitchen", folder=folder, task=task, seed=0, openness=0)
made = perf_counter()
robot.look(Cancel())
print(read - start, made - read, perf_counter() - made)
robot.close()
"""


def robot_for(name: str, seed: int = 0, pace: float = 0.0, openness: float = 0.0) -> KitchenRobot:
    folder, task = shelf.task(name)
    robot = make_robot("kitchen", folder=folder, task=task, seed=seed, openness=openness, pace=pace)
    assert isinstance(robot, KitchenRobot)
    return robot


def load() -> None:
    """In fresh processes, imports and all."""
    runs = []
    for _ in range(3):
        run = subprocess.run([sys.executable, "-c", LOAD], capture_output=True, text=True, check=True)
        runs.append([float(x) for x in run.stdout.split()])
    read, made, still = (statistics.median(part) for part in zip(*runs, strict=True))
    print(f"task read {read:.2f} s, scene load {made:.2f} s (limit 1.5), first still {still:.2f} s more")


def milliseconds(shot: Callable[[], object], times: int = 12) -> float:
    shot()
    taken = []
    for _ in range(times):
        start = perf_counter()
        shot()
        taken.append(1000 * (perf_counter() - start))
    return statistics.median(taken)


def pictures() -> None:
    robot = robot_for("boil_water")
    body = robot._body
    assert body is not None
    robot.do(make_planner().plan(shelf.task("boil_water")[1].problem, Cancel()).steps[0], Cancel())
    formats = (
        ("still 256x256, shadows", STILL, "eye"),
        ("live 640x480, plain, eye", LIVE, "eye"),
        ("live 640x480, plain, room", LIVE, "room"),
        ("640x480, shadows", Format(640, 480, True, 4), "eye"),
    )
    base = 0.0
    for label, size, view in formats:
        camera = Camera(body.built.model, size, view)
        took = milliseconds(lambda camera=camera: camera.colour(body.snapshot))  # type: ignore[misc]
        base = base or took
        print(f"{label}: {took:.0f} ms a picture, {took / base:.2f} of a still; GPU: {camera.on_gpu}")
        if size is STILL:
            print(f"  depth {milliseconds(lambda c=camera: c.depth(body.snapshot)):.0f} ms, ", end="")  # type: ignore[misc]
            print(f"segments {milliseconds(lambda c=camera: c.segments(body.snapshot)):.0f} ms")  # type: ignore[misc]
        camera.close()
    robot.close()


def live() -> None:
    """One view watched while the robot does a whole task at pace 1, and looks after each step."""
    steps = make_planner().plan(shelf.task("boil_water")[1].problem, Cancel()).steps
    lengths = {}
    for watched in (False, True):
        robot, done, new = robot_for("boil_water", pace=1.0), Event(), 0
        robot.look(Cancel())

        def watch(robot: KitchenRobot = robot, done: Event = done) -> None:
            nonlocal new
            last: Frame | None = None
            while not done.is_set():
                frame = robot.live("eye")
                new += frame is not last
                last = frame
                sleep(0.005)

        thread = Thread(target=watch)
        if watched:
            thread.start()
        start, moving = perf_counter(), 0.0
        for step in steps:
            begun = perf_counter()
            robot.do(step, Cancel())
            moving += perf_counter() - begun
            robot.look(Cancel())
        lengths[watched] = perf_counter() - start
        done.set()
        if watched:
            thread.join()
            print(f"live eye at pace 1: {new / moving:.1f} frames a second while it moves (asked for: 15)")
        robot.close()
    print(f"the episode beside the live view takes {lengths[True] / lengths[False]:.2f} times as long")


def skills() -> None:
    """At pace 0, with what goes wrong at openness 1; no picture is drawn."""
    taken: dict[str, list[float]] = defaultdict(list)
    for name in TASKS:
        folder, task = shelf.task(name)
        steps = make_planner().plan(task.problem, Cancel()).steps
        for seed in range(6):
            robot = robot_for(name, seed, openness=1.0)
            for step in steps:
                start = perf_counter()
                robot.do(step, Cancel())
                taken[folder.skills[step.name].skill].append(1000 * (perf_counter() - start))
            robot.close()
    for skill, times in sorted(taken.items()):
        print(f"{skill}: median {statistics.median(times):.0f} ms, worst {max(times):.0f} ms")


def memory(episodes: int) -> None:
    """Kitchens made, looked at and closed in one process."""
    half = 0.0
    for k in range(episodes):
        robot = robot_for(TASKS[k % len(TASKS)], seed=k)
        robot.look(Cancel())
        robot.live("room")
        robot.close()
        if k == episodes // 2:
            half = _resident()
    end = _resident()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{episodes} episodes: {half:.0f} MB at half, {end:.0f} MB at the end, {end / half:.2f} times")
    print(f"  peak {peak:.0f} MB")


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


if __name__ == "__main__":
    if not gl.backend():
        sys.exit(gl.WAY_OUT)
    load(), pictures(), live(), skills()
    memory(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
