"""A camera in the setup file: a table [camera.overhead] or [camera.wrist]. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from core.errors import BadValue

MOUNTS = ("overhead", "wrist")
CAMERA_KINDS = ("opencv", "realsense")


@dataclass(frozen=True)
class CameraSetup:
    """A camera of the setup file.

    `source` is a device's number, a file, or a stream's address; `depth` is the same for 16-bit images that
    are aligned with the colour pixel by pixel, with `depth_unit` metres per count. A RealSense provides its
    own depth.
    """

    mount: str  # "overhead": fixed over the table; "wrist": on the flange
    kind: str = "opencv"
    source: int | str = 0
    depth: int | str = ""
    depth_unit: float = 0.001
    size: tuple[int, int] = (0, 0)  # requested width and height; 0: the camera's default
    calibration: str = ""  # a file written by `main.py calibrate`

    def __post_init__(self) -> None:
        if self.kind not in CAMERA_KINDS:
            raise BadValue(f"A camera's kind is {' or '.join(CAMERA_KINDS)}, not {self.kind!r}.")
        for name in ("source", "depth"):
            value = getattr(self, name)
            if not isinstance(value, str) and not _is_index(value):
                raise BadValue(f"The {name} is {value!r}: it must be a device's number, or text in quotes.")
        if not isinstance(self.depth_unit, float) or not 0 < self.depth_unit < 1:
            raise BadValue(f"The depth unit is {self.depth_unit!r} m: a millimetre is 0.001.")
        if not isinstance(self.size, tuple) or len(self.size) != 2 or not all(map(_is_index, self.size)):
            raise BadValue(f"The size is {self.size!r}: it must be width and height, [1280, 720].")
        if not isinstance(self.calibration, str):
            raise BadValue(f"The calibration is {self.calibration!r}: it must be a file's name in quotes.")

    @property
    def has_depth(self) -> bool:
        return self.kind == "realsense" or self.depth != ""


def camera_setups(tables: object, folder: Path) -> tuple[CameraSetup, ...]:
    """Parse the [camera.*] tables. Paths are relative to the setup file's folder. Raises BadValue."""
    known = {f.name for f in fields(CameraSetup)} - {"mount"}
    found = []
    if not isinstance(tables, Mapping):
        raise BadValue("A camera's table is [camera.overhead] or [camera.wrist].")
    for mount, table in tables.items():
        if mount not in MOUNTS or not isinstance(table, Mapping):
            raise BadValue(f"A camera's table is [camera.overhead] or [camera.wrist], not [camera.{mount}].")
        for name in table.keys() - known:
            raise BadValue(f"[camera.{mount}]: {name!r} is no setting of a camera.")
        values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in table.items()}
        try:
            made = CameraSetup(mount, **values)
        except BadValue as error:
            raise BadValue(f"[camera.{mount}]: {error}") from None
        found.append(
            replace(
                made,
                source=_resolve_path(made.source, folder),
                depth=_resolve_path(made.depth, folder),
                calibration=str(folder / (made.calibration or f"{mount}.toml")),
            )
        )
    return tuple(found)


def _is_index(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _resolve_path(source: int | str, folder: Path) -> int | str:
    """Return a file's name as a path; a device stays a number, a stream an address."""
    if isinstance(source, int) or not source or "://" in source:
        return source
    return int(source) if source.isdigit() else str(folder / source)
