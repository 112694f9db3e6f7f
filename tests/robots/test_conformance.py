"""What every robot must keep to, whatever it is. A new robot joins with one line in ROBOTS."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from threading import Thread, Timer
from time import monotonic

import pytest

from core.cancel import Cancel
from core.domains import Folder, Task
from core.errors import Cancelled, RobotNotReady
from core.planning import semantics, shelf
from core.ports import Boxes, Cameras, Ending, Robot, Truth
from core.problem import Step
from robots.choose import make_robot
from robots.kitchen import gl

DOMAINS = Path(__file__).parent / "symbolic" / "domains"
LONG = 30.0  # seconds a step takes where it is to be interrupted
SOON = 10.0  # seconds in which an interruption must have come through, on a busy machine
IMPOSSIBLE = Step("no_such_action", ("nothing",))


def household() -> tuple[Folder, Task]:
    return shelf.task("boil_water")


def blocks() -> tuple[Folder, Task]:
    folder = shelf.pair(DOMAINS / "blocks" / "domain.pddl", DOMAINS / "blocks" / "problem.pddl")
    return folder, next(iter(folder.tasks.values()))


@dataclass(frozen=True)
class Case:
    """A robot at the start of a task. `options` are given to `make_robot`."""

    robot: str
    at: Callable[[], tuple[Folder, Task]]
    pictures: bool = True

    @contextmanager
    def made(self, seed: int = 0, openness: float = 0.0, pace: float = 0.0) -> Iterator[Robot]:
        folder, task = self.at()
        robot = make_robot(
            self.robot,
            folder=folder,
            task=task,
            seed=seed,
            openness=openness,
            pictures=self.pictures,
            pace=pace,
        )
        try:
            yield robot
        finally:
            robot.close()

    def possible(self) -> Step:
        """A step that can be done at the start."""
        _, task = self.at()
        return semantics.applicable_steps(task.problem, task.problem.state)[0]

    def walk(self, steps: int) -> tuple[Step, ...]:
        _, task = self.at()
        return semantics.random_walk(task.problem, steps, 1)


ROBOTS = {
    "symbolic on blocks": Case("symbolic", blocks),
    "symbolic on the household": Case("symbolic", household),
    "symbolic without pictures": Case("symbolic", household, pictures=False),
    "kitchen": Case("kitchen", household),
    "kitchen without pictures": Case("kitchen", household, pictures=False),
}


@pytest.fixture(params=ROBOTS)
def case(request: pytest.FixtureRequest) -> Case:
    chosen = ROBOTS[request.param]
    if chosen.robot == "kitchen" and chosen.pictures and not gl.backend():
        pytest.skip(gl.WAY_OUT)
    return chosen


def truth_of(robot: Robot) -> object:
    """The truth, as far as this robot has one to compare."""
    return robot.truth() if isinstance(robot, Truth) else None


# --- halting ----------------------------------------------------------------------------------------


def test_conformance_that_a_halt_from_any_thread_gets_a_number_of_its_own(case: Case) -> None:
    with case.made() as robot, ThreadPoolExecutor(4) as pool:
        numbers = list(pool.map(lambda _: robot.halt(), range(40)))
    assert sorted(numbers) == list(range(1, 41))


def test_conformance_that_a_halted_robot_does_nothing_until_it_is_released(case: Case) -> None:
    with case.made() as robot:
        before = truth_of(robot)
        number = robot.halt()
        for _ in range(2):
            assert robot.do(case.possible(), Cancel()).ending is Ending.HALTED
        assert truth_of(robot) == before
        robot.ready(number)
        assert robot.do(case.possible(), Cancel()).ending is Ending.DONE


def test_conformance_that_a_stop_pressed_while_one_is_released_stays(case: Case) -> None:
    with case.made() as robot:
        seen, later = robot.halt(), robot.halt()
        robot.ready(seen)
        assert robot.do(case.possible(), Cancel()).ending is Ending.HALTED
        robot.ready(later)
        assert robot.do(case.possible(), Cancel()).ending is Ending.DONE


def test_conformance_that_a_release_does_not_reach_into_the_future(case: Case) -> None:
    with case.made() as robot:
        robot.ready(1000)
        robot.halt()
        assert robot.do(case.possible(), Cancel()).ending is Ending.HALTED


def test_conformance_that_a_halt_from_another_thread_ends_a_step_on_the_way(case: Case) -> None:
    with case.made(pace=LONG) as robot:
        before, began = truth_of(robot), monotonic()
        pressing = Timer(0.1, robot.halt)  # whether it comes before or during the step, it must win
        pressing.start()
        outcome = robot.do(case.possible(), Cancel())
        pressing.join()
        assert outcome.ending is Ending.HALTED
        assert monotonic() - began < SOON
        assert truth_of(robot) == before


# --- cancelling -------------------------------------------------------------------------------------


def test_conformance_that_a_cancelled_look_is_broken_off(case: Case) -> None:
    cancel = Cancel()
    cancel.end("closed")
    with case.made() as robot, pytest.raises(Cancelled):
        robot.look(cancel)


def test_conformance_that_a_cancel_ends_a_step_on_the_way(case: Case) -> None:
    cancel = Cancel()
    with case.made(pace=LONG) as robot:
        before, began = truth_of(robot), monotonic()
        ending = Timer(0.1, cancel.end, ("closed",))
        ending.start()
        outcome = robot.do(case.possible(), cancel)
        ending.join()
        assert outcome.ending is Ending.HALTED
        assert monotonic() - began < SOON
        assert truth_of(robot) == before


def test_conformance_that_a_step_is_not_begun_once_cancelled(case: Case) -> None:
    cancel = Cancel()
    cancel.stop(1, "stop")
    with case.made() as robot:
        before = truth_of(robot)
        assert robot.do(case.possible(), cancel).ending is Ending.HALTED
        assert truth_of(robot) == before


# --- what it reports --------------------------------------------------------------------------------


def test_conformance_that_a_step_done_is_reported_as_done_and_is_so(case: Case) -> None:
    _, task = case.at()
    step = case.possible()
    with case.made() as robot:
        outcome = robot.do(step, Cancel())
        assert outcome.ending is Ending.DONE
        assert outcome.seconds >= 0
        if isinstance(robot, Truth):
            state = task.problem.state
            assert robot.truth() >= semantics.apply(task.problem, state, step) - state
            assert robot.situation == ""


def test_conformance_that_a_step_it_cannot_do_fails_and_changes_nothing(case: Case) -> None:
    with case.made() as robot:
        before = truth_of(robot)
        outcome = robot.do(IMPOSSIBLE, Cancel())
        assert outcome.ending is Ending.FAILED
        assert outcome.detail
        assert truth_of(robot) == before


def test_conformance_that_the_truth_holds_what_the_problem_gives(case: Case) -> None:
    _, task = case.at()
    with case.made() as robot:
        if isinstance(robot, Truth):
            assert robot.truth() >= task.problem.state


def test_conformance_that_the_senses_tell_the_truth(case: Case) -> None:
    with case.made(seed=3, openness=1) as robot:
        for step in (None, *case.walk(8)):
            if step:
                robot.do(step, Cancel())
            if isinstance(robot, Truth):
                truth = robot.truth()
                assert all((atom in truth) == felt for atom, felt in robot.sense().items())


def test_conformance_that_the_same_seed_gives_the_same_episode(case: Case) -> None:
    first, again = (list(told(case, seed=5)) for _ in range(2))
    assert first == again


def test_conformance_that_what_happens_does_not_depend_on_pictures(case: Case) -> None:
    if case.pictures:
        blind = replace(case, pictures=False)
        assert list(told(case, seed=7)) == list(told(blind, seed=7))


def told(case: Case, seed: int) -> Iterator[object]:
    """What happens in a dozen steps, with much going wrong."""
    with case.made(seed=seed, openness=1.75) as robot:
        for step in case.walk(12):
            outcome = robot.do(step, Cancel())
            situation = robot.situation if isinstance(robot, Truth) else ""
            yield outcome.ending, situation, truth_of(robot), dict(robot.sense())


# --- pictures ---------------------------------------------------------------------------------------


def test_conformance_that_a_picture_is_named_by_its_bytes_and_cannot_be_painted_over(case: Case) -> None:
    with case.made() as robot:
        frame = robot.look(Cancel())
    assert frame.viewpoint
    if case.pictures:
        assert frame.id == sha256(frame.png).hexdigest()
        assert frame.rgb is not None and frame.rgb.shape == (256, 256, 3)
        assert not frame.rgb.flags.writeable
    else:
        assert (frame.id, frame.png, frame.rgb) == ("", b"", None)


def test_conformance_that_the_viewpoint_stays_until_something_is_done(case: Case) -> None:
    with case.made() as robot:
        first, again = robot.look(Cancel()), robot.look(Cancel())
        robot.do(case.possible(), Cancel())
        later = robot.look(Cancel())
    assert first.viewpoint == again.viewpoint != later.viewpoint
    assert first.id == again.id


def test_conformance_that_boxes_lie_within_the_picture_and_have_been_asked_for(case: Case) -> None:
    _, task = case.at()
    names = [o.name for o in task.problem.everything]
    with case.made() as robot:
        robot.do(case.possible(), Cancel())
        robot.look(Cancel())
        if isinstance(robot, Boxes) and case.pictures:
            found = robot.boxes(names)
            assert found
            assert {box.name for box in found} <= set(names)
            for box in found:
                assert 0 <= box.left < box.right <= 256 and 0 <= box.top < box.bottom <= 256
            assert robot.boxes([]) == ()


def test_conformance_that_live_pictures_never_block(case: Case) -> None:
    with case.made(pace=LONG) as robot:
        if not isinstance(robot, Cameras):
            return
        doing = Thread(target=robot.do, args=(case.possible(), Cancel()))
        doing.start()
        slowest = 0.0
        for camera in robot.cameras:
            for _ in range(20):
                began = monotonic()
                frame = robot.live(camera)
                slowest = max(slowest, monotonic() - began)
                assert frame is None or frame.png == b""
        robot.halt()
        doing.join(SOON)
        assert not doing.is_alive()
        assert slowest < 1.0  # far above what it takes, far below a rendered step


# --- the end ----------------------------------------------------------------------------------------


def test_conformance_that_a_robot_can_be_closed_twice_and_then_does_nothing(case: Case) -> None:
    with case.made() as robot:
        robot.close()
        robot.close()
        assert robot.halt() > 0
        with pytest.raises(RobotNotReady, match="closed"):
            robot.ready(1000)
        with pytest.raises(RobotNotReady, match="closed"):
            robot.look(Cancel())
        with pytest.raises(RobotNotReady, match="closed"):
            robot.do(case.possible(), Cancel())
