"""Whatever can be pressed does something that can be seen, or says why not; and the palette finds it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLabel, QTableView, QWidget
from pytestqt.exceptions import TimeoutError as QtTimeout

from app.actions import COLOURS
from app.commands import ANSWER, COMMANDS, DECIDE, EPISODE, VIEW, Command
from app.dialogs.help_pages import PaletteDialog
from app.theme import styling
from core.belief import Verdict
from core.episode_state import Phase
from core.methods.registry import METHODS
from tests.app.conftest import Driver, Opened

_METHODS = "|".join(entry.name for entry in METHODS if entry.title.lower() != entry.name)
IDS = re.compile(rf"\b[a-z]+_[a-z_]*[a-z]\b|\w+-n-\d\d\w*|\b(?:{_METHODS})\b")
LEAVES = {
    "quit",
    "start",
    "setup",
    "end",
    "approve",
    "step",
    "replan",
    "stop",
    "meanwhile",
    "connect",
}  # the phase


def told(at: Driver) -> tuple[object, ...]:
    """Return what shows that a command was carried out, without the time that goes on."""
    w, state, review = at.window, at.state, at.console._review
    checked = tuple(w.actions_[command.id].isChecked() for command in COMMANDS)
    return (
        *(at.controller.dialog, w.focusWidget(), w.status._words.text(), checked, w.time.header.note.text()),
        *(w.plan.breakpoints, w.camera._expand.isChecked(), w.questions.gaze.isChecked(), state.paused),
        *(state.phase, len(state.notices), at.console.past.state, tuple(w.questions.draft.items())),
        *(w.questions.focused_card, w.belief.selected, w.plan.list.currentIndex().row(), len(state.marks)),
        *(len(state.corrections), len(state.belief.entries)),
        *(review is not None and review.isVisible(), tuple(dock.isVisible() for dock in w.docks.values())),
    )


def shown(widget: QWidget) -> Iterator[str]:
    """Return the words on the screen, without what is quoted: PDDL, prompts and replies."""
    for part in widget.findChildren(QWidget):
        if not part.isVisible() or part.font().families() == styling.font("mono").families():
            continue
        if isinstance(part, QLabel | QAbstractButton):
            yield part.text()
        elif isinstance(part, QComboBox):
            yield from (part.itemText(i) for i in range(part.count()))
        elif isinstance(part, QTableView):
            model = part.model()
            rows = itertools.product(range(min(model.rowCount(), 40)), range(model.columnCount()))
            yield from (str(model.index(*at).data() or "") for at in rows)


def ids(widget: QWidget) -> set[str]:
    return {word for words in shown(widget) for word in IDS.findall(words)}


def press(at: Driver, command: Command) -> tuple[bool, set[str]]:
    """Carry out a command. Return whether anybody could see it, and the ids that its dialog shows."""
    at.window.status._said_until = 0.0
    at.controller.refresh()
    at.window.setFocus()  # a command that puts it where it is already has nothing to show
    before = told(at)
    at.do(command.id)
    effect, found = True, set[str]()
    try:
        at.qtbot.waitUntil(lambda: told(at) != before, timeout=5000)  # what is logged shows a moment later
    except QtTimeout:
        effect = False
    dialog = at.controller.dialog
    if dialog is not None:
        found = ids(dialog)
        dialog.reject()
    if at.console._review is not None and at.console.review.isVisible():
        at.do("episodes")
    if command.id == "present":
        at.do("present")
    if command.id == "wish":
        at.until(lambda: at.console.sheet.isVisible())
        at.do("wish")
        at.until(lambda: not at.console.sheet.isVisible())
    return effect, found


def pressed(at: Driver, commands: Iterable[Command]) -> tuple[list[str], dict[str, set[str]]]:
    """Carry out all that can be. Return what nobody could see, and the ids that were shown."""
    silent, named = [], {"window": ids(at.window)}
    for command in commands:
        already = command.id in COLOURS and at.window.actions_[command.id].isChecked()
        if command.id not in LEAVES and not already and at.window.actions_[command.id].isEnabled():
            effect, found = press(at, command)
            silent += [] if effect else [command.id]
            named[command.id] = found
    return silent, {name: found for name, found in named.items() if found}


def test_that_every_enabled_action_has_a_visible_effect_and_things_have_names(again: Opened) -> None:
    at, in_each_phase = again(), (*EPISODE, *DECIDE, *ANSWER)
    at.ready()
    assert pressed(at, COMMANDS) == ([], {})
    at.start("Approve")
    at.phase(Phase.WAITING)
    at.read()
    assert pressed(at, in_each_phase) == ([], {})
    at.do("stop")
    at.phase(Phase.STOPPED)
    assert pressed(at, in_each_phase) == ([], {})
    at.do("end")
    at.over()
    assert pressed(at, in_each_phase) == ([], {})
    at.do("connect")
    at.ready()
    at.phase(Phase.IDLE)


def test_that_visitors_find_nothing_to_press_but_stop(again: Opened) -> None:
    at = again()
    at.start("Approve")
    at.phase(Phase.WAITING)
    at.read()
    at.do("present")
    at.until(lambda: not at.window.supervision.isVisible())
    buttons = [b for b in at.window.findChildren(QAbstractButton) if b.isVisible() and b.isEnabled()]
    assert buttons == [at.window.top.stop]
    waited = at.state.since
    for command in COMMANDS:
        if command.id not in ("stop", "present", "mute"):
            for keys in command.sequences:
                QTest.keySequence(at.window, keys)
    assert at.state.phase is Phase.WAITING and at.state.since == waited and at.controller.dialog is None
    assert "F11" in at.window.status._words.text()
    at.key(Qt.Key.Key_Escape)
    at.phase(Phase.STOPPED)
    at.press(Qt.Key.Key_Return)
    at.qtbot.wait(50)
    assert not at.window.decision.primary.holding
    at.release(Qt.Key.Key_Return)
    at.key(Qt.Key.Key_F11)
    at.until(at.window.decision.primary.isVisible)
    assert at.window.actions_["end"].isEnabled() and at.window.top.menu.isVisible()


DECIDES = {"use", "take", "keep", "yes", "no", "unknown", "go_on", "undo", "refuse_change"}  # ends the phase


@pytest.mark.long
def test_that_every_enabled_action_has_a_visible_effect_in_the_phases_of_an_episode(again: Opened) -> None:
    at = again(answerer="gpt-4.1-household", seed=5, openness=1.0, pace=0.5)
    looking = [c for c in (*EPISODE, *DECIDE, *ANSWER, *VIEW) if c.id not in DECIDES]
    at.start("Approve")
    for phase in (Phase.REVIEWING, Phase.ACTING, Phase.OFFERED):
        at.pass_until(lambda phase=phase: at.state.phase is phase)
        at.read()
        assert pressed(at, looking) == ([], {}), phase
        for command in (c for c in (*DECIDE, *ANSWER) if c.id in DECIDES):
            if at.window.actions_[command.id].isEnabled():
                assert press(at, command)[0], (phase, command.id)
    atom = next(a for a in at.controller.session.components.task.problem.state if a.predicate == "insource")
    at.console.bindings.correct((at.window.belief.operator_answer(atom, Verdict.NO),))
    at.phase(Phase.HELP_NEEDED)
    assert pressed(at, looking) == ([], {})


@pytest.mark.long
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
