"""The real window, the real loop and real robots, on Qt's offscreen platform unless another one is set."""

from __future__ import annotations

import gc
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from gc import freeze
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QGuiApplication, QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

import main
from app.commands import just_appeared
from app.controls.real_keys import BOUNCE
from app.dialogs.setup import settings_checker
from app.dialogs.setup.domain_probe import ProbeResult, probe_in_process
from app.episode.session import SessionStage
from app.main import Console
from app.preferences import Preferences
from app.presentation.formatting import waits_for_person
from app.theme.styling import ColourMode
from app.widgets.questions.question_panel import QuestionPanel
from core.config import ComponentFactory, Settings
from core.drafting.source import DraftingTools
from core.episode_state import EpisodeState, Phase
from core.review.fork import fork_factory
from core.stop import heartbeat
from core.stop_token import StopToken
from core.supervision import SUPERVISION_PRESETS
from robots.registry import ROBOTS

PATIENCE = 20_000  # ms
SYMBOLIC = Settings(robot="symbolic", seed=3, openness=0.0)


@pytest.fixture(scope="module", autouse=True)
def collected() -> Iterator[None]:
    """As the program does it: garbage with widgets in it is collected on the screen's thread only.

    What was there before the tests of a file is not traversed again: that takes longer than most of them.
    """
    gc.disable()
    freeze()
    yield
    gc.collect()
    gc.enable()


class Driver:
    """A person at the window: keys, clicks, and eyes that wait for what they want to see."""

    def __init__(self, console: Console, qtbot: QtBot) -> None:
        self.console, self.qtbot = console, qtbot
        self.window, self.controller = console.window, console.controller
        self._last: Qt.Key | None = None

    @property
    def state(self) -> EpisodeState:
        return self.controller.state

    def until(self, seen: Callable[[], object]) -> None:
        self.qtbot.waitUntil(lambda: bool(seen()), timeout=PATIENCE)

    def phase(self, *phases: Phase) -> EpisodeState:
        """Wait until the window shows one of these phases."""
        self.until(lambda: self.state.phase in phases)
        return self.state

    def read(self) -> None:
        """What waits for a person has to be on the screen for a moment before it can be agreed to."""
        self.until(lambda: not waits_for_person(self.state) or not just_appeared(self.state))

    def over(self) -> EpisodeState:
        self.until(lambda: self.state.ended)
        return self.state

    def ready(self) -> None:
        self.until(
            lambda: self.controller.session.stage is SessionStage.READY and self.controller.session.components
        )

    def start(self, preset: str = "") -> None:
        if preset:
            self.console.bindings.set_supervision(SUPERVISION_PRESETS[preset])
        self.ready()
        self.do("start")

    def do(self, command: str) -> None:
        """As its menu entry or button does it; a command that is off does nothing."""
        self.read()
        self.controller.refresh()
        self.window.actions_[command].trigger()

    def key(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """As the platform delivers it: to the QWindow that has the focus, which the press may change."""
        self.read() if key != Qt.Key.Key_Escape else None
        if key is self._last:
            self.qtbot.wait(round(1100 * BOUNCE))  # sooner it would be a repeat
        self._last = key
        QTest.keyPress(self._focus(), key, modifier)
        QTest.keyRelease(self._focus(), key, modifier)

    def press(self, key: Qt.Key) -> None:
        QTest.keyPress(self._focus(), key)

    def release(self, key: Qt.Key) -> None:
        QTest.keyRelease(self._focus(), key)

    def _focus(self) -> QWindow:
        return QGuiApplication.focusWindow() or self.window.windowHandle()

    def pass_until(self, seen: Callable[[], object]) -> None:
        """Approve whatever waits until this is seen."""

        commands = {Phase.REVIEWING: "use", Phase.OFFERED: "take", Phase.WAITING: "approve"}
        shown: EpisodeState | None = None

        def look() -> bool:
            nonlocal shown
            if shown is not self.controller.session.state:
                shown = self.controller.session.state
                self.controller.refresh()  # from here on nothing is read anew: what is seen is agreed to
            if seen():
                return True
            if command := commands.get(self.state.phase):
                self.window.actions_[command].trigger()
            return False

        self.until(look)


Opened = Callable[..., Driver]


@pytest.fixture
def unwatched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the heartbeat, which would stop the motion in place of what is tried."""
    monkeypatch.setattr(heartbeat, "HEARTBEAT_TIMEOUT", PATIENCE / 1000)


@pytest.fixture
def real_probe() -> None:
    """Domains are read in a process of their own, as the program does it: that takes a second each time."""


def probe_here(settings: Settings, cancel: StopToken, robots: str = "") -> ProbeResult:
    cancel.check()
    return probe_in_process(settings, robots)


@pytest.fixture
def patched(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """What a window in a test has otherwise than a person's."""
    monkeypatch.setattr(gc, "freeze", lambda: None)  # each window would keep what is left of the one before
    monkeypatch.setattr(QuestionPanel, "AHEAD", 0)  # cards are made when they are needed: many need none
    if "realtime" not in request.keywords:  # beside other tests a window may be late as no person's ever is
        monkeypatch.setattr(heartbeat, "HEARTBEAT_TIMEOUT", PATIENCE / 1000)
    if "real_probe" not in request.fixturenames:
        monkeypatch.setattr(settings_checker, "probe_domain", probe_here)


@contextmanager
def closing() -> Iterator[list[Console]]:
    """In the end each of these windows is closed, and no thread of the program may be left."""
    before = set(threading.enumerate())
    consoles: list[Console] = []
    yield consoles
    for console in consoles:
        console.window.close()
        assert not console.left_behind, "a thread of the episode is left"
        console.window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    consoles.clear()
    left = [t for t in threading.enumerate() if t not in before and t.is_alive()]
    for thread in left:
        thread.join(5)
    assert not [t.name for t in left if t.is_alive()]


def open_console(
    qtbot: QtBot,
    settings: Settings,
    make: ComponentFactory,
    folder: Path,
    preferences: Preferences,
    demo: str = "",
    drafting: DraftingTools | None = None,
) -> Console:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    console = Console(
        app, make, settings, folder / "log.db", preferences, ROBOTS, demo=demo, drafting=drafting
    )
    console.show()
    qtbot.waitUntil(console.window.isVisible)
    return console


@pytest.fixture
def opened(qtbot: QtBot, tmp_path: Path, patched: None) -> Iterator[Opened]:
    """Opens windows, whose log and preferences are in the test's own folder."""
    with closing() as consoles:

        def open_(
            settings: Settings = SYMBOLIC,
            make: ComponentFactory = main.make_components,
            preset: str = "Approve",
            remembered: bool = False,
            demo: str = "",
            drafting: DraftingTools | None = None,
            **changes: object,
        ) -> Driver:
            """`remembered`: as after a restart, with what the last window left."""
            preferences = (
                Preferences.load(tmp_path) if remembered else Preferences(tmp_path, mode=ColourMode.LIGHT)
            )
            if preset and not remembered:
                preferences.supervision = SUPERVISION_PRESETS[preset]
            settings = replace(settings, **changes)  # type: ignore[arg-type]
            console = open_console(qtbot, settings, make, tmp_path, preferences, demo, drafting)
            consoles.append(console)
            return Driver(console, qtbot)

        yield open_


@pytest.fixture(scope="module")
def windows(qapp: QApplication) -> Iterator[list[Console]]:
    """The window that `again` uses, once there is one."""
    with closing() as consoles:
        yield consoles


@pytest.fixture
def again(
    qtbot: QtBot, windows: list[Console], patched: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Opened]:
    """Sets an episode up in a window that the other tests of the file have used.

    To open one takes as long as a short test. For tests that leave nothing behind but an episode, a dialog
    or the focus.
    """

    def set_up(
        make: ComponentFactory = main.make_components, preset: str = "Approve", **changes: object
    ) -> Driver:
        settings = replace(SYMBOLIC, **changes)  # type: ignore[arg-type]
        if not windows or not windows[-1].window.isVisible():
            folder = tmp_path_factory.mktemp("window")
            preferences = Preferences(folder, mode=ColourMode.LIGHT, supervision=SUPERVISION_PRESETS[preset])
            windows.append(open_console(qtbot, settings, make, folder, preferences))
        else:
            console = windows[-1]
            console.app.installEventFilter(console.stop_key)
            qtbot.wait(1)  # for the heartbeat, which stood still between the tests
            console.preferences.supervision = SUPERVISION_PRESETS[preset]
            console.window.supervision.show_levels(SUPERVISION_PRESETS[preset])
            console.controller.goal, console.controller._make = None, fork_factory(make)
            console.controller.prepare(settings)
            console.window.activateWindow()
            console.window.setFocus()
        return Driver(windows[-1], qtbot)

    yield set_up
    for console in windows:
        while popup := QApplication.activePopupWidget():
            popup.close()
        if console.controller.dialog is not None:
            console.controller.dialog.reject()
        console.past.show_now()
        if console._review is not None and console._review.isVisible():
            console._review.toggle()
        if console._sheet is not None and console._sheet.isVisible():
            console._sheet.toggle()
        console.controller.end_sessions("the test is over")
        console.app.removeEventFilter(console.stop_key)  # a program has one window: keys are the next one's
        console.controller.session.join(PATIENCE / 1000)
        shutil.rmtree(console.preferences.folder / "knowledge", ignore_errors=True)
