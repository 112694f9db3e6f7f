"""Calibrating a camera of the arm that DKPROMPT_UR5E names: only data are read, nothing can move by this."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from core.errors import BadFile, BadValue, RobotError
from core.hand_eye import CalibrationFrame, CalibrationStatus
from robots.ur5e.dashboard import Dashboard
from robots.ur5e.emulator.client import prove
from robots.ur5e.kinematics import Matrix, flange, inverse, matrix
from robots.ur5e.receive import Receiver
from robots.ur5e.setup import Setup
from robots.ur5e.tabletop.emulated_camera import EmulatedCamera
from robots.ur5e.tabletop.rig import ARM, setup_of
from robots.ur5e.vision import stored
from robots.ur5e.vision.board import Board, rendered
from robots.ur5e.vision.guide import Guide, doubts, residuals
from robots.ur5e.vision.intrinsics import Intrinsics
from robots.ur5e.vision.reader import Reader
from robots.ur5e.vision.source import open_source

CONNECTS = 5.0  # seconds in which an arm's data have to come
PRACTICE = Board(square=0.045, marker=0.034)
HELD = matrix((-0.1575, -0.1125, 0.16, 0.0, 0.0, 0.0))  # the practice board on the emulated flange
LYING = matrix((0.36, 0.11, 0.0, np.pi, 0.0, 0.0))  # and on the emulated table


class Calibrator:
    """A Calibrating over one arm's data and one camera."""

    def __init__(
        self, guide: Guide, path: Path, close: Callable[[], None], ready: Callable[[bool], None] | None = None
    ) -> None:
        self._guide, self._path, self._close, self._lay = guide, path, close, ready

    @property
    def camera(self) -> str:
        return self._guide.camera

    @property
    def status(self) -> CalibrationStatus:
        p = self._guide.progress
        if p.solved is None:
            return CalibrationStatus(p.taken, p.needed, p.words, table_captured=p.table)
        return CalibrationStatus(
            p.taken, p.needed, p.words, residuals(p.solved), doubts(p.solved), p.enough, p.table
        )

    def look(self) -> CalibrationFrame:
        view = self._guide.look()
        assert self._guide.picture is not None
        corners = () if view is None else tuple((float(x), float(y)) for x, y in view.pixels)
        return CalibrationFrame(self._guide.picture, corners)

    def capture(self) -> str:
        return self._guide.take()

    def capture_table(self) -> str:
        if self._lay is None:
            return self._guide.take_table()
        self._lay(True)
        try:
            return self._guide.take_table()
        finally:
            self._lay(False)

    def undo(self) -> None:
        self._guide.drop()

    def save(self) -> str:
        stored.write(self._path, self._guide.result())
        return str(self._path)

    def close(self) -> None:
        self._close()


def open_calibrator(
    camera: str = "", square: float = 0.03, marker: float = 0.022, arm: str = ""
) -> Calibrator:
    """Connects to the arm's data and the camera. `camera` "": the setup file's first; `arm` "": the one that
    DKPROMPT_UR5E names. Raises ConsoleError."""
    board = Board(square=square, marker=marker)
    named = arm or os.environ.get(ARM, "")
    if not named:
        raise BadValue(f"No arm is named: give --arm its setup file, or set {ARM} (docs/calibration.md).")
    setup = setup_of(named)
    receiver = Receiver(setup.address)
    try:
        if not receiver.wait(lambda state: True, CONNECTS):
            raise RobotError(
                f"No UR controller answers at {setup.address}: {receiver.why}. Check cable, address and RTDE."
            )
        return _with_camera(setup, camera, board, receiver)
    except BaseException:
        receiver.close()
        raise


def _with_camera(setup: Setup, camera: str, board: Board, receiver: Receiver) -> Calibrator:
    def stands() -> Matrix:
        fresh = receiver.wait(lambda s: True, 2.0)  # a package of now, not one that has waited
        state = receiver.latest
        if state is None or not fresh:
            raise RobotError("The arm sends no data: check the link.")
        return flange(state.q)

    known = {c.mount: c for c in setup.cameras}
    if not known:
        return _practice(setup, camera or "overhead", receiver, stands)
    camera = camera or next(iter(known))
    if camera not in known:
        raise BadValue(f"The setup file names no {camera} camera: add the table [camera.{camera}].")
    reader = Reader(camera, lambda: open_source(known[camera]))

    def see() -> NDArray[np.uint8]:
        return reader.after(monotonic()).shot.rgb

    def close() -> None:
        reader.close()
        receiver.close()

    return Calibrator(Guide(camera, board, see, stands), Path(known[camera].calibration), close)


def _practice(setup: Setup, camera: str, receiver: Receiver, stands: Callable[[], Matrix]) -> Calibrator:
    """On the emulator: its own picture, with a board drawn into it, in the hand or on the table."""
    dashboard = Dashboard(setup.address)
    serial = dashboard.ask("get serial number")
    dashboard.close()
    if not prove(setup.address, serial):
        raise BadFile(
            setup.address,
            "the setup file names no camera",
            remedy="Add [camera.overhead] or [camera.wrist] (docs/calibration.md)",
        )
    board, eye = PRACTICE, EmulatedCamera(setup.address)
    on_table = [camera == "wrist"]

    def see() -> NDArray[np.uint8]:
        picture = eye.picture(camera)
        height, width = picture.rgb.shape[:2]
        lens = Intrinsics(width, height, picture.focal, picture.focal, (width - 1) / 2, (height - 1) / 2)
        board_at = LYING if on_table[0] else stands() @ HELD
        return rendered(board, inverse(picture.pose) @ board_at, lens, picture.rgb)

    def close() -> None:
        eye.close()
        receiver.close()

    lay = None if camera == "wrist" else lambda lies: on_table.__setitem__(0, lies)
    return Calibrator(Guide(camera, board, see, stands), Path(f"{camera}.toml"), close, lay)


def draw_board(path: Path, square: float, marker: float) -> str:
    """Write the board for a printer; says how large it has to come out. Raises BadFile."""
    import cv2

    board = Board(square=square, marker=marker)
    per = round(square * 1000 / 25.4 * 300)  # 300 dots an inch
    if path.suffix.lower() not in (".png", ".jpg", ".tif") or not cv2.imwrite(str(path), board.drawn(per)):
        raise BadFile(path, "the board cannot be written there", remedy="Name a .png in a folder of yours")
    return (
        f"{path}: print it at 300 dots an inch, glue it on something flat, and measure: a square must be "
        f"{square * 1000:g} mm, or give --square and --marker as measured."
    )
