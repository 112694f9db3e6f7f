"""The robot's process is killed or suspended: no hang, no motion after it, one sentence."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest

from core.ports import Robot, StepStatus
from robots.remote import robot_link
from robots.remote.handshake import ConnectionRole, read_token
from robots.remote.own_server import OwnServer
from robots.remote.robot_link import open_connection
from tests.robots.remote.conftest import LONG, SHORT, Doing, made, refuses_everything
from tests.robots.remote.served import options_at, until


def test_that_a_killed_robot_is_told_with_its_last_words_and_asked_for_nothing_more() -> None:
    with made(LONG, at="symbolic") as robot:
        doing, pid = Doing(robot), pid_of(robot)
        sleep(0.05)
        os.kill(pid, signal.SIGKILL)
        result = doing.result()
        assert result.status is StepStatus.HALTED
        assert "is gone: the process of 'symbolic' was ended by signal 9" in result.detail
        refuses_everything(robot, "ended by signal 9")


def has_ended(pid: int) -> bool:
    try:
        return "Z" in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return True


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
        until(lambda: has_ended(pid))


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
    connection, found = open_connection(process.address, read_token(token), ConnectionRole.SURVEY)
    connection.close()
    return not found.busy


def pid_of(robot: Robot) -> int:
    return robot._link._server.pid  # type: ignore[attr-defined,no-any-return]
