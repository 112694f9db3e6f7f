"""Calibrate step by step: the instructions for a person, independent of terminal and window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.arm.hand_eye import STORE_IN_DOUBT, CalibrationFrame, CalibrationStatus
from core.errors import BadValue
from robots.ur5e.kinematics import Transform, pose_distance
from robots.ur5e.vision.calibration_check import IN_DOUBT, calibration_faults
from robots.ur5e.vision.calibration_file import CameraCalibration, stamp_calibration, write_calibration
from robots.ur5e.vision.calibration_solver import (
    MIN_ROTATION_SPREAD_RAD,
    MIN_VIEWS,
    RECOMMENDED_VIEWS,
    SolvedCalibration,
    rotation_spread,
    solve_calibration,
)
from robots.ur5e.vision.camera_setup import OVERHEAD
from robots.ur5e.vision.charuco_board import BoardDetection, CharucoBoard, detect_board

_MIN_DIFFERENCE = (0.015, 0.05)  # metres and radians by which a view must differ from every other

INSTRUCTIONS = {
    True: (
        "Fix the board in the hand. At each view bring it, flat towards the camera, to another place of the "
        "table and another height, tilt it about 20° to another side, and let the arm stand."
    ),
    False: (
        "Lay the board on the table. At each view look at it from another side and height, tilted about 20°, "
        "and let the arm stand."
    ),
}


class CameraCalibrator:
    """A `CalibrationSession` of one camera: it collects views, and nothing moves. Any one thread at a time.

    `capture_image` returns a picture as it comes from the camera, not undistorted; `flange` returns the
    flange's pose in the base frame, or raises RobotError. `path` is where the calibration is stored, and
    `device` returns the name of the camera. `lay_board` puts an emulated board on the table, or takes it up.
    """

    def __init__(
        self,
        camera: str,
        board: CharucoBoard,
        capture_image: Callable[[], NDArray[np.uint8]],
        flange: Callable[[], Transform],
        path: Path,
        close: Callable[[], None],
        device: Callable[[], str],
        lay_board: Callable[[bool], object] = lambda lies: None,
    ) -> None:
        self.camera, self.board, self.close = camera, board, close
        self.overhead = camera == OVERHEAD
        self._capture_image, self._flange = capture_image, flange
        self._path, self._device, self._lay_board = path, device, lay_board
        self._views: list[BoardDetection] = []
        self._flanges: list[Transform] = []
        self._on_table: BoardDetection | None = None
        self._size = (0, 0)
        self._solved: SolvedCalibration | None = None
        self._error = ""

    @property
    def status(self) -> CalibrationStatus:
        captured, solved = len(self._views), self._solved
        return CalibrationStatus(
            captured,
            RECOMMENDED_VIEWS,
            self._instruction(captured),
            "" if solved is None else residuals_text(solved),
            "" if solved is None else self._doubts(),
            solved is not None and captured >= RECOMMENDED_VIEWS,
            self._on_table is not None or not self.overhead,
            MIN_VIEWS,
        )

    def _doubts(self) -> str:
        """Return why the robot does not start with what is found so far, "" if it does."""
        found = calibration_faults(self._result(""), "", grasps=self.overhead)
        return "; ".join(reason for reason, _ in found).removeprefix(IN_DOUBT)

    def _instruction(self, captured: int) -> str:
        if captured == 0:
            return INSTRUCTIONS[self.overhead]
        if captured >= 2 and rotation_spread(self._flanges) < MIN_ROTATION_SPREAD_RAD:
            return "Tilt the hand more, about another axis than before."
        if captured < RECOMMENDED_VIEWS:
            return f"{RECOMMENDED_VIEWS - captured} more, each from another place and tilt."
        if self._solved is None:
            return self._error or "Take more views."
        return "Enough. Store it, or take more views."

    def look(self) -> CalibrationFrame:
        """Look for the board. Raises RobotError."""
        picture, view = self._look()
        return CalibrationFrame(
            picture, () if view is None else tuple((float(x), float(y)) for x, y in view.pixels)
        )

    def _look(self) -> tuple[NDArray[np.uint8], BoardDetection | None]:
        picture = self._capture_image()
        height, width = picture.shape[:2]
        if self._size not in ((0, 0), (width, height)):
            raise BadValue("The pictures have changed their size: begin again.")
        self._size = (width, height)
        return picture, detect_board(self.board, picture)

    def capture(self) -> str:
        """Capture one more view. Return "" or why it does not count. Raises RobotError."""
        before = self._flange()
        _, view = self._look()
        if max(pose_distance(before, self._flange())) > 1e-3:
            return "The arm moved while the picture was taken: let it stand."
        if view is None:
            return "The board is not seen well enough: nearer, flatter, no glare, all of it in the picture."
        if any(_too_similar(before, other) for other in self._flanges):
            return "This is where an earlier view was taken: move and tilt the hand."
        self._views.append(view)
        self._flanges.append(before)
        self._solve()
        return ""

    def capture_table(self) -> str:
        """Capture the board flat on the table, for an overhead camera. Return "" or why it does not count."""
        self._lay_board(True)
        try:
            _, view = self._look()
        finally:
            self._lay_board(False)
        if view is None:
            return "The board is not seen well enough: lay it flat in the middle of the picture, no glare."
        self._on_table = view
        self._solve()
        return ""

    def undo(self) -> None:
        """Discard the last view."""
        if self._views:
            self._views.pop()
            self._flanges.pop()
            self._solve()

    def _solve(self) -> None:
        self._solved, self._error = None, ""
        if len(self._views) < MIN_VIEWS:
            return
        try:
            self._solved = solve_calibration(
                self._views, self._flanges, self._size, self.overhead, self._on_table
            )
        except BadValue as error:
            self._error = str(error)

    def _result(self, device: str) -> CameraCalibration:
        """Return the calibration of this device. Raises BadValue while there is none."""
        if self._solved is None:
            raise BadValue(
                self._error or f"At least {MIN_VIEWS} views are needed, not {len(self._views)}: take more."
            )
        return stamp_calibration(self.camera, len(self._views), self._solved, device)

    def save(self, confirmation: str = "") -> str:
        """See `CalibrationSession`."""
        made = self._result(self._device())
        if (doubt := self.status.warning) and confirmation.strip().lower() != STORE_IN_DOUBT:
            raise BadValue(
                f"In doubt: {doubt}; the robot does not start with it. Take better views, or type "
                f'"{STORE_IN_DOUBT}" to store it all the same.'
            )
        write_calibration(self._path, made)
        return str(self._path)


def residuals_text(solved: SolvedCalibration) -> str:
    """Return the residuals in one line."""
    eye = solved.hand_eye
    words = (
        f"{solved.reprojection:.2f} px reprojection, {eye.translation * 1000:.1f} mm and "
        f"{np.degrees(eye.rotation):.2f}° between the views"
    )
    if solved.table is None:
        return words
    height, tilt = solved.table
    return f"{words}; table at {height * 1000:+.1f} mm, tilted {np.degrees(tilt):.1f}°"


def _too_similar(a: Transform, b: Transform) -> bool:
    far, about = pose_distance(a, b)
    return far < _MIN_DIFFERENCE[0] and about < _MIN_DIFFERENCE[1]
