"""Calibrate a camera in the window: live picture, detected corners, progress and saving."""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue

from PySide6.QtCore import QSize, QTimer
from PySide6.QtGui import QImage, QPainter

from app.controls.input_fields import ComboBox
from app.controls.layout import column, label, row, set_tone, wrap_layout
from app.controls.painted import Painted
from app.controls.text import TextField
from app.controls.tooltip import set_tooltip
from app.dialogs.overlay_dialog import OverlayDialog
from app.main_window import MainWindow
from app.runtime.background_task import BackgroundTask, Report
from app.theme import paint, styling
from app.theme import tokens as t
from app.widgets.arm.arm_view import blocking_reason
from app.widgets.arm.manual_controls import ManualControls
from app.widgets.camera.picture_view import fitted
from core.arm.arm_capabilities import ReportsStatus, SupportsJog, SupportsPreflight
from core.arm.hand_eye import (
    STORE_IN_DOUBT,
    CalibrationFrame,
    CalibrationSession,
    CalibrationStatus,
    HasEmulator,
)
from core.errors import ConsoleError
from core.loop.permit_issuer import ManualActuation, deny_actuation
from core.stop_token import StopToken
from core.text.plural import plural

Job = Callable[[CalibrationSession], object]  # returns what is to be shown
Open = Callable[[str, float, float, str], CalibrationSession]
WAITING = "waiting for the camera"
CAMERAS = ("overhead", "wrist")
POLL = 100  # ms
BREATH = 0.25  # seconds between two pictures; each is searched for the board
SQUARE, MARKER = 0.030, 0.022  # metres, of the board that `calibrate --board` draws


class CalibrationView(Painted):
    """The live picture, the detected corners, and a dot for each captured view."""

    def __init__(self) -> None:
        super().__init__()
        self._image: QImage | None = None
        self._corners: tuple[tuple[float, float], ...] = ()
        self._status = CalibrationStatus(0, 12, "")
        self._waiting = WAITING
        self.setMinimumSize(400, 300)
        self.setAccessibleName("Picture of the board")

    def show_frame(self, sight: CalibrationFrame) -> None:
        rgb = sight.rgb
        height, width = rgb.shape[:2]
        self._image = QImage(rgb.tobytes(), width, height, 3 * width, QImage.Format.Format_RGB888)
        self._corners = sight.corners
        self.setAccessibleDescription(f"{plural(len(sight.corners), 'corner')} of the board detected")
        self.update()

    def show_waiting(self, words: str) -> None:
        """Show no picture, and what is waited for."""
        self._image, self._corners, self._waiting = None, (), words
        self.setAccessibleDescription(words)
        self.update()

    def show_status(self, stand: CalibrationStatus) -> None:
        self._status = stand
        self.update()

    def draw(self, p: QPainter) -> None:
        w, h = self.width(), self.height() - 28
        p.fillRect(0, 0, w, h, styling.colour("scrim"))
        if self._image is None:
            ink = styling.colour("on_scrim", 0.85)
            paint.text(p, 0, 0, w, h, self._waiting, "strong", ink, paint.CENTRE)
        else:
            area = fitted(self._image, w, h)
            p.drawImage(area, self._image)
            k = area.width() / self._image.width()
            for x, y in self._corners:
                paint.box(p, area.x() + x * k - 4, area.y() + y * k - 4, 8, 8, "accent", "on_scrim", 4)
        self._dots(p, h + 8.0)

    def _dots(self, p: QPainter, y: float) -> None:
        for i in range(max(self._status.needed, self._status.captured)):
            done = i < self._status.captured
            paint.box(p, i * 18.0, y, 12, 12, "accent" if done else None, None if done else "edge", 6, 1.5)
        views = f"{self._status.captured} of {self._status.needed} views"
        paint.text(p, 0, y - 2, self.width(), 16, views, "small", "muted", paint.RIGHT)


class CalibrationDialog(OverlayDialog):
    """Guides a person through a calibration. A thread talks to arm and camera; nothing moves the arm."""

    def __init__(
        self,
        window: MainWindow,
        open_: Open,
        arm: str = "",
        robot: object = None,
        actuate: ManualActuation = deny_actuation,
    ) -> None:
        super().__init__(
            window, "Calibrate a camera", "find its lens and its pose; you move the arm", QSize(980, 640)
        )
        self._open, self._arm = (
            open_,
            arm or (robot.emulator_address if isinstance(robot, HasEmulator) else ""),
        )
        self._jobs: SimpleQueue[Job] = SimpleQueue()
        self._status = CalibrationStatus(0, 12, "")
        self._task = BackgroundTask("calibration")
        self._task.progressed.connect(self._show_progress)
        self._task.done.connect(self._ended)
        self.view = CalibrationView()
        self.which = ComboBox("Camera", 130)
        self.which.addItems(CAMERAS)
        self.which.currentTextChanged.connect(self._restart)
        self.instruction = label("", "body", "text", wrap=True)
        self.figures = label("", "label", "ink", wrap=True)
        self.doubts = label("", "small", "doubt", wrap=True)
        self.confirmation = TextField("", f'Type "{STORE_IN_DOUBT}" to store it all the same')
        self.confirmation.setPlaceholderText(f'type "{STORE_IN_DOUBT}" to store it all the same')
        self.confirmation.textChanged.connect(lambda _: self._show(self._status))
        self.message_label = label("", "small", "muted", wrap=True)
        self._robot, self._waits_for = robot, ""
        self.manual_controls: ManualControls | None = None
        if isinstance(robot, SupportsJog) and isinstance(robot, ReportsStatus):
            self.manual_controls = ManualControls(robot, actuate)
            self.manual_controls.refused.connect(self._refused)
        side = wrap_layout(
            column(
                row(label("Camera", "label", "muted"), self.which, 1),
                label("Instructions", "caption", "muted"),
                self.instruction,
                label("Fit error", "caption", "muted"),
                self.figures,
                self.doubts,
                self.confirmation,
                self.message_label,
                1,
                *((self.manual_controls,) if self.manual_controls else ()),
                spacing=t.S,
            )
        )
        side.setFixedWidth(340)
        self.set_body(row(self.view, side, spacing=t.L, margins=(t.XL, t.L, t.L, t.L)))
        self.retry_button = self.button("Try again", "replan", primary=True)
        self.retry_button.activated.connect(self._restart)
        self.undo_button = self.button("Undo last", "undo")
        self.table_button = self.button("Board on the table", "box")
        self.capture_button = self.button("Take a view", "camera", "Enter", primary=True)
        self.save_button = self.button("Store", "disk")
        self.undo_button.activated.connect(lambda: self._ask(lambda w: w.undo()))
        self.table_button.activated.connect(lambda: self._ask(lambda w: _capture_message(w.capture_table())))
        self.capture_button.activated.connect(lambda: self._ask(lambda w: _capture_message(w.capture())))
        self.save_button.activated.connect(self._store)
        self.finished.connect(self._end)
        self._begin()
        self._timer = QTimer(self, interval=POLL)
        self._timer.timeout.connect(self._update_manual_controls)
        self._timer.start()

    # --- the session ---------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._jobs = SimpleQueue()
        self._waits_for = ""
        self.view.show_waiting(WAITING)
        self._show(CalibrationStatus(0, 12, "Connecting to arm and camera…"))
        camera, jobs = self.which.currentText(), self._jobs
        self._task.start(lambda cancel, report: self._run(camera, jobs, cancel, report))

    def _run(self, camera: str, jobs: SimpleQueue[Job], cancel: StopToken, report: Report) -> None:
        """Take pictures, and carry out the jobs between them; those asked for before the end still count."""
        session = self._open(camera, SQUARE, MARKER, self._arm)
        try:
            report(session.status)
            while not (cancel.ended and jobs.empty()):
                if not jobs.empty():
                    _carry_out(jobs.get(), session, report)
                    report(session.status)
                if not cancel.ended:
                    _look(session, report)
                    cancel.wait(BREATH)
        finally:
            session.close()

    def _ended(self, result: object) -> None:
        """Show why there is no session: only its opening fails as a whole."""
        self._waits_for = str(result)
        self.view.show_waiting("no camera")
        self._show(CalibrationStatus(0, 12, f"{self._waits_for} Then try again."))
        self._show_message("", "")

    # --- the screen's ------------------------------------------------------------------------------------

    def _store(self) -> None:
        typed = self.confirmation.text()
        self._ask(lambda w: (f"Stored: {w.save(typed)}.", ""))

    def _ask(self, job: Job) -> None:
        self._show_message("Looking…", "")
        self._jobs.put(job)

    def _show_progress(self, said: object) -> None:
        match said:
            case CalibrationFrame():
                self.view.show_frame(said)
            case CalibrationStatus():
                self._show(said)
            case str():  # why there is no picture
                self.view.show_waiting("no picture")
                self._show_message(said, "fault")
            case (str(words), str(level)):
                self._show_message(words, level)

    def _show(self, stand: CalibrationStatus) -> None:
        self._status, waits = stand, bool(self._waits_for)
        self.view.show_status(stand)
        self.instruction.setText(stand.instruction)
        set_tone(self.instruction, "fault" if waits else "text")
        self.retry_button.setVisible(waits)
        for button in (self.capture_button, self.undo_button, self.table_button, self.save_button):
            button.setVisible(not waits)
        none = f"shown from {stand.first_fit} views on; {stand.needed} make a good fit"
        self.figures.setText(stand.residuals or none)
        set_tone(self.figures, "ink" if stand.residuals else "muted")
        doubt = f"In doubt: {stand.warning}. The robot does not start with it."
        self.doubts.setText(doubt if stand.warning else "")
        self.confirmation.setVisible(bool(stand.warning))
        confirmed = not stand.warning or self.confirmation.text().strip().lower() == STORE_IN_DOUBT
        self.undo_button.setEnabled(stand.captured > 0)
        self.undo_button.setToolTip("" if stand.captured else "there is no view yet")
        self.save_button.setEnabled(bool(stand.residuals) and confirmed)
        few = f"it takes {stand.first_fit} views at least"
        reason = "it is in doubt: type so first" if stand.residuals else few
        set_tooltip(self.save_button, "" if self.save_button.isEnabled() else reason)
        self.table_button.setVisible(not waits and self.which.currentText() == "overhead")
        self.table_button.setToolTip("Lay the board flat on the table first")

    def _update_manual_controls(self) -> None:
        """Enable the manual controls if the arm may be moved by hand now."""
        robot = self._robot
        if self.manual_controls is not None and isinstance(robot, ReportsStatus):
            checks = robot.preflight() if isinstance(robot, SupportsPreflight) else ()
            status = robot.status
            self.manual_controls.show_arm(status, blocking_reason(status, checks))

    def _refused(self, reason: str) -> None:
        self._show_message(f"Not done: {reason}.", "doubt")

    def _show_message(self, words: str, level: str) -> None:
        self.message_label.setText(words)
        set_tone(self.message_label, level or "muted")

    def _restart(self) -> None:
        self._end()
        self._show_message("", "")
        self.confirmation.clear()
        self._begin()

    def _end(self) -> None:
        self._task.cancel()  # it ends by itself, after at most one picture
        if self.manual_controls is not None:
            self.manual_controls.release_all()


def _carry_out(job: Job, session: CalibrationSession, report: Report) -> None:
    try:
        report(job(session))
    except ConsoleError as error:
        report((str(error), "fault"))


def _look(session: CalibrationSession, report: Report) -> None:
    try:
        report(session.look())
    except ConsoleError as error:
        report(str(error))


def _capture_message(reason: str) -> tuple[str, str]:
    return reason or "Taken.", "doubt" if reason else ""
