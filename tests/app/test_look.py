"""The look keeps its promises: contrast, shapes, words, and one place that names colours."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage, QPalette
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from app.actions import help_page
from app.commands import BY_ID, COMMANDS, Choice
from app.controls.text import TextField
from app.theme import icons, styling
from app.theme.states import CHECK, LEVEL, LINE, SOURCE, VERDICT, WORLD
from app.theme.styling import ColourMode
from app.theme.tokens import DARK, LIGHT
from core.episode_state import Phase
from tests.app.conftest import Opened

APP = Path(__file__).parents[2] / "app"
GROUNDS = ("surface", "raised", "sunken")
INKS = ("muted", "text", "ink", "accent", "doubt", "fault")
PAIRS = [(ink, ground) for ground in GROUNDS for ink in INKS] + [
    ("paper", "ink"),
    ("on_accent", "accent"),
    ("on_real", "real"),
    ("doubt", "doubt_soft"),
    ("fault", "fault_soft"),
    ("ink", "accent_soft"),
    ("accent", "accent_soft"),
    ("muted", "accent_soft"),
    ("muted", "doubt_soft"),
    ("muted", "fault_soft"),
    ("on_scrim", "scrim"),
    ("scrim_doubt", "scrim"),
    ("scrim_fault", "scrim"),
]


def luminance(name: str) -> float:
    def linear(v: float) -> float:
        return v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4

    c = QColor(name)
    return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF())


def contrast(ink: str, ground: str) -> float:
    high, low = sorted((luminance(ink), luminance(ground)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_that_text_can_be_read_on_its_ground(colours: dict[str, str]) -> None:
    """WCAG 2.2, 1.4.3: 4.5 to 1."""
    for ink, ground in PAIRS:
        assert contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_that_what_is_off_can_still_be_read(colours: dict[str, str]) -> None:
    for ground in (*GROUNDS, "window"):
        assert contrast(colours["faint"], colours[ground]) >= 3, ground


@pytest.mark.parametrize("mode", [ColourMode.LIGHT, ColourMode.DARK])
def test_that_a_placeholder_is_as_readable_as_a_caption(mode: ColourMode, qapp: QApplication) -> None:
    styling.apply(qapp, mode)
    field = TextField("", "anything")
    field.ensurePolished()
    drawn = field.palette().color(QPalette.ColorRole.PlaceholderText)
    assert drawn == styling.colour("muted")


def test_that_the_menu_prints_esc_beside_the_stop(again: Opened) -> None:
    at = again()
    assert at.window.actions_["stop"].text() == "Stop motion\tEsc"
    assert not at.window.actions_["stop"].shortcuts(), "the stop key's filter takes it, and nothing else"


def test_that_the_note_about_esc_is_amber_from_the_start_without_the_focus(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = opened()
    at.until(lambda: at.window.top._esc.property("tone") == "muted")
    monkeypatch.setattr(at.console.app, "focusWindow", lambda: None)
    at.console.show()
    assert at.window.top._esc.property("tone") == "doubt" and not at.window.top._esc_icon.isHidden()


def test_that_no_file_but_the_theme_names_a_colour() -> None:
    named = re.compile(r"#[0-9A-Fa-f]{6}\b|QColor\([\"\d]|GlobalColor\.(?!transparent)")
    files = [f for f in APP.rglob("*.py") if "theme" not in f.parts and "terminal" not in f.parts]
    assert len(files) > 30
    assert not [f.name for f in files if named.search(f.read_text())]


@pytest.mark.parametrize("table", [VERDICT, SOURCE, WORLD, CHECK, LEVEL], ids=lambda t: str(next(iter(t))))
def test_that_states_differ_in_shape_and_word_before_they_differ_in_colour(table: dict) -> None:
    states = [s for key, s in table.items() if key not in ("", "info")]
    assert len({s.icon for s in states}) == len(states)
    assert len({s.word for s in states}) == len(states)


def test_that_the_states_of_a_step_differ_in_shape() -> None:
    assert len({s.icon for s in LINE.values()}) == len(LINE)


ICON_NAMES = {file.stem for file in icons.ICONS.glob("*.svg")}


def test_that_every_glyph_paints_something_inside_its_square(qtbot: QtBot) -> None:
    for name in sorted(ICON_NAMES):
        drawn = icons.pixmap(name, 16, QColor("black"), 4.0).toImage()
        alpha = drawn.convertToFormat(QImage.Format.Format_Alpha8)
        inked = np.frombuffer(alpha.constBits(), np.uint8).reshape(64, -1)[:, :64] > 0
        assert inked.sum() > 20, name
        assert not (inked[[0, -1]].any() or inked[:, [0, -1]].any()), f"{name} is cut off"


def test_that_a_glyph_that_is_not_there_is_named_and_no_painter_is_left_open(qtbot: QtBot) -> None:
    with pytest.raises(ValueError, match=r"no icon 'plan'.*docs resources/icons"):
        icons.pixmap("plan", 16, QColor("black"))


def test_that_every_glyph_that_is_named_exists() -> None:
    assert {d.icon for d in COMMANDS if d.icon} <= ICON_NAMES
    for table in (VERDICT, SOURCE, WORLD, CHECK, LEVEL, LINE):
        assert {s.icon for s in table.values()} <= ICON_NAMES  # type: ignore[attr-defined]


def test_that_every_deed_is_bound_and_on_the_help_page(again: Opened) -> None:
    at = again()
    page = help_page((Choice("Draft", "In the room", "Enter", print),))
    assert "<h3>Here</h3>" in page and "In the room." in page and "Here" not in help_page()
    for command in COMMANDS:
        action = at.window.actions_[command.id]
        assert action.receivers("2triggered(bool)") > 0, command.id
        assert command.text in page or not command.keys
        assert action.toolTip().startswith(command.tooltip)


def test_that_what_is_off_says_why(again: Opened) -> None:
    at = again()
    at.ready()
    at.controller.refresh()
    off = [d for d in COMMANDS if not at.window.actions_[d.id].isEnabled()]
    assert "approve" in {d.id for d in off}
    for command in off:
        assert "Not now: " in at.window.actions_[command.id].toolTip()


def test_that_no_two_deeds_answer_to_the_same_key_at_the_same_time(again: Opened) -> None:
    at = again()
    at.start("Approve")
    at.phase(Phase.WAITING)
    at.read()
    for phase in Phase:
        state = replace(at.state, phase=phase)
        on = [d for d in COMMANDS if not d.disabled_reason(state) and not d.needs_hold]
        keys = [d.key for d in on if d.key]
        assert len(keys) == len(set(keys)), (phase, sorted(keys))


def test_that_the_keys_of_a_control_are_printed_in_its_tooltip() -> None:
    assert "(C)" in _tip("choose") and "(Enter, held)" in _tip("go_on")


def _tip(id: str) -> str:
    from app.actions import Actions

    return Actions._tip(BY_ID[id], "")


def test_that_the_typeface_comes_with_the_program(qtbot: QtBot) -> None:
    assert styling.font("body").family() == "Inter"
    assert styling.metrics("display").height() > styling.metrics("body").height()


def test_that_light_and_dark_change_every_colour_at_once(again: Opened) -> None:
    at = again()
    at.do("dark")
    image = at.window.grab().toImage()
    assert image.pixelColor(5, 700).lightnessF() < 0.3
    bright = 0
    for x in range(0, image.width(), 7):
        for y in range(210, image.height(), 7):
            bright += image.pixelColor(x, y).lightnessF() > 0.95
    assert bright < 40, "painting leaves no colour of the other theme"
    assert QApplication.instance() is not None and QToolTip.palette() is not None
    at.do("light")
    assert at.window.grab().toImage().pixelColor(5, 700).lightnessF() > 0.7


def test_that_a_glyph_of_a_head_is_off_with_its_reason_when_its_deed_is(again: Opened) -> None:
    at = again()
    at.ready()
    at.controller.refresh()
    w = at.window
    for tool in (w.belief.undo, w.questions.reask):
        assert not tool.isEnabled() and "Not now: " in tool.toolTip()
    at.start("Approve")
    at.phase(Phase.WAITING)
    row = w.belief.table.model().index(0, 0)
    w.belief.table.setCurrentIndex(row)
    atom = w.belief.selected
    assert atom is not None
    at.console.bindings.correct((w.belief.operator_answer(atom, at.state.belief.verdict(atom).opposite),))
    at.until(lambda: w.belief.undo.isEnabled())
    w.belief.undo.click()
    at.until(lambda: not at.state.undo_count)
