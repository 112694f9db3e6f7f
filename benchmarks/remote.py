"""Measure what it costs to have the robot in a process of its own: whole turns, as a ratio, and single calls.

Run: `make bench`, or `PYTHONPATH=. .venv/bin/python benchmarks/remote.py [--episodes N]`.

The same episodes of the kitchen run in this process and through the protocol, by turns; each turn counts with
the whole program (planner, answerer, method), without making the robot.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from statistics import median

from benchmarks.sizes import TASKS, TINY, sized
from core.cancel import Cancel
from core.config import Settings
from core.episode import run_components
from core.events import StepFinished
from core.loop.gate import AutoOperator
from core.ports import GroundTruth
from main import make_components

ROBOTS = {"in this process": {}, "through the protocol": {"robot.at": "kitchen"}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=sized(10, 1))
    episodes = parser.parse_args().episodes
    for way in ROBOTS:
        calls(way)
    turns(episodes, False)
    if not TINY:
        turns(max(1, episodes // 5), True)


def settings(way: str, task: str, seed: int, pictures: bool) -> Settings:
    robot = "remote" if ROBOTS[way] else "kitchen"
    options = ROBOTS[way]
    return Settings(task=task, seed=seed, robot=robot, options=options, pictures=pictures, answerer="perfect")


def turns(episodes: int, pictures: bool) -> None:
    """Print the milliseconds of a turn in both ways, and their ratio."""
    spent: dict[str, list[float]] = {way: [] for way in ROBOTS}
    for number in range(episodes):
        task, seed = TASKS[number % len(TASKS)], number
        for way in ROBOTS:
            spent[way].append(turn(settings(way, task, seed, pictures)))
    here, there = spent.values()
    ratio = median(b / a for a, b in zip(here, there, strict=True))
    kind = "with pictures" if pictures else "without pictures"
    print(
        f"a turn {kind:17} here {median(here):7.2f} ms   there {median(there):7.2f} ms   "
        f"{ratio:5.2f} times, the median of {episodes} pairs of episodes"
    )


def turn(settings: Settings) -> float:
    """Run an episode and return the milliseconds of a turn."""
    with closing(make_components(settings)) as parts:
        began = time.perf_counter()
        steps = sum(isinstance(e, StepFinished) for e in run_components(parts, AutoOperator(), Cancel()))
        return (time.perf_counter() - began) * 1000 / max(1, steps)


def calls(way: str) -> None:
    """Print what single calls take, without pictures."""
    with closing(make_components(settings(way, "halve_egg", 0, False))) as parts:
        robot = parts.robot
        assert isinstance(robot, GroundTruth)
        look, observable = partial(robot.look, Cancel()), robot.is_observable
        print(f"look           {way:22} {timed([look] * 200):8.3f} ms")
        asked = [partial(observable, atom) for atom in robot.truth()]  # once each: the answer is kept
        print(f"is_observable  {way:22} {timed(asked):8.3f} ms")


def timed(calls: Sequence[Callable[[], object]]) -> float:
    spent = []
    for call in calls:
        began = time.perf_counter()
        call()
        spent.append((time.perf_counter() - began) * 1000)
    return median(spent)


if __name__ == "__main__":
    main()
