"""What every gripper in `resources/grippers` does on the emulator, whatever drives it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import get_args, get_type_hints

import pytest

from core.belief import Atom
from core.errors import BadFile
from core.planning import domain_library
from core.planning_model import Step
from core.ports import StepResult, StepStatus
from robots.ur5e.emulator.process import EmulatorProcess
from robots.ur5e.gripper.model import GRIPPERS, GripperModel, read_gripper
from robots.ur5e.gripper.protocols import PROTOCOLS
from robots.ur5e.tabletop.emulated_robot import EmulatedTabletopRobot, make_tabletop_robot
from tests.permitted import do, grip
from tests.robots.ur5e.conftest import fast_arms, fresh_address, until

HAND_E = (GRIPPERS.folder / "hand-e.toml").read_text()


# fingers move in the tests of the table, too
KINDS = [pytest.param(name, marks=() if name == "vacuum" else pytest.mark.long) for name in GRIPPERS.names]


@pytest.fixture(scope="module", params=KINDS)
def robot(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[EmulatedTabletopRobot]:
    """At an emulated arm with this gripper, named in its setup file."""
    folder = tmp_path_factory.mktemp("arm")
    model, address = read_gripper(request.param), fresh_address()
    (folder / "arm.toml").write_text(
        f'address = "{address}"\ngripper = "{request.param}"\npayload = {model.mass}\n'
        f"tcp = [0.0, 0.0, {model.reach}, 0.0, 0.0, 0.0]\n"
        "[limits]\ntool_speed = 1.0\ntool_acceleration = 2.5\njoint_speed = 2.5\njoint_acceleration = 5.0\n"
    )
    emulator = EmulatorProcess(address, gripper=request.param)
    domain, task = domain_library.load_task("collect_toys")
    with fast_arms():
        made = make_tabletop_robot(domain, task, seed=3, openness=0.0, arm=str(folder / "arm.toml"))
    assert isinstance(made, EmulatedTabletopRobot)
    yield made
    made.close()
    emulator.close()


@pytest.mark.gl
def test_that_it_takes_holds_and_lets_go(robot: EmulatedTabletopRobot) -> None:
    hand = robot.gripper
    held = Atom("inhand", ("robot", "toy_carrot"))
    for action in ("find", "pick", "put_back"):
        outcome = do(robot, Step(action, ("robot", "toy_carrot")))
        assert outcome.status is StepStatus.DONE, f"{action}: {outcome.detail}"
        assert hand.state().holding is (held in robot.truth()) is (action == "pick")


@pytest.mark.gl
def test_that_a_stop_makes_it_let_nothing_go(robot: EmulatedTabletopRobot) -> None:
    assert do(robot, Step("pick", ("robot", "toy_block"))).status is StepStatus.DONE
    outcomes = list[StepResult]()
    doing = Thread(target=lambda: outcomes.append(do(robot, Step("put_back", ("robot", "toy_block")))))
    doing.start()
    until(lambda: robot.arm.state is not None and not robot.arm.state.at_standstill)
    number = robot.halt()
    doing.join()
    assert outcomes[0].status is StepStatus.HALTED
    until(lambda: robot.gripper_status is not None)
    assert "stop is in force" in grip(robot, 1.0) and robot.gripper.state().holding
    robot.release_stop(number)
    assert robot.gripper.state().holding
    assert not grip(robot, 1.0), "opened by hand"
    until(lambda: not robot.gripper.state().holding and not robot.status.activity)


@pytest.mark.parametrize("name", GRIPPERS.names)
def test_that_something_drives_it(name: str) -> None:
    assert read_gripper(name).protocol in PROTOCOLS


def test_that_a_file_may_name_each_protocol() -> None:
    assert set(get_args(get_type_hints(GripperModel)["protocol"])) == set(PROTOCOLS)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (HAND_E.replace("0.05\n", "0.004\n"), "stroke must be above 0.008"),
        (HAND_E.replace("robotiq", "vacuum"), "stroke: a cup has none"),
        (HAND_E.replace("robotiq", "magnet"), "protocol must be 'robotiq' or 'vacuum'"),
        (HAND_E.replace("mass", "weight"), "weight is not a known key"),
        (HAND_E.replace("[20, 185]", "[20]"), "force number 2 is missing"),
    ],
)
def test_that_a_wrong_file_is_refused_in_one_sentence(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "own.toml").write_text(text)
    with pytest.raises(BadFile, match="own") as refused:
        read_gripper(str(tmp_path / "own.toml"))
    assert reason in str(refused.value) and "\n" not in str(refused.value)
