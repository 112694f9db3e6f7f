"""Fields: a long list is searched by typing."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.controls.input_fields import ComboBox


def test_that_typing_in_a_list_finds_words_wherever_they_stand(qtbot: QtBot) -> None:
    box = ComboBox("Answerer")
    qtbot.addWidget(box)
    box.addItems(["perfect: no errors", "eye: a small network", "gpt: errs as GPT-4.1 did in a household"])
    box.show()
    box.showPopup()
    QTest.keyClicks(box.view(), "house")
    QTest.keyClick(box.view(), Qt.Key.Key_Return)
    assert box.currentText().startswith("gpt")
