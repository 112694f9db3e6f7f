"""Calibrate a camera in the window: live picture, detected corners, progress and saving."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from queue import SimpleQueue

from PySide6.QtCore import QSize, QTimer
from PySide6.QtWidgets import QProgressBar

from app.controls.input_fields import ComboBox
from app.controls.layout import column, label, row, wrap_layout
from app.controls.text import TextField
from app.dialogs.overlay_dialog import OverlayDialog
from app.main_window import MainWindow
from app.runtime.background_task import BackgroundTask, Report
from app.theme import tokens as t
from app.widgets.arm.arm_view import blocking_reason
from app.widgets.arm.manual_controls import ManualControls
from app.widgets.camera.frame_images import rgb_image
from app.widgets.camera.picture_view import PictureTag, PictureView, PointMark
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
        hint = "find its lens and its pose; you move the arm"
        super().__init__(window, "Calibrate a camera", hint, QSize(980, 640))
        self._open, emulated = open_, robot.emulator_address if isinstance(robot, HasEmulator) else ""
        self._arm = arm or emulated
        self._jobs: SimpleQueue[Job] = SimpleQueue()
        self._status = CalibrationStatus(0, 12, "")
        self._task = BackgroundTask("calibration")
        self._task.progressed.connect(self._show_progress)
        self._task.done.connect(self._ended)
        self.view, self._views = PictureView(), label("", "small", "muted")
        self.view.setMinimumSize(400, 300)
        self.view.setAccessibleName("Picture of the board")
        self._bar = QProgressBar(textVisible=False)
        self._bar.setAccessibleName("Views taken")
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
            refused = self.manual_controls.refused
            refused.connect(lambda reason: self.message_label.say(f"Not done: {reason}.", "doubt"))
        which = row(label("Camera", "label", "muted"), self.which, 1)
        told = (label("Instructions", "caption", "muted"), self.instruction)
        fit = (label("Fit error", "caption", "muted"), self.figures, self.doubts, self.confirmation)
        jogs = (self.manual_controls,) if self.manual_controls else ()
        side = wrap_layout(column(which, *told, *fit, self.message_label, 1, *jogs, spacing=t.S))
        side.setFixedWidth(340)
        left = column((self.view, 1), row((self._bar, 1), self._views), spacing=t.S)
        self.set_body(row((left, 1), side, spacing=t.L, margins=(t.XL, t.L, t.L, t.L)))
        self.button("Close", self.reject)
        self.retry_button = self.button("Try again", self._restart, "replan", primary=True)
        self.undo_button = self.button("Undo last", lambda: self._ask(lambda w: w.undo()), "undo")
        on_table = partial(self._ask, partial(_take, table=True))
        self.table_button = self.button("Board on the table", on_table, "box")
        take = partial(self._ask, _take)
        self.capture_button = self.button("Take a view", take, "camera", "Enter", primary=True)
        self.save_button = self.button("Store", self._store, "disk")
        self.finished.connect(self._end)
        self._begin()
        self._timer = QTimer(self, interval=POLL)
        self._timer.timeout.connect(self._update_manual_controls)
        self._timer.start()

    # --- the session ---------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._jobs = SimpleQueue()
        self._waits_for = ""
        self._show_picture(None, WAITING)
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
                    report(_tried(lambda: jobs.get()(session), "fault"))
                    report(session.status)
                if not cancel.ended:
                    report(_tried(session.look))
                    cancel.wait(BREATH)
        finally:
            session.close()

    def _ended(self, result: object) -> None:
        """Show why there is no session: only its opening fails as a whole."""
        self._waits_for = str(result)
        self._show_picture(None, "no camera")
        self._show(CalibrationStatus(0, 12, f"{self._waits_for} Then try again."))
        self.message_label.clear()

    # --- the screen's ------------------------------------------------------------------------------------

    def _store(self) -> None:
        typed = self.confirmation.text()
        self._ask(lambda w: (f"Stored: {w.save(typed)}.", ""))

    def _ask(self, job: Job) -> None:
        self.message_label.say("Looking…", "muted")
        self._jobs.put(job)

    def _show_progress(self, said: object) -> None:
        match said:
            case CalibrationFrame():
                self._show_picture(said, f"{plural(len(said.corners), 'corner')} of the board detected")
            case CalibrationStatus():
                self._show(said)
            case str():  # why there is no picture
                self._show_picture(None, "no picture")
                self.message_label.say(said, "fault")
            case (str(words), str(level)):
                self.message_label.say(words, level or "muted")

    def _show_picture(self, sight: CalibrationFrame | None, words: str) -> None:
        """Show what the camera sees, with the corners of the board; None: `words` say what is waited for."""
        self.view.show_image(None if sight is None else rgb_image(sight.rgb))
        self.view.show_points([PointMark(*corner, on=True) for corner in sight.corners] if sight else ())
        self.view.show_empty(PictureTag(words, "camera"))
        self.view.setAccessibleDescription(words)

    def _show(self, stand: CalibrationStatus) -> None:
        self._status, waits = stand, bool(self._waits_for)
        self._bar.setRange(0, max(stand.needed, stand.captured))
        self._bar.setValue(stand.captured)
        self._views.setText(f"{stand.captured} of {stand.needed} views")
        self.instruction.say(stand.instruction, "fault" if waits else "text")
        self.retry_button.setVisible(waits)
        for button in (self.capture_button, self.undo_button, self.table_button, self.save_button):
            button.setVisible(not waits)
        none = f"shown from {stand.first_fit} views on; {stand.needed} make a good fit"
        self.figures.say(stand.residuals or none, "ink" if stand.residuals else "muted")
        doubt = f"In doubt: {stand.warning}. The robot does not start with it."
        self.doubts.setText(doubt if stand.warning else "")
        self.confirmation.setVisible(bool(stand.warning))
        confirmed = not stand.warning or self.confirmation.text().strip().lower() == STORE_IN_DOUBT
        self.undo_button.allow("" if stand.captured else "there is no view yet")
        few = "" if stand.residuals else f"it takes {stand.first_fit} views at least"
        self.save_button.allow(few or ("" if confirmed else "it is in doubt: type so first"))
        self.table_button.setVisible(not waits and self.which.currentText() == "overhead")
        self.table_button.setToolTip("Lay the board flat on the table first")

    def _update_manual_controls(self) -> None:
        """Enable the manual controls if the arm may be moved by hand now."""
        robot = self._robot
        if self.manual_controls is not None and isinstance(robot, ReportsStatus):
            checks = robot.preflight() if isinstance(robot, SupportsPreflight) else ()
            status = robot.status
            self.manual_controls.show_arm(status, blocking_reason(status, checks))

    def _restart(self) -> None:
        self._end()
        self.message_label.clear()
        self.confirmation.clear()
        self._begin()

    def _end(self) -> None:
        self._task.cancel()  # it ends by itself, after at most one picture
        if self.manual_controls is not None:
            self.manual_controls.release_all()


def _tried(do: Callable[[], object], level: str = "") -> object:
    """Return its result, or why there is none: a look has no picture then."""
    try:
        return do()
    except ConsoleError as error:
        return (str(error), level) if level else str(error)


def _take(session: CalibrationSession, table: bool = False) -> tuple[str, str]:
    """Take a view of the board, which lies on the `table` or not; return what is to be said of it."""
    reason = session.capture_table() if table else session.capture()
    return reason or "Taken.", "doubt" if reason else ""
