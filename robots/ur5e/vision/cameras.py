"""The cameras of a setup file as the tabletop robot wants them: colour and depth from a known place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from core.errors import RobotError, RobotNotReady
from robots.ur5e.kinematics import Matrix
from robots.ur5e.tabletop.finding import COLOURS, Colour, find
from robots.ur5e.tabletop.picture import Picture, Relief
from robots.ur5e.vision.intrinsics import undistorted
from robots.ur5e.vision.reader import Reader, Taken
from robots.ur5e.vision.settings import CameraSetup
from robots.ur5e.vision.source import Source, open_source
from robots.ur5e.vision.stored import Calibration, read

LEVEL = (0.015, 0.05)  # metres and radians that the table may be off the base's plane


class TableCameras:
    """One reader for each camera. `flange` is asked for a camera at the wrist. Any thread.

    Constructing it connects nothing and waits for nothing: `check` does.
    """

    def __init__(
        self,
        setups: tuple[CameraSetup, ...],
        flange: Callable[[], Matrix],
        colours: Mapping[str, Colour] = COLOURS,
        open_: Callable[[CameraSetup], Source] = open_source,
    ) -> None:
        self._setups = {s.mount: s for s in setups}
        self._flange, self._colours = flange, colours
        self._readers = {s.mount: Reader(s.mount, partial(open_, s)) for s in setups}
        self._calibrations: dict[str, Calibration] = {}
        self._shown: dict[str, float] = {}  # when the picture that `follow` gave last had come

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._setups)

    def check(self) -> None:
        """Wait for the first picture of each; what a tabletop robot needs. Raises ConsoleError."""
        if not any(s.has_depth for s in self._setups.values()):
            raise RobotNotReady(
                "No camera of the setup file gives depth, and grasps are found in depth: name an aligned "
                "`depth` source, or a RealSense, in [camera.overhead]."
            )
        for name in self.names:
            self._readers[name].after(0.0)
            height, tilt = self.calibration(name).table or (0.0, 0.0)
            if abs(height) > LEVEL[0] or tilt > LEVEL[1]:
                raise RobotNotReady(
                    f"The table is {height * 1000:+.0f} mm off the arm's base and tilted "
                    f"{np.degrees(tilt):.1f}°: this program needs it level with the base; mount it so, or "
                    "calibrate again."
                )

    def calibration(self, camera: str) -> Calibration:
        """Read once. Raises BadFile."""
        if camera not in self._calibrations:
            self._calibrations[camera] = read(Path(self._setups[camera].calibration))
        return self._calibrations[camera]

    def age(self, camera: str) -> float:
        """Seconds since its latest picture came."""
        return self._readers[camera].age

    def raw(self, camera: str) -> NDArray[np.uint8]:
        """As it comes, for calibrating. Raises RobotError."""
        return self._readers[camera].after(monotonic()).shot.rgb

    def picture(self, camera: str) -> Picture:
        """One that was taken after this call began, with the boxes of what is found on the table."""
        taken = self._readers[camera].after(monotonic())
        picture = self._made(camera, taken)
        if taken.shot.depth is None:
            raise RobotError(
                f"The {camera} camera gives no depth: name an aligned `depth` source in [camera.{camera}]."
            )
        return outlined(picture, self._colours)

    def follow(self, camera: str) -> Picture:
        """For live pictures, by one thread: the next one, depth or not. RobotError: there is none yet."""
        reader = self._readers[camera]
        latest = reader.latest
        if latest is None or latest.at <= self._shown.get(camera, 0.0):
            raise RobotError(f"The {camera} camera sends no new picture. {reader.why}")
        self._shown[camera] = latest.at
        return self._made(camera, latest)

    def close(self) -> None:
        for reader in self._readers.values():
            reader.close()

    def _made(self, camera: str, taken: Taken) -> Picture:
        known = self.calibration(camera)
        shot = undistorted(taken.shot, known.intrinsics)
        pose = known.pose if camera == "overhead" else self._flange() @ known.pose
        depth = shot.depth if shot.depth is not None else np.zeros(shot.rgb.shape[:2], np.float32)
        return Picture(camera, taken.at, shot.rgb, depth, known.intrinsics.straight.fx, pose)


def outlined(picture: Picture, colours: Mapping[str, Colour]) -> Picture:
    """The picture with the box, and the number of pixels, of each thing that its colour shows."""
    relief = Relief.of(picture)
    boxes: dict[str, tuple[float, float, float, float]] = {}
    pixels = dict.fromkeys(colours, 0)
    for name, colour in colours.items():
        region = find(name, colour, picture, relief)
        if region is None:
            continue
        on_table = relief.cells[..., 0] >= 0
        i, j = np.where(on_table, relief.cells[..., 0], 0), np.where(on_table, relief.cells[..., 1], 0)
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
