"""Frustum and rays."""

from __future__ import annotations

import math

import pytest

from robots.omnigibson.observed_facts import Box
from robots.omnigibson.simulator import Lens, seen_names, sight_points

EAST = (0.5, -0.5, -0.5, 0.5)  # x, y, z, w of a camera, which looks along its -z with y up
LENS = Lens((0.0, 0.0, 1.0), EAST, math.radians(60))


@pytest.mark.parametrize(
    ("point", "is_shown"),
    [
        ((2, 0, 1), True),
        ((-2, 0, 1), False),
        ((2, 1, 1), True),
        ((2, 1.3, 1), False),
        ((2, -1.1, 2.1), True),
        ((2, 0, 2.3), False),
        ((0.01, 0, 1), False),
    ],
)
def test_that_a_point_is_shown_in_the_frustum_only(point: tuple[float, ...], is_shown: bool) -> None:
    assert LENS.shows(point) is is_shown


def test_that_a_thing_is_in_view_unless_something_else_stops_every_ray_to_it() -> None:
    stops = {"mug": ["cabinet", "cabinet"], "cabinet": ["cabinet"], "sink": ["", None], "oven": []}
    assert seen_names(stops) == {"cabinet", "sink"}


def test_that_a_floor_is_seen_where_the_middle_of_the_picture_meets_it() -> None:
    down = Lens((0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 1.0), math.radians(60))
    floor = Box((-5, -5, -0.02), (5, 5, 0.0))
    assert (0.0, 0.0, 0.0) in sight_points(down, {"floor": floor})["floor"]
    assert sight_points(LENS, {"floor": floor})["floor"] == []
