"""The robot's process is killed or suspended: no hang, no motion after it, one sentence."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

import pytest

from core.host_address import host_and_port
from core.ports import StepStatus
from robots.remote import robot_link
from robots.remote.handshake import ConnectionRole, read_token
from robots.remote.robot_link import open_connection
from tests.robots.remote.conftest import LONG, SHORT, Doing, made, refuses_everything
from tests.robots.remote.served import in_a_process, until


@dataclass(frozen=True)
class Elsewhere:
    pid: int
    options: Mapping[str, str]


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Elsewhere]:
    """A process that serves a robot."""
    with in_a_process("symbolic", tmp_path / "token") as (pid, options):
        yield Elsewhere(pid, options)


def test_that_a_killed_robot_is_told_and_asked_for_nothing_more(elsewhere: Elsewhere) -> None:
    with made(LONG, **elsewhere.options) as robot:
        doing = Doing(robot)
        sleep(0.05)
        os.kill(elsewhere.pid, signal.SIGKILL)
        result = doing.result()
        assert result.status is StepStatus.HALTED
        assert "is gone: its program ended, or the connection was cut" in result.detail
        refuses_everything(robot, "is gone")


def test_that_a_suspended_robot_does_not_hang_the_stop(
    elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(robot_link, "OBEY_TIMEOUT", SHORT)
    with made(LONG, **elsewhere.options) as robot:
        doing = Doing(robot)
        sleep(0.05)
        os.kill(elsewhere.pid, signal.SIGSTOP)
        began = monotonic()
        robot.halt()
        assert monotonic() - began < 0.1, "a stop waits for nothing"
        assert f"did not end what it does within {SHORT:g} s of a stop" in doing.result().detail
        refuses_everything(robot, "of a stop")


@pytest.mark.parametrize("phase", ["idle", "working"])
def test_that_a_suspended_robot_is_noticed_by_its_silence_and_halts_when_it_goes_on(
    phase: str, elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(robot_link, "IDLE_SILENCE", SHORT)
    monkeypatch.setattr(robot_link, "WORKING_SILENCE", SHORT)
    with made(LONG, **elsewhere.options) as robot:
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
        until(lambda: is_free(elsewhere))


def is_free(process: Elsewhere) -> bool:
    """Whether its session is over, so that its robot was halted and closed."""
    token = read_token(Path(process.options["token_file"]))
    address = host_and_port(process.options["at"])
    connection, found = open_connection(address, token, ConnectionRole.SURVEY)
    connection.close()
    return not found.busy
