"""Where a cup can take a thing: where it is even, and where what the cup hangs from has room."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from robots.ur5e.gripper.model import read_gripper
from robots.ur5e.tabletop.rgbd_image import HeightMap
from robots.ur5e.tabletop.suction_grasps import SuctionPlanner
from tests.robots.ur5e.tabletop.test_antipodal_grasps import bar, table

PLANNER = SuctionPlanner(read_gripper("vacuum"))


def test_that_a_thing_is_taken_on_top_of_its_middle() -> None:
    region, relief = table(bar(0.5, 0.1, 0.09, 0.03, 0.4), 0.03)
    best, *others = PLANNER.grasps(region, relief)
    assert math.dist((best.x, best.y), (0.5, 0.1)) < 0.004 and abs(best.z - 0.03) < 0.001
    assert all(best.score > other.score for other in others)
    assert PLANNER.collision(best, relief) == ""


def test_that_what_is_narrower_than_the_cup_or_uneven_is_left_alone() -> None:
    assert PLANNER.grasps(*table(bar(0.5, 0.1, 0.09, 0.014, 0.4), 0.03)) == ()
    plate = bar(0.5, 0.1, 0.09, 0.06, 0.0)
    region, relief = table(plate, 0.03)
    ridges = np.where(plate & (np.indices(plate.shape)[1] % 12 < 6), 0.04, 0)
    assert PLANNER.grasps(region, replace(relief, heights=ridges.astype(np.float32))) == ()


def test_that_nothing_high_stands_under_the_cup_nor_beside_what_it_hangs_from() -> None:
    region, relief = table(bar(0.5, 0.0, 0.06, 0.06, 0.0), 0.02)
    (best, *_) = PLANNER.grasps(region, relief)
    for x, high, says in (
        (0.5, 0.04, "40 mm high"),
        (0.535, 0.07, "70 mm high"),
        (0.535, 0.04, ""),
        (0.56, 0.07, ""),
    ):
        wall = np.where(bar(x, 0.0, 0.006, 0.2, 0.0), np.float32(high), relief.heights)
        assert says in PLANNER.collision(best, HeightMap(wall, relief.cells))
        assert says or not PLANNER.collision(best, HeightMap(wall, relief.cells))
    assert "leave the part" in PLANNER.collision(replace(best, x=0.145), relief)
