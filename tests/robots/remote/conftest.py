"""A robot behind a network that can fail, and a long step on its way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from time import monotonic

import pytest

from core.errors import NoPicture, RobotError, RobotNotReady
from core.planning import domain_library, semantics
from core.planning_model import Step
from core.ports import Robot, StepResult, StepStatus
from core.stop_token import StopToken
from robots.registry import make_robot
from robots.symbolic.robot import SymbolicRobot
from tests.patience import AT_ONCE
from tests.permitted import do
from tests.robots.conformance import truth_of
from tests.robots.remote.network import Network, network_to
from tests.robots.remote.served import Served, options_at, serving, until

LONG = 30.0  # seconds of a step that something comes in between
SHORT = 0.3  # seconds of patience, where the program has several


def task_and_step() -> tuple[object, object, Step]:
    folder, task = domain_library.load_task("halve_egg")
    return folder, task, semantics.applicable_steps(task.problem, task.problem.state)[0]


FOLDER, TASK, STEP = task_and_step()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving("symbolic", tmp_path_factory.mktemp("token")) as served:
        yield served


@pytest.fixture
def network(server: Served) -> Iterator[Network]:
    with network_to(server.server.host, server.server.port) as found:
        yield found


@contextmanager
def made(pace: float, **options: str) -> Iterator[Robot]:
    robot = make_robot(
        "remote", domain_spec=FOLDER, task=TASK, pictures=False, openness=0.0, pace=pace, options=options
    )  # type: ignore[arg-type]
    try:
        yield robot
    finally:
        robot.close()


@pytest.fixture
def robot(server: Served, network: Network, request: pytest.FixtureRequest) -> Iterator[Robot]:
    """The robot behind the network, whose steps are long unless told otherwise."""
    pace = getattr(request, "param", LONG)
    with made(pace, **options_at(network.host, network.port, server.token_file)) as found:
        yield found


class Doing:
    """A step on its way."""

    def __init__(self, robot: Robot, served: Served | None = None) -> None:
        self._results: list[StepResult] = []
        self._thread = Thread(target=lambda: self._results.append(do(robot, STEP)))
        self._thread.start()
        if served is not None:
            until(lambda: (s := served.server.session) is not None and s.moving)

    def result(self, seconds: float = AT_ONCE) -> StepResult:
        self._thread.join(seconds)
        assert not self._thread.is_alive(), "it hangs"
        return self._results[0]


def there(served: Served) -> SymbolicRobot:
    """Return the robot on the other side."""
    robot = served.made[-1]
    assert isinstance(robot, SymbolicRobot)
    return robot


def refuses_everything(robot: Robot, why: str) -> None:
    """Assert that a robot that is lost answers whatever it is asked at once, and by this sentence."""
    began = monotonic()
    assert do(robot, STEP).status is StepStatus.HALTED
    with pytest.raises(RobotNotReady, match=why):
        robot.release_stop(10**6)
    assert do(robot, STEP).status is StepStatus.HALTED
    with pytest.raises(NoPicture, match=why):
        robot.look(StopToken())
    for ask in (robot.sense, lambda: truth_of(robot)):
        with pytest.raises(RobotError, match=why):
            ask()
    assert robot.halt() > 0
    assert monotonic() - began < AT_ONCE
