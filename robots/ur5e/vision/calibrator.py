"""Calibrate a camera of the arm named in DKPROMPT_UR5E. It only reads the arm's data, so nothing can move."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from core.errors import BadFile, BadValue
from robots.ur5e.arm_setup import ArmSetup
from robots.ur5e.dashboard import DashboardClient
from robots.ur5e.emulator.admin_client import verify_emulator
from robots.ur5e.kinematics import Transform, invert_transform, pose_to_matrix
from robots.ur5e.rtde_receiver import RtdeReceiver
from robots.ur5e.tabletop.emulated_camera import EmulatedCamera
from robots.ur5e.tabletop.hardware import current_flange, require_setup
from robots.ur5e.vision.calibration_procedure import CameraCalibrator
from robots.ur5e.vision.camera_reader import CameraReader
from robots.ur5e.vision.camera_source import open_source
from robots.ur5e.vision.charuco_board import CharucoBoard, render_board
from robots.ur5e.vision.intrinsics import Intrinsics

CONNECT_TIMEOUT_S = 5.0  # within which the arm's data must arrive
PRACTICE_BOARD = CharucoBoard(square=0.045, marker=0.034)
BOARD_ON_FLANGE = pose_to_matrix((-0.1575, -0.1125, 0.16, 0.0, 0.0, 0.0))  # the emulated board on the flange
BOARD_ON_TABLE = pose_to_matrix((0.36, 0.11, 0.0, np.pi, 0.0, 0.0))  # and on the emulated table


def open_calibrator(
    camera: str = "", square: float = 0.03, marker: float = 0.022, arm: str = ""
) -> CameraCalibrator:
    """Connect to the arm's data and the camera.

    `camera` "" is the setup file's first; `arm` "" is the one in DKPROMPT_UR5E. Raises ConsoleError.
    """
    board = CharucoBoard(square=square, marker=marker)
    setup = require_setup(arm)
    receiver = RtdeReceiver(setup.address)
    try:
        if not receiver.wait_for_data(CONNECT_TIMEOUT_S):
            raise receiver.no_answer()
        return _with_camera(setup, camera, board, receiver)
    except BaseException:
        receiver.close()
        raise


def _with_camera(
    setup: ArmSetup, camera: str, board: CharucoBoard, receiver: RtdeReceiver
) -> CameraCalibrator:
    def flange_now() -> Transform:
        return current_flange(receiver)

    known = {c.mount: c for c in setup.cameras}
    if not known:
        return _open_practice(setup, camera or "overhead", receiver, flange_now)
    camera = camera or next(iter(known))
    if camera not in known:
        raise BadValue(f"The setup file names no {camera} camera: add the table [camera.{camera}].")
    reader = CameraReader(camera, lambda: open_source(known[camera]), by_arrival=_is_emulated(setup))

    def capture() -> NDArray[np.uint8]:
        return reader.next_frame_after(monotonic()).value.rgb

    def close() -> None:
        reader.close()
        receiver.close()

    path = Path(known[camera].calibration)
    return CameraCalibrator(camera, board, capture, flange_now, path, close, lambda: reader.device)


def _is_emulated(setup: ArmSetup) -> bool:
    with closing(DashboardClient(setup.address)) as dashboard:
        return verify_emulator(setup.address, dashboard.ask("get serial number"))


def _open_practice(
    setup: ArmSetup, camera: str, receiver: RtdeReceiver, flange_now: Callable[[], Transform]
) -> CameraCalibrator:
    """Calibrate on the emulator: its own picture, with a board drawn into it, in the hand or on the table."""
    if not _is_emulated(setup):
        raise BadFile(
            setup.address,
            "the setup file names no camera",
            remedy="Add [camera.overhead] or [camera.wrist] (docs/calibration.md)",
        )
    board, eye = PRACTICE_BOARD, EmulatedCamera(setup.address)
    on_table = [camera == "wrist"]

    def capture() -> NDArray[np.uint8]:
        picture = eye.picture(camera)
        height, width = picture.rgb.shape[:2]
        lens = Intrinsics(
            width, height, picture.focal_length, picture.focal_length, (width - 1) / 2, (height - 1) / 2
        )
        board_at = BOARD_ON_TABLE if on_table[0] else flange_now() @ BOARD_ON_FLANGE
        return render_board(board, invert_transform(picture.pose) @ board_at, lens, picture.rgb)

    def close() -> None:
        eye.close()
        receiver.close()

    def lay_board(lies: bool) -> None:
        on_table[0] = lies or camera == "wrist"

    path = Path(f"{camera}.toml")
    return CameraCalibrator(
        camera, board, capture, flange_now, path, close, lambda: "the emulator", lay_board
    )


def write_board(path: Path, square: float, marker: float) -> str:
    """Write the board for a printer. Return in a sentence the size of the print. Raises BadFile."""
    import cv2

    board = CharucoBoard(square=square, marker=marker)
    per = round(square * 1000 / 25.4 * 300)  # 300 dots per inch
    if path.suffix.lower() not in (".png", ".jpg", ".tif") or not cv2.imwrite(str(path), board.image(per)):
        raise BadFile(path, "the board cannot be written there", remedy="Name a .png in a folder of yours")
    return (
        f"{path}: print it at 300 dots an inch, glue it on something flat, and measure: a square must be "
        f"{square * 1000:g} mm, or give --square and --marker as measured."
    )
