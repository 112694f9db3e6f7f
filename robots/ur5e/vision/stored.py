"""A calibration as a TOML file, with its date and its residuals."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from core.errors import BadFile
from core.install_paths import COMMAND
from robots.ur5e.kinematics import Matrix, matrix, pose_of
from robots.ur5e.vision.calibration import Solved
from robots.ur5e.vision.intrinsics import Intrinsics

WAY_OUT = f"Calibrate: `{COMMAND} calibrate`"


@dataclass(frozen=True)
class Calibration:
    """`pose`: in the base frame (overhead) or the flange's (wrist). `reprojection` in pixels, all else SI."""

    camera: str
    date: str  # ISO 8601, UTC
    views: int
    intrinsics: Intrinsics
    reprojection: float
    pose: Matrix
    translation: float
    rotation: float
    table: tuple[float, float] | None = None  # height and tilt


def dated(camera: str, views: int, solved: Solved) -> Calibration:
    """What was solved, as of now."""
    eye = solved.hand_eye
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Calibration(
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


def write(path: Path, c: Calibration) -> None:
    """Raises BadFile. What was there is kept beside it with the ending .old."""
    i = c.intrinsics
    lines = [
        f"# Where the {c.camera} camera is, and its lens. Metres, radians, pixels.",
        f'camera = "{c.camera}"',
        f'date = "{c.date}"',
        f"views = {c.views}",
        f"reprojection = {c.reprojection:.4f}  # pixels, root mean square",
        f"translation = {c.translation:.6f}  # metres that the views disagree by, root mean square",
        f"rotation = {c.rotation:.6f}",
        f"pose = {_row(pose_of(c.pose))}  # x, y, z, rotation vector",
        *([f"table = {_row(c.table)}  # height and tilt of the table in the base frame"] if c.table else []),
        "",
        "[intrinsics]",
        f"width = {i.width}",
        f"height = {i.height}",
        *(f"{name} = {getattr(i, name):.6f}" for name in ("fx", "fy", "cx", "cy")),
        f"distortion = {_row(i.distortion)}",
        "",
    ]
    try:
        if path.exists():
            path.replace(path.with_suffix(path.suffix + ".old"))
        path.write_text("\n".join(lines))
    except OSError as error:
        raise BadFile(path, f"it cannot be written ({error.strerror})") from error


def read(path: Path) -> Calibration:
    """Raises BadFile."""
    try:
        data = tomllib.loads(path.read_text())
        i = data["intrinsics"]
        table = data.get("table")
        return Calibration(
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
            matrix([float(v) for v in data["pose"]]),
            float(data["translation"]),
            float(data["rotation"]),
            None if table is None else (float(table[0]), float(table[1])),
        )
    except FileNotFoundError:
        raise BadFile(path, "the camera is not calibrated yet", remedy=WAY_OUT) from None
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadFile(path, str(error), remedy=WAY_OUT) from error
    except (KeyError, ValueError, TypeError, IndexError) as error:
        raise BadFile(path, f"it is no calibration ({error})", remedy=WAY_OUT) from error


def _row(values: tuple[float, ...]) -> str:
    return "[" + ", ".join(f"{v:.8g}" for v in values) + "]"
