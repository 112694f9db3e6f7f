"""What every robot must keep to, whatever it is. A new robot joins by the trials of its entry."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import sha256
from threading import Thread, Timer
from time import monotonic

import pytest

from core.errors import Cancelled, RobotNotReady, UnknownName
from core.permit import Permit, PermitKind
from core.planning import semantics
from core.planning_model import Step
from core.ports import (
    Embodiment,
    GroundTruth,
    ProvidesBoxes,
    ProvidesLiveFrames,
    StepStatus,
    StepTruth,
    SupportsViewpoints,
)
from core.stop_token import StopToken
from robots import opengl
from robots.registry import ROBOTS
from tests.permitted import authority_of, do, look_from
from tests.robots.conformance import CASES, ROOT, Case, episode, first_episode, truth_of
from tests.robots.permit_frauds import actuators, frauds, issued, joints

OWN = tuple((ROOT / "tests" / "robots").glob("*/**/test_conformance.py"))  # of robots that are slow to make
LONG = 30.0  # seconds a step takes where it is to be interrupted
SOON = 10.0  # seconds in which an interruption must have come through, on a busy machine
IMPOSSIBLE = Step("no_such_action", ("nothing",))


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    chosen = CASES[request.param]
    if chosen.robot.name == "kitchen" and chosen.pictures and not opengl.backend():
        pytest.skip(opengl.REMEDY)
    return chosen


def test_that_each_robot_is_tried_here_or_in_a_file_of_its_own() -> None:
    tried = {case.robot.name for case in CASES.values()}
    own = {path.relative_to(ROOT / "tests/robots").parts[0] for path in OWN}
    assert set(ROBOTS.names()) <= tried | own


# --- halting ----------------------------------------------------------------------------------------


def test_conformance_that_a_halt_from_any_thread_gets_a_number_of_its_own(case: Case) -> None:
    with case.made() as robot, ThreadPoolExecutor(4) as pool:
        first = robot.halt()
        numbers = list(pool.map(lambda _: robot.halt(), range(40)))
    assert sorted(numbers) == list(range(first + 1, first + 41))


def test_conformance_that_a_halted_robot_does_nothing_until_it_is_released(case: Case) -> None:
    with case.made() as robot:
        before = truth_of(robot)
        number = robot.halt()
        for _ in range(2):
            assert do(robot, case.possible()).status is StepStatus.HALTED
        assert truth_of(robot) == before
        robot.release_stop(number)
        assert do(robot, case.possible()).status is StepStatus.DONE


def test_conformance_that_a_stop_pressed_while_one_is_released_stays(case: Case) -> None:
    with case.made() as robot:
        seen, later = robot.halt(), robot.halt()
        robot.release_stop(seen)
        assert do(robot, case.possible()).status is StepStatus.HALTED
        robot.release_stop(later)
        assert do(robot, case.possible()).status is StepStatus.DONE


def test_conformance_that_a_release_does_not_reach_into_the_future(case: Case) -> None:
    with case.made() as robot:
        robot.release_stop(1000)
        robot.halt()
        assert do(robot, case.possible()).status is StepStatus.HALTED


def test_conformance_that_a_halt_from_another_thread_ends_a_step_on_the_way(case: Case) -> None:
    with case.made(pace=LONG) as robot:
        before, began = truth_of(robot), monotonic()
        pressing = Timer(0.1, robot.halt)  # whether it comes before or during the step, it must win
        pressing.start()
        outcome = do(robot, case.possible())
        pressing.join()
        assert outcome.status is StepStatus.HALTED
        assert monotonic() - began < SOON
        assert truth_of(robot) == before


# --- permits ----------------------------------------------------------------------------------------


def test_conformance_that_nothing_moves_without_a_valid_permit(case: Case) -> None:
    step = case.possible()
    with case.made() as robot, authority_of(robot.permits) as authority:
        if isinstance(robot, SupportsViewpoints):
            do(robot, step)  # some look from elsewhere only at what they are at
        ways = list(actuators(robot, step, IMPOSSIBLE))
        older = [(way, issued(authority, way)) for way in ways]
        robot.release_stop(robot.halt())
        before = truth_of(robot), robot.look(StopToken()).viewpoint, joints(robot)
        for way, permit in older:
            assert way.refused(permit), f"{way.kind} under an older stop"
        for way in ways:
            for fraud, permit in frauds(robot, authority, way):
                assert way.refused(permit), f"{way.kind} with a permit that is {fraud}"
                assert truth_of(robot) == before[0], f"{way.kind} with a permit that is {fraud}"
        gone = issued(authority, ways[0])
        authority.release()
        assert ways[0].refused(gone), "a permit of an authority that is gone"
        assert (truth_of(robot), robot.look(StopToken()).viewpoint, joints(robot)) == before


def test_conformance_that_a_permit_is_for_one_motion_only(case: Case) -> None:
    step = case.possible()
    with case.made() as robot, authority_of(robot.permits) as authority:
        way = next(actuators(robot, step, IMPOSSIBLE))
        permit = issued(authority, way)
        assert robot.do(step, permit, StopToken()).status is StepStatus.DONE
        after = truth_of(robot)
        assert way.refused(permit)
        assert truth_of(robot) == after


def test_conformance_that_a_motion_that_was_halted_has_used_its_permit_up(case: Case) -> None:
    step = case.possible()
    with case.made() as robot, authority_of(robot.permits) as authority:
        number, way = robot.halt(), next(actuators(robot, step, IMPOSSIBLE))
        permit = issued(authority, way)
        assert robot.do(step, permit, StopToken()).status is StepStatus.HALTED
        robot.release_stop(number)
        assert way.refused(permit)


def test_conformance_that_only_a_simulation_is_restored(case: Case) -> None:
    step = case.possible()
    with case.made() as robot, authority_of(robot.permits) as authority:
        way = next(actuators(robot, step, IMPOSSIBLE))
        permit = issued(authority, way, kind=PermitKind.RESTORE)
        assert way.refused(permit) is (robot.embodiment is not Embodiment.SIM)


def test_conformance_that_a_robots_permits_have_one_source(case: Case) -> None:
    with case.made() as robot, authority_of(robot.permits), pytest.raises(RobotNotReady):
        robot.permits.claim()


# --- cancelling -------------------------------------------------------------------------------------


def test_conformance_that_a_cancelled_look_is_broken_off(case: Case) -> None:
    cancel = StopToken()
    cancel.end("closed")
    with case.made() as robot, pytest.raises(Cancelled):
        robot.look(cancel)


def test_conformance_that_a_cancel_ends_a_step_on_the_way(case: Case) -> None:
    cancel = StopToken()
    with case.made(pace=LONG) as robot:
        before, began = truth_of(robot), monotonic()
        ending = Timer(0.1, cancel.end, ("closed",))
        ending.start()
        outcome = do(robot, case.possible(), cancel)
        ending.join()
        assert outcome.status is StepStatus.HALTED
        assert monotonic() - began < SOON
        assert truth_of(robot) == before


def test_conformance_that_a_step_is_not_begun_once_cancelled(case: Case) -> None:
    cancel = StopToken()
    cancel.stop(1, "stop")
    with case.made() as robot:
        before = truth_of(robot)
        assert do(robot, case.possible(), cancel).status is StepStatus.HALTED
        assert truth_of(robot) == before


# --- what it reports --------------------------------------------------------------------------------


def test_conformance_that_a_step_done_is_reported_as_done_and_is_so(case: Case) -> None:
    domain_spec, task = case.at()
    step = case.possible()
    with case.made() as robot:
        outcome = do(robot, step)
        assert outcome.status is StepStatus.DONE
        assert outcome.seconds >= 0
        if isinstance(robot, GroundTruth):
            state = task.problem.state
            promised = semantics.apply(task.problem, state, step) - state
            assert robot.truth() >= {a for a in promised if a.predicate not in domain_spec.bookkeeping}
            assert robot.situation == ""


def test_conformance_that_a_step_it_cannot_do_fails_and_changes_nothing(case: Case) -> None:
    with case.made() as robot:
        before = truth_of(robot)
        outcome = do(robot, IMPOSSIBLE)
        assert outcome.status is StepStatus.FAILED
        assert outcome.detail
        assert truth_of(robot) == before


def test_conformance_that_the_truth_holds_what_the_problem_gives(case: Case) -> None:
    _, task = case.at()
    with case.made() as robot:
        if isinstance(robot, GroundTruth):
            assert robot.truth() >= task.problem.state


def test_conformance_that_the_senses_tell_the_truth(case: Case) -> None:
    for told in first_episode(case):
        if told.truth is not None:
            assert all((atom in told.truth) == felt for atom, felt in told.senses.items())


def test_conformance_that_the_same_seed_gives_the_same_episode(case: Case) -> None:
    if not case.pictures:  # else a second episode without them is the same, poses and all: see below
        assert first_episode(case) == episode(case)


def test_conformance_that_what_happens_does_not_depend_on_pictures(case: Case) -> None:
    if case.pictures and not case.quick:  # what is quick takes its pictures all the same
        unseen = first_episode(replace(case, pictures=False))
        assert [told.without_pose() for told in first_episode(case)] == [
            told.without_pose() for told in unseen
        ]


# --- pictures ---------------------------------------------------------------------------------------


def test_conformance_that_a_picture_is_named_by_its_bytes_and_cannot_be_painted_over(case: Case) -> None:
    with case.made() as robot:
        frame = robot.look(StopToken())
    assert frame.viewpoint
    if case.pictures:
        assert frame.id == sha256(frame.png).hexdigest()
        assert frame.rgb is not None and frame.rgb.shape in ((256, 256, 3), (512, 512, 3))
        assert not frame.rgb.flags.writeable
    else:
        assert (frame.id, frame.png, frame.rgb) == ("", b"", None)


def test_conformance_that_two_looks_in_a_row_are_from_the_same_pose(case: Case) -> None:
    with case.made() as robot:
        first, again = robot.look(StopToken()), robot.look(StopToken())
    assert (first.viewpoint, first.id) == (again.viewpoint, again.id)


def test_conformance_that_the_eye_stays_where_it_is_when_nothing_can_be_done(case: Case) -> None:
    with case.made() as robot:
        do(robot, case.possible())
        before = robot.look(StopToken())
        do(robot, IMPOSSIBLE)
        assert robot.look(StopToken()).viewpoint == before.viewpoint


def test_conformance_that_poses_have_the_same_names_with_pictures_and_without(case: Case) -> None:
    if case.pictures and not case.quick:
        unseen = first_episode(replace(case, pictures=False))
        assert [told.viewpoint for told in first_episode(case)] == [told.viewpoint for told in unseen]


def test_conformance_that_a_look_from_elsewhere_is_from_another_pose_and_does_nothing(case: Case) -> None:
    with case.made() as robot:
        if not isinstance(robot, SupportsViewpoints):
            return
        do(robot, case.possible())
        here, before = robot.look(StopToken()), truth_of(robot)
        names = robot.viewpoints
        seen = [look_from(robot, name).viewpoint for name in names]
        assert len({here.viewpoint, *seen}) == 1 + len(names) > 1
        assert [look_from(robot, name).viewpoint for name in names] == seen
        again = robot.look(StopToken())
        assert (again.viewpoint, again.id) == (here.viewpoint, here.id)
        assert truth_of(robot) == before
        with pytest.raises(UnknownName, match="viewpoint"):
            look_from(robot, "the far side of the moon")


def test_conformance_that_a_halted_robot_does_not_look_from_elsewhere_until_released(case: Case) -> None:
    with case.made() as robot:
        if not isinstance(robot, SupportsViewpoints):
            return
        do(robot, case.possible())
        here, number = robot.look(StopToken()), robot.halt()
        name = robot.viewpoints[0]
        with pytest.raises(Cancelled):
            look_from(robot, name)
        robot.release_stop(number)
        assert robot.look(StopToken()).viewpoint == here.viewpoint
        assert look_from(robot, name).viewpoint != here.viewpoint


# --- judging steps ----------------------------------------------------------------------------------


def test_conformance_that_a_step_is_judged_by_what_is_so(case: Case) -> None:
    step = case.possible()
    with case.made(fresh=True) as robot:
        if not isinstance(robot, StepTruth):
            return
        assert robot.step_succeeded() is None
        assert robot.step_possible(step) and not robot.step_possible(IMPOSSIBLE)
        assert robot.step_succeeded() is None
        do(robot, step)
        assert robot.step_succeeded() is True
        do(robot, IMPOSSIBLE)
        assert robot.step_succeeded() is False


def test_conformance_that_what_is_possible_does_not_fail_when_nothing_goes_wrong(case: Case) -> None:
    with case.made(fresh=True) as robot:
        if not isinstance(robot, StepTruth):
            return
        for step in case.walk():
            possible = robot.step_possible(step)
            assert possible is (do(robot, step).status is StepStatus.DONE)


def test_conformance_that_boxes_lie_within_the_picture_and_have_been_asked_for(case: Case) -> None:
    _, task = case.at()
    names = [o.name for o in task.problem.all_objects]
    with case.made() as robot:
        do(robot, case.possible())
        frame = robot.look(StopToken())
        if isinstance(robot, ProvidesBoxes) and case.pictures:
            assert frame.rgb is not None
            side, found = len(frame.rgb), robot.boxes(names)
            assert found
            assert {box.name for box in found} <= set(names)
            for box in found:
                assert 0 <= box.left < box.right <= side and 0 <= box.top < box.bottom <= side
            assert robot.boxes([]) == ()


def test_conformance_that_live_pictures_never_block(case: Case) -> None:
    with case.made(pace=LONG) as robot:
        if not isinstance(robot, ProvidesLiveFrames):
            return
        doing = Thread(target=do, args=(robot, case.possible()))
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
            robot.release_stop(1000)
        with pytest.raises(RobotNotReady, match="closed"):
            robot.look(StopToken())
        permit = Permit(1, PermitKind.STEP, str(case.possible()))
        with pytest.raises(RobotNotReady, match="closed"):
            robot.do(case.possible(), permit, StopToken())
