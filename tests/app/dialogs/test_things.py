"""A thing on the table is named by a click on the picture."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from app.dialogs.things import ThingsDialog
from core.arm.table_things import TableThings
from core.errors import RobotError
from robots.ur5e.scene_file import read_scene
from tests.app.conftest import Opened
from tests.robots.ur5e.tabletop.test_table_look import BLUE, GREY, RED, table


def test_that_a_click_and_a_name_add_a_thing(again: Opened, tmp_path: Path) -> None:
    answers: list[TableThings | RobotError] = [RobotError("The camera is covered.")]

    def look(arm: str) -> TableThings:
        assert arm == "lab.toml"
        if isinstance(said := answers.pop(), RobotError):
            raise said
        return said

    at, scene = again(), tmp_path / "scene.toml"
    dialog = ThingsDialog(at.window, look, "lab.toml", scene)
    at.console.dialogs.show(dialog)
    at.until(lambda: dialog.said.text() == "The camera is covered.")
    dialog.add()
    assert dialog.said.text() == "Click on a thing first."

    answers.append(table((RED, 150, 20, 0), (BLUE, 300, 20, 0), (GREY, 450, 20, 0)))
    dialog.take()
    at.until(lambda: dialog.view.image is not None)
    view = dialog.view
    scale = min(view.width() / 640, view.height() / 480)
    left, top = (view.width() - 640 * scale) / 2, (view.height() - 480 * scale) / 2

    def click(x: int, y: int) -> None:
        place = QPoint(round(left + x * scale), round(top + y * scale))
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=place)

    click(318, 222)
    assert view.number == 2 and dialog.said.text().startswith("Thing 2: ")
    click(318, 20)
    assert view.number == 2, "nothing is there"
    dialog.name.setText("screw")
    QTest.keyClick(dialog.name, Qt.Key.Key_Return)
    assert "has screw" in dialog.said.text() and set(read_scene(str(scene)).things) == {"screw"}

    QTest.keyClick(view, Qt.Key.Key_Right)
    assert view.number == 3 and "it is grey" in dialog.said.text()
