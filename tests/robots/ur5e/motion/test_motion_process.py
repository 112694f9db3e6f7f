"""The search in a process of its own, which is killed at whatever moment."""

from __future__ import annotations

import math
import signal
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event, Timer
from time import monotonic, sleep

import pytest

from core.errors import Cancelled, PlanningError
from core.planning.domain_library import load_domain_spec
from core.planning_model import PlanStatus, Step
from core.stop_token import StopToken
from core.wish import WishOptions
from core.wishes.authoring import Brief
from core.wishes.desk import Job
from core.wishes.hand_written import hand_written, near
from core.wishes.jobs import try_arm, write_with
from core.wishes.judging import Look
from core.wishes.motion_process import MotionProcess, MotionRequest, plan_here
from robots.ur5e.emulator.scene import make_scene
from robots.ur5e.motion.table_scene import first_poses, table_scene
from tests.patience import AT_ONCE

SPEC = load_domain_spec("tabletop-wishes")


def request(task: str, options: WishOptions) -> MotionRequest:
    table = make_scene(task, 0)
    wish = hand_written(task, "")
    assert wish is not None
    scene = table_scene(table, task, 0, "hand-e", first_poses(table), "test")
    return MotionRequest(SPEC.tasks[task].problem, wish, scene, options)


def is_running(process: int) -> bool:
    """Return whether it runs: what ended and is not yet reaped has no command any more."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes() != b""
    except OSError:
        return False


def test_that_a_cancel_ends_the_process_in_rehearsal_and_the_next_wish_starts_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    process, cancel, done = MotionProcess(), StopToken(), Event()
    assert (
        process.plan(request("berry_1", WishOptions(rehearsal=False)), cancel).plan.status is PlanStatus.FOUND
    )
    child, remove = process._child, process._folder.cleanup
    assert child is not None
    pressed = []
    monkeypatch.setattr(process._folder, "cleanup", lambda: (done.wait(10), remove()))  # by a busy disk

    def press() -> None:
        pressed.append(monotonic())
        cancel.stop(1, "Esc")

    Timer(0.3, press).start()
    with pytest.raises(Cancelled):
        process.plan(request("soup_pour", WishOptions()), cancel)
    assert monotonic() - pressed[0] < AT_ONCE and child.poll() is not None
    done.set()
    cancel.release(1)
    with pytest.raises(PlanningError, match="out of memory, or killed from outside"):
        Timer(0.3, lambda: process._child and process._child.send_signal(signal.SIGKILL)).start()
        process.plan(request("soup_pour", WishOptions()), cancel)
    process.close()
    process.close()


def test_that_the_end_of_a_sheet_ends_what_it_tries_with_the_arm() -> None:
    pytest.importorskip("pydantic_monty")
    asked, words, closed = request("mug_1", WishOptions()), "put the fork into the mug", StopToken()
    brief = Brief(words, SPEC, asked.problem, asked.scene)
    look = Look(SPEC, asked.problem, asked.scene, None)
    sheet, _ = write_with(look, words, "grammar", 0, print, StopToken())
    process = MotionProcess()
    Timer(0.1, closed.end, ("closed",)).start()
    with pytest.raises(Cancelled):
        try_arm(process, Job(brief, sheet, 0, {}), None, closed)
    assert process._child is None


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_that_the_process_ends_with_the_program_that_started_it() -> None:
    code = "from core.wishes.motion_process import MotionProcess; p = MotionProcess(); p._start(); "
    code += "print(p._child.pid, flush=True); input()"
    program = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert program.stdout is not None
    child = int(program.stdout.readline())
    program.kill()
    program.communicate()
    end = monotonic() + 30  # it may still be starting, on a busy machine
    while is_running(child):
        assert monotonic() < end
        sleep(0.01)


def test_that_a_pour_is_left_out_only_where_it_was_done() -> None:
    asked = request("coffee", WishOptions(rehearsal=False))
    so_already = partial(near, "mug", "mug")
    for steps, done, left in (
        ((Step("pick", ("mug",)),), False, 0),
        ((Step("pick", ("mug",)), Step("pour", ("mug", "table_surface"))), False, 3),
        ((Step("pick", ("mug",)), Step("pour", ("mug", "table_surface"))), True, 0),
    ):
        wish = replace(asked.wish, steps=steps, goal=(), tests={}, goal_tests=(so_already,), done=done)
        assert len(plan_here(replace(asked, wish=wish), StopToken()).plan.steps) == left


@pytest.mark.long
def test_that_a_thing_is_put_down_in_between_to_be_taken_otherwise() -> None:
    asked = request("coffee", WishOptions(rehearsal=False))
    mug = next(thing for thing in asked.scene.things if thing.name == "mug")
    over = replace(mug, pose=(*mug.pose[:2], 0.041, math.pi, 0.0, 0.0))  # upside down
    scene = replace(asked.scene, things=tuple(over if t is mug else t for t in asked.scene.things))
    steps = plan_here(replace(asked, scene=scene), StopToken()).plan.steps
    assert [step.name for step in steps] == ["pick", "place_ontop"] * 2


@pytest.mark.long
def test_that_a_plan_is_tried_in_other_likely_worlds() -> None:
    asked = request("coffee", WishOptions(worlds=2))
    unsure = tuple(replace(thing, spread=0.003) for thing in asked.scene.things)
    plan = plan_here(replace(asked, scene=replace(asked.scene, things=unsure)), StopToken()).plan
    assert plan.status is PlanStatus.FOUND and plan.share in (0.5, 1.0)
