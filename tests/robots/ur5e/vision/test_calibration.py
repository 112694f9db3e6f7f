"""Where a camera is, found again: from poses with noise, and from drawn pictures by the real detector."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import BadFile, BadValue
from robots.ur5e.kinematics import invert_transform, pose_distance, pose_to_matrix, rotation_vector
from robots.ur5e.vision import calibration_file
from robots.ur5e.vision.calibration_file import stamp_calibration
from robots.ur5e.vision.calibration_solver import (
    calibrate_hand_eye,
    calibrate_intrinsics,
    mean_pose,
    solve_calibration,
    table_plane,
)
from robots.ur5e.vision.charuco_board import (
    BoardDetection,
    CharucoBoard,
    detect_board,
    estimate_board_pose,
    render_board,
)
from tests.robots.ur5e.vision.poses import LENS, LOOKS_DOWN, LYING, OVERHEAD, WRIST, boards, flanges

BOARD = CharucoBoard()
SIZE = (LENS.width, LENS.height)
small = st.floats(-1, 1)


def project_board(pose: np.ndarray) -> BoardDetection:
    """The board's corners where a camera with this lens sees them."""
    corners = np.asarray(BOARD.aruco().getChessboardCorners(), np.float32)
    turn, at = rotation_vector(pose[:3, :3]), pose[:3, 3]
    pixels, _ = cv2.projectPoints(corners, turn, at, LENS.matrix, LENS.distortion_coefficients)
    return BoardDetection(corners, np.asarray(pixels, np.float32).reshape(-1, 2))


@pytest.mark.parametrize(("overhead", "camera"), [(True, OVERHEAD), (False, WRIST)])
@given(seed=st.integers(0, 10_000), at=st.tuples(*[small] * 6))
@settings(max_examples=30, deadline=None)
def test_that_any_camera_is_found_again_from_exact_poses(
    overhead: bool, camera: np.ndarray, seed: int, at: tuple[float, ...]
) -> None:
    camera = camera @ pose_to_matrix([0.05 * v for v in at[:3]] + [0.2 * v for v in at[3:]])
    arm = flanges(overhead, 8, seed)
    other = [f @ pose_to_matrix((0, 0.1, 0, 0.3, 0, 0)) for f in arm] if overhead else arm
    seen = (
        [invert_transform(camera) @ f @ pose_to_matrix((0, 0, 0.1, 0, 0.1, 0)) for f in other]
        if overhead
        else [invert_transform(f @ camera) @ LYING for f in other]
    )
    eye = calibrate_hand_eye(other, seen, overhead)
    assert max(pose_distance(eye.pose, camera)) < 1e-6
    assert max(eye.translation, eye.rotation) < 1e-6


@pytest.mark.parametrize(("overhead", "camera"), [(True, OVERHEAD), (False, WRIST)])
@given(seed=st.integers(0, 10_000), noise=st.floats(0.0002, 0.002))
@settings(max_examples=25, deadline=None)
def test_that_the_residual_tells_how_noisy_the_views_were(
    overhead: bool, camera: np.ndarray, seed: int, noise: float
) -> None:
    rng = np.random.default_rng(seed)
    arm = flanges(overhead, 15, seed)
    seen = [b @ pose_to_matrix(rng.normal(0, noise, 6)) for b in boards(overhead, arm)]
    eye = calibrate_hand_eye(arm, seen, overhead)
    assert 0.3 * noise < eye.rotation < 4 * noise
    metres, radians = pose_distance(eye.pose, camera)
    assert radians < 4 * noise
    assert metres < 8 * noise


def test_that_a_fixed_camera_is_not_found_with_the_arms_poses_the_wrong_way_round() -> None:
    arm = flanges(True)
    wrong = calibrate_hand_eye(arm, boards(True, arm), overhead=False)
    assert wrong.translation > 0.01


def test_that_views_turned_about_one_axis_only_are_refused() -> None:
    arm = [pose_to_matrix((0.4 + 0.02 * k, 0, 0.3, 0, 0, 0.2 * k)) for k in range(8)]
    with pytest.raises(BadValue, match="about one axis only"):
        calibrate_hand_eye(arm, boards(False, arm), overhead=False)


def test_that_too_few_views_are_refused() -> None:
    arm = flanges(False, 3)
    with pytest.raises(BadValue, match="needs at least 6 views"):
        calibrate_hand_eye(arm, boards(False, arm), overhead=False)
    with pytest.raises(BadValue, match="needs at least 6 views"):
        calibrate_intrinsics([project_board(b) for b in boards(False, arm)], SIZE)


@given(turns=st.lists(st.tuples(small, small, small), min_size=1, max_size=6))
@settings(max_examples=40, deadline=None)
def test_that_the_mean_of_poses_is_a_pose(turns: list[tuple[float, float, float]]) -> None:
    middle = mean_pose([pose_to_matrix((0.1 * t[0], 0, 0, *t)) for t in turns])
    assert np.allclose(middle[:3, :3] @ middle[:3, :3].T, np.eye(3))
    assert np.linalg.det(middle[:3, :3]) == pytest.approx(1)


def test_that_the_board_is_found_in_a_drawn_picture_where_it_was_drawn() -> None:
    pose = boards(False, flanges(False))[3]
    view = detect_board(BOARD, render_board(BOARD, pose, LENS))
    assert view is not None
    assert len(view.corners) == (BOARD.columns - 1) * (BOARD.rows - 1)
    assert max(pose_distance(estimate_board_pose(view, LENS), pose)) < 2e-3


def test_that_a_picture_without_a_board_shows_none() -> None:
    rng = np.random.default_rng(0)
    assert detect_board(BOARD, rng.integers(0, 255, (480, 640, 3), np.uint8)) is None


@pytest.mark.parametrize("overhead", [True, False])
def test_that_lens_place_and_table_are_found_from_drawn_pictures(overhead: bool) -> None:
    arm = flanges(overhead, 14)
    views = [detect_board(BOARD, render_board(BOARD, b, LENS)) for b in boards(overhead, arm)]
    seen = [(v, f) for v, f in zip(views, arm, strict=True) if v is not None]
    assert len(seen) >= 10
    lying = pose_to_matrix((0.40, 0.08, 0.003, 0.0, 0.0, 0.2)) @ LOOKS_DOWN
    flat = (
        detect_board(BOARD, render_board(BOARD, invert_transform(OVERHEAD) @ lying, LENS))
        if overhead
        else None
    )
    solved = solve_calibration([v for v, _ in seen], [f for _, f in seen], SIZE, overhead, flat)
    assert solved.intrinsics.fx == pytest.approx(LENS.fx, rel=0.01)
    assert solved.reprojection < 0.3
    metres, radians = pose_distance(solved.hand_eye.pose, OVERHEAD if overhead else WRIST)
    assert metres < (0.010 if overhead else 0.005)
    assert radians < 0.01
    assert solved.table is not None
    height, tilt = solved.table
    assert height == pytest.approx(0.003 if overhead else 0.0, abs=0.006)
    assert tilt < (0.03 if overhead else 0.01)


def test_that_the_table_is_told_by_a_board_on_it() -> None:
    height, tilt = table_plane(pose_to_matrix((0.5, 0.1, -0.012, np.pi * 0.99, 0, 0)))
    assert (height, tilt) == (pytest.approx(-0.012), pytest.approx(np.pi * 0.01))


def test_that_a_calibration_reads_back_as_it_was_written(tmp_path: Path) -> None:
    arm = flanges(False)
    solved = solve_calibration([project_board(b) for b in boards(False, arm)], arm, SIZE, False)
    made = stamp_calibration("wrist", 12, solved, "usb-A")
    path = tmp_path / "wrist.toml"
    calibration_file.write_calibration(path, made)
    calibration_file.write_calibration(path, made)
    again = calibration_file.read_calibration(path)
    assert (again.camera, again.date, again.views) == ("wrist", made.date, 12)
    assert max(pose_distance(again.pose, made.pose)) < 1e-6
    assert again.intrinsics.fx == pytest.approx(made.intrinsics.fx)
    assert again.table == pytest.approx(made.table)
    assert again.device == "usb-A"
    assert (tmp_path / "wrist.toml.old").exists()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "not calibrated yet"),
        ("camera = ", "Invalid value"),
        ("camera = 1", "camera must be text, not 1"),
    ],
)
def test_that_a_missing_or_broken_calibration_says_what_to_do(
    tmp_path: Path, text: str | None, says: str
) -> None:
    path = tmp_path / "overhead.toml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(BadFile, match=says) as caught:
        calibration_file.read_calibration(path)
    assert "main.py calibrate" in str(caught.value)
