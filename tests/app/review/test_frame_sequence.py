"""A replay of what is no episode: frames with texts, with the same bar, keys and steps."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.controls.layout import column
from app.review.keys import PLAY, press
from app.review.player import Player
from app.review.replay_bar import ReplayBar
from app.widgets.camera.camera_panel import CameraPanel
from core.ports import Frame
from core.review.recording import CaptionedFrame, FrameSequence

WALK = tuple(
    CaptionedFrame(Frame(str(i), rgb=np.full((8, 8, 3), 60 * i, np.uint8)), text, i * 0.1, kind)
    for i, (text, kind) in enumerate(
        (("at the start", ""), ("the door is open", ""), ("the cup cannot be seen", "failure"), ("done", ""))
    )
)


class WalkPage(QWidget):
    """All that a page needs to play frames."""

    def __init__(self) -> None:
        super().__init__()
        self.player = Player(self)
        self.camera, self.bar = CameraPanel(), ReplayBar(self.player, of_episode=False)
        self.setLayout(column((self.camera, 1), self.bar.header, self.bar))
        self.player.moved.connect(lambda: self.camera.display(self.player.state))

    def keyPressEvent(self, event) -> None:
        press(PLAY, self.bar, event)


def test_that_frames_with_texts_play_step_and_jump_as_an_episode_does(qtbot: QtBot) -> None:
    page = WalkPage()
    qtbot.addWidget(page)
    page.player.load(FrameSequence(WALK))
    page.bar.show_timeline()

    def shown() -> tuple[str, str]:
        frame = page.camera._state.frame
        return frame.id if frame else "", page.bar.header.note.text()

    assert shown() == ("3", "0:00 of 0:00 · done") and len(page.bar.timeline.state.marks) == 4
    QTest.keyClick(page, Qt.Key.Key_Home)
    assert shown()[0] == "0" and "at the start" in shown()[1]
    QTest.keyClick(page, Qt.Key.Key_Period)
    assert shown()[0] == "1"
    QTest.keyClick(page, Qt.Key.Key_X)
    assert shown()[0] == "2" and "the cup cannot be seen" in shown()[1]
    QTest.keyClick(page, Qt.Key.Key_X, Qt.KeyboardModifier.ShiftModifier)
    assert page.bar.header.note.text() == "no failure before this"
    page.bar.timeline.scrubbed.emit(0.15)
    assert shown()[0] == "1" and page.player.seconds == 0.15
    page.bar.timeline.picked.emit(page.bar.timeline.state.marks[0])
    assert shown()[0] == "0"
    QTest.keyClick(page, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: shown()[0] == "3" and not page.player.playing)
    assert page.bar.fork.isHidden()


def test_that_no_frames_are_nothing_to_play(qtbot: QtBot) -> None:
    parent = QObject()
    player = Player(parent)
    player.load(FrameSequence(()))
    player.play()
    assert not player.playing and player.index == 0 and player.state.frame is None
