"""Antipodal grasps from above, found in the depth image: a thing between two fingers, and room beside it."""

from __future__ import annotations

import math
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from robots.ur5e.gripper.model import MIN_GRASP_DEPTH_M, GripperModel
from robots.ur5e.tabletop.colour_segmentation import Region
from robots.ur5e.tabletop.grasp import CLEARANCE_M, MIN_SPACING_M, Grasp
from robots.ur5e.tabletop.reach import GRASP_DEPTH_M, TIP_LENGTH_M, tool_height
from robots.ur5e.tabletop.rgbd_image import CELL_SIZE_M, HeightMap, RgbdImage, cell_centre, cell_of

ANGLES = 18  # directions in which the fingers may close
FINGER_MARGIN_M = 0.001  # by which a finger counts as thicker and wider than it is
_GROWN_M = 0.006  # by which a thing is seen wider than it is
MIN_CONTACT = 0.6  # fraction of a pad that must lie against the thing
_CROP_HALF_CELLS = 40  # around the centre that are examined


class AntipodalPlanner:
    """Plans for two fingers, by depth alone; nothing is learned."""

    def __init__(self, hand: GripperModel) -> None:
        self._hand = hand
        self._finger = tuple(side + FINGER_MARGIN_M for side in hand.finger)

    def grasps(
        self, region: Region, height_map: HeightMap, picture: RgbdImage | None = None, most: int = 5
    ) -> tuple[Grasp, ...]:
        """See `GraspPlanner`; at most one per few millimetres and degrees."""
        i0, j0 = cell_of(region.x, region.y)
        heights = _crop(height_map.heights, i0, j0)
        owned = _crop(region.mask.astype(np.float32), i0, j0)
        turns = (math.pi * k / ANGLES for k in range(ANGLES))
        found = [g for turn in turns for g in self._at_angle(turn, heights, owned, region)]
        found.sort(key=lambda g: -g.score)
        kept: list[Grasp] = []
        for grasp in found:
            if all(
                math.hypot(grasp.x - k.x, grasp.y - k.y) > MIN_SPACING_M or _angle_between(grasp, k) > 0.5
                for k in kept
            ):
                kept.append(grasp)
            if len(kept) == most:
                break
        return tuple(kept)

    def grasp_at(self, x: float, y: float, top: float, region: Region) -> Grasp:
        """See `GraspPlanner`; its fingers close across the thing's shorter side."""
        across = (region.angle + math.pi / 2) % math.pi
        return Grasp(x, y, tool_height(top), across, min(self._hand.widest, region.size[1]), 0.0)

    def refusal(self, region: Region) -> str:
        """See `GraspPlanner`."""
        narrow, hand = region.size[1] - _GROWN_M, self._hand
        if region.top < hand.lowest + CLEARANCE_M:
            return f"it is {1000 * region.top:.0f} mm high, {hand.too_flat}"
        if narrow > hand.widest:
            return f"it is {1000 * narrow:.0f} mm wide, {hand.too_wide}"
        return "the fingers find no room beside it: move it away from what stands there"

    def collision(self, grasp: Grasp, height_map: HeightMap) -> str:
        """See `GraspPlanner`."""
        finger = self._finger
        tips = grasp.z - TIP_LENGTH_M
        if tips < CLEARANCE_M:
            return "the fingers would touch the table"
        c, s = math.cos(grasp.angle), math.sin(grasp.angle)
        away = grasp.width / 2 + CLEARANCE_M + finger[0] / 2
        for side in (-1, 1):
            highest = 0.0
            for along in np.arange(-finger[0] / 2, finger[0] / 2 + 1e-9, CELL_SIZE_M):
                for across in np.arange(-finger[1] / 2, finger[1] / 2 + 1e-9, CELL_SIZE_M):
                    d = side * away + along
                    i, j = cell_of(grasp.x + c * d - s * across, grasp.y + s * d + c * across)
                    if not (0 <= i < height_map.heights.shape[0] and 0 <= j < height_map.heights.shape[1]):
                        return "a finger would leave the part of the table that is seen"
                    highest = max(highest, float(height_map.heights[i, j]))
            if highest > tips + CLEARANCE_M:
                return f"a finger would meet something {highest * 1000:.0f} mm high"
        return ""

    def _at_angle(
        self, turn: float, heights: NDArray[np.float32], owned: NDArray[np.float32], region: Region
    ) -> list[Grasp]:
        """Return the best grasps with fingers closing along `turn`, on a map turned to have it down rows."""
        size, widest = 2 * _CROP_HALF_CELLS + 1, self._hand.widest
        # Rows are x and columns y: rotating the map by -turn aligns the closing direction with the rows.
        turned = cv2.getRotationMatrix2D((_CROP_HALF_CELLS, _CROP_HALF_CELLS), -math.degrees(turn), 1.0)
        h = cv2.warpAffine(heights, turned, (size, size), flags=cv2.INTER_LINEAR)
        own = cv2.warpAffine(owned, turned, (size, size), flags=cv2.INTER_NEAREST) > 0.5
        thick, wide = (max(1, round(f / CELL_SIZE_M)) for f in self._finger)
        beside = cv2.dilate(h, np.ones((thick | 1, wide | 1), np.uint8))  # the highest point under a finger
        between = cv2.dilate(h, np.ones((3, 3), np.uint8))  # a rim is hardly wider than a cell
        cover = cv2.blur(cv2.dilate(own.astype(np.float32), np.ones((3, 1), np.uint8)), (wide | 1, 1))
        best = np.full(h.shape, -1.0)
        gap = np.zeros(h.shape)
        for cells in range(2, round(widest / 2 / CELL_SIZE_M) + 1):
            away = cells + thick // 2 + 1
            left, right = _shift_rows(beside, away), _shift_rows(beside, -away)
            down = between - np.maximum(left, right)
            deep = np.clip(down / GRASP_DEPTH_M, 0, 1)
            even = 1 - np.clip(np.abs(left - right) / 0.05, 0, 0.3)
            narrow = 1 - 0.25 * cells * CELL_SIZE_M / (widest / 2)
            flat = np.minimum(_shift_rows(cover, cells - 2), _shift_rows(cover, 2 - cells))  # along both pads
            score = np.where(
                own & (down >= MIN_GRASP_DEPTH_M) & (flat >= MIN_CONTACT), deep * even * narrow * flat, -1.0
            )
            better = score > best
            best, gap = np.where(better, score, best), np.where(better, 2 * cells * CELL_SIZE_M, gap)
        best = _prefer_centre(best, own, widest)
        out = []
        for _ in range(2):
            i, j = np.unravel_index(int(np.argmax(best)), best.shape)
            if best[i, j] <= 0:
                break
            out.append(
                _make_grasp(
                    float(i),
                    float(j),
                    turn,
                    float(between[i, j]),
                    float(gap[i, j]),
                    float(best[i, j]),
                    region,
                )
            )
            best[max(0, i - 8) : i + 9, max(0, j - 8) : j + 9] = -1
        return out


def _angle_between(a: Grasp, b: Grasp) -> float:
    return abs(math.remainder(a.angle - b.angle, math.pi))


def _crop(grid: NDArray[np.float32], i0: int, j0: int) -> NDArray[np.float32]:
    padded = np.pad(grid, _CROP_HALF_CELLS)
    return padded[i0 : i0 + 2 * _CROP_HALF_CELLS + 1, j0 : j0 + 2 * _CROP_HALF_CELLS + 1]


def _prefer_centre(score: NDArray[np.float64], own: NDArray[np.bool_], widest: float) -> NDArray[np.float64]:
    """Prefer grasps near the middle of a thing to those at its end; columns run across the fingers."""
    columns = np.arange(score.shape[1])
    weight = own.any(axis=0)
    middle = float(np.average(columns, weights=weight)) if weight.any() else _CROP_HALF_CELLS
    reach = max(4.0, float(weight.sum()) / 2)
    rows = np.arange(score.shape[0])[:, None]
    strip = own.sum(axis=0)
    centre = np.where(strip > 0, (own * rows).sum(axis=0) / np.maximum(strip, 1), _CROP_HALF_CELLS)
    off = np.abs(columns - middle)[None, :] / reach
    spread = np.maximum(strip, 4)[None, :] / 2
    across = np.clip(np.abs(rows - centre[None, :]) / spread, 0, 1)
    narrow = (
        strip[None, :] * CELL_SIZE_M <= widest
    )  # on a rim the fingers belong beside the middle, not on it
    result: NDArray[np.float64] = (
        score * (1 - 0.4 * np.clip(off, 0, 1)) * np.where(narrow, 1 - 0.4 * across, 1.0)
    )
    return result


def _make_grasp(
    i: float, j: float, turn: float, top: float, width: float, score: float, region: Region
) -> Grasp:
    c, s = math.cos(turn), math.sin(turn)
    di, dj = i - _CROP_HALF_CELLS, j - _CROP_HALF_CELLS
    x0, y0 = cell_centre(*cell_of(region.x, region.y))
    x, y = x0 + (c * di - s * dj) * CELL_SIZE_M, y0 + (s * di + c * dj) * CELL_SIZE_M
    return Grasp(x, y, tool_height(top), turn, width, min(1.0, score))


def _shift_rows(grid: NDArray[Any], rows: int) -> NDArray[Any]:
    """Return the grid shifted by `rows`; what is shifted in is high, so that nothing is grasped there."""
    out = np.full_like(grid, 1.0)
    if rows == 0:
        return grid
    if rows > 0:
        out[:-rows] = grid[rows:]
    else:
        out[-rows:] = grid[:rows]
    return out
