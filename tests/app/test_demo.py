"""A window for visitors: locked, forgetful, and left with a word alone."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

import main
from app import demo
from app.demo import LOCKED, VISITOR, LeaveDialog, check_simulated, simulated_only
from app.presentation.formatting import waits_for_person
from core.config import Settings
from core.episode_state import Phase
from core.errors import BadValue
from core.log.store import Store
from core.ports import Embodiment
from core.supervision import SUPERVISION_PRESETS
from robots.registry import ROBOTS
from tests.app.conftest import SYMBOLIC, Driver, Opened

WORD = "swordfish"
KEYS = (*range(int(Qt.Key.Key_A), int(Qt.Key.Key_Z) + 1), *range(int(Qt.Key.Key_0), int(Qt.Key.Key_9) + 1))
KEYS += tuple(map(int, (Qt.Key.Key_Return, Qt.Key.Key_Space, Qt.Key.Key_Tab, Qt.Key.Key_Escape)))
KEYS += tuple(map(int, (Qt.Key.Key_F1, Qt.Key.Key_F9, Qt.Key.Key_F11, Qt.Key.Key_Comma, Qt.Key.Key_Slash)))
MODIFIERS = (*[Qt.KeyboardModifier.NoModifier] * 3, Qt.KeyboardModifier.ControlModifier)


def kept(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.suffix == ".toml" or p.name == "knowledge"}


def leave(at: Driver, word: str) -> None:
    """Ctrl+Q, and the word."""
    at.window.close()
    dialog = at.controller.dialog
    assert isinstance(dialog, LeaveDialog) and at.window.isVisible()
    dialog.typed.setText(word)
    dialog.check()


@pytest.mark.parametrize("presses", [20, pytest.param(1000, marks=pytest.mark.long)])
def test_that_after_random_keys_and_clicks_the_next_start_is_what_it_was(
    opened: Opened, tmp_path: Path, presses: int
) -> None:
    (tmp_path / "console.toml").write_text('colours = "dark"\n[dials]\nmove = "APPROVE"\n')
    before = kept(tmp_path)
    at = opened(demo=WORD, remembered=True, pace=0.0)
    first = replace(at.console.preferences)
    at.start()
    at.phase(Phase.WAITING)
    at.do("pause")
    luck = random.Random(1)
    for _ in range(presses):
        window = at.window
        if luck.random() < 0.7:
            QTest.keyClick(at._focus(), Qt.Key(luck.choice(KEYS)), luck.choice(MODIFIERS))
        else:
            place = QPoint(luck.randrange(window.width()), luck.randrange(window.height()))
            QTest.mouseClick(at._focus(), Qt.MouseButton.LeftButton, pos=place)
        while popup := at.console.app.activePopupWidget():
            popup.close()
        QCoreApplication.processEvents()
    assert at.window.isVisible() and at.controller.settings == SYMBOLIC
    at.controller.session.end()
    at.until(lambda: at.controller.session.state.ended)
    at.controller.refresh()
    at.controller.start()
    assert at.console.preferences == first and at.window.supervision.levels == first.supervision
    assert not at.window.plan.breakpoints
    leave(at, "sword")
    assert at.window.isVisible()
    leave(at, WORD)
    at.until(lambda: not at.window.isVisible())
    assert kept(tmp_path) == before
    with Store.open(tmp_path / "log.db") as log:
        said = {r.event.by for e in log.episodes() for r in log.records(e.episode) if hasattr(r.event, "by")}
    assert VISITOR in said <= {VISITOR, "", None}


def test_that_it_says_that_it_is_one_and_a_visitors_layout_is_gone_with_the_visitor(opened: Opened) -> None:
    at = opened(demo=WORD, remembered=True)
    at.ready()
    assert "Demo" in [part.text() for part in at.window.top.findChildren(QLabel) if part.isVisible()]
    at.console.preferences.layouts["mine"] = "AAAA"
    at.start("Manual")
    at.until(lambda: waits_for_person(at.controller.session.state))
    belief = at.window.belief
    belief._doubt.click()
    belief._search.setText("mug")
    belief.table.selectRow(0)
    at.window.camera._expand.click()
    at.console.demo.reset()
    assert not at.console.preferences.layouts
    assert not belief._doubt.isChecked() and not belief._search.text() and belief.selected is None
    assert not at.window.camera._expand.isChecked()
    leave(at, WORD)
    at.until(lambda: not at.window.isVisible())


def test_that_what_sets_up_is_locked_and_an_episode_left_alone_begins_anew(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = opened(demo=WORD)
    at.ready()
    at.controller.refresh()
    assert not [id for id in LOCKED if at.window.actions_[id].isEnabled()]
    at.start("Manual")
    at.until(lambda: waits_for_person(at.controller.session.state))
    left = at.controller.session
    at.console.demo._look()
    assert at.controller.session is left, "somebody was here a moment ago"
    monkeypatch.setattr(demo, "UNATTENDED", 0.0)
    at.console.demo._look()
    assert at.controller.session is not left
    assert at.window.supervision.levels == SUPERVISION_PRESETS["Approve"]
    at.console.signalled(15)  # the computer ends it: nobody is asked for the word
    at.until(lambda: not at.window.isVisible())


def test_that_a_demo_never_makes_a_robot_that_may_be_real(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadValue, match="simulators only, and 'ur5e' may be a real robot"):
        check_simulated(Settings(robot="ur5e", options={"robot.arm": "192.0.2.1"}), ROBOTS)
    components = main.make_components(SYMBOLIC)
    monkeypatch.setattr(type(components.robot), "embodiment", Embodiment.REAL)
    with pytest.raises(BadValue, match="may be a real one"):
        simulated_only(lambda *_: components, ROBOTS)(SYMBOLIC)
