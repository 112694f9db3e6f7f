"""Measure stops at random moments of a wish's search, of its rehearsal, and of pours rehearsed and done.

PYTHONPATH=. python scripts/wish_stops.py [TIMES]. Of the sheet's process: ms from the stop until the process
has ended and the caller knows. Of the robot `table`, and of an emulated UR5e through ur_rtde: until `do` has
returned and nothing moves.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from threading import Thread, Timer

from benchmarks.shared.harness import load, report
from core.errors import Cancelled
from core.planning_model import Plan, Step
from core.scene import Scene
from core.stop_token import StopToken
from core.wish import WishOptions
from core.wishes.motion_process import MotionProcess, MotionRequest, SkillRequest, plan_here
from robots.table.arm_robot import WishArm, make_wish_arm
from robots.table.robot import TableRobot
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


def filmed(scene: Scene, steps: tuple[Step, ...]) -> tuple[SkillRequest, float]:
    """Return the request to rehearse these steps, and how long that takes."""
    process, film = MotionProcess(), SkillRequest(scene, "film", (steps,))
    process.ask(film, StopToken())
    began = time.monotonic()
    process.ask(film, StopToken())
    took = time.monotonic() - began
    process.close()
    return film, took


def of_robot(name: str, robot: TableRobot | WishArm, step: Step, times: int) -> None:
    """Report stops of a robot in this step, begun again and again: until it stands, and `do` has returned."""
    stood, ended = list[float](), list[float]()

    def stands() -> bool:
        state = robot.arm.state if isinstance(robot, WishArm) else None
        return state is not None and state.at_standstill

    while len(ended) < times:
        cancel = StopToken()
        thread = Thread(target=do, args=(robot, step, cancel))
        thread.start()
        time.sleep(random.uniform(0.2, 1.0))
        while stands() and thread.is_alive():
            time.sleep(0.001)
        if thread.is_alive():
            pressed = time.monotonic()
            cancel.stop(number := robot.halt(), "Esc")
            while isinstance(robot, WishArm) and not stands():
                time.sleep(0.001)
            stood.append(time.monotonic() - pressed)
            thread.join()
            ended.append(time.monotonic() - pressed)
            robot.release_stop(number)
        thread.join()
    if isinstance(robot, WishArm):
        report(f"{name} stands", stood)
    report(f"{name} has ended", ended)


def poured(asked: MotionRequest) -> Plan:
    wish = replace(asked.wish, steps=POUR, tests={}, goal_tests=(), goal=())
    return plan_here(replace(asked, wish=wish, options=replace(GEOMETRY, planner=False)), StopToken()).plan


def of_works(where: str, asked: MotionRequest, plan: Plan, times: int) -> None:
    """Report stops of the search and the rehearsal of a wish in this scene, and of pick and pour alone."""
    of_process(f"search and rehearsal{where}", asked, times, 0.1, 3.0)
    film, picked = filmed(asked.scene, plan.steps[:1])
    of_process(f"rehearsal of a pick{where}", film, times, 0.1, picked)
    film, both = filmed(asked.scene, plan.steps)
    of_process(f"rehearsal of a pour{where}", film, times, picked, both)


def run(times: int) -> None:
    of_process("search, mug_2 by geometry", request("mug_2", GEOMETRY), times, 0.1, 0.8)
    task, asked = SPEC.tasks["soup_pour"], request("soup_pour", WishOptions())
    pick, pour = (plan := poured(asked)).steps
    of_works("", asked, plan, times)
    with closing(TableRobot(SPEC, task, pictures=False)) as table:
        do(table, pick)
        of_robot("a pour of the robot table", table, pour, times)
    with closing(make_wish_arm(SPEC, task, pictures=False, poses="emulator")) as arm:
        pick, pour = (plan := poured(asked := replace(asked, scene=arm.scene()))).steps
        of_works(" beside the arm", asked, plan, times)
        of_robot("a pick of the emulated arm", arm, pick, times)
        do(arm, pick)
        of_robot("a pour of the emulated arm", arm, pour, times)
    print(load())


if __name__ == "__main__":
    run(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
