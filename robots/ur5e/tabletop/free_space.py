"""Find room on the table to put a thing down. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator

import cv2
import numpy as np

from robots.ur5e.scene_file import GoalArea
from robots.ur5e.tabletop.rgbd_image import CELL_SIZE_M, MAP_MIN, HeightMap, cell_of

FREE_HEIGHT_M = 0.008  # over the table up to which a place counts as free
MARGIN_M = 0.03  # left round the thing, for the fingers
SPACING_M = 0.03  # between the places that are looked at
_GAP_CELLS = 9  # between two pixels that still count as seen


def free_spots(
    height_map: HeightMap, size: float, origin: tuple[float, float], goal: GoalArea
) -> Iterator[tuple[float, float]]:
    """Yield x, y of free places, seen by the camera, for a thing of this size (metres of its longer side).

    `origin` comes first, if it is free, then the nearest to it. None is in the goal area: what is put
    back there would count as placed.
    """
    reach = math.ceil((size / 2 + MARGIN_M) / CELL_SIZE_M)
    seen = height_map.mask(np.ones(height_map.cells.shape[:2], bool))
    full = (height_map.heights > FREE_HEIGHT_M) | (
        cv2.dilate(seen, np.ones((_GAP_CELLS, _GAP_CELLS), np.uint8)) == 0
    )
    around = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1))
    blocked = cv2.dilate(full.astype(np.uint8), around) > 0
    rows, columns = np.indices(blocked.shape)
    x, y = MAP_MIN[0] + (rows + 0.5) * CELL_SIZE_M, MAP_MIN[1] + (columns + 0.5) * CELL_SIZE_M
    away = goal.half + size / 2
    blocked |= (np.abs(x - goal.at[0]) < away) & (np.abs(y - goal.at[1]) < away)
    blocked[:reach], blocked[-reach:], blocked[:, :reach], blocked[:, -reach:] = True, True, True, True
    i, j = cell_of(*origin)
    if 0 <= i < blocked.shape[0] and 0 <= j < blocked.shape[1] and not blocked[i, j]:
        yield origin
    step = round(SPACING_M / CELL_SIZE_M)
    places = np.stack((x, y), axis=-1)[::step, ::step][~blocked[::step, ::step]]
    for n in np.argsort(np.hypot(*(places - origin).T), kind="stable"):
        yield float(places[n, 0]), float(places[n, 1])
