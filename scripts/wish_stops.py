"""Measure stops at random moments of a wish's search, of its rehearsal, and of pours rehearsed and done.

PYTHONPATH=. python scripts/wish_stops.py [TIMES]. Of the sheet's process: ms from the stop until the process
has ended and the caller knows. Of the robot `table`: until `do` has returned and nothing moves.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from threading import Thread, Timer

from benchmarks.shared.harness import load, report
from core.errors import Cancelled
from core.planning_model import Plan, Step
from core.scene import Scene
from core.stop_token import StopToken
from core.wish import WishOptions
from core.wishes.motion_process import MotionProcess, MotionRequest, SkillRequest
from robots.ur5e.motion.robot import TableRobot
from tests.permitted import do
from tests.robots.ur5e.motion.test_motion_process import SPEC, request

GEOMETRY = WishOptions(rehearsal=False)
POUR = Step("pick", ("tomato_soup_can",)), Step("pour", ("tomato_soup_can", "bowl"))


def stopped(work: Callable[[StopToken], object], first: float, last: float) -> float | None:
    """Stop a work at a random moment; return the seconds until it has ended, None if it ended before."""
    cancel, pressed = StopToken(), list[float]()

    def press() -> None:
        pressed.append(time.monotonic())
        cancel.stop(1, "Esc")

    timer = Timer(random.uniform(first, last), press)
    timer.start()
    with suppress(Cancelled):
        work(cancel)
        timer.cancel()
        return None
    return time.monotonic() - pressed[0]


def of_process(name: str, asked: MotionRequest | SkillRequest, times: int, first: float, last: float) -> None:
    """Report stops between these seconds after the request, in a process that has started already."""
    process, found = MotionProcess(), list[float]()
    work = process.plan if isinstance(asked, MotionRequest) else process.ask
    for _ in range(times):
        process.ask(SkillRequest(asked.scene, "movable", ("mug",)), StopToken())  # so that it has started
        if (took := stopped(partial(work, asked), first, last)) is not None:  # type: ignore[arg-type]
            found.append(took)
    process.close()
    report(name, found)


def filmed(process: MotionProcess, scene: Scene, steps: tuple[Step, ...]) -> tuple[SkillRequest, float]:
    """Return the request to rehearse these steps, and how long that takes."""
    film, began = SkillRequest(scene, "film", (steps,)), time.monotonic()
    process.ask(film, StopToken())
    return film, time.monotonic() - began


def of_robot(name: str, plan: Plan, times: int) -> None:
    """Report stops of the robot `table` while it pours."""
    found = list[float]()
    for _ in range(times):
        robot, cancel = TableRobot(SPEC, SPEC.tasks["soup_pour"], pictures=False), StopToken()
        do(robot, plan.steps[0])
        done = list[float]()

        def pour(robot: TableRobot = robot, cancel: StopToken = cancel, done: list[float] = done) -> None:
            do(robot, plan.steps[1], cancel)
            done.append(time.monotonic())

        thread = Thread(target=pour)
        thread.start()
        time.sleep(random.uniform(0.2, 1.0))
        if thread.is_alive():
            pressed = time.monotonic()
            cancel.stop(1, "Esc")
            robot.halt()
            thread.join()
            found.append(done[0] - pressed)
        robot.close()
    report(name, found)


def run(times: int) -> None:
    of_process("search, mug_2 by geometry", request("mug_2", GEOMETRY), times, 0.1, 0.8)
    of_process("search and rehearsal, soup_pour", request("soup_pour", WishOptions()), times, 0.1, 3.0)
    asked, process = request("soup_pour", replace(GEOMETRY, planner=False)), MotionProcess()
    wish = replace(asked.wish, steps=POUR, tests={}, goal_tests=(), goal=())
    plan = process.plan(replace(asked, wish=wish), StopToken()).plan
    assert len(plan.steps) == len(POUR), plan.reason
    film, picked = filmed(process, asked.scene, plan.steps[:1])
    of_process("rehearsal of a pick", film, times, 0.1, picked)
    film, poured = filmed(process, asked.scene, plan.steps)
    process.close()
    of_process("rehearsal of a pour", film, times, picked, poured)
    of_robot("a pour of the robot table", plan, times)
    print(load())


if __name__ == "__main__":
    run(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
