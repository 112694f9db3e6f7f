"""A camera in the setup file: a table [camera.overhead] or [camera.wrist]. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

from annotated_types import Ge, Interval
from pydantic import PlainValidator
from pydantic.dataclasses import dataclass

from core.data_file import FILE

OVERHEAD = "overhead"
Pixels = Annotated[int, Ge(0)]


def _device(value: object) -> object:
    if isinstance(value, str) or (type(value) is int and value >= 0):
        return value
    raise ValueError(f"it must be a device's number, or text in quotes, not {value!r}")


Device = Annotated[int | str, PlainValidator(_device)]


@dataclass(frozen=True, config=FILE)
class CameraSetup:
    """A camera of the setup file.

    `source` is a device's number, a file, or a stream's address; `depth` is the same for 16-bit images that
    are aligned with the colour pixel by pixel, with `depth_unit` metres per count. A RealSense provides its
    own depth.
    """

    mount: str = ""  # "overhead": fixed over the table; "wrist": on the flange; the table's name
    kind: Literal["opencv", "realsense"] = "opencv"
    source: Device = 0
    depth: Device = ""
    depth_unit: Annotated[float, Interval(gt=0, lt=1)] = 0.001
    size: tuple[Pixels, Pixels] = (0, 0)  # requested width and height; 0: the camera's default
    calibration: str = ""  # a file written by `main.py calibrate`

    @property
    def has_depth(self) -> bool:
        return self.kind == "realsense" or self.depth != ""

    def placed(self, mount: str, folder: Path) -> CameraSetup:
        """Return the camera with its mount, and with paths that are relative to the setup file's folder."""
        return replace(
            self,
            mount=mount,
            source=_resolve_path(self.source, folder),
            depth=_resolve_path(self.depth, folder),
            calibration=str(folder / (self.calibration or f"{mount}.toml")),
        )


def main_camera(mounts: Sequence[str]) -> str:
    """Return the camera that looks at the table: in its depth grasps are found."""
    return OVERHEAD if OVERHEAD in mounts else mounts[0]


def _resolve_path(source: int | str, folder: Path) -> int | str:
    """Return a file's name as a path; a device stays a number, a stream an address."""
    if isinstance(source, int) or not source or "://" in source:
        return source
    return int(source) if source.isdigit() else str(folder / source)
