"""Whatever can be pressed does something that can be seen, or says why not; and the palette finds it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.actions import COLOURS
from app.commands import COMMANDS, Command
from app.dialogs.palette import PaletteDialog
from core.episode_state import Phase
from tests.app.conftest import Driver, Opened

LEAVES = {"quit", "start", "setup", "end", "approve", "step", "replan", "stop", "meanwhile"}  # the phase


def told(at: Driver) -> tuple[object, ...]:
    """Return what shows that a command was carried out, without the time that goes on."""
    w, state = at.window, at.state
    checked = tuple(w.actions_[command.id].isChecked() for command in COMMANDS)
    return (
        *(at.controller.dialog, w.focusWidget(), w.status._words.text(), checked, w.time.header.note.text()),
        *(w.plan.breakpoints, w.camera._expand.isChecked(), w.questions.gaze.isChecked(), state.paused),
        *(state.phase, len(state.notices), at.console.past.state, tuple(w.questions.draft.items())),
        *(w.questions.focused_card, w.belief.selected, w.plan.list.currentIndex().row(), len(state.marks)),
        *(w.questions._only.isChecked(), len(state.corrections), len(state.belief.entries)),
    )


def press(at: Driver, command: Command) -> bool:
    """Carry out a command, and return whether anybody could see it."""
    at.window.status._said_until = 0.0
    at.controller.refresh()
    before, picture = told(at), seen(at)
    at.do(command.id)
    QApplication.processEvents()
    at.controller.refresh()
    effect = told(at) != before or seen(at) != picture
    if at.controller.dialog is not None:
        at.controller.dialog.reject()
    if at.console._review is not None and at.console.review.isVisible():
        at.do("episodes")
    return effect


def seen(at: Driver) -> QImage:
    return at.window.grab().scaledToWidth(600).toImage()


@pytest.mark.parametrize("phase", [pytest.param(Phase.IDLE, marks=pytest.mark.long), Phase.WAITING])
def test_that_every_action_that_is_enabled_has_a_visible_effect(again: Opened, phase: Phase) -> None:
    at = again()
    at.ready()
    if phase is Phase.WAITING:
        at.start("Approve")
        at.phase(phase)
        at.read()
    silent = []
    for command in COMMANDS:
        already = command.id in COLOURS and at.window.actions_[command.id].isChecked()
        if command.id in LEAVES or already or not at.window.actions_[command.id].isEnabled():
            continue
        if not press(at, command):
            silent.append(command.id)
    assert silent == []


def test_that_the_palette_finds_a_command_by_its_words_and_carries_it_out(again: Opened) -> None:
    at = again()
    at.ready()
    at.key(Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
    palette = at.controller.dialog
    assert isinstance(palette, PaletteDialog) and palette.picker is not None
    at.until(palette.isActiveWindow)
    QTest.keyClicks(palette._search, "dark col")
    assert [item.text for item in palette.picker.items] == ["Dark"]
    QTest.keyClick(palette, Qt.Key.Key_Return)
    at.until(lambda: at.window.actions_["dark"].isChecked())
    assert at.controller.dialog is None
    at.do("light")


def test_that_the_palette_says_why_a_command_cannot_be_carried_out(again: Opened) -> None:
    at = again()
    at.ready()
    at.do("palette")
    palette = at.controller.dialog
    assert palette is not None and palette.picker is not None
    (undo,) = (item for item in palette.picker.items if item.text == "Undo")
    assert not undo.enabled and undo.note == "Not now: no episode runs."
    palette.reject()


def test_that_the_palette_has_the_keys_of_the_review_while_that_is_open(again: Opened) -> None:
    at = again()
    at.ready()
    at.do("episodes")
    at.do("palette")
    palette = at.controller.dialog
    assert palette is not None and palette.picker is not None
    notes = {item.text: item.note for item in palette.picker.items}
    assert notes["Blind review"].startswith("Answer before you see")
    assert "the review covers the panels" in notes["Bookmark"] or "no episode" in notes["Bookmark"]
    palette.reject()
    at.do("episodes")
