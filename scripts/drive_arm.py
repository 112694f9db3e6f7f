"""What an operator does and sees at an emulated arm, for scripts/drive_console.py."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from PySide6.QtWidgets import QWidget

from app.main import Console
from app.widgets.arm.arm_view import HandoverLine
from benchmarks.shared.window import until, window
from core.arm.handover import HandoverChoice
from core.config import Settings
from core.episode_state import Phase
from core.operator import OPERATOR_VARIABLE
from robots.ur5e.emulator.admin_client import AdminClient

if TYPE_CHECKING:
    from scripts.drive_console import Person

TOYS = Settings(task="collect_toys", robot="ur5e", seed=3, openness=0.0)
FROM_TURN = 3
LETTER, STILL, HELD = 0.2, 2.0, 1.4  # seconds: of a typed letter, for which an arm stands, of a hold


def protective_stop(person: Person) -> None:
    own = AdminClient(person.parts.robot.arm.setup.address)
    own.inject_fault("protective")
    own.close()
    person.sees()


def told(person: Person) -> bool:
    """Wait until the strip says before anything else that the arm has stopped."""
    strip = person.at.window.decision.views[0]
    return until(lambda: strip.reason.word.startswith("ROBOT: PROTECTIVE STOP"), 15)


def sees_a_protective_stop(person: Person) -> bool:
    """See an arm stop by itself; the strip says so before anything else."""
    person.pass_until(lambda: person.state.acting and person.parts.robot.status.moving)
    protective_stop(person)
    return told(person)


def sees_it_at_an_offer(person: Person) -> bool:
    """See it while a plan is on offer; the plan that is accepted then moves nothing."""
    assert person.pass_until(lambda: person.state.phase is Phase.OFFERED), "no new plan is offered"
    protective_stop(person)
    said = told(person)
    person.pause()
    person.tap("Return")
    taken = until(lambda: person.state.offered_change is None, 15)
    moved = until(lambda: person.parts.robot.status.moving, STILL)
    return said and taken and not moved


def press(person: Person, button: QWidget, seconds: float = 0.0) -> None:
    """Press a button with the mouse, for so many seconds."""
    at = button.mapToGlobal(button.rect().center())
    person.pause()
    person.click(at.x(), at.y(), seconds)


def enters(console: Console) -> None:
    """Give a window the keyboard, above the other."""
    console.window.raise_()
    console.window.activateWindow()
    console.window.setFocus()
    until(lambda: console.window.isActiveWindow(), 5)


def opens_the_gripper_after_the_end(person: Person) -> bool:
    person.pass_until(lambda: person.state.turn > FROM_TURN)
    person.tap("Control", "e")
    assert until(lambda: person.state.ended is not None, 60), "the episode does not end"
    person.sees()
    person.pause()
    for keys in ((("Control", "p"), *"connect"), (("Return",),)):
        for key in keys:
            person.tap(*([key] if isinstance(key, str) else key))
            person.pause(LETTER)
    view = lambda: person.at.window.robot.arm_view  # noqa: E731
    assert until(lambda: view() is not None and view().gripper.open_.isEnabled(), 60), "no arm comes back"
    press(person, view().gripper.open_)
    return until(lambda: person.parts.robot.gripper_status.opening > 0.04, 15)


def line_of(console: Console) -> HandoverLine:
    view = console.window.robot.arm_view
    assert view is not None and view.handover is not None
    return view.handover


def hands_the_arm_over(person: Person) -> bool:
    """Ben's window says who moves the arm; asked, the first one gives it up; Ben takes it and moves it."""
    address = person.parts.robot.arm.setup.address
    with (
        patch.dict(os.environ, {OPERATOR_VARIABLE: "Ben"}),
        window(replace(TOYS, options={"robot.arm": address})) as ben,
    ):
        strip = ben.window.decision.views[0]
        view = lambda: ben.window.robot.arm_view  # noqa: E731
        assert until(lambda: view() is not None and view().isVisible(), 60), "the second window has no arm"
        person.pause()
        person.monitor.busy.clear()  # which made a window, as another process does it
        said = person.pass_until(lambda: strip.reason.word.startswith("ROBOT: IS MOVED BY"))
        person.sees()
        asks, takes = (line_of(ben).buttons[choice] for choice in (HandoverChoice.ASK, HandoverChoice.TAKE))
        enters(ben)
        assert until(asks.isVisible, 15), "nothing to ask with"
        press(person, asks)
        enters(person.at)
        person.pause()
        person.tap("Escape")  # it is given up at standstill
        gives = line_of(person.at).buttons[HandoverChoice.GIVE]
        assert until(gives.isVisible, 15), "it may not be given up"
        press(person, gives)
        enters(ben)
        assert until(takes.isVisible, 15), "it may not be taken"
        press(person, takes, HELD)
        robot: Any = ben.controller.session.components.robot  # type: ignore[union-attr]
        assert until(lambda: robot.shared.moves, 15), "it is not taken"
        person.tap("Return")
        assert until(lambda: ben.controller.state.phase is Phase.STOPPED, 30), "nothing is to be released"
        person.pause()
        person.hold("Return", STILL * HELD, lambda: ben.controller.state.phase is not Phase.STOPPED)
        helpless = lambda: ben.controller.state.phase is Phase.HELP_NEEDED  # noqa: E731
        moves = until(lambda: robot.status.moving or helpless(), 30)
        if helpless():  # the first one stopped with a thing in the hand
            press(person, view().gripper.open_)
            moves = until(lambda: robot.gripper_status.opening > 0.04, 15)
        return said and moves


SETTINGS = dict.fromkeys((sees_a_protective_stop, hands_the_arm_over, opens_the_gripper_after_the_end), TOYS)
SETTINGS[sees_it_at_an_offer] = replace(TOYS, answerer="symmetric-34")  # which errs often
ARM = (
    ("protective stop", "Watch", sees_a_protective_stop),
    ("protective stop at an offer", "Assist", sees_it_at_an_offer),
    ("two windows at one arm", "Watch", hands_the_arm_over),
    ("gripper opened after the end", "Watch", opens_the_gripper_after_the_end),
)
