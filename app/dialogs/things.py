"""Name the things on the arm's table by clicking on them in its camera's picture; nothing moves."""

from __future__ import annotations

from collections.abc import Callable
from math import dist
from pathlib import Path

from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent, QMouseEvent, QPainter

from app.controls.layout import column, label, row, set_tone
from app.controls.painted import Painted
from app.controls.text import TextField
from app.dialogs.overlay_dialog import OverlayDialog
from app.main_window import MainWindow
from app.runtime.background_task import BackgroundTask
from app.theme import paint, styling
from app.theme import tokens as t
from app.widgets.camera.picture_view import fitted
from core.arm.table_things import TableThings
from core.errors import ConsoleError

Look = Callable[[str], TableThings]  # takes a picture of this arm's table, or raises a ConsoleError
NEAR = 0.15  # of the picture's width, within which a click means a thing


class TableView(Painted):
    """The picture with a number at each thing; a click or an arrow key chooses one."""

    chosen = Signal(int)  # the thing's number

    def __init__(self) -> None:
        super().__init__()
        self._image: QImage | None = None
        self._look: TableThings | None = None
        self._words, self.number = "the camera takes a picture…", 0
        self.setMinimumSize(400, 260)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Picture of the table")

    def show_look(self, look: TableThings) -> None:
        height, width = look.rgb.shape[:2]
        self._look, self.number = look, 0
        self._image = QImage(look.rgb.tobytes(), width, height, 3 * width, QImage.Format.Format_RGB888)
        self.update()

    def show_words(self, words: str) -> None:
        self._image, self._look, self._words = None, None, words
        self.setAccessibleDescription(words)
        self.update()

    def choose(self, number: int) -> None:
        self.number = number
        self.update()
        self.chosen.emit(number)

    def draw(self, p: QPainter) -> None:
        w, h = self.width(), self.height()
        p.fillRect(0, 0, w, h, styling.colour("scrim"))
        if self._image is None or self._look is None:
            ink = styling.colour("on_scrim", 0.85)
            paint.text(p, 0, 0, w, h, self._words, "strong", ink, paint.CENTRE)
            return
        area = fitted(self._image, w, h)
        p.drawImage(area, self._image)
        k = area.width() / self._image.width()
        for thing in self._look.things:
            x, y = area.x() + thing.pixel[0] * k, area.y() + thing.pixel[1] * k
            on = thing.number == self.number
            paint.box(p, x - 12, y - 12, 24, 24, "accent" if on else "scrim", "on_scrim", 12)
            ink = styling.colour("on_accent" if on else "on_scrim")
            paint.text(p, x - 12, y - 12, 24, 24, str(thing.number), "strong", ink, paint.CENTRE)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus()
        if self._image is not None and (number := self.thing_at(event.position())):
            self.choose(number)

    def thing_at(self, at: QPointF) -> int:
        """Return the number of the thing that is nearest to this place of the widget, 0 if none is near."""
        assert self._image is not None and self._look is not None
        area = fitted(self._image, self.width(), self.height())
        k = area.width() / self._image.width()
        place = ((at.x() - area.x()) / k, (at.y() - area.y()) / k)
        near = min(self._look.things, key=lambda thing: dist(thing.pixel, place), default=None)
        return near.number if near and dist(near.pixel, place) < NEAR * self._image.width() else 0

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
        fields = row(
            label("Name", "body", "text"), (self.name, 1), label("in", "body", "text"), (self.scene, 2),
            spacing=t.S,
        )  # fmt: skip
        margins = (t.XL, t.L, t.XL, t.M)
        self.set_body(column((self.view, 1), self.said, fields, spacing=t.S, margins=margins))
        self.button("New picture", "camera").activated.connect(self.take)
        self.button("Add", "check", "Enter", primary=True).activated.connect(self.add)
        self.on_enter = self.add
        self._task = BackgroundTask("picture of the table")
        self._task.done.connect(self._show_look)
        self.finished.connect(lambda _: self._task.cancel())
        self.take()

    def take(self) -> None:
        """Take a new picture, on a thread of its own."""
        self._look = None
        self.view.show_words("the camera takes a picture…")
        self._task.start(lambda *_: self._take(self._arm))

    def add(self) -> None:
        """Write the chosen thing into the scene file."""
        if self._look is None or not self.view.number:
            return self._say("Click on a thing first.", "doubt")
        try:
            done = self._look.add(self.view.number, self.name.text().strip(), Path(self.scene.text().strip()))
        except ConsoleError as error:
            return self._say(str(error), "fault")
        self.name.clear()
        self._say(done, "text")

    def _show_look(self, result: object) -> None:
        if isinstance(result, ConsoleError):
            self.view.show_words("no picture")
            return self._say(str(result), "fault")
        self._look = result  # type: ignore[assignment]
        assert self._look is not None
        self.view.show_look(self._look)
        self._say("" if self._look.things else "Nothing stands on the table.", "doubt")

    def _show_chosen(self, number: int) -> None:
        assert self._look is not None
        thing = self._look.things[number - 1]
        size = " x ".join(f"{1000 * side:.0f}" for side in thing.size)
        fault = f"; it {thing.fault}" if thing.fault else ""
        self._say(f"Thing {number}: {size} mm{fault}.", "doubt" if fault else "text")
        self.name.setFocus()

    def _say(self, words: str, tone: str) -> None:
        self.said.setText(words)
        set_tone(self.said, tone)
