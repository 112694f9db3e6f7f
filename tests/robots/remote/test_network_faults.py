"""The network is cut, noisy, slow or stands still: no hang, no motion after it, one sentence."""

from __future__ import annotations

from contextlib import suppress
from time import sleep

import pytest

from core.ports import Robot, StepStatus
from core.stop_token import StopToken
from robots.remote import session_guard
from tests.permitted import do
from tests.robots.conformance import truth_of
from tests.robots.remote.conftest import LONG, SHORT, STEP, Doing, made, refuses_everything, there
from tests.robots.remote.network import Network
from tests.robots.remote.served import Served, options_at, until


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
    robot.look(StopToken())
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
