"""Measure the kitchen: scene load, stills, live view beside a running loop, skills at pace 0, memory over
episodes.

Run: `make bench`, or `PYTHONPATH=. .venv/bin/python benchmarks/kitchen.py [PART]`. PART is load, pictures,
live, skills, or memory, which takes a number of episodes: `memory 500` (default 40).
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from threading import Event, Thread
from time import perf_counter, sleep
from unittest import mock

import numpy as np
from numpy.typing import NDArray

from benchmarks.sizes import TASKS
from core.cancel import Cancel
from core.config import Settings
from core.loop.episode_loop import run_episode
from core.loop.gate import AutoOperator
from core.loop.permit_issuer import PermitIssuer
from core.planning import domain_library
from core.planning.planner import make_planner
from core.ports import Frame
from main import make_components
from robots.kitchen.rendering import opengl
from robots.kitchen.rendering.live_render_mode import CPU_MODE, GPU_MODE, LIVE_ENV
from robots.kitchen.rendering.offscreen_renderer import STILL_FORMAT, OffscreenRenderer
from robots.kitchen.robot import KitchenRobot
from robots.kitchen.simulation.mj_sim import RenderSnapshot
from robots.registry import make_robot

MARKS = (20, 100, 250, 500)  # episodes after which memory is read
LOAD = """
from time import perf_counter, process_time
start = perf_counter()
from benchmarks.sizes import TASKS, sized

from core.cancel import Cancel
from core.planning import domain_library
from robots.registry import make_robot
folder, task = domain_library.load_task("boil_water")
read = perf_counter()
robot = make_robot("kitchen", folder=folder, task=task, seed=0, openness=0)
made = perf_counter()
robot.look(Cancel())
print(read - start, made - read, perf_counter() - made)
robot.close()
begun = process_time()
make_robot("kitchen", folder=folder, task=task, seed=1, openness=0).close()
print(process_time() - begun)
"""


def robot_for(name: str, seed: int = 0, pace: float = 0.0, openness: float = 0.0) -> KitchenRobot:
    folder, task = domain_library.load_task(name)
    robot = make_robot("kitchen", folder=folder, task=task, seed=seed, openness=openness, pace=pace)
    assert isinstance(robot, KitchenRobot)
    return robot


def load() -> None:
    """Measure in fresh processes, including imports."""
    runs = []
    for _ in range(3):
        run = subprocess.run([sys.executable, "-c", LOAD], capture_output=True, text=True, check=True)
        runs.append([float(x) for x in run.stdout.split()])
    read, made, still, again = (statistics.median(part) for part in zip(*runs, strict=True))
    print(f"task read {read:.2f} s, scene load {made:.2f} s (limit 1.5), first still {still:.2f} s more")
    print(f"another kitchen in the same process: {again:.2f} s of processor time")


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
    body = robot._animator
    assert body is not None
    step = make_planner().plan(domain_library.load_task("boil_water")[1].problem, Cancel()).steps[0]
    robot.do(step, PermitIssuer(robot.permits, robot.embodiment).restore(step), Cancel())
    formats = (
        ("still 256x256, shadows", STILL_FORMAT, "eye"),
        ("live 640x480, plain, eye", CPU_MODE.format, "eye"),
        ("live 640x480, plain, room", CPU_MODE.format, "room"),
        ("live 640x480, with shadows, eye", GPU_MODE.format, "eye"),
        ("live 640x480, with shadows, room", GPU_MODE.format, "room"),
    )
    base = 0.0
    for label, size, view in formats:
        camera = OffscreenRenderer(body.built.model, size, view)
        took = milliseconds(lambda camera=camera: camera.colour(body.snapshot))  # type: ignore[misc]
        base = base or took
        print(f"{label}: {took:.0f} ms a picture, {took / base:.2f} of a still; {camera.gl_renderer}")
        if size is STILL_FORMAT:
            print(f"  depth {milliseconds(lambda c=camera: c.depth(body.snapshot)):.0f} ms, ", end="")  # type: ignore[misc]
            print(f"segments {milliseconds(lambda c=camera: c.segmentation(body.snapshot)):.0f} ms")  # type: ignore[misc]
        camera.close()
    robot.close()


def live() -> None:
    """Watch a whole task at pace 1, with a still after each step."""
    alone, _ = episode_at_pace(())
    for views in (("eye",), ("eye", "room")):
        took, rate = episode_at_pace(views)
        print(f"live {' and '.join(views)} at pace 1: {rate} frames a second while it moves (asked for: 15)")
        print(f"the episode beside it takes {took / alone:.2f} times as long")
    with (
        mock.patch.dict(os.environ, {LIVE_ENV: "card"}),
        mock.patch.object(OffscreenRenderer, "colour", at_once),
    ):
        for views in (("eye",), ("eye", "room")):
            _, rate = episode_at_pace(views)
            print(f"live {' and '.join(views)}, as with a card that draws at once: {rate} (asked for: 30)")


def at_once(camera: OffscreenRenderer, snapshot: RenderSnapshot) -> NDArray[np.uint8]:
    """Return a frame as a graphics card that needs no time would; its content does not matter here."""
    return np.zeros((camera.format.height, camera.format.width, 3), np.uint8)


def episode_at_pace(views: tuple[str, ...]) -> tuple[float, str]:
    """Run an episode. Return its seconds, and the new frames of each view per second of motion."""
    robot, done, new = robot_for("boil_water", pace=1.0), Event(), dict.fromkeys(views, 0)
    robot.look(Cancel())

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
    issuer = PermitIssuer(robot.permits, robot.embodiment)
    start, moving = perf_counter(), 0.0
    for step in make_planner().plan(domain_library.load_task("boil_water")[1].problem, Cancel()).steps:
        begun = perf_counter()
        robot.do(step, issuer.restore(step), Cancel())
        moving += perf_counter() - begun
        robot.look(Cancel())
    took = perf_counter() - start
    done.set()
    thread.join()
    robot.close()
    return took, " and ".join(f"{count / moving:.1f}" for count in new.values())


def skills() -> None:
    """Run the skills at pace 0, with situations at openness 1; no picture is drawn."""
    taken: dict[str, list[float]] = defaultdict(list)
    for name in TASKS:
        folder, task = domain_library.load_task(name)
        steps = make_planner().plan(task.problem, Cancel()).steps
        for seed in range(6):
            robot = robot_for(name, seed, openness=1.0)
            issuer = PermitIssuer(robot.permits, robot.embodiment)
            for step in steps:
                start = perf_counter()
                robot.do(step, issuer.restore(step), Cancel())
                taken[folder.skills[step.name].skill].append(1000 * (perf_counter() - start))
            robot.close()
    for skill, times in sorted(taken.items()):
        print(f"{skill}: median {statistics.median(times):.0f} ms, worst {max(times):.0f} ms")


def memory(episodes: int) -> None:
    """Run whole episodes in one process: the five tasks in turn, openness 1, every still drawn, a live
    frame.
    """
    begun, at = perf_counter(), {}
    for count in range(1, episodes + 1):
        settings = Settings(task=TASKS[count % len(TASKS)], seed=count, openness=1.0)
        with closing(make_components(settings)) as parts:
            robot = parts.robot
            assert isinstance(robot, KitchenRobot)
            for _ in run_episode(
                settings.task, parts.task.problem, robot, parts.answerer, parts.planner, parts.method,
                AutoOperator(), Cancel(), permits=parts.permits,
            ):  # fmt: skip
                pass
            while robot.live("room") is None:
                sleep(0.005)
        if count in MARKS or count == episodes:
            at[count] = _resident()
            print(f"{count} episodes: {at[count]:.0f} MB, {perf_counter() - begun:.0f} s", flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"the end takes {at[episodes] / at[min(at)]:.2f} of what it took at {min(at)}; peak {peak:.0f} MB")


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


PARTS: Mapping[str, Callable[[], None]] = {
    "load": load, "pictures": pictures, "live": live, "skills": skills
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="?", choices=(*PARTS, "memory"), help="only this one")
    parser.add_argument("episodes", nargs="?", type=int, default=40, help="of memory")
    chosen = parser.parse_args()
    for name, part in PARTS.items():
        if chosen.part in (None, name):
            part()
    if chosen.part in (None, "memory"):
        memory(chosen.episodes)


if __name__ == "__main__":
    if not opengl.backend():
        sys.exit(opengl.REMEDY)
    main()
