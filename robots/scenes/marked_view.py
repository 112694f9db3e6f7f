"""A picture of a table with four marks: where its camera is, and what colour a point of the scene has.

The marks give the camera, and the light: a mark's white is known, so colours are shares of it. A block's
colour is named by its hue alone, which shadow does not change.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import BadValue
from robots.scenes.look import look_file
from robots.scenes.render import FOV, INNER, MARK, WHITE, Floats, Picture, dictionary

FEWEST = 3  # marks that must be seen
COLOURED = 0.42  # saturation from which a colour has a name
DARK = 0.06  # share of white below which a hue is not told
WORST = 4.0  # pixels that the marks may be off
Marks = Sequence[tuple[float, float]]


class MarkedView:
    """One view. Raises BadValue if too few marks are seen, or they lie otherwise."""

    def __init__(self, picture: Picture, marks: Marks) -> None:
        self.picture = picture
        seen = find_marks(picture)
        flat = [(n, c) for n, c in seen.items() if n < len(marks)]
        if len(flat) < FEWEST:
            raise BadValue(f"Only {len(flat)} of the table's marks can be seen: three must be.")
        half = MARK * INNER / 2
        around = np.array([(-half, half), (half, half), (half, -half), (-half, -half)])
        ground = np.concatenate([np.array(marks[n]) + around for n, _ in flat])
        self.at = np.column_stack([ground, np.full(len(ground), 0.0005)])
        self.pixels = np.concatenate([c for _, c in flat])
        self._pose()
        self.off = float(np.linalg.norm(self.project(self.at) - self.pixels, axis=1).mean())
        if self.off > WORST:
            raise BadValue("The marks on the table do not lie as they should.")
        self.colours = self._in_white_light([np.array(marks[n]) for n, _ in flat])

    def _pose(self) -> None:
        import cv2

        high, wide = self.picture.shape[:2]
        focal = high / 2 / np.tan(np.radians(FOV / 2))
        lens: Any = np.array([[focal, 0, (wide - 1) / 2], [0, focal, (high - 1) / 2], [0, 0, 1]])
        _, turn, shift = cv2.solvePnP(self.at, self.pixels, lens, np.zeros(4), flags=cv2.SOLVEPNP_IPPE)
        _, turn, shift = cv2.solvePnP(self.at, self.pixels, lens, np.zeros(4), turn, shift, True)
        self._matrix = lens @ np.hstack([cv2.Rodrigues(turn)[0], shift])

    def project(self, points: Floats) -> Floats:
        """Return where points of the scene are in the picture, N x 2."""
        seen = np.column_stack([points, np.ones(len(points))]) @ self._matrix.T
        return np.asarray(seen[:, :2] / seen[:, 2:])

    def on_plane(self, pixels: Floats, height: float) -> Floats:
        """Return the points at a height that pixels show, N x 2."""
        m = self._matrix
        plane = np.linalg.inv(np.column_stack([m[:, 0], m[:, 1], m[:, 2] * height + m[:, 3]]))
        seen = np.column_stack([pixels, np.ones(len(pixels))]) @ plane.T
        return np.asarray(seen[:, :2] / seen[:, 2:])

    def _in_white_light(self, marks: list[Floats]) -> Floats:
        """Return the picture's colours as shares of a white thing's in the same light, H x W x 3."""
        rims = np.concatenate([m + ring(MARK * (1 + INNER) / 4) for m in marks])
        white = self.sample(np.column_stack([rims, np.full(len(rims), 0.0005)]))
        return np.asarray(self.picture / np.maximum(np.median(white, 0) / WHITE, 1.0))

    def sample(self, points: Floats, image: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return an image's values where points of the scene are; the nearest within it."""
        image = self.picture if image is None else image
        at = np.round(self.project(points)).astype(int)
        columns, rows = (np.clip(at[:, n], 0, image.shape[1 - n] - 1) for n in (0, 1))
        return np.asarray(image[rows, columns])

    @cached_property
    def named(self) -> NDArray[np.int8]:
        """Return the number of each pixel's colour in the order of the file's hues, H x W; -1: none."""
        import cv2

        shares: Any = np.clip(self.colours, 0, 2).astype(np.float32)
        hue, full, value = np.moveaxis(cv2.cvtColor(shares, cv2.COLOR_RGB2HSV), 2, 0)
        hues = np.array(list(look_file().hues.values()))
        nearest = np.abs((hue[..., None] - hues + 180) % 360 - 180).argmin(-1)
        return np.where((full > COLOURED) & (value > DARK), nearest, -1).astype(np.int8)


def ring(half: float) -> Floats:
    """Return points of a square's edge around 0, N x 2."""
    steps = np.linspace(-half, half, 9)
    return np.array([(x, y) for x in steps for y in steps if max(abs(x), abs(y)) > half - 1e-6])


def find_marks(picture: Picture) -> dict[int, Floats]:
    """Return the corners of each mark in a picture, 4 x 2 pixels, clockwise from its own upper left."""
    import cv2

    settings = cv2.aruco.DetectorParameters()
    settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    settings.cornerRefinementWinSize = 3
    settings.minMarkerPerimeterRate = 0.02
    finder = cv2.aruco.ArucoDetector(dictionary(), settings)
    grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
    bright = np.clip(grey * (255 / max(float(np.percentile(grey, 99.5)), 1)), 0, 255).astype(np.uint8)
    found, names, _ = finder.detectMarkers(
        cv2.resize(bright, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
    )
    numbers = [] if names is None else names.ravel()
    return {int(n): (c[0].astype(float) - 0.5) / 2 for n, c in zip(numbers, found, strict=True)}
