"""Words from outside in the window: what looks like a page is shown as its source, and nothing takes long."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QTextDocument
from PySide6.QtWidgets import QAbstractItemView, QApplication, QLabel, QToolTip, QWidget
from pytestqt.qtbot import QtBot

import main
from app.controls.layout import label
from app.controls.list_picker import ListPicker, PickerItem
from app.controls.text import ReadOnlyText
from app.controls.tooltip import set_tooltip
from app.theme import paint
from app.widgets.bars.status_line import StatusLine
from core.belief import Answer, BeliefSource, Query
from core.config import EpisodeComponents, Settings, ignore
from core.episode_state import EpisodeState
from core.events import Notice
from core.ports import Frame, ModelCall
from core.stop_token import StopToken
from core.supervision import WATCH, SupervisionLevels
from core.text.untrusted_text import MAX_CHARS
from tests.app.conftest import Opened

NESTED = "<table><tr><td>" * 18 + "x"
HOSTILE = (
    "<img src='/dev/zero'>",
    NESTED,
    "<table><tr><td>" * 3000,
    "first line\n<img src='/dev/zero'>",
    "&lt;b&gt;no",
    "<!doctype html><h1>no</h1>",
    "<?xml version='1.0'?><h1>no</h1>",
    "\x1b]0;owned\x07\u202eno",
    "x" * 10**6,
)


def harmless(tip: str) -> bool:
    """Qt takes what has a tag or an entity for a page; ours is then one paragraph of escaped text."""
    inside = tip.removeprefix('<p style="white-space:pre-wrap">').removesuffix("</p>")
    page = inside != tip
    return len(tip) < 8000 and "<" not in inside and (page or "&" not in tip) and "\x1b" not in tip


@pytest.mark.parametrize("words", HOSTILE, ids=range(len(HOSTILE)))
def test_that_no_tooltip_is_a_page_of_somebody_elses(qtbot: QtBot, words: str) -> None:
    line = StatusLine()
    qtbot.addWidget(line)
    line.display(EpisodeState(notices=(Notice("fault", words),)))
    pick = ListPicker("names")
    qtbot.addWidget(pick)
    pick.show_items((PickerItem(words, 1, note=words),))
    listed = pick.model().index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    for tip in (line._note.toolTip(), listed):
        assert tip and harmless(tip)


def test_that_an_escaped_tooltip_reads_as_its_source(qtbot: QtBot) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    set_tooltip(widget, "a <b>\n  & &lt;")
    page = QTextDocument()
    page.setHtml(widget.toolTip())
    assert page.toPlainText() == "a <b>\n  & &lt;"


def test_that_a_hostile_tooltip_is_shown_at_once(qtbot: QtBot) -> None:
    """The same 280 characters as a page of nested tables took 40 s."""
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.show()
    set_tooltip(widget, NESTED)
    began = time.monotonic()
    QToolTip.showText(QPoint(10, 10), widget.toolTip(), widget)
    QApplication.processEvents()
    QToolTip.hideText()
    assert time.monotonic() - began < 2


def test_that_a_label_shows_the_text_and_no_more_than_can_be_read(qtbot: QtBot) -> None:
    made = label("<img src='/dev/zero'>")
    qtbot.addWidget(made)
    assert made.textFormat() is Qt.TextFormat.PlainText and made.text() == "<img src='/dev/zero'>"
    made.setText("\x1b[31m" + "x" * 10**7)
    assert len(made.text()) == MAX_CHARS and "\x1b" not in made.text()


def test_that_a_page_of_ours_loads_nothing(qtbot: QtBot, tmp_path) -> None:
    page = ReadOnlyText("<p>keys</p>", "Keys")
    qtbot.addWidget(page)
    assert page.loadResource(2, "/dev/zero") is None


@pytest.mark.parametrize("words", ["x" * 8_000_000, "x " * 4_000_000, "\u202e\x1b" * 100_000])
def test_that_painting_a_very_long_text_takes_no_time(qtbot: QtBot, words: str) -> None:
    began = time.monotonic()
    shown = paint.elided(words, "body", 300.0)
    rows = paint.lines(words, "body", 300.0, 3)
    assert time.monotonic() - began < 0.5
    assert len(shown) < 200 and len(rows) <= 3 and "\u202e" not in shown


class Hostile:
    """A model that has read the sticker in the scene."""

    name = "<img src='/dev/zero'>"

    def answer(self, frame: Frame, queries: Sequence[Query], turn: int, cancel: StopToken) -> ModelCall:
        said = NESTED + "\x1b]0;owned\x07"
        answers = (
            Answer(q.atom, q.expected, BeliefSource.MODEL, said, turn, frame.id, self.name) for q in queries
        )
        return ModelCall(tuple(answers), said, self.name, prompt=said)


def test_that_a_hostile_model_leaves_nothing_rich_in_the_window(opened: Opened) -> None:
    def make(
        settings: Settings, notify: Callable[[str], None] = ignore, supervision: SupervisionLevels = WATCH
    ) -> EpisodeComponents:
        return replace(main.make_components(settings, notify), answerer=Hostile())

    at = opened(make=make, preset="Watch")
    at.start("Watch")
    at.over()
    widgets = at.window.findChildren(QWidget)
    tips = [w.toolTip() for w in (*widgets, *at.window.findChildren(QAction))]
    for view in at.window.findChildren(QAbstractItemView):
        model = view.model()
        tips += [
            str(model.index(row, column).data(Qt.ItemDataRole.ToolTipRole) or "")
            for row in range(model.rowCount() if model else 0)
            for column in range(4)
        ]
    assert any("&lt;table&gt;" in tip for tip in tips), "the reply is there to be read"
    assert all(map(harmless, tips))
    assert all(w.textFormat() is Qt.TextFormat.PlainText for w in widgets if isinstance(w, QLabel))
