"""Where there is room on the table."""

from __future__ import annotations

import numpy as np

from robots.ur5e.scene_file import GoalArea
from robots.ur5e.tabletop.rgbd_image import (
    CELL_SIZE_M,
    MAP_MAX,
    MAP_MIN,
    MARGIN_M,
    HeightMap,
    cell_of,
    free_spots,
)

GOAL = GoalArea()
SIZE = 0.04
SHAPE = tuple(round((h - low) / CELL_SIZE_M) for low, h in zip(MAP_MIN, MAP_MAX, strict=True))


def table(*things: tuple[float, float], unseen: bool = False) -> HeightMap:
    """Things 4 cm wide and high on a table that is seen in every cell, or only on its right half."""
    heights = np.zeros(SHAPE, np.float32)
    for x, y in things:
        i, j = cell_of(x, y)
        heights[i - 10 : i + 11, j - 10 : j + 11] = 0.04
    cells = np.stack(np.indices(SHAPE), axis=-1).astype(np.int32)
    if unseen:
        cells[:, : SHAPE[1] // 2] = -1
    return HeightMap(heights, cells)


def test_that_a_thing_goes_back_where_it_came_from() -> None:
    assert next(free_spots(table(), SIZE, (0.4, 0.3), GOAL)) == (0.4, 0.3)


def test_that_it_goes_beside_what_lies_there_now_and_no_further_than_needed() -> None:
    x, y = next(free_spots(table((0.4, 0.3)), SIZE, (0.4, 0.3), GOAL))
    away = np.hypot(x - 0.4, y - 0.3)
    assert 0.02 + SIZE / 2 + MARGIN_M - 2 * CELL_SIZE_M <= away < 0.13


def test_that_nothing_is_put_back_into_the_goal_area() -> None:
    spots = list(free_spots(table(), SIZE, GOAL.at, GOAL))
    assert spots
    (gx, gy), away = GOAL.at, GOAL.half + SIZE / 2
    assert all(max(abs(x - gx), abs(y - gy)) >= away for x, y in spots)


def test_that_what_the_camera_does_not_see_is_not_free() -> None:
    spots = list(free_spots(table(unseen=True), SIZE, (0.4, -0.3), GOAL))
    assert spots
    assert all(y > 0 for _, y in spots)


def test_that_a_full_table_has_no_place() -> None:
    full = HeightMap(np.full(SHAPE, 0.04, np.float32), table().cells)
    assert not list(free_spots(full, SIZE, (0.4, 0.3), GOAL))
