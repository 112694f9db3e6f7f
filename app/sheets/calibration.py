"""Calibrating a camera in the window: the live picture with the board's corners, how far it is, and store."""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from time import sleep

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.parts.combo import Combo
from app.parts.layout import column, holder, label, retone, row
from app.sheets.sheet import Sheet
from app.theme import look, paint
from app.theme import tokens as t
from app.widgets.arm_board import in_the_way
from app.widgets.arm_hands import ByHand
from app.widgets.picture import fitted
from app.window import Window
from core.arm_capabilities import ReportsStatus, SupportsJog, SupportsPreflight
from core.errors import ConsoleError
from core.hand_eye import CalibrationFrame, CalibrationSession, CalibrationStatus, HasEmulator

Open = Callable[[str, float, float, str], CalibrationSession]
CAMERAS = ("overhead", "wrist")
POLL = 100  # ms
BREATH = 0.25  # seconds between two pictures; each is searched for the board
SQUARE, MARKER = 0.030, 0.022  # metres, of the board that `calibrate --board` draws


class View(QWidget):
    """The picture as it comes, the corners that were found, and the views as dots below."""

    def __init__(self) -> None:
        super().__init__()
        self._image: QImage | None = None
        self._corners: tuple[tuple[float, float], ...] = ()
        self._stand = CalibrationStatus(0, 12, "")
        self._waiting = "waiting for the camera"
        self.setMinimumSize(400, 300)
        self.setAccessibleName("Picture of the board")

    def show_sight(self, sight: CalibrationFrame) -> None:
        rgb = sight.rgb
        height, width = rgb.shape[:2]
        self._image = QImage(rgb.tobytes(), width, height, 3 * width, QImage.Format.Format_RGB888)
        self._corners = sight.corners
        self.setAccessibleDescription(f"{len(sight.corners)} corners of the board are seen")
        self.update()

    def show_stand(self, stand: CalibrationStatus) -> None:
        self._stand = stand
        self.update()

    def paintEvent(self, _: QPaintEvent) -> None:
        with paint.painter(self) as p:
            w, h = self.width(), self.height() - 28
            p.fillRect(0, 0, w, h, look.colour("scrim"))
            if self._image is None:
                ink = look.colour("on_scrim", 0.85)
                paint.text(p, 0, 0, w, h, self._waiting, "strong", ink, paint.CENTRE)
            else:
                area = fitted(self._image, w, h)
                p.drawImage(area, self._image)
                k = area.width() / self._image.width()
                for x, y in self._corners:
                    paint.box(p, area.x() + x * k - 4, area.y() + y * k - 4, 8, 8, "accent", "on_scrim", 4)
            self._dots(p, h + 8.0)

    def _dots(self, p: QPainter, y: float) -> None:
        for i in range(max(self._stand.needed, self._stand.captured)):
            done = i < self._stand.captured
            paint.box(p, i * 18.0, y, 12, 12, "accent" if done else None, None if done else "edge", 6, 1.5)
        words = f"{self._stand.captured} of {self._stand.needed} views"
        paint.text(p, 0, y - 2, self.width(), 16, words, "small", "muted", paint.RIGHT)


class CalibrationSheet(Sheet):
    """A thread of its own talks to arm and camera; nothing here moves the arm."""

    _seen = Signal(object)  # Sight
    _stood = Signal(object)  # Stand
    _said = Signal(str, str)  # words, level

    def __init__(
        self, window: Window, open_: Open, arm: str = "", robot: object = None, by: str = ""
    ) -> None:
        super().__init__(
            window, "Calibrate a camera", "find its lens and where it is; you move the arm", QSize(980, 640)
        )
        self._open, self._arm = (
            open_,
            arm or (robot.emulator_address if isinstance(robot, HasEmulator) else ""),
        )
        self._jobs: SimpleQueue[Callable[[CalibrationSession], None] | None] = SimpleQueue()
        self._thread: Thread | None = None
        self.view = View()
        self.which = Combo("Which camera", 130)
        for name in CAMERAS:
            self.which.addItem(name)
        self.which.currentTextChanged.connect(self._restart)
        self.words = label("", "body", "text", wrap=True)
        self.figures = label("", "label", "ink", wrap=True)
        self.doubts = label("", "small", "doubt", wrap=True)
        self.told = label("", "small", "muted", wrap=True)
        self._robot = robot
        self.by_hand: ByHand | None = None
        if isinstance(robot, SupportsJog) and isinstance(robot, ReportsStatus):
            self.by_hand = ByHand(robot, by)
            self.by_hand.refused.connect(self._refused)
        side = holder(
            column(
                row(label("Camera", "label", "muted"), self.which, 1),
                label("What to do", "caption", "muted"),
                self.words,
                label("How well it fits", "caption", "muted"),
                self.figures,
                self.doubts,
                self.told,
                1,
                *((self.by_hand,) if self.by_hand else ()),
                spacing=t.S,
            )
        )
        side.setFixedWidth(340)
        self.put(row(self.view, side, spacing=t.L, margins=(t.XL, t.L, t.L, t.L)))
        self.drop = self.button("Drop the last", "undo")
        self.table = self.button("Board on the table", "box")
        self.take = self.button("Take a view", "camera", "Enter", primary=True)
        self.keep = self.button("Store", "disk")
        self.drop.done.connect(lambda: self._ask(lambda w: w.undo()))
        self.table.done.connect(lambda: self._ask(lambda w: self._told(w.capture_table())))
        self.take.done.connect(lambda: self._ask(lambda w: self._told(w.capture())))
        self.keep.done.connect(lambda: self._ask(self._store))
        queued = Qt.ConnectionType.QueuedConnection
        self._seen.connect(self.view.show_sight, queued)
        self._stood.connect(self._show, queued)
        self._said.connect(self._say, queued)
        self.finished.connect(self._end)
        self._show(CalibrationStatus(0, 12, "Connecting to arm and camera…"))
        self._timer = QTimer(self, interval=POLL)
        self._timer.timeout.connect(self._look)
        self._timer.start()
        self._begin()

    # --- the thread --------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._jobs = SimpleQueue()
        args = (self.which.currentText(), self._jobs)
        self._thread = Thread(target=self._work, args=args, name="calibration", daemon=True)
        self._thread.start()

    def _work(self, camera: str, jobs: SimpleQueue[Callable[[CalibrationSession], None] | None]) -> None:
        try:
            work = self._open(camera, SQUARE, MARKER, self._arm)
        except ConsoleError as error:
            self._stood.emit(CalibrationStatus(0, 12, ""))
            self._said.emit(str(error), "fault")
            return
        try:
            self._stood.emit(work.status)
            while True:
                if not jobs.empty():
                    job = jobs.get()
                    if job is None:
                        return
                    self._do(work, job)
                    self._stood.emit(work.status)
                self._do(work, lambda w: self._seen.emit(w.look()))
                sleep(BREATH)
        finally:
            work.close()

    def _do(self, work: CalibrationSession, job: Callable[[CalibrationSession], None]) -> None:
        try:
            job(work)
        except ConsoleError as error:
            self._said.emit(str(error), "fault")

    def _told(self, why: str) -> None:
        self._said.emit(why or "Taken.", "doubt" if why else "")

    def _store(self, work: CalibrationSession) -> None:
        self._said.emit(f"Stored: {work.save()}.", "")

    # --- the screen's ------------------------------------------------------------------------------------

    def _ask(self, job: Callable[[CalibrationSession], None]) -> None:
        self._say("Looking…", "")
        self._jobs.put(job)

    def _show(self, stand: CalibrationStatus) -> None:
        self.view.show_stand(stand)
        self.words.setText(stand.instruction)
        self.figures.setText(stand.residuals or "nothing yet: it takes 6 views")
        retone(self.figures, "ink" if stand.residuals else "muted")
        self.doubts.setText(f"In doubt: {stand.warning}." if stand.warning else "")
        self.drop.setEnabled(stand.captured > 0)
        self.drop.setToolTip("" if stand.captured else "there is no view yet")
        self.keep.setEnabled(bool(stand.residuals))
        self.keep.setToolTip("" if stand.residuals else "there are too few views")
        self.table.setVisible(self.which.currentText() == "overhead")
        self.table.setToolTip("Lay the board flat on the table first")

    def _look(self) -> None:
        """Whether the arm may be moved by hand now."""
        robot = self._robot
        if self.by_hand is not None and isinstance(robot, ReportsStatus):
            checks = robot.preflight() if isinstance(robot, SupportsPreflight) else ()
            status = robot.status
            self.by_hand.show_arm(status, in_the_way(status, checks))

    def _refused(self, why: str) -> None:
        self._say(f"Not done: {why}.", "doubt")

    def _say(self, words: str, level: str) -> None:
        self.told.setText(words)
        retone(self.told, level or "muted")

    def _restart(self) -> None:
        self._end()
        self._say("", "")
        self._show(CalibrationStatus(0, 12, "Connecting to arm and camera…"))
        self._begin()

    def _end(self) -> None:
        if self._thread is not None:
            self._jobs.put(None)  # it ends by itself, after at most one picture
            self._thread = None
        if self.by_hand is not None:
            self.by_hand.let_go()
