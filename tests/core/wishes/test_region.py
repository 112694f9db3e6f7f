"""Where a thing may go, which test refuses a place, and which rows exclude each other."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count
from math import hypot

import numpy as np
import pytest

from core.planning_model import Step
from core.scene import Scene, SceneThing
from core.wish import Test
from core.wishes.region import conflict, find_region, places_of, turns_at
from tests.core.wishes.test_authoring import REGION, SCENE

BERRY, CUP = "strawberry", SceneThing("cup", (0.4, 0.2, 0.04, 0, 0, 0), (0.02, 0.02, 0.04), "cup")
BOWL = SceneThing("bowl", (0.6, -0.2, 0.022, 0, 0, 0), (0.045, 0.045, 0.022), "bin", False)
KITCHEN = Scene((*SCENE.things, CUP, BOWL), "")
PLACES = places_of(SCENE, [Step("place_ontop", (BERRY, REGION))], BERRY)


def where(passes: Callable[[float, float], bool], *names: str) -> Test:
    return partial(lambda *given: passes(*given[-1][BERRY].pose[:2]), BERRY, *names)


LEFT, RIGHT, FAR = where(lambda x, y: y > 0.01), where(lambda x, y: y < -0.1), where(lambda x, y: x > 0.54)


def test_that_a_region_is_named_in_words_and_each_refusal_by_its_test() -> None:
    region = find_region(PLACES, [LEFT, FAR])
    assert region.in_words() == "far left quarter of the table, 23 %"
    assert [region.refusal(*at) for at in ((0.6, 0.2), (0.6, -0.2), (0.3, 0.2))] == [None, 0, 1]
    assert find_region(PLACES, []).in_words() == "all of the table"
    assert find_region(PLACES, [LEFT, RIGHT]).in_words() == "nowhere on the table"


def test_that_it_is_as_fine_as_if_each_place_were_asked_with_a_tenth_of_the_calls_islands_too() -> None:
    calls = count()
    region = find_region(PLACES, [where(lambda x, y: next(calls) >= 0 and y < 0.05 * np.sin(100 * x))])
    x, y = (np.indices(region.passes.shape) + 0.5) * 0.005 + np.reshape(region.low, (2, 1, 1))
    assert np.array_equal(region.passes, y < 0.05 * np.sin(100 * x)) and next(calls) < x.size / 10
    assert find_region(PLACES, [where(lambda x, y: hypot(x - 0.5, y) < 0.002, REGION)]).share, (
        "of a named box"
    )


def test_that_a_thing_lies_on_or_in_what_its_step_names_and_on_the_face_that_passes() -> None:
    into = places_of(KITCHEN, [Step("place_inside", (BERRY, "bowl"))], BERRY)
    over, beside = (s[BERRY].pose[2] for s in into.states(np.array([(0.6, -0.2), (0.3, 0.2)])))
    assert over == pytest.approx(0.022) and beside == pytest.approx(0.018)
    lies = partial(lambda name, b: abs(b[name].pose[3]) > 1 and b[name].pose[5] > 0.5, "cup")
    region = find_region(cup := places_of(KITCHEN, [], "cup"), [lies])
    assert region.share == 1 and region.rest == 1 and region.yaw > 0.5
    rests, yaws = turns_at(cup, [lies], (0.5, 0.0), region.rest)
    assert not any(rests) and yaws[2:12] == (True,) * 10  # not as it is; turned by 30 to 165 degrees
    (tipped,) = places_of(KITCHEN, [Step("pour", ("cup", "bowl"))], "cup").states(np.array([(0.6, -0.2)]))
    assert abs(tipped["cup"].pose[3]) > 1.2 and tipped["cup"].lower[2] > BOWL.pose[2], "as one pours"


def test_that_the_smallest_set_of_rows_without_a_place_is_told() -> None:
    loose = [where(partial(lambda least, x, y: x > least, 0.1 * k)) for k in range(4)]
    for tests, smallest in (
        ((*loose, LEFT, FAR, where(lambda x, y: x + y < 0.55)), (4, 5, 6)),
        ((*loose, LEFT, RIGHT), (4, 5)),
        ((*loose, LEFT, FAR), ()),
        ((where(lambda x, y: False), LEFT), (0,)),
        ((where(lambda x, y: x > 0.483), where(lambda x, y: x < 0.493)), ()),  # a sliver is left
    ):
        assert conflict(PLACES, [(test,) for test in tests]) == smallest
