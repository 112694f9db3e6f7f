"""The console is suspended, killed or broken: no hang, no motion after it, one sentence."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from time import monotonic

import pytest

from core.errors import MotionRefused, NoPicture, RobotNotReady
from core.install_paths import ROOT
from core.permit import Permit, PermitKind
from core.ports import Frame, Robot, StepStatus
from core.stop.heartbeat import Heartbeat
from core.stop_token import StopToken
from robots.remote import robot_link, robot_session, session_guard
from tests.patience import AT_ONCE
from tests.permitted import authority_of, do
from tests.robots.conformance import truth_of
from tests.robots.remote.conftest import LONG, SHORT, STEP, Doing, made, refuses_everything, there
from tests.robots.remote.network import Network
from tests.robots.remote.served import Served, until


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
        robot.follow_heartbeat(window, print)  # type: ignore[attr-defined]
        assert "The console did not respond" in Doing(robot, server).result().detail
        assert there(server)._latch.halted


def test_that_a_step_approved_before_the_link_was_lost_says_so(robot: Robot, network: Network) -> None:
    with authority_of(robot.permits) as authority:
        permit = authority.issue(PermitKind.STEP, STEP, authority.last_stop, 1, "a person")
        network.cut()
        until(lambda: bool(robot._own_reason()))  # type: ignore[attr-defined]
        with pytest.raises(MotionRefused, match="the connection was cut"):
            robot.do(STEP, permit, StopToken())


def test_that_stop_in_a_terminal_there_is_a_stop_here(robot: Robot, server: Served) -> None:
    doing = Doing(robot, server)
    session = server.server.session
    assert session is not None and session.stop_here("Stopped from a terminal.") == "symbolic"
    assert doing.result().detail == "Stopped from a terminal."
    assert do(robot, STEP).status is StepStatus.HALTED


@pytest.mark.parametrize("robot", [0.0], indirect=True)
def test_that_what_is_asked_after_a_stop_is_bounded_too_until_it_is_released(
    robot: Robot, server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(robot_link, "OBEY_TIMEOUT", SHORT)
    look, hangs, asked = there(server).look, Event(), Event()

    def slow(cancel: StopToken) -> Frame:
        asked.set()
        hangs.wait(2 * SHORT)
        return look(cancel)

    monkeypatch.setattr(there(server), "look", slow)
    robot.release_stop(robot.halt())
    robot.look(StopToken())  # nobody is in a hurry
    robot.halt()
    asked.clear()
    began = monotonic()
    with pytest.raises(NoPicture, match=f"did not answer within {SHORT:g} s while stopped"):
        robot.look(StopToken())
    assert asked.is_set() and monotonic() - began < AT_ONCE
    hangs.set()
    refuses_everything(robot, "while stopped")


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
    from robots.remote.remote_robot import permit_request
    from robots.remote.wire_values import encode

    before, link = truth_of(there(server)), robot._link  # type: ignore[attr-defined]
    permit = Permit(7, PermitKind.STEP, str(STEP), 1, 0, "a person")
    body = {**permit_request(permit, STEP), "step": encode(STEP)}
    with pytest.raises(RobotNotReady, match="The robot does not move"):
        link.request("do", **{**body, **changes})
    assert truth_of(there(server)) == before
    if changes.get("permit", 7) == 7:  # what was shown under a number uses that number up
        with pytest.raises(RobotNotReady, match="missing, or was used already"):
            link.request("do", **body)
