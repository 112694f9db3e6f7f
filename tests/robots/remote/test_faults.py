"""Whatever happens on the way or on the other side: no hang, no motion after it, one sentence."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep

import pytest

from core.cancel import Cancel
from core.errors import MotionRefused, NoPicture, RobotError, RobotNotReady
from core.install_paths import ROOT
from core.permit import Permit, PermitKind
from core.planning import domain_library, semantics
from core.planning_model import Step
from core.ports import Frame, Robot, StepResult, StepStatus
from core.stop.heartbeat import Heartbeat
from robots.registry import make_robot
from robots.remote import robot_link, robot_session, session_guard
from robots.remote.handshake import Role, read_token
from robots.remote.own_server import OwnServer
from robots.remote.robot_link import open_connection
from robots.symbolic.robot import SymbolicRobot
from tests.patience import AT_ONCE
from tests.permitted import authority_of, do
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
        "remote", folder=FOLDER, task=TASK, pictures=False, openness=0.0, pace=pace, options=options
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
    """The robot on the other side."""
    robot = served.made[-1]
    assert isinstance(robot, SymbolicRobot)
    return robot


def refuses_everything(robot: Robot, why: str) -> None:
    """Whatever is asked of a robot that is lost is answered at once, and by the sentence."""
    began = monotonic()
    assert do(robot, STEP).status is StepStatus.HALTED
    with pytest.raises(RobotNotReady, match=why):
        robot.release_stop(10**6)
    assert do(robot, STEP).status is StepStatus.HALTED
    with pytest.raises(NoPicture, match=why):
        robot.look(Cancel())
    for ask in (robot.sense, lambda: truth_of(robot)):
        with pytest.raises(RobotError, match=why):
            ask()
    assert robot.halt() > 0
    assert monotonic() - began < AT_ONCE


# --- the other side ---


def test_that_a_killed_robot_is_told_with_its_last_words_and_asked_for_nothing_more() -> None:
    with made(LONG, at="symbolic") as robot:
        doing, pid = Doing(robot), pid_of(robot)
        sleep(0.05)
        os.kill(pid, signal.SIGKILL)
        result = doing.result()
        assert result.status is StepStatus.HALTED
        assert "is gone: the process of 'symbolic' was ended by signal 9" in result.detail
        refuses_everything(robot, "ended by signal 9")


def test_that_a_suspended_robot_does_not_hang_the_stop_and_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(robot_link, "OBEY_TIMEOUT", SHORT)
    with made(LONG, at="symbolic") as robot:
        doing, pid = Doing(robot), pid_of(robot)
        sleep(0.05)
        os.kill(pid, signal.SIGSTOP)
        began = monotonic()
        robot.halt()
        assert monotonic() - began < 0.1, "a stop waits for nothing"
        assert f"did not end what it does within {SHORT:g} s of a stop" in doing.result().detail
        refuses_everything(robot, "of a stop")
        until(lambda: not Path(f"/proc/{pid}").exists() or "Z" in Path(f"/proc/{pid}/stat").read_text())


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[OwnServer]:
    """A process that serves a robot, and that is not ended by the console."""
    process = OwnServer("symbolic", 60, lambda text: None)
    token = tmp_path / "token"
    token.write_bytes(process.token)
    token.chmod(0o600)
    yield process
    process.kill()
    process.close()


@pytest.mark.parametrize("phase", ["idle", "working"])
def test_that_a_suspended_robot_is_noticed_by_its_silence_and_halts_when_it_goes_on(
    phase: str, elsewhere: OwnServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(robot_link, "IDLE_SILENCE", SHORT)
    monkeypatch.setattr(robot_link, "WORKING_SILENCE", SHORT)
    with made(LONG, **options_at(*elsewhere.address, tmp_path / "token")) as robot:
        doing = Doing(robot) if phase == "working" else None
        sleep(0.1)
        os.kill(elsewhere.pid, signal.SIGSTOP)
        why = f"gave no sign of life for {SHORT:g} s while {phase}"
        if doing is not None:
            assert why in doing.result().detail
        else:
            until(lambda: bool(robot._link.lost))  # type: ignore[attr-defined]
        refuses_everything(robot, why)
        os.kill(elsewhere.pid, signal.SIGCONT)
        until(lambda: is_free(elsewhere, tmp_path / "token"))


def is_free(process: OwnServer, token: Path) -> bool:
    """Whether its session is over, so that its robot was halted and closed."""
    connection, found = open_connection(process.address, read_token(token), Role.SURVEY)
    connection.close()
    return not found.busy


def pid_of(robot: Robot) -> int:
    return robot._link._server.pid  # type: ignore[attr-defined,no-any-return]


# --- the network ---


def test_that_a_cut_stops_the_robot_there_and_is_told_here(
    robot: Robot, network: Network, server: Served
) -> None:
    before = truth_of(there(server))
    doing = Doing(robot, server)
    network.cut()
    result = doing.result()
    assert result.status is StepStatus.HALTED
    assert "is gone: its program ended, or the connection was cut" in result.detail
    until(lambda: server.server.session is None)
    assert there(server)._latch.halted and truth_of(there(server)) == before
    refuses_everything(robot, "the connection was cut")


@pytest.mark.parametrize("noise", [b"\xff" * 64, b"\0\0\0\x02{}", b"\0\0\0\x11" + b'{"kind":"beat",}}'])
def test_that_what_is_no_message_ends_the_link(
    noise: bytes, robot: Robot, network: Network, server: Served
) -> None:
    doing = Doing(robot, server)
    for console, _ in network.pairs:
        with suppress(OSError):  # the first has ended the other
            console.sendall(noise)
    assert "sent what cannot be read" in doing.result().detail
    until(lambda: server.server.session is None)
    assert there(server)._latch.halted
    refuses_everything(robot, "cannot be read")


def test_that_a_robot_that_hears_what_is_no_message_stops(
    robot: Robot, network: Network, server: Served
) -> None:
    doing = Doing(robot, server)
    network.pairs[0][1].sendall(b"\xff" * 64)
    assert doing.result().status is StepStatus.HALTED
    until(lambda: server.server.session is None)
    assert there(server)._latch.halted


@pytest.mark.parametrize("robot", [0.0], indirect=True)
def test_that_a_slow_network_only_takes_longer(robot: Robot, network: Network) -> None:
    network.delay = 0.02
    assert do(robot, STEP).status is StepStatus.DONE
    robot.look(Cancel())
    number = robot.halt()
    robot.release_stop(number)
    assert do(robot, STEP).status in (StepStatus.DONE, StepStatus.FAILED)


def test_that_a_network_that_stands_still_stops_the_motion_until_a_person_releases_it(
    server: Served, network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_guard, "CONSOLE_TIMEOUT", SHORT)
    with made(LONG, **options_at(network.host, network.port, server.token_file)) as robot:
        doing = Doing(robot, server)
        network.open.clear()
        until(lambda: there(server)._latch.halted)
        network.open.set()
        assert doing.result().detail == (
            f"The console did not respond for {SHORT:g} s while the robot moved."
        )
        assert do(robot, STEP).status is StepStatus.HALTED
        there(server)._pace = 0.0
        robot.release_stop(robot.permits._last_stop())
        assert do(robot, STEP).status is StepStatus.DONE


@pytest.mark.parametrize("robot", [0.0], indirect=True)
def test_that_a_motion_that_was_delayed_on_its_way_is_refused(
    robot: Robot, network: Network, server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_guard, "STALE_AFTER", SHORT)
    before = truth_of(there(server))
    network.open.clear()
    doing = Doing(robot)
    sleep(2 * SHORT)
    network.open.set()
    result = doing.result()
    assert "delayed on its way" in result.detail and result.status is StepStatus.HALTED
    assert truth_of(there(server)) == before


# --- the console ---


@contextmanager
def console(served: Served) -> Iterator[subprocess.Popen[bytes]]:
    """A console in a process of its own, in the middle of a long step."""
    command = [sys.executable, "-m", "tests.robots.remote.console", json.dumps(dict(served.options))]
    process = subprocess.Popen(command, cwd=ROOT)
    try:
        until(lambda: (s := served.server.session) is not None and s.moving, 60)
        yield process
    finally:
        process.kill()
        process.wait()


def test_that_a_console_that_is_suspended_moves_nothing_any_more_and_loses_the_robot(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_guard, "CONSOLE_TIMEOUT", SHORT)
    with console(server) as process:
        before = truth_of(there(server))
        process.send_signal(signal.SIGSTOP)
        until(lambda: there(server)._latch.halted, AT_ONCE)
        until(lambda: (s := server.server.session) is None or not s.moving, AT_ONCE)
        assert truth_of(there(server)) == before
        monkeypatch.setattr(robot_session, "SESSION_TIMEOUT", SHORT)
        until(lambda: server.server.session is None)
        with made(0.0, **server.options) as another:  # while the first is still suspended
            assert do(another, STEP).status is StepStatus.DONE
            process.send_signal(signal.SIGCONT)
            process.wait(30)
            assert do(another, STEP).status is not StepStatus.HALTED, "it has lost its say"


def test_that_a_console_that_is_killed_moves_nothing_any_more_and_loses_the_robot_at_once(
    server: Served,
) -> None:
    with console(server) as process:
        before = truth_of(there(server))
        process.kill()
        until(lambda: server.server.session is None, AT_ONCE)
        assert there(server)._latch.halted and truth_of(there(server)) == before
    with made(0.0, **server.options) as another:
        assert do(another, STEP).status is StepStatus.DONE


def test_that_a_window_that_does_not_respond_stops_the_robot_there(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_guard, "CONSOLE_TIMEOUT", SHORT)
    with made(LONG, **server.options) as robot:
        window = Heartbeat()
        window.beat()
        robot.follow_heartbeat(window)  # type: ignore[attr-defined]
        assert "The console did not respond" in Doing(robot, server).result().detail
        assert there(server)._latch.halted


def test_that_a_step_approved_before_the_link_was_lost_says_so(robot: Robot, network: Network) -> None:
    with authority_of(robot.permits) as authority:
        permit = authority.issue(PermitKind.STEP, STEP, authority.last_stop, 1, "a person")
        network.cut()
        until(lambda: bool(robot._own_reason()))  # type: ignore[attr-defined]
        with pytest.raises(MotionRefused, match="the connection was cut"):
            robot.do(STEP, permit, Cancel())


def test_that_stop_in_a_terminal_there_is_a_stop_here(robot: Robot, server: Served) -> None:
    doing = Doing(robot, server)
    session = server.server.session
    assert session is not None and session.stop_here("`stop` was given in a terminal.") == "symbolic"
    assert doing.result().detail == "`stop` was given in a terminal."
    assert do(robot, STEP).status is StepStatus.HALTED


@pytest.mark.parametrize("robot", [0.0], indirect=True)
def test_that_what_is_asked_after_a_stop_is_bounded_too_until_it_is_released(
    robot: Robot, server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(robot_link, "OBEY_TIMEOUT", SHORT)
    look, hangs, asked = there(server).look, Event(), Event()

    def slow(cancel: Cancel) -> Frame:
        asked.set()
        hangs.wait(2 * SHORT)
        return look(cancel)

    monkeypatch.setattr(there(server), "look", slow)
    robot.release_stop(robot.halt())
    robot.look(Cancel())  # nobody is in a hurry
    robot.halt()
    asked.clear()
    began = monotonic()
    with pytest.raises(NoPicture, match=f"did not answer within {SHORT:g} s while stopped"):
        robot.look(Cancel())
    assert asked.is_set() and monotonic() - began < AT_ONCE
    hangs.set()
    refuses_everything(robot, "while stopped")


# --- permits that a broken console could show ---


@pytest.mark.parametrize("robot", [0.0], indirect=True)
@pytest.mark.parametrize(
    "changes",
    [
        {"permit": 0},
        {"permit": None},
        {"permit": float("inf")},
        {"permit_kind": "LOOK"},
        {"permit_kind": "JOG"},
        {"permitted": "(open agent cabinet)"},
        {"stop": 1},
        {"stop": None},
        {"beat": -1000},
    ],
    ids=str,
)
def test_that_the_robot_relies_on_no_ledger_but_its_own_reading(
    changes: dict[str, object], robot: Robot, server: Served
) -> None:
    from robots.remote.remote_robot import shown
    from robots.remote.wire_values import encode

    before, link = truth_of(there(server)), robot._link  # type: ignore[attr-defined]
    permit = Permit(7, PermitKind.STEP, str(STEP), 1, 0, "a person")
    body = {**shown(permit, STEP), "step": encode(STEP)}
    with pytest.raises(RobotNotReady, match="The robot does not move"):
        link.request("do", **{**body, **changes})
    assert truth_of(there(server)) == before
    if changes.get("permit", 7) == 7:  # what was shown under a number uses that number up
        with pytest.raises(RobotNotReady, match="missing, or was used already"):
            link.request("do", **body)
