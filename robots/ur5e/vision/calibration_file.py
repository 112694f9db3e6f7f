"""Read and write a calibration as a TOML file, with its date and its residuals."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from core.errors import BadFile
from core.install_paths import COMMAND
from robots.ur5e.kinematics import Transform, matrix_to_pose, pose_to_matrix
from robots.ur5e.vision.calibration_solver import SolvedCalibration
from robots.ur5e.vision.intrinsics import Intrinsics

REMEDY = f"Calibrate: `{COMMAND} calibrate`"


@dataclass(frozen=True)
class CameraCalibration:
    """The calibration of one camera.

    `pose` is in the base frame (overhead) or the flange's (wrist). `reprojection` is in pixels, everything
    else in SI units.
    """

    camera: str
    date: str  # ISO 8601, UTC
    views: int
    intrinsics: Intrinsics
    reprojection: float
    pose: Transform
    translation: float
    rotation: float
    table: tuple[float, float] | None = None  # height and tilt


def stamp_calibration(camera: str, views: int, solved: SolvedCalibration) -> CameraCalibration:
    """Return the solved calibration with the current date."""
    eye = solved.hand_eye
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return CameraCalibration(
        camera,
        now,
        views,
        solved.intrinsics,
        solved.reprojection,
        eye.pose,
        eye.translation,
        eye.rotation,
        solved.table,
    )


def write_calibration(path: Path, c: CameraCalibration) -> None:
    """Write the file. An existing one is kept with the suffix .old. Raises BadFile."""
    i = c.intrinsics
    lines = [
        f"# Where the {c.camera} camera is, and its lens. Metres, radians, pixels.",
        f'camera = "{c.camera}"',
        f'date = "{c.date}"',
        f"views = {c.views}",
        f"reprojection = {c.reprojection:.4f}  # pixels, root mean square",
        f"translation = {c.translation:.6f}  # metres that the views disagree by, root mean square",
        f"rotation = {c.rotation:.6f}",
        f"pose = {_format_row(matrix_to_pose(c.pose))}  # x, y, z, rotation vector",
        *(
            [f"table = {_format_row(c.table)}  # height and tilt of the table in the base frame"]
            if c.table
            else []
        ),
        "",
        "[intrinsics]",
        f"width = {i.width}",
        f"height = {i.height}",
        *(f"{name} = {getattr(i, name):.6f}" for name in ("fx", "fy", "cx", "cy")),
        f"distortion = {_format_row(i.distortion)}",
        "",
    ]
    try:
        if path.exists():
            path.replace(path.with_suffix(path.suffix + ".old"))
        path.write_text("\n".join(lines))
    except OSError as error:
        raise BadFile(path, f"it cannot be written ({error.strerror})") from error


def read_calibration(path: Path) -> CameraCalibration:
    """Read the file. Raises BadFile."""
    try:
        data = tomllib.loads(path.read_text())
        i = data["intrinsics"]
        table = data.get("table")
        return CameraCalibration(
            str(data["camera"]),
            str(data["date"]),
            int(data["views"]),
            Intrinsics(
                int(i["width"]),
                int(i["height"]),
                fx=float(i["fx"]),
                fy=float(i["fy"]),
                cx=float(i["cx"]),
                cy=float(i["cy"]),
                distortion=tuple(float(v) for v in i["distortion"]),
            ),
            float(data["reprojection"]),
            pose_to_matrix([float(v) for v in data["pose"]]),
            float(data["translation"]),
            float(data["rotation"]),
            None if table is None else (float(table[0]), float(table[1])),
        )
    except FileNotFoundError:
        raise BadFile(path, "the camera is not calibrated yet", remedy=REMEDY) from None
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadFile(path, str(error), remedy=REMEDY) from error
    except (KeyError, ValueError, TypeError, IndexError) as error:
        raise BadFile(path, f"it is no calibration ({error})", remedy=REMEDY) from error


def _format_row(values: tuple[float, ...]) -> str:
    return "[" + ", ".join(f"{v:.8g}" for v in values) + "]"
