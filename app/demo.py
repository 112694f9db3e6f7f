"""Lock the window for visitors: simulators only, nothing is kept, and one key with a word leads out."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QModelIndex, QObject, QSize, QTimer
from PySide6.QtGui import QCursor, QKeyEvent, QWindow
from PySide6.QtWidgets import QAbstractButton
from shiboken6 import isValid

from app.appearance import Appearance
from app.console_controller import ConsoleController
from app.controls.header import SearchField
from app.controls.layout import column, label
from app.controls.rows import RowsTable
from app.controls.text import TextField
from app.dialogs.dialog_manager import DialogManager
from app.dialogs.overlay_dialog import OverlayDialog
from app.episode.session import SessionStage
from app.main_window import MainWindow
from app.presentation.formatting import waits_for_person
from app.stopkey import StopKey
from app.theme import tokens as t
from core.config import ComponentFactory, EpisodeComponents, Settings, ignore
from core.errors import BadValue
from core.ports import Embodiment
from core.robots import RobotRegistry
from core.supervision import WATCH, SupervisionLevels

VISITOR = "visitor"  # by whom the log says that overrides are
LOCKED = (
    *("setup", "goal", "calibrate", "things", "episodes", "trials", "knowledge", "reask"),
    *("draft", "wish"),  # kept tests and saved domains would outlast the visitor
)
REASON = "this is a demo, and its set-up is locked"
UNATTENDED = 120.0  # seconds without a key or a movement of the mouse, after which the next visitor begins


def simulated_only(make: ComponentFactory, robots: RobotRegistry) -> ComponentFactory:
    """Return a factory that makes what `make` does, with robots alone that are certainly no real ones."""

    def make_simulated(
        settings: Settings, notify: Callable[[str], None] = ignore, supervision: SupervisionLevels = WATCH
    ) -> EpisodeComponents:
        check_simulated(settings, robots)
        components = make(settings, notify, supervision)
        if components.robot.embodiment not in (Embodiment.SIM, Embodiment.EMULATED):
            components.robot.close()
            raise BadValue("A demo drives simulators only, and this robot may be a real one.")
        return components

    return make_simulated


def check_simulated(settings: Settings, robots: RobotRegistry) -> None:
    """Raise BadValue if these settings name a robot that may be a real one."""
    if settings.robot and not robots.is_simulated(settings.robot, settings.options_for("robot")):
        raise BadValue(
            f"A demo drives simulators only, and {settings.robot!r} may be a real robot: name another."
        )


class LeaveDialog(OverlayDialog):
    """Asks for the word that ends the demo; accepted when it is typed."""

    def __init__(self, window: MainWindow, word: str) -> None:
        super().__init__(window, "Leave the demo", "For those who run it", QSize(640, 220))
        self.typed, self._word = TextField(name="The word that was given at the start"), word
        self.typed.setEchoMode(TextField.EchoMode.Password)  # a visitor stands beside
        words = label("The word that was given at the start:", "body", "text")
        self.set_body(column(words, self.typed, 1, spacing=t.S, margins=(t.XL, t.L, t.XL, t.M)))
        self.button("Back to the demo", self.reject, "undo")
        self.on_enter = self.check
        self.button("Leave", self.check, "check", "Enter", primary=True)
        self.typed.setFocus()

    def check(self) -> None:
        if self.typed.text().strip() == self._word:
            self.accept()
        else:
            self.hint.setText("That is not the word")
            self.typed.clear()


class Demo(QObject):
    """Locks a console until the word is typed. GUI thread only.

    Each run after one that has ended, and each after two minutes without a visitor, begins with the levels,
    the colours, the layout, the filters and the breakpoints that the first one began with.
    """

    def __init__(
        self,
        controller: ConsoleController,
        dialogs: DialogManager,
        appearance: Appearance,
        keys: StopKey,
        word: str,
    ) -> None:
        super().__init__(controller)
        self._controller, self._dialogs, self._appearance = controller, dialogs, appearance
        self._window, self._word, self.is_left = controller.window, word, False
        self._first = replace(controller.preferences, layouts=dict(controller.preferences.layouts))
        self._at, self._seen = QCursor.pos(), time.monotonic()
        buttons = self._window.findChildren(QAbstractButton)
        self._pressed = {button: button.isChecked() for button in buttons if button.isCheckable()}
        for id in LOCKED:
            self._window.actions_.set_view_reason(id, REASON)
        self._window.top.demo.show()
        dialogs.budget_is_fixed = True
        self._window.refuses_to_close = self.ask_for_word
        controller.starting_again.connect(self.reset)
        keys.handlers += (self._key,)
        self._timer = QTimer(self, interval=1000)
        self._timer.timeout.connect(self._look)
        self._timer.start()

    def leave(self) -> None:
        """Let the window close: the word was typed, or the computer ends the program. Idempotent."""
        self.is_left = True
        self._timer.stop()

    def ask_for_word(self) -> bool:
        """Ask for the word unless it was given; return True while the window stays open."""
        if not self.is_left:
            dialog = LeaveDialog(self._window, self._word)
            dialog.accepted.connect(self.leave)
            dialog.accepted.connect(partial(QTimer.singleShot, 0, self._window.close))
            self._dialogs.show(dialog)
        return not self.is_left

    def reset(self) -> None:
        """Set back what a visitor can set beside the episode."""
        window, memory, first = self._window, self._controller.preferences, self._first
        memory.supervision, memory.muted, memory.locked = first.supervision, first.muted, first.locked
        memory.layouts = dict(first.layouts)
        self._appearance.set_mode(first.mode)
        window.supervision.show_levels(self._controller.supervision_levels())
        for button, on in self._pressed.items():
            if isValid(button) and button.isChecked() is not on:
                button.click()
        for field in window.findChildren(SearchField):
            field.clear()
        for table in window.findChildren(RowsTable):
            table.setCurrentIndex(QModelIndex())
            table.clearSelection()
        window.plan.breakpoints = frozenset()
        window.plan.breakpoints_changed.emit(frozenset())
        if window.actions_["present"].isChecked():
            window.actions_["present"].trigger()
        window.reset_layout()
        window.restore(*memory.geometry())

    def _key(self, _: QWindow, __: QKeyEvent) -> bool:
        self._seen = time.monotonic()
        return False

    def _look(self) -> None:
        """Begin anew once nobody is there and an episode is over or waits for somebody."""
        if (at := QCursor.pos()) != self._at:
            self._at, self._seen = at, time.monotonic()
        controller = self._controller
        state = controller.session.state
        idle = time.monotonic() - self._seen > UNATTENDED
        begun = controller.session.stage is not SessionStage.READY or state.episode
        if idle and begun and (state.ended or state.paused or waits_for_person(state)):
            self._seen = time.monotonic()
            if controller.dialog is not None:
                controller.dialog.reject()
            self.reset()
            controller.prepare(controller.settings)
