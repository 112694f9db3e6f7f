"""Measure what a turn costs, and which parts of the program take how much of it.

loop     without planner, answerer and robot: alone, with the log, and in the terminal as `run` prints it.
         The kitchen without pictures, five tasks
remote   with the robot in a process of its own, as a ratio; without making the robot
eye      questions a second, and the eye's share of a turn with pictures and without waiting, from seed 500 on
skills   each skill of the kitchen at pace 0, with situations at openness 1; no picture is drawn
careful  the method's own processor time, by the number of objects, with empty tables, beside that of a fixed
         loop. Garbage is not collected in a turn, as in the console. Goals: median below 5 ms, none above 100
"""

from __future__ import annotations

import gc
import os
import subprocess
from collections import defaultdict
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import partial
from inspect import isfunction
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time, thread_time
from typing import IO, Any, NamedTuple
from unittest.mock import patch

from app.cli.output.episode_printer import EpisodePrinter
from app.cli.output.printing import PlainConsole
from app.cli.run_episode import ShownEvents, TerminalEpisode
from benchmarks.shared.harness import TASKS, load, report, sized, timed
from core import events as ev
from core.config import EpisodeComponents, Settings
from core.episode import run_components
from core.log.recorder import Recorder
from core.loop.gate import AutoOperator
from core.loop.permit_issuer import PermitIssuer
from core.planning.domain_library import load_task
from core.planning.planner import make_planner
from core.planning_model import Plan, Problem
from core.stop_token import StopToken
from main import make_components
from robots.registry import make_robot
from tests.core.planning.shared import crowded

KITCHEN = Settings(robot="kitchen", answerer="perfect", pictures=False, max_steps=sized(50, 3))


class Call(NamedTuple):
    wall: float  # seconds
    work: float  # seconds of its thread's processor time
    result: Any


def calls_of(part: object) -> dict[str, list[Call]]:
    """Return where every later call of a component is kept, by name; those within another one are not."""
    found: dict[str, list[Call]] = defaultdict(list)
    inside = False

    def kept(name: str, call: Callable[..., Any], *given: Any) -> Any:
        nonlocal inside
        if inside:
            return call(*given)
        inside, began, worked = True, perf_counter(), thread_time()
        try:
            result = call(*given)
        finally:
            inside = False
        found[name].append(Call(perf_counter() - began, thread_time() - worked, result))
        return result

    for name in dir(type(part)):
        if not name.startswith("_") and isfunction(getattr(type(part), name)):
            object.__setattr__(part, name, partial(kept, name, getattr(part, name)))
    return found


def per_turn(parts: EpisodeComponents, *clocks: Callable[[], float]) -> list[list[float]]:
    """Run an episode. Return how far each clock went in each turn."""
    found, began = [], []
    for event in run_components(parts, AutoOperator(parts.robot.embodiment), StopToken()):
        if isinstance(event, ev.FrameCaptured | ev.EpisodeEnded):
            now = [clock() for clock in clocks]
            found += [[b - a for a, b in zip(began, now, strict=True)]] if began else []
            began = now
    return found


def seeded(count: int, base: Settings = KITCHEN, first: int = 0) -> list[Settings]:
    """Return the settings of so many episodes of each task."""
    return [replace(base, task=task, seed=first + seed) for task in TASKS for seed in range(count)]


# --- the loop -----------------------------------------------------------------------------------------

PLANNER = make_planner()


class SharedPlanner:
    """Plans that are known to later episodes, as in an experiment."""

    def plan(self, problem: Problem, cancel: StopToken) -> Plan:
        return PLANNER.plan(problem, cancel)


def logged(p: EpisodeComponents, recorder: Recorder) -> None:
    for _ in recorder.record_events(run_components(p, AutoOperator(), StopToken())):
        pass


def printed(p: EpisodeComponents, recorder: Recorder, to: IO[str]) -> None:
    """Run an episode as the command `run` does, printing to a pipe."""
    console = PlainConsole()
    console.file = to
    watch = EpisodePrinter(p.domain_spec, console)

    def show(shown: ShownEvents) -> None:
        with console:
            for event, state in shown:
                watch.show(event, state)

    TerminalEpisode(p, AutoOperator(), show, console.print).run(recorder, console.print, ask=False)


def loop(episodes: int = sized(20, 1)) -> None:
    """Run so many episodes a task. The ways take turns, so that other work on the machine meets all."""
    costs: dict[str, list[tuple[float, float]]] = defaultdict(list)
    with (
        TemporaryDirectory() as folder,
        patch.dict(os.environ, XDG_RUNTIME_DIR=folder),  # where a run listens for `stop`
        Recorder.open(Path(folder) / "log.sqlite") as recorder,
        subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as reader,
    ):
        to = reader.stdin
        assert to is not None
        ways: dict[str, Callable[[EpisodeComponents], None]] = {
            "loop alone": lambda p: logged(p, Recorder.without_log()),
            "loop and log": lambda p: logged(p, recorder),
            "loop, log and terminal": lambda p: printed(p, recorder, to),
        }
        for settings in seeded(episodes):
            for name, way in ways.items():
                parts = replace(make_components(settings), planner=SharedPlanner())
                away = [calls_of(part) for part in (parts.robot, parts.answerer, parts.planner)]
                began, worked = perf_counter(), process_time()
                way(parts)
                wall, work = perf_counter() - began, process_time() - worked
                parts.close()
                calls = [call for named in away for kept in named.values() for call in kept]
                wall, work = wall - sum(c.wall for c in calls), work - sum(c.work for c in calls)
                steps = max(1, len(away[0]["do"]))
                costs[name].append((wall / steps, work / steps))
    base = median(wall for wall, _ in costs["loop and log"])
    for name, pairs in costs.items():
        walls, works = zip(*pairs, strict=True)
        report(f"a turn, {name} (target 3 ms), {median(walls) / base:.2f} of loop and log", walls)
        report("    processor time of all threads", works)


# --- robot, eye, method -------------------------------------------------------------------------------


def remote(episodes: int = sized(10, 1)) -> None:
    """Run the same episodes in this process and through the protocol, by turns, with the whole program."""
    there = {"robot": "remote", "options": {"robot.at": "kitchen"}}
    ways = {"in this process": {}, "through the protocol": there}
    for pictures, count in ((False, episodes), (True, sized(max(1, episodes // 5), 0))):
        spent: dict[str, list[float]] = defaultdict(list)
        for number in range(count):
            settings = replace(KITCHEN, task=TASKS[number % len(TASKS)], seed=number, pictures=pictures)
            for way, change in ways.items():
                with closing(make_components(replace(settings, **change))) as parts:
                    spent[way].append(median(wall for (wall,) in per_turn(parts, perf_counter)))
        kind = "with pictures" if pictures else "without pictures"
        for way, seconds in spent.items():
            report(f"a turn {kind}, {way}", seconds)
        if spent:
            ratio = median(b / a for a, b in zip(*spent.values(), strict=True))
            print(f"{ratio:.2f} times as long {kind}, the median of {count} pairs of episodes")


def eye(seeds: int = sized(3, 1), method: str = "dkprompt") -> None:
    turns: list[float] = []
    calls: list[Call] = []
    for settings in seeded(seeds, replace(KITCHEN, answerer="eye", method=method, pictures=True), 500):
        with closing(make_components(settings)) as parts:
            asked = calls_of(parts.answerer)["answer"]
            turns += [wall for (wall,) in per_turn(parts, perf_counter)]
            calls += asked
    report("a turn", turns)
    report("a call", [call.wall for call in calls])
    whole, questions = sum(call.wall for call in calls), sum(len(call.result.answers) for call in calls)
    share = 100 * whole / sum(turns)
    print(f"{questions / whole:.0f} questions a second; the eye takes {share:.1f} % of a turn")


def skills() -> None:
    taken: dict[str, list[float]] = defaultdict(list)
    for name in TASKS:
        spec, task = load_task(name)
        steps = PLANNER.plan(task.problem, StopToken()).steps
        for seed in range(sized(6, 1)):
            given = {"domain_spec": spec, "task": task, "seed": seed, "openness": 1.0, "pace": 0.0}
            with closing(make_robot("kitchen", **given)) as robot:
                issuer = PermitIssuer(robot.permits, robot.embodiment)
                for step in steps:
                    (seconds,) = timed(lambda: robot.do(step, issuer.restore(step), StopToken()))  # noqa: B023
                    taken[spec.skills[step.name].skill].append(seconds)
    for skill, times in sorted(taken.items()):
        report(skill, times)


def additions() -> None:
    sums = dict.fromkeys(range(1000), 0)
    for n in range(sized(1_000_000, 1)):
        sums[n % 1000] += 1


def careful(episodes: int = sized(2, 1), answerer: str = "symmetric-34") -> None:
    """Store firewood among more and more objects."""
    (fixed,) = timed(additions, clock=process_time)
    print(f"{load()}, the fixed loop {1000 * fixed:.0f} ms, {answerer}, {episodes} episodes a size")
    domain_spec, task = load_task("store_firewood")
    base = replace(KITCHEN, robot="symbolic", method="careful", answerer=answerer, max_steps=sized(100, 3))
    for size in (8, 17, 40)[: sized(3, 1)]:
        turns, first = list[float](), 0.0
        crowd = domain_spec, replace(task, problem=crowded(size, task.name))
        for seed in range(episodes):
            with (
                patch("core.planning.domain_library.find_task", lambda *_, crowd=crowd: crowd),
                closing(make_components(replace(base, seed=seed))) as parts,
            ):
                begin = partial(parts.method.begin, parts.method.world.problem)
                first += timed(begin, clock=process_time)[0]
                calls = calls_of(parts.method)
                gc.collect()
                gc.disable()
                turns += [seconds for (seconds,) in per_turn(parts, partial(worked, calls))]
                gc.enable()
        report(f"{size} objects, first plan {1000 * first / episodes:.1f} ms, a turn", turns)


def worked(calls: dict[str, list[Call]]) -> float:
    return sum(call.work for name in ("act", "update") for call in calls[name])


PARTS = (loop, remote, eye, skills, careful)
