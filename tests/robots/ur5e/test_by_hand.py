"""What moves by a person's hand ends with a stop, and with the link that it went over."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event

import pytest

from core.arms import Check
from core.cancel import Cancel
from core.ports import Ending
from robots.ur5e.arm import Arm
from robots.ur5e.gripper import Gripper
from robots.ur5e.panel import ArmPanel
from tests.robots.ur5e.conftest import Bench, until


class Counted(Gripper):
    """Counts what it is told to do."""

    told = 0

    def _set(self, **values: int) -> None:
        self.told += 1
        super()._set(**values)


@pytest.fixture
def gripper(arm: Arm) -> Iterator[Counted]:
    made = Counted(arm.setup.address)
    made.activate()
    made.told = 0
    yield made
    made.close()


@pytest.fixture
def panel(arm: Arm, gripper: Counted) -> Iterator[ArmPanel]:
    made = ArmPanel(arm, gripper)
    made.preflight()
    until(lambda: made.preflight()[3].ok)
    yield made
    made.close_panel()


@pytest.mark.parametrize("released", [False, True], ids=["in force", "released again"])
def test_that_a_stop_before_its_turn_comes_keeps_the_gripper_still(
    released: bool, panel: ArmPanel, gripper: Counted, arm: Arm, monkeypatch: pytest.MonkeyPatch
) -> None:
    asking, answered, remote = Event(), Event(), arm.remote

    def slowly() -> Check:
        asking.set()
        answered.wait(10)
        return remote()

    monkeypatch.setattr(arm, "remote", slowly)  # what moves the gripper asks it too, and waits
    assert asking.wait(10)
    assert not panel.move_gripper(0.02)
    number = arm.halt()
    if released:
        arm.latch.release(number)
    answered.set()
    until(lambda: panel.status.busy == "")
    assert gripper.told == 0


def test_that_freedrive_is_over_when_its_link_is_lost(panel: ArmPanel, arm: Arm, bench: Bench) -> None:
    assert not panel.begin_freedrive("a person")
    bench.own.fault("drop")
    until(lambda: panel.status.busy == "")
    until(lambda: all(check.ok for check in arm.preflight()))
    arm.ready(99)
    assert arm.state is not None
    assert arm.move_joints(arm.state.q, Cancel()).ending is Ending.DONE
