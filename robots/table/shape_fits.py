"""Fit a thing of known size and shape to the points of a depth picture that show it. Metres; pure."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from core.motion.frames import RESTS, Frame, frame, rotation
from robots.ur5e.scene_file import TabletopThing

Points = NDArray[np.float64]  # n x 3
_TOP_M = 0.004  # under the highest point, that still is the top face
_ON_TABLE_M, _BALL_ON_TABLE_M = 0.0035, 0.002  # within which a thing is on the table, not on something
_LEAST_SHARE = 0.45  # of a ball that is seen
_SAME_PEAK_M, _PEAKS = 0.008, 80
_BAD_M = 0.02  # by which an outline may be off
_RIM_M = 0.004  # of a plate, over it
_HOLLOW_M, _HIDDEN_M = 0.01, 0.003
_ASIDE_M = 0.06  # from under the camera, that a lying cup's bottom would be seen


@dataclass(frozen=True)
class Fit:
    """Where a thing is, and by how many metres what is seen of it differs from what it is."""

    pose: Frame
    off: float
    points: NDArray[np.bool_]  # which of those given it explains


def fit_ball(radius: float, points: Points, camera: Points, pixel: float) -> Iterator[Fit]:
    """Yield where a ball may be: under each peak, if enough of its cap is there. `pixel`: metres across."""
    for peak in _peaks(points):
        towards = camera - peak
        centre = peak - radius * towards / np.linalg.norm(towards)
        for _ in range(3):
            far = points - centre
            distance = np.linalg.norm(far, axis=1)
            cap = np.abs(distance - radius) < 0.004
            if np.count_nonzero(cap) < 12:
                break
            normal = far[cap] / distance[cap, None]
            centre = centre + np.linalg.lstsq(normal, distance[cap] - radius, rcond=None)[0]
        distance = np.linalg.norm(points - centre, axis=1)
        cap = np.abs(distance - radius) < 0.002
        share = np.count_nonzero(cap) * pixel**2 / (math.pi * radius**2)
        if share > _LEAST_SHARE:
            if abs(centre[2] - radius) < _BALL_ON_TABLE_M:
                centre[2] = radius
            yield Fit(frame(np.eye(3), centre), 0.02 * max(0.0, 1 - share), distance < radius + 0.004)


def _peaks(points: Points) -> list[Points]:
    """Return the highest points, apart from each other."""
    found: list[Points] = []
    left = points
    while len(left) and len(found) < _PEAKS:
        peak = left[np.argmax(left[:, 2])]
        found.append(peak)
        left = left[np.linalg.norm(left[:, :2] - peak[:2], axis=1) > _SAME_PEAK_M]
    return found


def fit_box(
    kind: TabletopThing, points: Points, around: Points, before: Frame, camera: Points, pixel: float
) -> Iterator[Fit]:
    """Yield how a box, a cup or a plate lies on a face of it, or leans, by the outline of its top.

    Of the poses that look alike it is the one most like `before`. `around` are all points, where a part of
    the thing may be hidden.
    """
    top = float(np.percentile(points[:, 2], 99))
    high = points[points[:, 2] > top - _TOP_M]
    if len(high) < 6:
        return
    half = np.array(kind.half)
    (x, y), sides, angle = cv2.minAreaRect(high[:, :2].astype(np.float32))
    seen = np.array(sides) / 2 + pixel / 2
    rim = _RIM_M if kind.shape == "plate" else 0.0
    found = []
    for turned in _turns(kind, math.radians(angle)):
        size = np.abs(rotation(0, 0, -math.radians(angle)) @ turned) @ half
        z = top - rim - float(size[2])
        off = float(np.max(np.abs(size[:2] - seen))) + min(0.01, 0.2 * abs(z - float(size[2])))
        if z > size[2] - _ON_TABLE_M:
            unlike = 1 - float(np.trace(turned.T @ before[:3, :3])) / 3
            found.append(
                (
                    off
                    + 0.001 * unlike
                    + _wrong_way_up(kind, turned, np.array((x, y, top)), points, camera, pixel),
                    off,
                    turned,
                    z,
                )
            )
    if found:
        _, off, turned, z = min(found, key=lambda one: one[0])
        if off < _BAD_M:
            bottom = float((np.abs(turned) @ half)[2])
            aside = _hidden_side(kind, turned, math.radians(angle), seen, np.array((x, y)), around, top)
            at = (*aside, bottom if abs(z - bottom) < _ON_TABLE_M else z)
            yield Fit(frame(turned, at), off, np.ones(len(points), bool))
            return
    yield from _leaning(half, points, before)


def _hidden_side(
    kind: TabletopThing,
    turned: NDArray[np.float64],
    angle: float,
    seen: NDArray[np.float64],
    at: NDArray[np.float64],
    around: Points,
    top: float,
) -> NDArray[np.float64]:
    """Return the centre of an outline of which a side is hidden: towards where nothing lower is seen."""
    turn = rotation(0, 0, angle)[:2, :2]
    size = (np.abs(turn.T @ turned[:2]) @ np.array(kind.half))[:2]
    short = np.maximum(size - seen, 0.0)
    if np.max(short) < _HIDDEN_M:
        return at
    low = around[
        (around[:, 2] < top - _HOLLOW_M) & np.all(np.abs(around[:, :2] - at) < 2 * max(size), axis=1)
    ]

    def shown(side: tuple[int, ...]) -> int:
        off = np.abs((low[:, :2] - at) @ turn - np.array(side) * short)
        inner = np.all(off < size - 0.006, axis=1) if kind.is_open else np.zeros(len(low), bool)
        return int(np.count_nonzero(np.all(off < size - 0.001, axis=1) & ~inner))

    side = min(itertools.product((0, 1, -1), repeat=2), key=shown)
    return np.asarray(at + turn @ (np.array(side) * short))


def _turns(kind: TabletopThing, angle: float) -> Iterator[NDArray[np.float64]]:
    rests = RESTS[:1] if kind.shape in ("plate", "bin") or not kind.graspable else RESTS
    for rest, quarter in itertools.product(rests, range(4)):
        yield rotation(0, 0, angle + quarter * math.pi / 2) @ rest


def _wrong_way_up(
    kind: TabletopThing,
    turned: NDArray[np.float64],
    at: NDArray[np.float64],
    points: Points,
    camera: Points,
    pixel: float,
) -> float:
    """Return 1 if a cup should show its hollow, or not, and is seen otherwise; `at` is its top's middle."""
    if not kind.is_open:
        return 0.0
    axis, off = turned[:, 2], points - at
    if abs(axis[2]) > 0.9:
        radius = 0.5 * min(kind.half[:2])
        bottom = (np.linalg.norm(off[:, :2], axis=1) < radius) & (off[:, 2] > -_HOLLOW_M)
        solid = np.count_nonzero(bottom) * pixel**2 > 0.5 * math.pi * radius**2
        return float(solid == bool(axis[2] > 0))
    # Lying: its end towards the camera is its bottom, of which some is seen, or its mouth.
    towards = float((camera - at)[:2] @ axis[:2])
    along, across = off @ axis * np.sign(towards), off @ np.cross(axis, (0, 0, 1))
    end = (along > kind.half[2] - 0.015) & (np.abs(across) < min(kind.half[:2]) - 0.005)
    face = end & (off[:, 2] < -0.35 * kind.half[0]) & (off[:, 2] > -1.5 * kind.half[0])
    if np.count_nonzero(face) >= 3:
        return float(towards > 0)
    return float(towards < -_ASIDE_M)


def _leaning(half: NDArray[np.float64], points: Points, before: Frame) -> Iterator[Fit]:
    """Yield how a long thing leans, by its upper end."""
    long = int(np.argmax(half))
    if half[long] < 3 * np.median(half) or np.ptp(points[:, 2]) < half[long] / 2:
        return
    centred = points - points.mean(axis=0)
    axis = np.linalg.svd(centred, full_matrices=False)[2][0]
    axis = axis * np.sign(axis[2])
    end = points.mean(axis=0) + axis * float(np.percentile(centred @ axis, 98))
    up = axis * (np.sign(before[2, long]) or 1.0)
    side = before[:3, (long + 1) % 3] - up * (before[:3, (long + 1) % 3] @ up)
    if np.linalg.norm(side) < 1e-3:
        return
    turned = np.zeros((3, 3))
    turned[:, long], turned[:, (long + 1) % 3] = up, side / np.linalg.norm(side)
    turned[:, (long + 2) % 3] = np.cross(turned[:, long], turned[:, (long + 1) % 3])
    yield Fit(frame(turned, end - axis * half[long]), 0.008, np.ones(len(points), bool))
