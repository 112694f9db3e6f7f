"""The cameras of a setup file for the tabletop robot: colour and depth from a known pose."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import atan, hypot, inf
from pathlib import Path
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from core.arm.arm_capabilities import PreflightCheck
from core.errors import NoPicture, RobotError, RobotNotReady
from core.measured import Measured
from robots.ur5e.kinematics import Transform
from robots.ur5e.scene_file import ColourRange
from robots.ur5e.tabletop.colour_segmentation import find_region
from robots.ur5e.tabletop.rgbd_image import MAP_MAX, MAP_MIN, MAX_HEIGHT, HeightMap, RgbdImage
from robots.ur5e.vision.calibration_check import calibration_check, level_fault
from robots.ur5e.vision.calibration_file import CameraCalibration, read_calibration
from robots.ur5e.vision.camera_checks import failed_check
from robots.ur5e.vision.camera_reader import CameraReader
from robots.ur5e.vision.camera_setup import OVERHEAD, CameraSetup, main_camera
from robots.ur5e.vision.camera_source import CameraSource, open_source
from robots.ur5e.vision.intrinsics import RawFrame, undistort
from robots.ur5e.vision.source_kind import device_of

_FEWEST = 400  # points, fewer of which show no table
_WITHIN_M = (0.05, 0.03, 0.02, 0.02)  # of the plane found so far, within which points count, step by step


class TableCameras:
    """One reader for each camera. `flange` returns the flange's pose, for a camera at the wrist. Any thread.

    Constructing it neither connects nor waits; `wait_until_ready` does. At a `real` arm a camera without a
    time of its own, and a calibration that names no device, are refused.
    """

    def __init__(
        self,
        setups: tuple[CameraSetup, ...],
        flange: Callable[[], Transform],
        colours: Mapping[str, ColourRange],
        open_: Callable[[CameraSetup], CameraSource] = open_source,
        real: bool = True,
    ) -> None:
        self._setups = {s.mount: s for s in setups}
        self._flange, self._colours, self._real = flange, colours, real
        self._readers = {
            s.mount: CameraReader(s.mount, partial(open_, s), by_arrival=not real) for s in setups
        }
        self._calibrations: dict[str, CameraCalibration] = {}
        self._shown: dict[str, Measured[RawFrame]] = {}  # what `follow` has last returned

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._setups)

    def wait_until_ready(self) -> None:
        """Wait for each camera's first picture and check what a tabletop needs. Raises ConsoleError."""
        if not any(s.has_depth for s in self._setups.values()):
            raise RobotNotReady(
                "No camera of the setup file gives depth, and grasps are found in depth: name an aligned "
                "`depth` source, or a RealSense, in [camera.overhead]."
            )
        for name in self.names:
            self._require_calibration(name, device_of(self._setups[name]))
            captured = self._readers[name].next_frame_after(monotonic())
            self._require_calibration(name, self._readers[name].device)
            if name == main_camera(self.names) and captured.value.depth is not None:
                self._require_table(name, captured)

    def _require_table(self, name: str, captured: Measured[RawFrame]) -> None:
        """Measure the table anew: a camera that was pushed since it was calibrated sees it elsewhere."""
        table = measure_table(self._to_image(name, captured).points())
        if table is None and name != OVERHEAD:
            return  # the wrist may look elsewhere as the arm stands
        if reason := "its depth shows no table" if table is None else level_fault(table):
            raise RobotNotReady(
                f"By the {name} camera's picture of now {reason}: set it up as it was, or calibrate again."
            )

    def _require_calibration(self, name: str, device: str) -> None:
        check, suffices = self._calibration_check(name, device)
        if not suffices:
            raise RobotNotReady(f"The {check.name} cannot be used: {check.refusal}.")

    def _calibration_check(self, name: str, device: str) -> tuple[PreflightCheck, bool]:
        path, grasps = Path(self._setups[name].calibration), name == main_camera(self.names)
        return calibration_check(self.calibration(name), path, device, grasps, self._real)

    def checks(self) -> tuple[PreflightCheck, ...]:
        """Return two lines of the preflight for each camera: its pictures, and its calibration."""
        lines = []
        for name, reader in self._readers.items():
            trouble, camera = reader.trouble, f"{name} camera"
            lines.append(failed_check(camera, trouble) if trouble else PreflightCheck(camera, True))
            lines.append(self._calibration_check(name, reader.device or device_of(self._setups[name]))[0])
        return tuple(lines)

    def calibration(self, camera: str) -> CameraCalibration:
        """Return a camera's calibration, which is read once. Raises BadFile."""
        if camera not in self._calibrations:
            self._calibrations[camera] = read_calibration(Path(self._setups[camera].calibration))
        return self._calibrations[camera]

    def picture(self, camera: str) -> RgbdImage:
        """Return a picture taken after this call began, with the boxes of what is found on the table."""
        captured = self._readers[camera].next_frame_after(monotonic())
        picture = self._to_image(camera, captured)
        if captured.value.depth is None:
            raise RobotError(
                f"The {camera} camera gives no depth: name an aligned `depth` source in [camera.{camera}]."
            )
        return add_boxes(picture, self._colours)

    def follow(self, camera: str) -> RgbdImage:
        """Return the next live picture, perhaps without depth; for one thread. Raises RobotError."""
        reader = self._readers[camera]
        latest = reader.latest
        if latest is None or latest is self._shown.get(camera):
            raise RobotError(f"The {camera} camera sends no new picture. {reader.error}")
        self._shown[camera] = latest
        return self._to_image(camera, latest)

    def close(self) -> None:
        for reader in self._readers.values():
            reader.close()

    def _to_image(self, camera: str, captured: Measured[RawFrame]) -> RgbdImage:
        known, device = self.calibration(camera), self._readers[camera].device
        check, suffices = self._calibration_check(camera, device)
        if not suffices:  # another camera has come to its place
            raise NoPicture(f"The {check.name} cannot be used: {check.refusal}.")
        shot = undistort(captured.value, known.intrinsics)
        pose = known.pose if camera == "overhead" else self._flange() @ known.pose
        depth = shot.depth if shot.depth is not None else np.zeros(shot.rgb.shape[:2], np.float32)
        taken = -inf if captured.measured_at is None else captured.measured_at
        return RgbdImage(camera, taken, shot.rgb, depth, known.intrinsics.rectified.fx, pose)


def add_boxes(picture: RgbdImage, colours: Mapping[str, ColourRange]) -> RgbdImage:
    """Add the box and the number of pixels of each thing that is found by its colour."""
    height_map = HeightMap.from_image(picture)
    boxes: dict[str, tuple[float, float, float, float]] = {}
    pixels = dict.fromkeys(colours, 0)
    for name, colour in colours.items():
        region = find_region(name, colour, picture, height_map)
        if region is None:
            continue
        on_table = height_map.cells[..., 0] >= 0
        i, j = (np.where(on_table, height_map.cells[..., k], 0) for k in (0, 1))
        rows, columns = np.nonzero(on_table & (region.mask[i, j] > 0))
        pixels[name] = len(rows)
        boxes[name] = (
            float(columns.min()),
            float(rows.min()),
            float(columns.max() + 1),
            float(rows.max() + 1),
        )
    picture.boxes.update(boxes)
    picture.pixels.update(pixels)
    return picture


def measure_table(points: NDArray[np.float64]) -> tuple[float, float] | None:
    """Return the table's height at its middle in metres, and its tilt in radians; None if too little shows
    it.

    `points` are in the base frame, any shape x 3, NaN for none. Things that stand on the table count less the
    better the plane is known.
    """
    flat = points.reshape(-1, 3)
    over = np.all((flat[:, :2] > MAP_MIN) & (flat[:, :2] < MAP_MAX), axis=-1)
    near = flat[over & (np.abs(flat[:, 2]) < MAX_HEIGHT)]
    if len(near) < _FEWEST:
        return None
    at = np.column_stack((near[:, :2] - np.add(MAP_MIN, MAP_MAX) / 2, np.ones(len(near))))
    plane = np.array((0.0, 0.0, float(np.median(near[:, 2]))))
    for within in _WITHIN_M:
        kept = np.abs(near[:, 2] - at @ plane) < within
        if np.count_nonzero(kept) < _FEWEST:
            return None
        plane = np.linalg.lstsq(at[kept], near[kept, 2], rcond=None)[0]
    return float(plane[2]), atan(hypot(plane[0], plane[1]))
