"""Solve for the lens and the camera's pose, from views of a board and the flange's poses.

Metres, radians; pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from core.errors import BadValue
from robots.ur5e.kinematics import Transform, invert_transform, pose_distance, rotation_vector
from robots.ur5e.vision.charuco_board import BoardDetection, estimate_board_pose
from robots.ur5e.vision.intrinsics import Intrinsics

RECOMMENDED_VIEWS = 12  # for a good calibration
MIN_VIEWS = 6  # with fewer nothing is computed
MIN_ROTATION_SPREAD_RAD = 0.12  # by which the hand must have been rotated about a second axis


@dataclass(frozen=True)
class HandEye:
    """The result of hand-eye calibration.

    `pose` is the camera's, for an overhead one in the base frame, for one at the wrist in the flange's.
    `board` is the board's in the frame in which it is fixed: the flange's (overhead) or the base frame
    (wrist). `translation` (m) and `rotation` (rad) are the root mean square disagreement of the views about
    it.
    """

    pose: Transform
    board: Transform
    translation: float
    rotation: float


def calibrate_intrinsics(views: Sequence[BoardDetection], size: tuple[int, int]) -> tuple[Intrinsics, float]:
    """Return the intrinsics and the RMS reprojection error in pixels. Raises BadValue."""
    if len(views) < MIN_VIEWS:
        raise BadValue(f"The lens needs at least {MIN_VIEWS} views, not {len(views)}: take more.")
    error, matrix, distortion, _, _ = cv2.calibrateCamera(
        [v.corners for v in views],
        [v.pixels for v in views],
        size,
        np.eye(3),
        np.zeros(5),
        flags=cv2.CALIB_FIX_K3,
    )
    made = Intrinsics(
        size[0],
        size[1],
        fx=float(matrix[0, 0]),
        fy=float(matrix[1, 1]),
        cx=float(matrix[0, 2]),
        cy=float(matrix[1, 2]),
        distortion=tuple(float(v) for v in np.ravel(distortion)),
    )
    return made, float(error)


def calibrate_hand_eye(flanges: Sequence[Transform], boards: Sequence[Transform], overhead: bool) -> HandEye:
    """Return the camera's pose, from the flange in the base frame and the board in the camera's frame, for
    each view.

    Park and Martin's method by `cv2.calibrateHandEye`, which is written for a camera at the wrist. For a
    fixed camera the board is on the flange, and the inverted poses of the arm give the same equation
    (https://docs.opencv.org/4.x/d9/d0c/group__calib3d.html). Raises BadValue if the views are unsuitable.
    """
    if len(flanges) != len(boards) or len(flanges) < MIN_VIEWS:
        raise BadValue(f"The camera's place needs at least {MIN_VIEWS} views, not {len(flanges)}: take more.")
    if rotation_spread(flanges) < MIN_ROTATION_SPREAD_RAD:
        raise BadValue("The hand was turned about one axis only: tilt it about another one as well.")
    moving = [invert_transform(f) for f in flanges] if overhead else list(flanges)
    turn, at = cv2.calibrateHandEye(
        [m[:3, :3] for m in moving],
        [m[:3, 3] for m in moving],
        [b[:3, :3] for b in boards],
        [b[:3, 3] for b in boards],
        method=cv2.CALIB_HAND_EYE_PARK,
    )
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = turn, np.ravel(at)
    if not np.isfinite(pose).all():
        raise BadValue("The camera's place does not follow from these views: take others, more apart.")
    there = [m @ pose @ b for m, b in zip(moving, boards, strict=True)]
    middle = mean_pose(there)
    off = np.array([pose_distance(middle, t) for t in there])
    far, about = np.sqrt((off**2).mean(axis=0))
    return HandEye(pose, middle, float(far), float(about))


def rotation_spread(flanges: Sequence[Transform]) -> float:
    """Return the root mean square rotation (rad) of the hand about its second axis: two axes are needed."""
    first = invert_transform(flanges[0])[:3, :3]
    turns = np.array([rotation_vector(first @ f[:3, :3]) for f in flanges])
    return float(np.linalg.svd(turns, compute_uv=False)[1] / np.sqrt(len(flanges)))


def mean_pose(poses: Sequence[Transform]) -> Transform:
    """Return the mean pose: the mean position, and the rotation closest to the sum of the rotations."""
    u, _, v = np.linalg.svd(sum(p[:3, :3] for p in poses))
    middle = np.eye(4)
    middle[:3, :3] = u @ np.diag((1, 1, np.linalg.det(u @ v))) @ v
    middle[:3, 3] = np.mean([p[:3, 3] for p in poses], axis=0)
    return middle


def table_plane(board: Transform) -> tuple[float, float]:
    """Return height (m) and tilt (rad) of a table in the base frame, from a board that lies on it."""
    return float(board[2, 3]), float(np.arccos(np.clip(abs(board[2, 2]), 0, 1)))


@dataclass(frozen=True)
class SolvedCalibration:
    """The complete calibration from the views. `table` is height and tilt, None if no view showed it."""

    intrinsics: Intrinsics
    reprojection: float
    hand_eye: HandEye
    table: tuple[float, float] | None


def solve_calibration(
    views: Sequence[BoardDetection],
    flanges: Sequence[Transform],
    size: tuple[int, int],
    overhead: bool,
    on_table: BoardDetection | None = None,
) -> SolvedCalibration:
    """Solve for lens, pose and table.

    A wrist camera sees the board lying on the table; an overhead one needs one more view of it there. Raises
    BadValue.
    """
    intrinsics, error = calibrate_intrinsics([*views, *([on_table] if on_table else [])], size)
    eye = calibrate_hand_eye(flanges, [estimate_board_pose(v, intrinsics) for v in views], overhead)
    flat = None if overhead else eye.board
    if overhead and on_table is not None:
        flat = eye.pose @ estimate_board_pose(on_table, intrinsics)
    return SolvedCalibration(intrinsics, error, eye, None if flat is None else table_plane(flat))
