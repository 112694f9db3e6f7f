"""The robot on the contract fakes: each task and API, and what follows where the simulator disagrees."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from core.belief import Atom
from core.errors import Cancelled, RobotError
from core.install_paths import ROOT
from core.planning import domain_library
from core.planning.planner import make_planner
from core.planning_model import Step
from core.ports import StepStatus
from core.stop_token import StopToken
from robots.kitchen.household.body import same_pose
from robots.omnigibson.activities import ACTIVITIES
from robots.omnigibson.robot import OmniGibsonRobot
from robots.registry import make_robot
from tests.patience import AT_ONCE
from tests.permitted import do, look_from
from tests.robots.omnigibson.conftest import environment
from tests.robots.remote.served import until
from tests.sampling import some

AGENT, ROOM = "agent-n-01_1", "kitchen_1"
CABINET, MUG, SINK, WATER = "cabinet-n-01_1", "mug-n-04_1", "sink-n-01_1", "water-n-06_1"
FIND, OPEN = Step("find", (AGENT, CABINET, ROOM)), Step("openit", (AGENT, CABINET, ROOM))
Make = Callable[..., OmniGibsonRobot]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    opened = []

    def make(task: str = "boil_water", api: str = "a", fault: str = "", **more: object) -> OmniGibsonRobot:
        for name, value in environment(api, fault).items():
            monkeypatch.setenv(name, value)
        folder, found = domain_library.load_task(task)
        options = {"python": sys.executable, "scene": "a scene"}
        robot = make_robot(
            "omnigibson",
            domain_spec=folder,
            task=found,
            openness=0.0,
            options=options,
            pictures=False,
            **more,
        )  # type: ignore[arg-type]
        assert isinstance(robot, OmniGibsonRobot)
        opened.append(robot)
        return robot

    yield make
    for robot in opened:
        robot.close()


@pytest.mark.long
@pytest.mark.parametrize(("task", "api"), some(zip(ACTIVITIES, "abcab", strict=True), 3))
def test_that_a_plan_for_each_task_reaches_the_papers_goal(made: Make, task: str, api: str) -> None:
    robot = made(task, api)
    _, found = domain_library.load_task(task)
    for step in make_planner("pyperplan").plan(found.problem, StopToken()).steps:
        outcome = do(robot, step)
        assert outcome.status is StepStatus.DONE, outcome.detail
        assert robot.step_succeeded()
    assert {literal.atom for literal in found.problem.goal} <= robot.truth()
    # The activity's own goal is another one where the paper has changed it.
    assert robot._body.simulator.ask("goal") is (task not in ("bring_in_bottles", "store_firewood"))


def test_that_a_step_fails_where_the_simulator_disagrees_and_the_facts_follow_it(made: Make) -> None:
    robot = made(fault="stuck door")
    do(robot, FIND)
    outcome = do(robot, OPEN)
    assert outcome.status is StepStatus.FAILED
    assert outcome.detail == "in OmniGibson, the door of the cabinet does not move"
    assert Atom("closed", (CABINET,)) in robot.truth()
    assert robot.step_succeeded() is False


def test_that_what_is_not_seen_from_anywhere_is_not_found(made: Make) -> None:
    robot = made(fault="blind")
    outcome = do(robot, FIND)
    assert outcome.status is StepStatus.FAILED and "shows it" in outcome.detail
    assert Atom("inview", (AGENT, CABINET)) not in robot.truth()


def test_that_an_eye_without_segmentation_is_refused(made: Make) -> None:
    with pytest.raises(RobotError, match="no camera with segmentation"):
        do(made(fault="no segmentation"), FIND)


def test_that_a_look_from_elsewhere_that_is_stopped_stays_where_it_is(
    made: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot, cancel = made(), StopToken()
    do(robot, FIND)
    look = robot._body.look

    def stopped(cancel: StopToken) -> object:
        robot.halt()
        return look(cancel)

    monkeypatch.setattr(robot._body, "look", stopped)
    here = robot._body.camera_pose
    with pytest.raises(Cancelled):
        look_from(robot, "left", cancel)
    assert not same_pose(robot._body.camera_pose, here) and robot.viewpoints == ()
    robot.release_stop(robot.permits._last_stop())
    assert do(robot, FIND).status is StepStatus.DONE


@pytest.mark.parametrize("fault", some(["fills too little", "", "heavy"], 3))
def test_that_a_mug_is_full_only_if_it_is_in_the_simulator(made: Make, fault: str) -> None:
    robot = made(fault=fault)
    steps = [
        FIND,
        OPEN,
        Step("find", (AGENT, MUG, ROOM)),
        Step("graspin", (AGENT, MUG, CABINET)),
        Step("find", (AGENT, SINK, ROOM)),
        Step("fillsink", (AGENT, SINK, WATER)),
        Step("fill", (AGENT, MUG, SINK, WATER)),
    ]
    outcomes = [do(robot, step) for step in steps]
    full = Atom("filled", (MUG, WATER)) in robot.truth()
    assert full is (fault != "fills too little")
    assert (outcomes[-1].status is StepStatus.DONE) is full
    assert Atom("inhand", (AGENT, MUG)) in robot.truth(), "also without a joint"


def test_that_a_crash_is_an_error_with_the_way_out(made: Make) -> None:
    with pytest.raises(
        RobotError, match=r"^OmniGibson's process ended with code 139.*doctor --robot omnigibson"
    ):
        made(fault="crash")  # in the first step of the physics, where things are laid out
        do(made(fault="crash"), FIND)
        do(made(fault="crash"), OPEN)


@pytest.mark.parametrize("fault", ["crash at teardown", ""])
def test_that_how_it_ends_is_no_fault(made: Make, fault: str) -> None:
    made(fault=fault).close()


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("no gpu", "needs an NVIDIA RTX card"),
        ("no isaac", "Isaac Sim is not set up in this environment"),
        ("no licence", "OMNI_KIT_ACCEPT_EULA=YES"),  # it asks, and nobody answers
    ],
)
def test_that_a_start_that_fails_says_what_to_do(made: Make, fault: str, words: str) -> None:
    with pytest.raises(RobotError, match=words):
        made(fault=fault)


def slow_start(folder: Path) -> Mapping[str, str]:
    """The environment of an OmniGibson that never stops compiling shaders; its data are in this folder."""
    layouts = folder / "scenes" / "Ihlen_0_int" / "json"
    layouts.mkdir(parents=True)
    (layouts / "Ihlen_0_int_task_halve_an_egg_0_0_template.json").touch()
    own = {"DKPROMPT_OMNIGIBSON": sys.executable, "OMNIGIBSON_DATASET_PATH": str(folder)}
    return environment("a", "slow", **own)


def test_that_a_start_that_is_broken_off_leaves_no_process(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As the window does, which raises in what it is told of the start."""
    for name, value in slow_start(tmp_path).items():
        monkeypatch.setenv(name, value)
    folder, task = domain_library.load_task("halve_egg")
    pids: list[int] = []

    def notify(text: str) -> None:
        if found := re.search(r"shaders in process (\d+)", text):
            pids.append(int(found[1]))
            raise Cancelled("the start was cancelled")

    with pytest.raises(Cancelled):
        make_robot("omnigibson", domain_spec=folder, task=task, notify=notify)
    until(lambda: not Path(f"/proc/{pids[0]}").exists())


def test_that_a_signal_during_a_slow_start_in_a_terminal_ends_its_process_and_is_told(tmp_path: Path) -> None:
    command = ["run", "halve_egg", "--robot", "omnigibson", "--database", str(tmp_path / "l.db")]
    console = subprocess.Popen(
        [sys.executable, "main.py", *command],
        cwd=ROOT, env={**os.environ, **slow_start(tmp_path)}, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert console.stdout is not None
    with console.stdout as said:
        pid = next(int(found[1]) for line in said if (found := re.search(r"in process (\d+)", line)))
        console.send_signal(signal.SIGTERM)
        assert said.read().endswith("Ended with SIGTERM.\n")
    assert console.wait(AT_ONCE) == 128 + signal.SIGTERM
    until(lambda: not Path(f"/proc/{pid}").exists(), AT_ONCE)


def test_that_the_worker_needs_an_interpreter_that_is_there(tmp_path: Path) -> None:
    folder, task = domain_library.load_task("halve_egg")
    told = {
        str(tmp_path / "python"): "No such file.*give robot.python",
        "/bin/true": "check that /bin/true is",
    }
    for python, words in told.items():
        with pytest.raises(RobotError, match=words):
            make_robot("omnigibson", domain_spec=folder, task=task, options={"python": python})
