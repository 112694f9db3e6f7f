"""Measure the loop itself: a turn without planner, answerer and robot, alone, with the log, and in the
terminal as `run` prints it; and episodes per second.

Run: `make bench`, or `PYTHONPATH=. .venv/bin/python benchmarks/loop.py [--episodes N]`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import IO, Any

from app.cli.output.episode_printer import EpisodePrinter
from app.cli.output.printing import PlainConsole
from app.cli.run_episode import ShownEvents, TerminalEpisode
from benchmarks.sizes import TASKS, sized
from core.cancel import Cancel
from core.config import EpisodeComponents, Settings
from core.events import StepFinished
from core.log.recorder import Recorder
from core.loop.episode_loop import run_episode
from core.loop.gate import AutoOperator
from core.loop.permit_issuer import PermitIssuer
from core.methods.registry import make_method
from core.planning.domain_library import find_task
from core.planning.planner import make_planner
from core.ports import Planner
from core.vqa.registry import make_answerer
from robots.registry import make_robot

TurnLoop = Callable[[EpisodeComponents], int]


@dataclass
class TimedProxy:
    """A component whose time is not counted as the loop's."""

    part: Any
    clock: list[float]  # seconds by the wall, and of this thread's processor time

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.part, name)
        if not callable(found):
            return found

        def timed(*words: Any) -> Any:
            began, worked = time.perf_counter(), time.thread_time()
            try:
                return found(*words)
            finally:
                self.clock[0] += time.perf_counter() - began
                self.clock[1] += time.thread_time() - worked

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


def run_printed(p: EpisodeComponents, recorder: Recorder, to: IO[str]) -> int:
    """Run one episode as the command `run` does, printing to a pipe. Return the number of its steps."""
    console = PlainConsole()
    console.file = to
    watch = EpisodePrinter(p.domain_spec, console)

    def show(shown: ShownEvents) -> None:
        with console:
            for event, state in shown:
                watch.show(event, state)

    return (
        TerminalEpisode(p, AutoOperator(), show, console.print).run(recorder, console.print, ask=False).steps
    )


def turn_costs(count: int, ways: dict[str, TurnLoop]) -> dict[str, list[tuple[float, float]]]:
    """Return the milliseconds per step outside of the components, by the wall and of processor time in all
    threads, one pair per episode. The ways take turns, so that other work on the machine meets all of them.
    """
    planner = make_planner()
    costs: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for task, seed in ((task, seed) for task in TASKS for seed in range(count)):
        for name, way in ways.items():
            away = [0.0, 0.0]
            p = parts(task, seed, planner)
            timed = replace(
                p,
                robot=TimedProxy(p.robot, away),
                answerer=TimedProxy(p.answerer, away),
                planner=TimedProxy(planner, away),
            )
            began, worked = time.perf_counter(), time.process_time()
            steps = max(1, way(timed))
            wall, work = time.perf_counter() - began - away[0], time.process_time() - worked - away[1]
            costs[name].append((1e3 * wall / steps, 1e3 * work / steps))
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
    parser.add_argument("--episodes", type=int, default=sized(20, 1), help="a task")
    count = parser.parse_args().episodes
    with (
        tempfile.TemporaryDirectory() as folder,
        Recorder.open(Path(folder) / "log.sqlite") as recorder,
        subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as reader,
    ):
        os.environ["XDG_RUNTIME_DIR"] = folder  # where a run listens for `stop`
        assert reader.stdin is not None
        to = reader.stdin
        ways: dict[str, TurnLoop] = {
            "loop alone": lambda p: run(p, Recorder.without_log()),
            "loop and log": lambda p: run(p, recorder),
            "loop, log and terminal": lambda p: run_printed(p, recorder, to),
        }
        costs = turn_costs(count, ways)
    logged = median(wall for wall, _ in costs["loop and log"])
    for name, pairs in costs.items():
        wall, work = (median(figures) for figures in zip(*pairs, strict=True))
        print(
            f"a turn, {name}: median {wall:.2f} ms (target 3), {wall / logged:.2f} times loop and log; "
            f"worst episode {max(pairs)[0]:.2f} ms; processor {work:.2f} ms"
        )
    for task, (rate, worked) in episodes_a_second(count).items():
        print(f"{task:18} {rate:6.0f} episodes a second, {worked:.0f} a second of processor time")
