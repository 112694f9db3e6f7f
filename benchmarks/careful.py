"""Measure the method careful: its own time per turn, by the number of objects, with empty tables.

Run: PYTHONPATH=. python benchmarks/careful.py [--episodes 2] [--sizes 8,17,40]

CPU time of the method and its planner. Milliseconds depend on the machine and on what else runs on its cores,
so the time of a fixed loop is printed beside them; the counts depend on neither. Garbage is not collected in
a turn, as in the console, which does that on the GUI thread. Goals: the median below 5 ms, no turn above 100.
"""

from __future__ import annotations

import argparse
import gc
import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

from benchmarks.sizes import sized
from core import events as ev
from core.cancel import Cancel
from core.config import Settings
from core.episode import run_components
from core.loop.gate import AutoOperator
from core.policy import Context
from main import make_components

HOUSEHOLD = Path(__file__).parents[1] / "domains" / "household"
STICKS = 4  # to be put on the table; the rest of the objects only stand about


@dataclass
class Times:
    """Seconds of the method in each turn, and of the planner in it, with the number of its calls."""

    turns: dict[tuple[int, int], float] = field(default_factory=dict)
    planning: dict[tuple[int, int], float] = field(default_factory=dict)
    calls: dict[tuple[int, int], int] = field(default_factory=dict)
    first: list[float] = field(default_factory=list)  # the plan before the first turn
    reached: int = 0
    turn: tuple[int, int] = (0, 0)


def task(objects: int) -> str:
    """Return a problem with so many objects: sticks to store, and mugs in closed cabinets."""
    sticks = [f"wooden_stick-n-01_{n + 1}" for n in range(STICKS)]
    rest = objects - STICKS - 4
    cabinets = [f"cabinet-n-01_{n + 1}" for n in range(max(1, rest // 5))]
    mugs = [f"mug-n-04_{n + 1}" for n in range(rest - len(cabinets))]
    room, floor, table, agent = "living_room_1", "floor-n-01_1", "table-n-02_1", "agent-n-01_1"
    state = [f"inroom {x} {room}" for x in (agent, floor, table, *cabinets, *sticks)]
    state += [f"handempty {agent}", *(f"closed {c}" for c in cabinets)]
    state += [f"ontop {stick} {floor}" for stick in sticks]
    state += [f"inside {mug} {cabinets[n % len(cabinets)]}" for n, mug in enumerate(mugs)]
    typed = {agent: "agent-n-01", room: "living_room", floor: "floor-n-01", table: "table-n-02"}
    typed |= {x: x.rsplit("_", 1)[0] for x in (*sticks, *cabinets, *mugs)}
    goal = " ".join(f"(ontop {s} {table})" for s in sticks)
    objects = " ".join(f"{name} - {kind}" for name, kind in typed.items())
    facts = " ".join(f"({fact})" for fact in state)
    head = f"(define (problem crowded) (:domain omnigibson)\n(:objects {objects})"
    return f"{head}\n(:init {facts})\n(:goal (and {goal})))\n"


def folder(path: Path, objects: int) -> Path:
    """Copy the household with one task of so many objects."""
    made = path / f"household{objects}"
    shutil.copytree(HOUSEHOLD, made)
    shutil.rmtree(made / "tasks")
    (made / "tasks").mkdir()
    (made / "tasks" / "crowded.pddl").write_text(task(objects))
    text = (made / "domain.toml").read_text()
    head, rest = text.split("[tasks.", 1)
    entry = '[tasks.crowded]\nfile = "tasks/crowded.pddl"\ndescription = "Store the firewood."\n'
    tables = rest[rest.index("[verbs]") :]  # without the names of objects that are not there
    (made / "domain.toml").write_text(head + entry + tables)
    return made


def run(domain: Path, seed: int, times: Times, answerer: str) -> None:
    settings = Settings(
        task="crowded",
        domain=str(domain),
        robot="symbolic",
        method="careful",
        answerer=answerer,
        seed=seed,
        pictures=False,
        max_steps=100,
    )
    parts = make_components(settings)
    began = process_time()
    parts.method.begin(parts.method.world.problem)
    times.first.append(process_time() - began)
    policy, planner = parts.method, parts.method.costs._planner

    def timed(call, spent, clock):
        def run(*given):
            began = clock()
            result = call(*given)
            if isinstance(given[0], Context):
                times.turn = seed, given[0].turn
            spent[times.turn] = spent.get(times.turn, 0.0) + clock() - began
            return result

        return run

    def planned(call):
        def run(*given):
            began = perf_counter()
            plan = call(*given)
            times.planning[times.turn] = times.planning.get(times.turn, 0.0) + perf_counter() - began
            times.calls[times.turn] = times.calls.get(times.turn, 0) + 1
            return plan

        return run

    gc.collect()
    gc.disable()
    planner.plan, planner.plan_within = planned(planner.plan), planned(planner.plan_within)
    policy.act, policy.update = (timed(c, times.turns, process_time) for c in (policy.act, policy.update))
    for event in run_components(parts, AutoOperator(parts.robot.embodiment), Cancel()):
        if isinstance(event, ev.EpisodeEnded):
            times.reached += bool(event.true_goal)
    gc.enable()
    parts.close()


def loop() -> float:
    """Return the CPU seconds of a million additions in a dict."""
    began, sums = process_time(), dict.fromkeys(range(1000), 0)
    for n in range(1_000_000):
        sums[n % 1000] += 1
    return process_time() - began


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    reader.add_argument("--episodes", type=int, default=sized(2, 1))
    reader.add_argument("--sizes", default="8,17,40"[: sized(7, 1)])
    reader.add_argument("--answerer", default="symmetric-34")
    given = reader.parse_args()
    machine = f"load {os.getloadavg()[0]:.1f}, the fixed loop {1000 * loop():.0f} ms"
    print(f"{machine}, {given.answerer}, {given.episodes} episodes a size")
    print(" objects  turns  first plan  median ms  slowest ms  planner's calls  most  slowest/first  goals")
    with TemporaryDirectory() as path:
        for size in map(int, given.sizes.split(",")):
            times, made = Times(), folder(Path(path), size)
            for seed in range(given.episodes):
                run(made, seed, times, given.answerer)
            turns = sorted(times.turns.values())
            calls, first, slowest = times.calls.values(), max(times.first), turns[-1]
            print(
                f"{size:8} {len(turns):6} {1000 * first:11.1f} {1000 * median(turns):10.1f} "
                f"{1000 * slowest:11.1f} {sum(calls):16} {max(calls, default=0):5} "
                f"{slowest / first:14.2f} {times.reached:6}",
                flush=True,
            )


if __name__ == "__main__":
    main()
