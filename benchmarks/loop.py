"""Measure the loop itself: a turn without planner, answerer and robot, with the log; and episodes per second.

Run: `make bench`, or `PYTHONPATH=. .venv/bin/python benchmarks/loop.py [--episodes N]`.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from app.cli.plan import find_task
from core.cancel import Cancel
from core.config import EpisodeComponents, Settings
from core.events import StepFinished
from core.log.recorder import Recorder
from core.loop.episode_loop import run_episode
from core.loop.gate import AutoOperator
from core.loop.permit_issuer import PermitIssuer
from core.methods.registry import make_method
from core.planning.planner import make_planner
from core.ports import Planner
from core.vqa.registry import make_answerer
from robots.registry import make_robot

TASKS = ("boil_water", "bring_in_bottles", "cook_frozen_pie", "halve_egg", "store_firewood")


@dataclass
class TimedProxy:
    """A component whose time is not counted as the loop's."""

    part: Any
    clock: list[float]

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.part, name)
        if not callable(found):
            return found

        def timed(*words: Any) -> Any:
            began = time.perf_counter()
            try:
                return found(*words)
            finally:
                self.clock[0] += time.perf_counter() - began

        return timed


def parts(task: str, seed: int, planner: Planner) -> EpisodeComponents:
    """Make the components like `main.make_components`, but share domain and planner, as an experiment
    does.
    """
    folder, found = FOLDERS[task]
    settings = Settings(task=task, seed=seed, pictures=False)
    robot = make_robot(
        "kitchen", folder=folder, task=found, seed=seed, openness=1.0, pictures=False, pace=0.0
    )
    answerer = make_answerer("perfect", truth=robot, seed=seed)
    method = make_method("dkprompt", folder, found.problem)
    permits = PermitIssuer(robot.permits, robot.embodiment)
    return EpisodeComponents(settings, folder, found, robot, answerer, planner, method, permits)


def run(p: EpisodeComponents, recorder: Recorder) -> int:
    """Run one episode. Return the number of its steps."""
    events = run_episode(
        p.task.name,
        p.task.problem,
        p.robot,
        p.answerer,
        p.planner,
        p.method,
        AutoOperator(),
        Cancel(),
        permits=p.permits,
    )
    return sum(isinstance(r.event, StepFinished) for r in recorder.record_events(events))


def turn_cost(count: int, recorder: Recorder) -> list[float]:
    """Return the milliseconds per step spent in the loop and the log, one value per episode."""
    planner, costs = make_planner(), []
    for task in TASKS:
        for seed in range(count):
            away = [0.0]
            p = parts(task, seed, planner)
            timed = replace(
                p,
                robot=TimedProxy(p.robot, away),
                answerer=TimedProxy(p.answerer, away),
                planner=TimedProxy(planner, away),
            )
            began = time.perf_counter()
            steps = run(timed, recorder)
            costs.append(1e3 * (time.perf_counter() - began - away[0]) / max(1, steps))
            p.robot.close()
    return costs


def episodes_a_second(count: int) -> dict[str, tuple[float, float]]:
    """Return episodes per second for each task, without pictures and database, in one process: by wall time,
    and by processor time, which other work on the machine does not distort.
    """
    planner, rates = make_planner(), {}
    for task in TASKS:
        made = [parts(task, seed, planner) for seed in range(count)]
        for p in made:  # once, so that plans are cached as in a long experiment
            run(p, Recorder.without_log())
        made = [parts(task, seed, planner) for seed in range(count)]
        began, worked = time.perf_counter(), time.process_time()
        for p in made:
            run(p, Recorder.without_log())
        rates[task] = count / (time.perf_counter() - began), count / (time.process_time() - worked)
    return rates


FOLDERS = {task: find_task(task) for task in TASKS}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=20, help="a task")
    count = parser.parse_args().episodes
    with tempfile.TemporaryDirectory() as folder, Recorder.open(Path(folder) / "log.sqlite") as recorder:
        logged = turn_cost(count, recorder)
    bare = turn_cost(count, Recorder.without_log())
    print(
        f"a turn, loop and log: median {median(logged):.2f} ms, worst episode {max(logged):.2f} ms (target 3)"
    )
    ratio = median(logged) / median(bare)
    print(f"a turn, loop alone:   median {median(bare):.2f} ms; with the log {ratio:.1f} times that")
    for task, (rate, worked) in episodes_a_second(count).items():
        print(f"{task:18} {rate:6.0f} episodes a second, {worked:.0f} a second of processor time")
