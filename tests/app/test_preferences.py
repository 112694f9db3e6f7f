"""What is remembered, and how it looks."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.dialogs.layouts import LayoutsDialog
from app.preferences import Preferences
from app.theme.styling import ColourMode
from core.config import Settings
from core.episode_state import Phase
from core.supervision import SUPERVISION_PRESETS, SupervisionLevel, SupervisionLevels
from robots.registry import ROBOTS
from tests.app.conftest import Opened


def test_that_the_memory_is_a_file_that_a_person_can_read(tmp_path: Path) -> None:
    preferences = Preferences(
        tmp_path, mode=ColourMode.DARK, muted=True, supervision=SUPERVISION_PRESETS["Approve"]
    )
    preferences.store_settings(Settings(task="halve_egg", seed=7, openness=0.5))
    preferences.save()
    text = preferences.file.read_text()
    assert 'colours = "dark"' in text and 'task = "halve_egg"' in text and 'move = "APPROVE"' in text
    again = Preferences.load(tmp_path)
    assert (
        again.mode is ColourMode.DARK and again.muted and again.supervision == SUPERVISION_PRESETS["Approve"]
    )
    assert again.settings(Settings(), ROBOTS) == Settings(task="halve_egg", seed=7, openness=0.5)


def test_that_the_memory_of_other_versions_is_read(tmp_path: Path) -> None:
    (tmp_path / "console.toml").write_text("""# What the console remembers.
colours = "dark"
muted = true
locked = false
later = 1
[dials]
ask = "WATCH"
move = "APPROVE"
[setup]
pace = 0.5
seed = 7
[setup.options]
"method.ask" = "on"
""")
    again = Preferences.load(tmp_path)
    assert (again.mode, again.muted, again.locked) == (ColourMode.DARK, True, False)
    assert again.supervision == SupervisionLevels(ask=SupervisionLevel.WATCH, move=SupervisionLevel.APPROVE)
    assert (again.setup, again.options) == ({"pace": 0.5, "seed": 7}, {"method.ask": "on"})


def test_that_a_name_with_any_character_is_remembered(tmp_path: Path) -> None:
    preferences = Preferences(tmp_path, setup={"domain": "mine 😀"}, muted=True)
    preferences.layouts, preferences.sounds = {"mine 😀": "AAAA"}, frozenset({"fault"})
    preferences.save()
    assert Preferences.load(tmp_path) == preferences


@pytest.mark.parametrize("named", ["", "127.0.0.9"])
def test_that_which_arm_is_moved_is_said_now_and_never_remembered(tmp_path: Path, named: str) -> None:
    preferences = Preferences(tmp_path)
    preferences.store_settings(Settings(robot="ur5e", options={"robot.arm": "192.168.0.7"}))
    preferences.save()
    assert "192.168" not in preferences.file.read_text()
    older = Preferences(tmp_path, setup={"robot": "ur5e", "arm": "192.168.0.7"})  # as it was once written
    old = Preferences(tmp_path, setup={"robot": "ur5e"}, options={"robot.arm": "192.168.0.7"})
    now = {"robot.arm": named} if named else {}
    for known in (Preferences.load(tmp_path), old, older):
        settings = known.settings(Settings(robot="ur5e" if named else "", options=now), ROBOTS)
        assert settings.robot == "ur5e" and settings.options == now


@pytest.mark.parametrize(
    "text", ["not toml at all [", 'colours = "purple"', "dials = 3", "[dials]\nask = 'LOUD'"]
)
def test_that_a_broken_memory_is_left_out(tmp_path: Path, text: str) -> None:
    (tmp_path / "console.toml").write_text(text)
    assert Preferences.load(tmp_path) == Preferences(tmp_path)


@pytest.mark.parametrize("chosen", [{"openness": 99.0}, {"pace": "fast"}, {"nonsense": 1}])
def test_that_a_set_up_that_makes_no_sense_any_more_is_left_out(tmp_path: Path, chosen: dict) -> None:
    settings = Preferences(tmp_path, setup=chosen).settings(Settings(task="halve_egg"), ROBOTS)
    assert settings.openness == 1.0


def test_that_reset_forgets_everything(tmp_path: Path, opened: Opened) -> None:
    at = opened()
    at.do("mute")
    at.window.close()
    assert (tmp_path / "console.toml").exists() and (tmp_path / "window.toml").exists()
    Preferences(tmp_path).reset()
    assert Preferences.load(tmp_path) == Preferences(tmp_path)


def test_that_the_layout_comes_back_after_a_restart(opened: Opened) -> None:
    first = opened()
    first.window.docks["belief"].close()
    first.window.docks["robot"].show()
    first.window.close()
    second = opened()
    assert not second.window.docks["belief"].isVisible()
    assert second.window.docks["robot"].isVisibleTo(second.window)
    second.do("layouts")
    dialog = second.controller.dialog
    assert isinstance(dialog, LayoutsDialog)
    dialog.name.setText("mine")
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    second.do("reset")
    assert second.window.docks["belief"].isVisible()
    assert not second.window.docks["robot"].isVisible()
    assert set(Preferences.load(second.console.preferences.folder).layouts) == {"mine"}
    second.do("layouts")
    QTest.keyClick(second.controller.dialog, Qt.Key.Key_Return)
    assert not second.window.docks["belief"].isVisible() and second.window.docks["robot"].isVisible()


@pytest.mark.parametrize(
    "text",
    ["", "layout = 1", "layout = 1\ngeometry = 3\nstate = 4", "layout = 1\ngeometry = '%'\nstate = ''", "["],
)
def test_that_a_broken_layout_is_left_out(tmp_path: Path, text: str) -> None:
    (tmp_path / "window.toml").write_text(text)
    assert [part.isEmpty() for part in Preferences(tmp_path).geometry()] == [True] * 3


@pytest.mark.long
def test_that_locked_panels_cannot_be_closed_and_stay_locked(opened: Opened) -> None:
    first = opened()
    first.do("lock")
    features = first.window.docks["plan"].features()
    assert features == features.NoDockWidgetFeatures
    first.window.close()
    second = opened(remembered=True)
    assert second.window.actions_["lock"].isChecked()
    assert all(dock.features() == features for dock in second.window.docks.values())
    second.do("lock")
    assert second.window.docks["plan"].features() != features


def test_that_sounds_are_off_until_wanted_and_mute_is_one_key_and_both_are_remembered(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    beeps: list[int] = []
    monkeypatch.setattr("app.appearance.QApplication.beep", lambda *_: beeps.append(1))
    monkeypatch.setattr("app.appearance.APART", 0)
    at = opened()
    at.window.status.noted.emit("fault")
    at.do("sound_fault")
    at.window.status.noted.emit("doubt")
    at.window.status.noted.emit("fault")
    at.until(lambda: len(beeps) == 3)
    assert Preferences.load(at.console.preferences.folder).sounds == {"fault"}
    at.key(Qt.Key.Key_M, Qt.KeyboardModifier.ControlModifier)
    assert Preferences.load(at.console.preferences.folder).muted
    QTest.mouseClick(at.window.top.mute, Qt.MouseButton.LeftButton)
    assert not Preferences.load(at.console.preferences.folder).muted


@pytest.mark.long
def test_that_a_person_elsewhere_is_called_once_for_what_waits_unless_muted(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[str] = []
    monkeypatch.setattr("app.session_display.QApplication.alert", lambda *_: called.append("flash"))
    monkeypatch.setattr("app.session_display.QApplication.beep", lambda *_: called.append("sound"))
    at = opened()
    monkeypatch.setattr(at.window, "isActiveWindow", lambda: False)
    at.start("Approve")
    at.phase(Phase.WAITING)
    at.until(lambda: at.state.now - at.state.since > 1.5)
    assert called == ["flash", "sound"]
    at.do("mute")
    episode = at.state.episode
    at.do("end")
    at.over()
    at.do("start")
    at.until(lambda: at.state.episode != episode and at.state.phase is Phase.WAITING)
    at.until(lambda: at.state.now - at.state.since > 1.5)
    assert called == ["flash", "sound"], "what is muted calls nobody"


def test_that_a_set_up_is_remembered_and_used_next_time(opened: Opened) -> None:
    at = opened()
    at.ready()
    at.do("setup")
    dialog = at.controller.dialog
    assert dialog is not None
    dialog.tasks.task.setCurrentText("halve egg")
    dialog.numbers.numbers["seed"].setValue(11)
    at.until(lambda: dialog._report is not None and not dialog._report.blocked)
    dialog._use()
    at.until(
        lambda: at.controller.session.components and at.controller.session.components.task.name == "halve_egg"
    )
    at.window.close()
    kept = Preferences.load(at.console.preferences.folder).settings(Settings(), ROBOTS)
    assert (kept.task, kept.seed, kept.robot) == ("halve_egg", 11, "symbolic")
