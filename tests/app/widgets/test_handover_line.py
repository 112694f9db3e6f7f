"""The line about who moves an arm: what it says, and what a person can choose there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.widgets.arm.arm_view import HandoverLine
from core.arm.handover import ArmConsole, HandoverChoice, HandoverNews, SharedArm

ANNA = ArmConsole("Anna", "window", "lab", 1, 0.0)
WATCHED = SharedArm(ANNA, moves=False)
MOVED = SharedArm(ANNA, moves=True)
BEN = "Ben (terminal 2)"


class Shared:
    """An arm as another console leaves it."""

    def __init__(self, shared: SharedArm | None) -> None:
        self.shared, self.chosen, self.refuses = shared, list[HandoverChoice](), ""

    def choose(self, choice: HandoverChoice) -> str:
        self.chosen.append(choice)
        return self.refuses

    def attend(self, kind: str, listener: Callable[[HandoverNews], None]) -> None: ...


@pytest.mark.parametrize(
    ("shared", "says", "offers"),
    [
        (None, "", ()),
        (MOVED, "", ()),
        (WATCHED, "Anna (window 1) moves this arm.", (HandoverChoice.ASK,)),
        (replace(WATCHED, asker="x"), "moves this arm. You have asked for it.", ()),
        (replace(MOVED, asker=BEN), f"{BEN} asks for the arm.", (HandoverChoice.GIVE,)),
        (replace(MOVED, asker=BEN, still=False), "to be given up at standstill", ()),
        (replace(MOVED, asker=BEN, busy=True), "The arm is being given up.", ()),
        (replace(WATCHED, free=True), "Anna (window 1) moved this arm and is gone.", (HandoverChoice.TAKE,)),
        (replace(WATCHED, free=True, still=False), "is gone.", ()),
        (replace(WATCHED, free=True, mover=None), "Nobody moves this arm.", (HandoverChoice.TAKE,)),
        (replace(WATCHED, mover=None), "Another console moves this arm.", ()),
    ],
)
def test_that_it_says_who_moves_the_arm_and_offers_what_can_be_done(
    shared: SharedArm | None, says: str, offers: tuple[HandoverChoice, ...], qtbot: QtBot
) -> None:
    line = HandoverLine(Shared(shared))
    qtbot.addWidget(line)
    line.poll()
    assert line.isVisible() == bool(says)
    assert says in line.accessibleDescription()
    assert tuple(c for c, button in line.buttons.items() if not button.isHidden()) == offers or not says


def test_that_a_click_asks_and_a_refusal_is_shown(qtbot: QtBot) -> None:
    arm = Shared(WATCHED)
    line = HandoverLine(arm)
    qtbot.addWidget(line)
    line.poll()
    QTest.mouseClick(line.buttons[HandoverChoice.ASK], Qt.MouseButton.LeftButton)
    assert arm.chosen == [HandoverChoice.ASK]
    arm.refuses = "it does not answer"
    QTest.mouseClick(line.buttons[HandoverChoice.ASK], Qt.MouseButton.LeftButton)
    assert line.accessibleDescription() == "Not done: it does not answer."


def test_that_what_nobody_moves_is_taken_by_a_hold_only(qtbot: QtBot) -> None:
    arm = Shared(replace(WATCHED, free=True))
    line = HandoverLine(arm)
    qtbot.addWidget(line)
    line.poll()
    QTest.mouseClick(line.buttons[HandoverChoice.TAKE], Qt.MouseButton.LeftButton)
    assert not arm.chosen
    assert line.buttons[HandoverChoice.TAKE].hold
