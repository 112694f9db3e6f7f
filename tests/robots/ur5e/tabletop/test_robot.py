"""The whole thing on the emulator: real ur_rtde, rendered pictures, things held by friction."""

from __future__ import annotations

import math
import re
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest

from core.arm.arm_capabilities import PreflightCheck
from core.belief import Atom
from core.config import Settings
from core.domains import Situation
from core.episode import run_components
from core.errors import BadValue, RobotError
from core.events import EpisodeEnded, Event, PlanMade, StepFinished
from core.loop.episode_loop import run_episode
from core.loop.gate import AutoOperator
from core.methods.registry import make_method
from core.operator import Decision, Proceed, Proposal, ProposalKind
from core.planning import domain_library
from core.planning.planner import make_planner
from core.planning_model import Step
from core.ports import (
    Embodiment,
    GroundTruth,
    ProvidesBoxes,
    ProvidesLiveFrames,
    StepResult,
    StepStatus,
    StepTruth,
)
from core.stop_token import StopToken
from core.vqa.registry import make_answerer
from main import make_components
from robots.ur5e.emulator.process import EmulatorProcess
from robots.ur5e.emulator.scene import VIEW
from robots.ur5e.kinematics import forward_kinematics
from robots.ur5e.tabletop import emulated_robot, skills
from robots.ur5e.tabletop.emulated_camera import EmulatedCamera, Ghost
from robots.ur5e.tabletop.emulated_robot import EmulatedTabletopRobot, make_tabletop_robot
from robots.ur5e.tabletop.grasp import Grasp
from robots.ur5e.tabletop.left_over import TABLE, left_on_table, moved_on_emulated_table
from tests.permitted import do
from tests.robots.ur5e.conftest import fast_arms, fresh_address, until

EGGPLANT = Step("pick", ("robot", "toy_eggplant"))


def made(task: str, seed: int, openness: float = 0.0) -> EmulatedTabletopRobot:
    folder, found = domain_library.load_task(task)
    try:
        robot = make_tabletop_robot(folder, found, seed=seed, openness=openness)
    except RobotError as error:
        if "OpenGL" in str(error) or "own port" in str(error):
            pytest.skip(f"no pictures here: {error}")
        raise
    assert isinstance(robot, EmulatedTabletopRobot)
    return robot


def episode(robot: EmulatedTabletopRobot, seed: int) -> list[Event]:
    task = robot.task
    return list(
        run_episode(
            task.name,
            task.problem,
            robot,
            make_answerer("perfect", truth=robot, seed=seed),
            make_planner("pyperplan"),
            make_method("dkprompt", robot.domain_spec, task.problem),
            AutoOperator(robot.embodiment),
            StopToken(),
        )
    )


@pytest.fixture(scope="module")
def robot() -> Iterator[EmulatedTabletopRobot]:
    with fast_arms():
        robot = made("collect_toys", 3)
    yield robot
    robot.close()


pytestmark = pytest.mark.gl


def test_that_it_is_emulated_and_tells_its_truth_boxes_and_live_pictures(
    robot: EmulatedTabletopRobot,
) -> None:
    assert robot.embodiment is Embodiment.EMULATED
    assert (
        isinstance(robot, GroundTruth)
        and isinstance(robot, ProvidesBoxes)
        and isinstance(robot, ProvidesLiveFrames)
    )
    assert isinstance(robot, StepTruth)
    assert robot.task.problem.state <= robot.truth()
    frame = robot.look(StopToken())
    assert frame.rgb is not None and frame.rgb.shape == (256, 256, 3)
    names = robot.task.problem.of_type("movable")
    assert {box.name for box in robot.boxes(names)} == set(names)
    until(lambda: robot.live("wrist") is not None)


@pytest.mark.long
def test_that_the_view_of_the_whole_arm_shows_the_next_motion_as_a_ghost_until_it_has_ended(
    robot: EmulatedTabletopRobot,
) -> None:
    camera = robot.hardware.camera
    assert VIEW in robot.views and VIEW not in robot.cameras and isinstance(camera, EmulatedCamera)

    def blue() -> int:
        _, g, b = (camera.follow(VIEW).rgb.astype(int)[..., i] for i in range(3))
        return int((b > g + 60).sum())

    before = blue()
    best = robot.candidates(EGGPLANT)[0]
    assert camera.ghost == Ghost(robot.skills.joints_at(Grasp.from_values(best.step.values["grasp"])))
    assert blue() > before + 1000
    robot.halt()
    do(robot, best.step)
    robot.candidates(Step("place_goal", ("robot", "container_cyan")))
    assert camera.ghost == Ghost() and blue() < before + 300
    robot.release_stop(robot.halt())


def test_that_no_step_begins_while_the_pendant_has_the_arm(robot: EmulatedTabletopRobot) -> None:
    robot._admin.inject_fault("local")
    try:
        outcome = do(robot, EGGPLANT)
        assert outcome.status is StepStatus.HALTED
        assert "local control" in outcome.detail
    finally:
        robot._admin.inject_fault("remote")
    assert robot.arm.state is not None
    assert robot.arm.state.at_standstill


def test_that_a_pick_refuses_what_it_would_not_offer(robot: EmulatedTabletopRobot) -> None:
    region, _ = robot.skills.locate("toy_eggplant")
    assert region is not None
    for values, says in (
        ((0.6, -0.4, 0.02, 0.0, 0.03, 1.0), "no longer where"),
        ((region.x, region.y, 0.004, 0.0, 0.03, 1.0), "touch the table"),
    ):
        outcome = do(robot, replace(EGGPLANT, values={"grasp": values}))
        assert outcome.status is StepStatus.FAILED
        assert says in outcome.detail


def test_that_a_pick_without_a_choice_takes_none_that_is_in_the_way(
    robot: EmulatedTabletopRobot, monkeypatch: pytest.MonkeyPatch
) -> None:
    planner, high = robot.skills.planner, "a finger would meet something 60 mm high"
    monkeypatch.setattr(skills, "_NEAR_M", 1.0)
    for reason, said in (("a wall is there", "a wall is there"), (high, f"{high} (container_blue stands ")):
        monkeypatch.setattr(planner, "collision", lambda grasp, relief, reason=reason: reason)
        outcome = do(robot, EGGPLANT)
        assert outcome.status is StepStatus.FAILED
        assert outcome.detail.startswith(f"toy_eggplant cannot be grasped: {said}")
    monkeypatch.setattr(planner, "grasps", lambda *_: ())
    assert do(robot, EGGPLANT).detail.startswith("toy_eggplant cannot be grasped: the fingers find no room")


def test_that_what_a_halted_pick_has_taken_is_lifted_once_released_and_can_be_placed(
    robot: EmulatedTabletopRobot,
) -> None:
    pick, outcomes = Step("pick", ("robot", "container_cyan")), list[StepResult]()
    doing = Thread(target=lambda: outcomes.append(do(robot, pick)))
    doing.start()
    until(lambda: robot._thing_poses()["container_cyan"].z > 0.08, 60)
    number = robot.halt()
    doing.join(15)
    assert [o.status for o in outcomes] == [StepStatus.HALTED]
    assert do(robot, pick).status is StepStatus.HALTED
    robot.release_stop(number)
    assert do(robot, pick).status is StepStatus.DONE
    place, camera = Step("place_goal", ("robot", "container_cyan")), robot.hardware.camera
    assert isinstance(camera, EmulatedCamera) and robot.candidates(place) == ()
    x, y = forward_kinematics(camera.ghost.q, robot.arm.tcp)[:2, 3]
    assert math.dist((x, y), robot.table.goal_area.at) < 0.1, "the ghost lets go where the arm will"
    assert do(robot, place).status is StepStatus.DONE and not camera.ghost.q
    assert Atom("ingoal", ("container_cyan",)) in robot.truth()


@pytest.mark.long
def test_that_a_chosen_grasp_is_the_one_that_is_done(robot: EmulatedTabletopRobot) -> None:
    options = robot.candidates(EGGPLANT)
    assert len(options) >= 2
    assert {o.step.args for o in options} == {EGGPLANT.args}
    assert [o.score for o in options] == sorted((o.score for o in options), reverse=True)
    width, height = options[0].size
    left, top, right, bottom = options[0].line
    pointed = robot.candidate_at(EGGPLANT, (left + right) / 2, (top + bottom) / 2)
    assert pointed is not None
    assert pointed.unavailable_reason == ""
    assert 0 < left < width
    assert 0 < top < height
    assert robot.candidate_at(EGGPLANT, 5, 5) is None or robot.candidate_at(EGGPLANT, 5, 5).unavailable_reason
    second = options[1].step
    assert robot.step_possible(second)
    outcome = do(robot, second)
    assert outcome.status is StepStatus.DONE, outcome.detail
    assert robot.step_succeeded() is True
    assert Atom("inhand", ("robot", "toy_eggplant")) in robot.truth()
    assert robot.sense() == {Atom("handempty", ("robot",)): False}
    assert do(robot, Step("pick", ("robot", "toy_carrot"))).detail == "the hand is not empty"
    assert robot.step_succeeded() is False
    into = Step("place_in", ("robot", "toy_eggplant", "container_blue"))
    assert not robot.step_possible(into) and robot.step_possible(
        Step("place_in", (*into.args[:2], "container_cyan"))
    )
    outcome = do(robot, into)
    assert (outcome.status, "goal area" in outcome.detail) == (StepStatus.FAILED, True)
    assert robot.step_succeeded() is False


@pytest.mark.long
def test_that_what_is_in_the_hand_is_put_back_where_it_was_taken_from(
    robot: EmulatedTabletopRobot,
) -> None:
    if robot.skills.held is None:
        assert do(robot, EGGPLANT).status is StepStatus.DONE
    held = robot.skills.held
    assert held is not None
    assert held.name == "toy_eggplant"
    back = Step("put_back", ("robot", "toy_eggplant"))
    assert robot.step_possible(back)
    outcome = do(robot, back)
    assert outcome.status is StepStatus.DONE, outcome.detail
    assert robot.step_succeeded() is True
    assert {Atom("ontable", ("toy_eggplant",)), Atom("handempty", ("robot",))} <= robot.truth()
    now = robot._thing_poses()["toy_eggplant"]
    assert abs(now.x - held.origin[0]) < 0.04
    assert abs(now.y - held.origin[1]) < 0.04
    assert do(robot, back).detail == "toy_eggplant is not in the hand"


@pytest.mark.long
@pytest.mark.parametrize(
    ("situation", "container"),
    [("it drops on the way", "container_cyan"), ("the pick fails", "container_blue")],
)
def test_that_the_papers_two_situations_are_recovered_from(
    situation: str, container: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = [situation]  # it happens once

    def drawn(situations: Sequence[Situation], uniform: float) -> Situation | None:
        found = next((s for s in situations if s.name in left), None)
        if found is not None:
            left.clear()
        return found

    monkeypatch.setattr(emulated_robot, "select", drawn)
    robot = made("collect_eggplant", 4)
    try:
        events = episode(robot, 4)
    finally:
        robot.close()
    assert [e.situation for e in events if isinstance(e, StepFinished)][1] == situation
    again = [e for e in events if isinstance(e, PlanMade)][1].change
    assert [(c.predicate, c.args[-1]) for c in again.reason.literals] == [("inhand", "container_blue")]
    assert again.new_plan.steps[0].args[-1] == container
    ended = events[-1]
    assert isinstance(ended, EpisodeEnded)
    assert ended.true_goal


def test_that_a_full_hand_at_the_start_is_named(robot: EmulatedTabletopRobot) -> None:
    if not robot.skills.holding():
        assert do(robot, EGGPLANT).status is StepStatus.DONE
    if robot.skills.held is not None:
        assert "if it is toy_eggplant, which it took, correct that it is in the hand" in robot.hindrance()
    robot.skills.held = None  # as after an episode that was broken off
    assert robot.gripper_status is not None or until(lambda: robot.gripper_status is not None) is None
    (line,) = [c for c in robot.preflight() if c.name == "gripper"]
    assert "it holds something: open it" in line.refusal
    events = episode(robot, 3)
    assert isinstance(events[-1], EpisodeEnded)
    assert events[-1].reason.startswith("The gripper holds something: open it"), events[-1].reason


def test_that_a_moved_container_is_a_line_of_preflight_and_doctor(robot: EmulatedTabletopRobot) -> None:
    def lines() -> tuple[PreflightCheck, PreflightCheck]:
        seen = left_on_table(robot.task.problem, robot.table, robot.capture())
        return seen, moved_on_emulated_table(robot.hardware.setup)

    first = robot._thing_poses()["container_blue"]
    for x, y, wrong in ((0.5, 0.0, True), (0.42, -0.30, False)):
        robot._admin.ask("put", thing="container_blue", at=(x, y, first.z), turn=0.0)
        seen, moved = lines()
        assert ("container_blue stands in the goal area" in seen.reason) is wrong
        assert ("container_blue is not where it stood" in moved.reason) is wrong
        assert not wrong or ("as the task begins" in seen.remedy and "restart" in moved.remedy)
    assert not any(check.name == TABLE for check in robot.preflight()), "steps have been made since"


class Present(AutoOperator):
    """An operator for the emulator who releases a halt without checking; nobody can be hurt."""

    def __init__(self) -> None:
        super().__init__(Embodiment.EMULATED)
        self.halts: list[str] = []

    def decide(self, proposal: Proposal) -> Decision:
        if proposal.kind is ProposalKind.STOP_RELEASE and len(self.halts) < 20:
            self.halts.append(proposal.explanation)
            return Proceed(proposal.stop_number)
        return super().decide(proposal)


@pytest.mark.long
def test_that_of_twenty_seeds_at_least_eighteen_collect_all_toys() -> None:
    reached = 0
    for seed in range(20):
        person, began = Present(), time.monotonic()
        settings = Settings(task="collect_toys", robot="ur5e", answerer="perfect", seed=seed)
        with closing(make_components(settings)) as parts:
            *_, ended = run_components(parts, person, StopToken())
        assert isinstance(ended, EpisodeEnded)
        reached += bool(ended.true_goal)
        how, halts = ended.result.value, sorted(set(person.halts))
        print(f"seed {seed}: {how}, {ended.true_goal}, {time.monotonic() - began:.0f} s, halts: {halts}")
    assert reached >= 18


BENCH = """
[things.tray_1]
shape = "bin"
at = [0.42, -0.30]
half = [0.07, 0.05, 0.03]
mass = 0.12
paint = [0.13, 0.32, 0.85]
hue = { low = 106, high = 122 }

[things.nut_1]
shape = "box"
at = [0.55, 0.15]
half = [0.018, 0.018, 0.014]
mass = 0.03
paint = [0.95, 0.48, 0.10]
hue = { low = 8, high = 19, saturation = 170 }
"""
TASK = """
[tasks.tidy]
file = "tidy.pddl"
"""
PROBLEM = """(define (problem tidy) (:domain tabletop)
  (:objects robot - agent tray_1 - container nut_1 - toy)
  (:init (handempty robot) (ontable tray_1) (ontable nut_1))
  (:goal (collected nut_1)))"""


@pytest.mark.long
def test_that_it_takes_a_persons_own_things_and_actions_and_refuses_unknown_ones(tmp_path: Path) -> None:
    bench = shutil.copytree(domain_library.DOMAINS_FOLDER / "tabletop", tmp_path / "bench")
    (bench / "tidy.pddl").write_text(PROBLEM)
    toml = bench / "domain.toml"
    toml.write_text(re.sub(r"\[tasks[^[]*|\[names[^[]*", "", toml.read_text()) + TASK)
    for file in (toml, bench / "tabletop.pddl"):
        file.write_text(re.sub(r"(?m)(action |skills\.|^)pick\b", r"\1grasp", file.read_text()))
    (tmp_path / "bench.toml").write_text(BENCH)
    folder = domain_library.load_domain_spec(bench)
    task = folder.tasks["tidy"]
    with pytest.raises(BadValue, match="the scene 'tabletop' has no nut_1, tray_1: add them"):
        make_tabletop_robot(folder, task)
    address = fresh_address()
    setup = tmp_path / "arm.toml"
    tool = "payload = 0.98\ntcp = [0.0, 0.0, 0.157, 0.0, 0.0, 0.0]"
    pace = "[limits]\ntool_speed = 1.0\ntool_acceleration = 2.5\njoint_speed = 2.5\njoint_acceleration = 5.0"
    setup.write_text(f'address = "{address}"\nscene = "bench.toml"\n{tool}\n{pace}\n')
    emulator = EmulatorProcess(address, str(tmp_path / "bench.toml"))
    robot = make_tabletop_robot(folder, task, openness=0.0, arm=str(setup))
    try:
        for action in ("find", "grasp"):
            assert do(robot, Step(action, ("robot", "nut_1"))).status is StepStatus.DONE, action
        assert isinstance(robot, GroundTruth) and Atom("inhand", ("robot", "nut_1")) in robot.truth()
    finally:
        robot.close()
        emulator.close()
