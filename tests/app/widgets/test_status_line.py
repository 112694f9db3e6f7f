"""The note at the right of the status line."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.theme import paint
from app.widgets.bars.status_line import StatusLine
from core.episode_state import EpisodeState
from core.events import Notice

TEXT = (
    "The control program cannot be started: the controller did not take program, tool or payload; try again."
)


@pytest.mark.parametrize(("wide", "whole"), [(1400, True), (640, False)])
def test_that_a_note_is_cut_off_only_where_there_is_no_room(qtbot: QtBot, wide: int, whole: bool) -> None:
    line = StatusLine()
    qtbot.addWidget(line)
    line.resize(wide, line.height())
    line.show()
    line._show_note(Notice("fault", TEXT))
    line.layout().activate()  # type: ignore[union-attr]
    assert (line._note.width() >= paint.width(TEXT, "caption")) is whole
    assert line._note.toolTip() and line.minimumSizeHint().width() < 700


def test_that_a_message_is_kept_once_however_often_the_state_is_shown(qtbot: QtBot) -> None:
    line = StatusLine()
    qtbot.addWidget(line)
    upgraded, slow, faster = Notice("doubt", "upgraded"), Notice("fault", "slow"), Notice("info", "slow")
    for notices in ((upgraded,), (upgraded, slow), (upgraded, slow), (upgraded,), (upgraded, faster)):
        line.display(EpisodeState(notices=notices))
    assert [note for _, note in line.messages] == [upgraded, slow, faster]
