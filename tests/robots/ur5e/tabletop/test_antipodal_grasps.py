from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from core.errors import BadValue
from robots.ur5e.gripper.model import read_gripper
from robots.ur5e.scene_file import read_scene
from robots.ur5e.tabletop.antipodal_grasps import AntipodalPlanner
from robots.ur5e.tabletop.colour_segmentation import Region, find_region
from robots.ur5e.tabletop.grasp import Grasp
from robots.ur5e.tabletop.rgbd_image import (
    CELL_SIZE_M,
    MAP_MAX,
    MAP_MIN,
    HeightMap,
    RgbdImage,
    cell_centre,
    cell_of,
)
from robots.ur5e.tabletop.skills import emptiest_spot

PLANNER = AntipodalPlanner(read_gripper("hand-e"))
COLOURS = read_scene("tabletop").colours
SIZE = tuple(round((h - low) / CELL_SIZE_M) for low, h in zip(MAP_MIN, MAP_MAX, strict=True))


def table(shape: np.ndarray, top: float) -> tuple[Region, HeightMap]:
    """A thing of this outline on an empty table."""
    heights = np.where(shape, top, 0).astype(np.float32)
    rows, columns = np.nonzero(shape)
    x, y = cell_centre(rows.mean(), columns.mean())
    region = Region("thing", x, y, top, (0.1, 0.1), 0.0, shape.astype(np.uint8))
    return region, HeightMap(heights, np.zeros((1, 1, 2), np.int32))


def bar(x: float, y: float, long: float, wide: float, turn: float) -> np.ndarray:
    i, j = np.indices(SIZE)
    dx, dy = MAP_MIN[0] + i * CELL_SIZE_M - x, MAP_MIN[1] + j * CELL_SIZE_M - y
    along, across = dx * math.cos(turn) + dy * math.sin(turn), dy * math.cos(turn) - dx * math.sin(turn)
    shape: np.ndarray = (np.abs(along) < long / 2) & (np.abs(across) < wide / 2)
    return shape


@pytest.mark.parametrize("turn", [0.0, 0.5, 1.2, 2.4])
def test_that_a_bar_is_grasped_across_its_middle(turn: float) -> None:
    region, relief = table(bar(0.5, 0.1, 0.09, 0.025, turn), 0.03)
    best = PLANNER.grasps(region, relief)[0]
    assert math.hypot(best.x - 0.5, best.y - 0.1) < 0.012
    assert abs(math.remainder(best.angle - turn - math.pi / 2, math.pi)) < 0.2
    assert 0.022 <= best.width < 0.042


def test_that_a_container_is_grasped_by_its_rim() -> None:
    outer, inner = bar(0.45, 0, 0.12, 0.12, 0), bar(0.45, 0, 0.112, 0.112, 0)
    region, relief = table(outer & ~inner, 0.07)
    best = PLANNER.grasps(region, relief)[0]
    off = sorted((abs(best.x - 0.45), abs(best.y)))
    assert off[0] < 0.02 and abs(off[1] - 0.058) < 0.006
    assert best.width <= 0.016
    assert 0.03 < best.z < 0.065


def test_that_what_is_too_wide_for_the_hand_is_left_alone() -> None:
    region, relief = table(bar(0.5, 0, 0.1, 0.1, 0.3), 0.05)
    assert PLANNER.grasps(region, relief) == ()


@pytest.mark.parametrize(
    ("wide", "top", "reason"),
    [
        (0.02, 0.008, "it is 8 mm high, too flat for the fingers: make it 20 mm high"),
        (0.1, 0.05, "it is 94 mm wide, and the fingers take 42 mm: lay it otherwise"),
        (0.03, 0.05, "the fingers find no room beside it"),
    ],
)
def test_that_a_thing_without_a_grasp_is_told_why(wide: float, top: float, reason: str) -> None:
    region, _ = table(bar(0.5, 0, 0.1, wide, 0.3), top)
    assert PLANNER.refusal(replace(region, size=(0.1, wide))).startswith(reason)


def test_that_no_finger_goes_where_something_stands() -> None:
    thing, wall = bar(0.5, 0, 0.06, 0.02, 0), bar(0.5, 0.018, 0.2, 0.01, 0)
    region, relief = table(thing, 0.03)
    relief = HeightMap(np.where(wall, np.float32(0.06), relief.heights), relief.cells)
    for grasp in PLANNER.grasps(region, relief):
        for side in (-1, 1):
            away = side * (grasp.width / 2 + 0.006)
            i, j = cell_of(grasp.x + away * math.cos(grasp.angle), grasp.y + away * math.sin(grasp.angle))
            assert relief.heights[i, j] < grasp.z + 0.004


def test_that_a_choice_travels_in_a_step_and_nonsense_is_refused() -> None:
    grasp = Grasp(0.5, 0.1, 0.02, 1.0, 0.03, 0.9)
    assert Grasp.from_values(grasp.to_values()["grasp"]) == grasp
    for nonsense in (None, (1, 2), ("x",) * 6, (math.nan,) * 6):
        with pytest.raises(BadValue, match="six"):
            Grasp.from_values(nonsense)


def test_that_a_thing_is_found_by_its_colour_where_it_is() -> None:
    pose = np.array([[0, -1, 0, 0.5], [-1, 0, 0, 0], [0, 0, -1, 1.0], [0, 0, 0, 1]], float)
    rgb = np.full((480, 640, 3), 190, np.uint8)
    rgb[200:220, 400:430] = (120, 40, 140)
    picture = RgbdImage("overhead", 0, rgb, np.full((480, 640), 1.0, np.float32), 500, pose)
    relief = HeightMap.from_image(picture)
    region = find_region("toy_eggplant", COLOURS["toy_eggplant"], picture, relief)
    assert region is not None
    column, row = picture.pixel(np.array([region.x, region.y, 0]))
    assert abs(column - 415) < 2 and abs(row - 210) < 2
    assert find_region("toy_carrot", COLOURS["toy_carrot"], picture, relief) is None


def test_that_a_toy_is_let_go_where_the_container_is_emptiest() -> None:
    outer, inner = bar(0.5, 0, 0.12, 0.12, 0), bar(0.5, 0, 0.112, 0.112, 0)
    region, relief = table(outer & ~inner, 0.07)
    region = replace(region, x=0.5, y=0.0, size=(0.12, 0.12))
    assert math.dist(emptiest_spot(region, relief, 0.034), (region.x, region.y)) < 0.005
    full = np.where(bar(0.52, 0, 0.04, 0.08, 0), np.float32(0.03), relief.heights)
    x, y = emptiest_spot(region, HeightMap(full, relief.cells), 0.034)
    assert x < 0.486
    assert abs(y) < 0.03
    heap = HeightMap(np.where(bar(0.5, 0, 0.04, 0.024, 0), np.float32(0.03), relief.heights), relief.cells)
    beside, across = (emptiest_spot(region, heap, size) for size in (0.028, 0.12))
    assert 0.025 < math.dist(beside, (0.5, 0)) < 0.04, "a small thing lies beside what is in there"
    assert math.dist(across, (0.5, 0)) < 0.005, "and one that just fits in the middle"
