"""Read and write a calibration as a TOML file, with its date and its residuals."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from annotated_types import Ge, Interval
from pydantic import PlainValidator, TypeAdapter
from pydantic.dataclasses import dataclass

from core.data_file import FILE, load_toml, write_toml
from core.errors import BadFile
from core.install_paths import COMMAND
from robots.ur5e.kinematics import Transform, matrix_to_pose, pose_to_matrix
from robots.ur5e.vision.calibration_solver import SolvedCalibration
from robots.ur5e.vision.intrinsics import Intrinsics

# Metres or radians: no camera of the arm is farther away, and 1e300 becomes a rotation of nan.
Reach = Annotated[float, Interval(ge=-10, le=10)]
_POSE = TypeAdapter(tuple[Reach, Reach, Reach, Reach, Reach, Reach])
REMEDY = f"Calibrate: `{COMMAND} calibrate`"


def _to_transform(pose: object) -> Transform:
    """Return what a file says as x, y, z and rotation vector."""
    return pose if isinstance(pose, np.ndarray) else pose_to_matrix(_POSE.validate_python(pose))


@dataclass(frozen=True, config=FILE)
class CameraCalibration:
    """The calibration of one camera.

    `pose` is in the base frame (overhead) or the flange's (wrist). `reprojection` is in pixels, everything
    else in SI units.
    """

    camera: str
    date: str  # ISO 8601, UTC
    views: Annotated[int, Ge(0)]
    intrinsics: Intrinsics
    reprojection: float
    pose: Annotated[Transform, PlainValidator(_to_transform)]
    translation: float
    rotation: float
    table: tuple[float, float] | None = None  # height and tilt
    device: str = ""  # which camera it was made with; "" in files of old


def stamp_calibration(camera: str, views: int, solved: SolvedCalibration, device: str) -> CameraCalibration:
    """Return the solved calibration of this device with the current date."""
    eye, lens, now = solved.hand_eye, solved.intrinsics, datetime.now(UTC).isoformat(timespec="seconds")
    errors = solved.reprojection, eye.pose, eye.translation, eye.rotation
    return CameraCalibration(camera, now, views, lens, *errors, solved.table, device)


def write_calibration(path: Path, calibration: CameraCalibration) -> None:
    """Write the file. An existing one is kept with the suffix .old. Raises BadFile."""
    data = {**asdict(calibration), "pose": matrix_to_pose(calibration.pose)}
    comment = f"""Where the {calibration.camera} camera is, and its lens. Metres, radians, pixels.
pose: x, y, z, rotation vector. table: its height and tilt in the base frame.
reprojection, translation, rotation: root mean squares of what the views disagree by."""
    try:
        if path.exists():
            path.replace(path.with_suffix(path.suffix + ".old"))
    except OSError as error:
        raise BadFile(path, f"it cannot be written ({error.strerror})") from error
    write_toml(path, _rounded(data), comment)


def _rounded(value: Any) -> Any:
    """Return numbers with eight digits: the measurement has fewer."""
    if isinstance(value, dict):
        return {key: _rounded(v) for key, v in value.items()}
    if isinstance(value, tuple):
        return [_rounded(v) for v in value]
    return float(f"{value:.8g}") if isinstance(value, float) else value


def read_calibration(path: Path) -> CameraCalibration:
    """Read the file. Raises BadFile."""
    return load_toml(path, CameraCalibration, REMEDY, "the camera is not calibrated yet")
