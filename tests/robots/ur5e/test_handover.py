"""Several consoles at one arm: one moves it; the others watch, stop it, and take it once it was given up."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from core.arm.arm_capabilities import RecoveryStep
from core.arm.handover import HandoverChoice, HandoverNews, SharedArm
from core.errors import RobotNotReady
from core.events import ArmHandover, HandoverStage
from core.install_paths import ROOT
from core.permit import Permit, PermitKind
from core.ports import StepStatus
from robots.ur5e import handover
from robots.ur5e.arm import Arm
from robots.ur5e.arm_services import ArmServices
from robots.ur5e.arm_setup import EMULATED_SETUP
from robots.ur5e.gripper.gripper import Gripper
from tests.permitted import grip, jog, move_joints, recover
from tests.robots.ur5e.conftest import UP, Bench, Mover, patiently_ready, until

MOVES = "moves this arm: ask for it first"
DIES = """
import sys
from dataclasses import replace
from robots.ur5e.arm import Arm
from robots.ur5e.arm_setup import EMULATED_SETUP
arm = Arm(replace(EMULATED_SETUP, address=sys.argv[1]))
arm.connect()
arm.handover.attend("window", print)
assert arm.handover.shared.moves
print("sits", flush=True)
input()
"""


class Desk:
    """A console with its person, and what its loop and its log were told."""

    def __init__(self, arm: Arm, name: str, kind: str) -> None:
        self.arm, self.news = arm, list[HandoverNews]()
        self.who = f"{name} ({kind} {os.getpid()})"

    @property
    def shared(self) -> SharedArm:
        shared = self.arm.handover.shared
        assert shared is not None
        return shared

    @property
    def logged(self) -> list[ArmHandover]:
        return [news.event for news in self.news if news.event is not None]

    def choose(self, choice: HandoverChoice) -> str:
        return self.arm.handover.choose(choice)

    def sees(self, seen: Callable[[SharedArm], object]) -> None:
        until(lambda: bool(seen(self.shared)))


Sit = Callable[[str, str], Desk]


@pytest.fixture
def sit(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sit]:
    made: list[Desk] = []

    def sit(name: str, kind: str) -> Desk:
        monkeypatch.setenv("DKPROMPT_OPERATOR", name)
        arm = Arm(replace(EMULATED_SETUP, address=bench.address))
        made.append(Desk(arm, name, kind))
        arm.connect()
        arm.handover.attend(kind, made[-1].news.append)
        return made[-1]

    yield sit
    for desk in made:
        desk.arm.close()


@pytest.fixture
def anna(sit: Sit) -> Desk:
    """She came first."""
    return sit("Anna", "window")


@pytest.fixture
def ready(anna: Desk, bench: Bench) -> Iterator[Desk]:
    """She has made the arm ready to move."""
    patiently_ready(anna.arm)
    yield anna
    anna.arm.close()
    bench.mend()


@pytest.fixture
def ben(anna: Desk, sit: Sit) -> Desk:
    ben = sit("Ben", "terminal")
    ben.sees(lambda shared: str(shared.mover) == anna.who)
    return ben


def hand_over(giver: Desk, asker: Desk) -> None:
    assert asker.choose(HandoverChoice.ASK) == ""
    giver.sees(lambda shared: HandoverChoice.GIVE in shared.choices)
    assert giver.choose(HandoverChoice.GIVE) == ""
    asker.sees(lambda shared: HandoverChoice.TAKE in shared.choices)
    giver.sees(lambda shared: not shared.busy)
    until(lambda: asker.logged[-1].stage is HandoverStage.GIVEN)
    assert asker.choose(HandoverChoice.TAKE) == ""
    giver.sees(lambda shared: not shared.free)


def test_that_a_watcher_sees_who_moves_and_moves_nothing(anna: Desk, ben: Desk, bench: Bench) -> None:
    panel = ArmServices(ben.arm, Gripper(ben.arm))
    assert panel.status.joints
    assert (panel.shared, anna.shared.sentence) == (ben.shared, "")
    assert ben.shared.sentence == f"{anna.who} moves this arm."
    assert ben.shared.mover is not None
    assert ben.shared.mover.since.startswith(f"on {ben.shared.mover.host} since ")
    for attempt in (
        lambda: ben.arm.release_stop(99),
        lambda: move_joints(ben.arm, (0.0,) * 6),
        lambda: jog(panel, UP),
        lambda: grip(panel, 0.01),
        lambda: recover(panel, RecoveryStep.POWER_ON),
    ):
        with pytest.raises(RobotNotReady, match=f"^{re.escape(f'{anna.who} {MOVES}')}\\.$"):
            attempt()
    assert panel.set_speed(1.0) == f"{anna.who} {MOVES}"
    assert [c.reason for c in panel.preflight() if c.name == "consoles"] == [f"{anna.who} moves this arm"]
    assert ben.news[0] == HandoverNews(None, 1, f"{anna.who} {MOVES}."), "its loop waits at the gate"
    assert not anna.arm.latch.halted
    panel.close_services()


def test_that_a_stop_by_a_watcher_is_the_movers_to_release(anna: Desk, ben: Desk) -> None:
    """That it stops the arm itself, tests/robots/ur5e/test_consoles.py shows."""
    ben.arm.halt()
    until(lambda: anna.news)
    stop = anna.news[-1]
    assert (stop.stopped_by, stop.reason) == (ben.who, f"{ben.who} stopped it.")
    assert stop.halt == anna.arm.latch.last_halt()
    assert anna.arm.latch.halted
    ben.arm.latch.release(stop.halt)
    assert anna.arm.latch.halted


def test_that_whoever_takes_an_arm_that_was_given_up_finds_it_halted(
    ready: Desk, ben: Desk, bench: Bench
) -> None:
    anna = ready
    hand_over(anna, ben)
    asked = ArmHandover(HandoverStage.ASKED, anna.who, ben.who)
    given = ArmHandover(HandoverStage.GIVEN, anna.who, ben.who)
    until(lambda: anna.logged == [asked, given])
    assert ben.logged == [asked, given, ArmHandover(HandoverStage.TAKEN, "", ben.who)]
    assert ben.shared.sentence == ""
    stop, got = anna.news[1], ben.news[-1]
    assert (stop.stopped_by, stop.halt) == (anna.who, anna.arm.latch.last_halt())
    assert got.halt == ben.arm.latch.last_halt() > ben.news[0].halt
    assert not bench.moving

    with pytest.raises(RobotNotReady, match=f"^{re.escape(ben.who)} moves this arm"):
        anna.arm.release_stop(99)
    patiently_ready(ben.arm)
    ben.arm.release_stop(ben.news[0].halt)
    assert ben.arm.latch.halted, "the stop of a watcher is not the one that comes with the arm"
    ben.arm.release_stop(got.halt)
    move = Mover(ben.arm, turn=0.4, scale=0.4)
    anna.arm.close()
    assert move.ended().status is StepStatus.DONE, "she has no control any more, and stops nothing by leaving"


def test_that_nothing_is_given_during_a_step_nor_unasked(anna: Desk, ben: Desk) -> None:
    assert anna.choose(HandoverChoice.GIVE) == "nobody asks for the arm"
    assert ben.choose(HandoverChoice.TAKE) == "this cannot be chosen any more"
    with anna.arm.control.permitted(Permit(1, PermitKind.STEP, "a step")):
        ben.choose(HandoverChoice.ASK)
        anna.sees(lambda shared: shared.asker == ben.who)
        assert anna.shared.choices == ()
        assert anna.shared.sentence == f"{ben.who} asks for the arm, to be given up at standstill."
        assert anna.choose(HandoverChoice.GIVE) == "the arm is not seen to stand still"
    anna.sees(lambda shared: HandoverChoice.GIVE in shared.choices)
    assert not anna.arm.latch.halted


def test_that_no_answer_is_a_no(anna: Desk, ben: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handover, "ASK_SHOWN_S", 0.2)
    assert ben.choose(HandoverChoice.ASK) == ""
    until(lambda: anna.logged == ben.logged == [ArmHandover(HandoverStage.ASKED, anna.who, ben.who)])
    ben.sees(lambda shared: shared.choices == (HandoverChoice.ASK,))
    anna.sees(lambda shared: shared.choices == ())
    assert anna.shared.moves and not anna.arm.latch.halted


def test_that_what_is_not_seen_to_stand_is_not_given_up(
    anna: Desk, ben: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    ben.choose(HandoverChoice.ASK)
    anna.sees(lambda shared: HandoverChoice.GIVE in shared.choices)
    monkeypatch.setattr(anna.arm.receiver, "wait", lambda condition, seconds: False)
    anna.choose(HandoverChoice.GIVE)
    until(lambda: len(anna.logged) == 2)
    refused = ArmHandover(HandoverStage.REFUSED, anna.who, ben.who, "it was not seen to stand still")
    assert anna.logged[-1] == refused and anna.shared.moves
    assert anna.arm.latch.halted, "she halted it for him"
    assert not ben.shared.free


def test_that_one_who_asked_and_left_is_missed_by_nobody(anna: Desk, ben: Desk) -> None:
    ben.choose(HandoverChoice.ASK)
    anna.sees(lambda shared: HandoverChoice.GIVE in shared.choices)
    ben.arm.close()
    anna.choose(HandoverChoice.GIVE)
    anna.sees(lambda shared: shared.choices == (HandoverChoice.TAKE,))
    assert anna.arm.latch.halted and not anna.shared.moves
    assert anna.choose(HandoverChoice.TAKE) == "", "nobody moved it, so she may again"
    assert anna.arm.latch.halted


def test_that_an_arm_whose_console_died_is_taken_by_a_person_at_standstill(
    bench: Bench, sit: Sit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two processes, as two consoles are. That its arm stops, tests/robots/ur5e/test_losses.py shows."""
    monkeypatch.setenv("DKPROMPT_OPERATOR", "Anna")
    with subprocess.Popen(
        [sys.executable, "-c", DIES, bench.address],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as other:  # fmt: skip
        assert other.stdout is not None
        try:
            assert other.stdout.readline() == "sits\n"
            ben = sit("Ben", "terminal")
            assert ben.shared.choices == (HandoverChoice.ASK,)
            other.kill()
            ben.sees(lambda shared: shared.free)
            gone = f"Anna (window {other.pid})"
            assert ben.shared.sentence == f"{gone} moved this arm and is gone."
            assert not ben.shared.moves, "nobody takes it by itself"
            with pytest.raises(RobotNotReady, match="is gone: take it first"):
                ben.arm.release_stop(99)
            ben.sees(lambda shared: shared.choices == (HandoverChoice.TAKE,))
            assert ben.choose(HandoverChoice.TAKE) == ""
            assert ben.logged == [ArmHandover(HandoverStage.TAKEN, gone, ben.who)]
            assert ben.news[-1].halt == ben.arm.latch.last_halt()
            assert ben.arm.latch.halted
        finally:
            other.kill()
