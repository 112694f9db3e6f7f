"""What the dashboard replies is read, and a connection that has lost its rights is made anew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from time import monotonic

import pytest

from core.arm.arm_capabilities import RecoveryStep
from core.errors import RobotError
from core.permit import PermitKind
from robots.ur5e.arm import Arm
from robots.ur5e.arm_setup import EMULATED_SETUP
from robots.ur5e.dashboard import DashboardClient, DashboardStopChannel, refusal
from robots.ur5e.modes import RobotMode
from tests.patience import AT_ONCE
from tests.permitted import permitted
from tests.robots.ur5e.conftest import Bench, until

BACK = pytest.mark.parametrize("back", ["remote", "remote closes"])
NOT_ALLOWED = "Command is not allowed due to safety reasons"


@pytest.fixture(scope="module")
def watched(off: Bench) -> Iterator[Arm]:
    made = Arm(replace(EMULATED_SETUP, address=off.address))
    made.connect()
    yield made
    made.close()


def release_brakes(arm: Arm) -> None:
    step = RecoveryStep.RELEASE_BRAKES
    with permitted(arm, PermitKind.RECOVERY, step):
        arm.power(step, RobotMode.RUNNING)


@BACK
def test_that_the_brakes_are_released_after_the_pendant_was_in_local_control(
    watched: Arm, off: Bench, back: str
) -> None:
    off.say("power off")
    with permitted(watched, PermitKind.RECOVERY, RecoveryStep.POWER_ON):
        watched.power(RecoveryStep.POWER_ON, RobotMode.IDLE, RobotMode.RUNNING)
    off.own.inject_fault("local")
    off.own.inject_fault(back)
    release_brakes(watched)
    assert watched.state is not None and watched.state.robot is RobotMode.RUNNING


def test_that_a_refused_command_is_told_at_once_in_the_controllers_words(watched: Arm, off: Bench) -> None:
    off.own.inject_fault("local")
    began, step = monotonic(), RecoveryStep.RELEASE_BRAKES
    try:
        with permitted(watched, PermitKind.RECOVERY, step), pytest.raises(RobotError, match=NOT_ALLOWED):
            watched.control.recover(step)
        assert monotonic() - began < AT_ONCE + 1
    finally:
        off.own.inject_fault("remote")


@BACK
def test_that_a_stop_arrives_on_a_connection_from_before_local_control(bench: Bench, back: str) -> None:
    words: list[str] = []
    channel = DashboardStopChannel(bench.address, words.append)
    try:
        assert channel.wait(AT_ONCE)
        for _ in range(2):
            bench.own.inject_fault("local")
            bench.own.inject_fault(back)
            until(lambda: bench.say("load wave.urp", "play")[1] == "Starting program")
            channel.stop()
            until(lambda: bench.say("running") == ["Program running: false"], AT_ONCE)
        assert not words, "it was taken in the end"
    finally:
        channel.close()
        bench.mend()


def test_that_a_stop_that_is_refused_is_told_in_the_controllers_words(off: Bench) -> None:
    words: list[str] = []
    channel = DashboardStopChannel(off.address, words.append)
    try:
        off.say("power off")
        assert channel.wait(AT_ONCE)
        channel.stop()
        until(lambda: bool(words))
        assert words == ["Failed to execute: stop"]
    finally:
        channel.close()
        off.power_up()


def test_that_a_question_is_asked_once_more_if_the_connection_was_closed(off: Bench) -> None:
    client = DashboardClient(off.address)
    try:
        assert client.ask("is in remote control") == "true"
        off.own.inject_fault("local")
        off.own.inject_fault("remote closes")
        assert client.ask("is in remote control") == "true"
    finally:
        client.close()


def test_that_only_a_known_consent_is_taken_for_one() -> None:
    assert refusal("stop", "Stopped") == refusal("brake release", "Brake releasing") == ""
    assert refusal("power on", "") == "an empty reply"
    assert refusal("power on", "could not understand: 'power on'") == "could not understand: 'power on'"
