"""Name the things on the arm's table by clicking on them in its camera's picture; nothing moves."""

from __future__ import annotations

from collections.abc import Callable
from math import dist
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent

from app.controls.layout import column, label, row
from app.controls.text import TextField
from app.dialogs.overlay_dialog import OverlayDialog
from app.main_window import MainWindow
from app.runtime.background_task import BackgroundTask
from app.theme import tokens as t
from app.widgets.camera.frame_images import rgb_image
from app.widgets.camera.picture_view import PictureTag, PictureView, PointMark
from core.arm.table_things import TableThings
from core.errors import ConsoleError

Look = Callable[[str], TableThings]  # takes a picture of this arm's table, or raises a ConsoleError
NEAR = 0.15  # of the picture's width, within which a click means a thing


class TableView(PictureView):
    """The picture with a number at each thing; a click or an arrow key chooses one."""

    chosen = Signal(int)  # the thing's number

    def __init__(self) -> None:
        super().__init__()
        self._look: TableThings | None = None
        self.number = 0
        self.setMinimumSize(400, 260)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Picture of the table")
        self.pointed.connect(self._clicked)

    def show_look(self, look: TableThings | None, words: str) -> None:
        """Show a look at the table; None: `words` say what is waited for."""
        self._look = look
        self.show_image(None if look is None else rgb_image(look.rgb))
        self.show_empty(PictureTag(words, "camera"))
        self._number(0)

    def _number(self, number: int) -> None:
        self.number = number
        things = self._look.things if self._look else ()
        self.show_points([PointMark(*one.pixel, str(one.number), one.number == number) for one in things])

    def choose(self, number: int) -> None:
        self._number(number)
        self.chosen.emit(number)

    def _clicked(self, column: float, row: float) -> None:
        """Choose the thing that is nearest to this place, if one is near."""
        if self._look is None:
            return
        near = min(self._look.things, key=lambda thing: dist(thing.pixel, (column, row)))
        if dist(near.pixel, (column, row)) < NEAR * self._look.rgb.shape[1]:
            self.choose(near.number)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}.get(Qt.Key(event.key()))
        count = len(self._look.things) if self._look else 0
        if step is None or not count:
            super().keyPressEvent(event)
        else:
            self.choose((self.number - 1 + step) % count + 1 if self.number else 1)


class ThingsDialog(OverlayDialog):
    """Adds what is clicked on to a scene file, under a name that is typed."""

    def __init__(self, window: MainWindow, look: Look, arm: str, scene: Path) -> None:
        super().__init__(window, "Things on the table", "click on one, and name it", QSize(900, 640))
        self._take, self._arm = look, arm
        self._look: TableThings | None = None
        self.view = TableView()
        self.view.chosen.connect(self._show_chosen)
        self.name, self.scene = TextField(name="Name of the thing"), TextField(str(scene), "Scene file")
        self.name.setPlaceholderText("screw_1")
        self.said = label("", "body", "text", wrap=True)
        name, file = label("Name"), label("in")
        fields = row(name, (self.name, 1), file, (self.scene, 2))
        self.set_body(column((self.view, 1), self.said, fields, spacing=t.S, margins=(t.XL, t.L, t.XL, t.M)))
        self.button("Close", self.reject)
        self.button("New picture", self.take, "camera")
        self.button("Add", self.add, "check", "Enter", primary=True)
        self._task = BackgroundTask("picture of the table")
        self._task.done.connect(self._show_look)
        self.finished.connect(lambda _: self._task.cancel())
        self.take()

    def take(self) -> None:
        """Take a new picture, on a thread of its own."""
        self._look = None
        self.view.show_look(None, "the camera takes a picture…")
        self._task.start(lambda *_: self._take(self._arm))

    def add(self) -> None:
        """Write the chosen thing into the scene file."""
        if self._look is None or not self.view.number:
            return self.said.say("Click on a thing first.", "doubt")
        try:
            done = self._look.add(self.view.number, self.name.text().strip(), Path(self.scene.text().strip()))
        except ConsoleError as error:
            return self.said.say(str(error), "fault")
        self.name.clear()
        self.said.say(done, "text")

    def _show_look(self, result: object) -> None:
        if isinstance(result, ConsoleError):
            self.view.show_look(None, "no picture")
            return self.said.say(str(result), "fault")
        self._look = result  # type: ignore[assignment]
        assert self._look is not None
        self.view.show_look(self._look, "")
        self.said.say("" if self._look.things else "Nothing stands on the table.", "doubt")

    def _show_chosen(self, number: int) -> None:
        assert self._look is not None
        thing = self._look.things[number - 1]
        size = " x ".join(f"{1000 * side:.0f}" for side in thing.size)
        fault = f"; it {thing.fault}" if thing.fault else ""
        self.said.say(f"Thing {number}: {size} mm{fault}.", "doubt" if fault else "text")
        self.name.setFocus()
