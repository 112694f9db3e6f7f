"""What the console tells the arm's control process, and what it makes of its answers; here, none runs."""

from __future__ import annotations

from unittest.mock import Mock

import pytest

from core.permit import Permit, PermitKind
from core.stop.heartbeat import Heartbeat
from robots.remote.supervised_process import SupervisedProcess
from robots.remote.wire_message import WireMessage
from robots.stop_latch import Latch
from robots.ur5e.arm_setup import EMULATED_SETUP
from robots.ur5e.control_client import ControlClient, _explain
from robots.ur5e.guard import Guard

STEP, JOG = Permit(1, PermitKind.STEP, "a step"), Permit(2, PermitKind.JOG, "up")


@pytest.fixture
def client() -> ControlClient:
    return ControlClient(EMULATED_SETUP, Latch(), print, print)


def test_that_the_arm_is_in_use_for_one_thing_at_a_time(client: ControlClient) -> None:
    assert client.activity == ""
    with client.permitted(STEP) as other:
        assert (other, client.activity) == ("", "a step")
        with client.permitted(JOG) as other:
            assert "in use (a step)" in other
        assert client.activity == "a step", "what was refused ends nothing"
    assert client.activity == ""


def test_that_a_stop_goes_to_the_process_if_there_is_one(client: ControlClient) -> None:
    client.stop(1)
    client._child = child = Mock(SupervisedProcess)
    client.stop(2)
    child.send.assert_called_once_with("stop", number=2, seen=0)


def test_that_the_process_follows_the_console_s_heartbeat_if_there_is_one(client: ControlClient) -> None:
    client.follow_heartbeat(Heartbeat())
    client._child = child = Mock(SupervisedProcess)
    client.follow_heartbeat(heart := Heartbeat())
    assert child.heartbeat is heart


def test_that_a_permit_ends_with_what_moves_on_it(client: ControlClient) -> None:
    client._child = child = Mock(SupervisedProcess)
    client.open_permit(STEP)
    client.close_permit(JOG)
    child.send.assert_called_once_with("permit", permit=1, number=1, stop=0, allows="STEP", what="a step")
    client.close_permit(STEP)
    child.send.assert_called_with("close", permit=1)
    client.send("joints")
    child.send.assert_called_with("joints", permit=0)


def test_that_whoever_waits_for_an_answer_hears_that_the_process_has_ended(client: ControlClient) -> None:
    client._handle_exit("it is gone")
    assert [(m.kind, m.text("why")) for m in client._answers] == [("refused", "it is gone")]


def test_that_the_guard_closes_what_is_open_and_permits_nothing_once_the_console_is_gone() -> None:
    guard = Guard("127.0.0.9", Mock(), Mock(), Mock(), "", 0)
    first, second = (WireMessage({"number": n, "stop": 0, "allows": "JOG", "what": "up"}) for n in (1, 2))
    guard.open(first)
    assert (guard.close(2), guard.close(1), guard.close(1)) == (False, True, False)
    assert guard._stop_from_terminal("a reason")[0] == "", "it never had control, so another one may move"
    guard.stop_for_console(WireMessage({"number": 5, "seen": 0}))
    guard.open(second)
    assert not guard.close(2), "it was asked for under an earlier stop"
    guard.on_orphaned()
    assert guard.refusal(WireMessage({"kind": "jog", "permit": 2})) == "a stop came first"


@pytest.mark.parametrize("reason", ["", "the controller did not take the payload"])
def test_that_a_reason_without_a_known_remedy_is_told_as_it_is(reason: str) -> None:
    assert _explain(reason) == reason


@pytest.mark.parametrize(
    ("reason", "remedy"),
    [
        ("RuntimeError: one of the registers is already in use", "turn off EtherNet/IP"),
        ("RuntimeError: the robot is not in remote control", "Remote Control"),
        ("connect: Connection refused", "Real-Time Client Interface"),
        ("Failed to start control script", "popup"),
    ],
)
def test_that_a_known_reason_comes_with_its_remedy(reason: str, remedy: str) -> None:
    assert remedy in _explain(reason)
