"""The look keeps its promises: contrast, shapes, words, and one place that names colours."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QPalette, QPixmap
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from app.actions import help_page
from app.commands import BY_ID, COMMANDS
from app.controls.text import TextField
from app.theme import icons, styling
from app.theme.states import CHECK, LEVEL, LINE, SOURCE, VERDICT, WORLD
from app.theme.styling import ColourMode
from app.theme.tokens import DARK, LIGHT, Colours
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


@pytest.mark.parametrize(("ink", "ground"), PAIRS)
@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_that_text_can_be_read_on_its_ground(colours: Colours, ink: str, ground: str) -> None:
    """WCAG 2.2, 1.4.3: 4.5 to 1."""
    high, low = sorted((luminance(getattr(colours, ink)), luminance(getattr(colours, ground))), reverse=True)
    assert (high + 0.05) / (low + 0.05) >= 4.5


@pytest.mark.parametrize("ground", [*GROUNDS, "window"])
@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_that_what_is_off_can_still_be_read(colours: Colours, ground: str) -> None:
    high, low = sorted((luminance(colours.faint), luminance(getattr(colours, ground))), reverse=True)
    assert (high + 0.05) / (low + 0.05) >= 3


@pytest.mark.parametrize("mode", [ColourMode.LIGHT, ColourMode.DARK])
def test_that_a_placeholder_is_as_readable_as_a_caption(mode: ColourMode, qapp: QApplication) -> None:
    styling.apply(qapp, mode)
    field = TextField("", "anything")
    field.ensurePolished()
    drawn = field.palette().color(QPalette.ColorRole.PlaceholderText)
    assert drawn == styling.colour("muted")


def test_that_the_menu_prints_esc_beside_the_stop(opened: Opened) -> None:
    at = opened()
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


@pytest.mark.parametrize("name", sorted(ICON_NAMES))
def test_that_every_glyph_paints_something_inside_its_square(qtbot: QtBot, name: str) -> None:
    drawn = icons.pixmap(name, 16, QColor("black"), 4.0).toImage()
    inked = [
        (x, y) for x in range(drawn.width()) for y in range(drawn.height()) if drawn.pixelColor(x, y).alpha()
    ]
    assert len(inked) > 20
    edges = {0, drawn.width() - 1}
    assert not [p for p in inked if p[0] in edges or p[1] in edges], "it is cut off"


def test_that_every_glyph_that_is_named_exists() -> None:
    assert {d.icon for d in COMMANDS if d.icon} <= ICON_NAMES
    for table in (VERDICT, SOURCE, WORLD, CHECK, LEVEL, LINE):
        assert {s.icon for s in table.values()} <= ICON_NAMES  # type: ignore[attr-defined]


def test_that_every_deed_is_bound_and_on_the_help_page(opened: Opened) -> None:
    at = opened()
    page = help_page()
    for command in COMMANDS:
        action = at.window.actions_[command.id]
        assert action.receivers("2triggered(bool)") > 0, command.id
        assert command.text in page
        assert action.toolTip().startswith(command.tooltip)


def test_that_what_is_off_says_why(opened: Opened) -> None:
    at = opened()
    at.ready()
    at.controller.refresh()
    off = [d for d in COMMANDS if not at.window.actions_[d.id].isEnabled()]
    assert "approve" in {d.id for d in off}
    for command in off:
        assert "Not now: " in at.window.actions_[command.id].toolTip()


def test_that_no_two_deeds_answer_to_the_same_key_at_the_same_time(opened: Opened) -> None:
    at = opened()
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


def test_that_painting_leaves_no_colour_of_the_other_theme(opened: Opened) -> None:
    at = opened()
    at.do("dark")
    picture: QPixmap = at.window.grab()
    bright = 0
    image = picture.toImage()
    for x in range(0, image.width(), 7):
        for y in range(210, image.height(), 7):
            bright += image.pixelColor(x, y).lightnessF() > 0.95
    assert bright < 40
    assert QApplication.instance() is not None and QToolTip.palette() is not None


def test_that_a_glyph_of_a_head_is_off_with_its_reason_when_its_deed_is(opened: Opened) -> None:
    at = opened()
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
