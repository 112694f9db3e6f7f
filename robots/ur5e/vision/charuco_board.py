"""The ChArUco board: printed, rendered as a camera would see it, detected in a picture."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from core.errors import BadValue
from robots.ur5e.kinematics import Transform
from robots.ur5e.vision.intrinsics import Intrinsics

MIN_CORNERS = 8  # that a view must show
MARGIN_SQUARES = 0.5  # squares of white margin around a printed board


@dataclass(frozen=True)
class CharucoBoard:
    """A board. `square` and `marker` are in metres, as measured on the print."""

    columns: int = 7
    rows: int = 5
    square: float = 0.030
    marker: float = 0.022

    def __post_init__(self) -> None:
        if not (3 <= self.columns <= 20 and 3 <= self.rows <= 20 and 0 < self.marker < self.square < 1):
            raise BadValue(
                "A board has 3 to 20 squares each way, and markers smaller than its squares, in metres."
            )

    def aruco(self) -> cv2.aruco.CharucoBoard:
        words = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_250)
        return cv2.aruco.CharucoBoard((self.columns, self.rows), self.square, self.marker, words)

    def image(self, pixels: int = 118) -> NDArray[np.uint8]:
        """Return the image to print, `pixels` per square (118 at 30 mm: 100 dots per cm), with a margin."""
        edge = round(MARGIN_SQUARES * pixels)
        size = (self.columns * pixels + 2 * edge, self.rows * pixels + 2 * edge)
        return np.asarray(self.aruco().generateImage(size, marginSize=edge), np.uint8)


@dataclass(frozen=True)
class BoardDetection:
    """The detected corners: N x 3 on the board in metres, and N x 2 in the picture in pixels."""

    corners: NDArray[np.float32]
    pixels: NDArray[np.float32]


def detect_board(board: CharucoBoard, rgb: NDArray[np.uint8]) -> BoardDetection | None:
    """Detect the board in a picture; return None if too little of it is visible."""
    grey = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY)
    made = board.aruco()
    pixels, ids, _, _ = cv2.aruco.CharucoDetector(made).detectBoard(grey)
    if ids is None or len(ids) < MIN_CORNERS:
        return None
    corners, seen = made.matchImagePoints(list(pixels), ids)
    corners = np.asarray(corners, np.float32).reshape(-1, 3)
    if min(len(set(corners[:, 0])), len(set(corners[:, 1]))) < 2:
        return None  # all on one line: the pose is undetermined
    return BoardDetection(corners, np.asarray(seen, np.float32).reshape(-1, 2))


def render_board(
    board: CharucoBoard, pose: Transform, intrinsics: Intrinsics, background: NDArray[np.uint8] | None = None
) -> NDArray[np.uint8]:
    """Render a board at `pose` as seen by a camera at the origin, H x W x 3: for tests and for practice."""
    per = 40
    edge = round(MARGIN_SQUARES * per)
    sheet = board.image(per)
    high, wide = sheet.shape
    # Map each pixel of the sheet to its place on the board; the lens is applied to the ray of each image
    # pixel.
    scale = board.square / per
    on_board = np.array(
        [[scale, 0, (0.5 - edge) * scale], [0, scale, (0.5 - edge) * scale], [0, 0, 1]], float
    )
    flat = np.column_stack((pose[:3, 0], pose[:3, 1], pose[:3, 3])) @ on_board
    rays, back = _pixel_rays(intrinsics), np.linalg.inv(flat)
    across, down = cv2.split(cv2.perspectiveTransform(rays, back))
    ahead = rays @ back[2, :2].astype(np.float32) + np.float32(back[2, 2]) > 0
    grey = cv2.remap(sheet, across, down, cv2.INTER_LINEAR, borderValue=128)
    inside = ahead & (across > 0) & (across < wide - 1) & (down > 0) & (down < high - 1)
    size = (intrinsics.width, intrinsics.height)
    cover = cv2.resize(inside.astype(np.float32), size, interpolation=cv2.INTER_AREA)[..., None]
    grey = cv2.resize(np.where(inside, grey, 128).astype(np.float32), size, interpolation=cv2.INTER_AREA)
    behind = (
        np.full((intrinsics.height, intrinsics.width, 3), 128, np.uint8) if background is None else background
    )
    return np.asarray(np.clip(grey[..., None] * cover + behind * (1 - cover), 0, 255), np.uint8)


@lru_cache(maxsize=2)
def _pixel_rays(intrinsics: Intrinsics) -> NDArray[np.float32]:
    """Return each pixel's direction at a depth of one metre, 2 H x 2 W x 2, to be scaled down."""
    rows, columns = np.indices((intrinsics.height * 2, intrinsics.width * 2)).astype(np.float32)
    seen = np.stack(((columns + 0.5) / 2 - 0.5, (rows + 0.5) / 2 - 0.5), axis=-1)
    rays = cv2.undistortPoints(seen.reshape(-1, 1, 2), intrinsics.matrix, intrinsics.distortion_coefficients)
    return np.asarray(rays, np.float32).reshape(seen.shape)


def estimate_board_pose(view: BoardDetection, intrinsics: Intrinsics) -> Transform:
    """Return the pose of the board in the camera's frame."""
    _, turn, at = cv2.solvePnP(
        view.corners,
        view.pixels,
        intrinsics.matrix,
        intrinsics.distortion_coefficients,
        flags=cv2.SOLVEPNP_ITERATIVE,
    )
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = cv2.Rodrigues(turn)[0], at.ravel()
    return pose
