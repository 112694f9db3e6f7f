"""Where a thing may go, which test refuses a place, and which rows exclude each other."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import BadValue
from core.planning_model import Step
from core.scene import Scene, SceneThing
from core.wish import Test
from core.wishes.confinement import read_test
from core.wishes.hand_written import on_top
from core.wishes.region import conflict, find_region, places_of, turns_at
from tests.core.wishes.test_authoring import REGION, SCENE

BERRY, CUP = "strawberry", SceneThing("cup", (0.4, 0.2, 0.04, 0, 0, 0), (0.02, 0.02, 0.04), "cup")
BOWL = SceneThing("bowl", (0.6, -0.2, 0.022, 0, 0, 0), (0.045, 0.045, 0.022), "bin", False)
PLACES = places_of(SCENE, [Step("place_ontop", (BERRY, REGION))], BERRY)


def bound(of: Test, *args: str) -> Test:
    of.args = args  # type: ignore[attr-defined]
    return of


LEFT = bound(lambda b: b[BERRY].pose[1] > 0.01)
RIGHT = bound(lambda b: b[BERRY].pose[1] < -0.1)
FAR = bound(lambda b: b[BERRY].pose[0] > 0.54)
ON = bound(lambda b: on_top(BERRY, REGION, b), BERRY, REGION)


def test_that_a_region_is_named_in_words_and_each_refusal_by_its_test() -> None:
    region = find_region(PLACES, [LEFT, FAR])
    assert region.in_words() == "far left quarter of the table, 23 %"
    assert region.refusal(0.6, 0.2) is None
    assert region.refusal(0.6, -0.2) == 0 and region.refusal(0.3, 0.2) == 1
    assert find_region(PLACES, []).in_words() == "all of the table"
    assert find_region(PLACES, [LEFT, RIGHT]).in_words() == "nowhere on the table"


def test_that_it_is_as_fine_as_if_each_place_were_asked_with_a_tenth_of_the_calls() -> None:
    asked = 0

    def counted(bodies: object) -> bool:
        nonlocal asked
        asked += 1
        x, y = bodies[BERRY].pose[:2]  # type: ignore[index]
        return bool((x - 0.5) ** 2 + (y - 0.1) ** 2 < 0.15**2)

    region = find_region(PLACES, [counted])
    x, y = np.meshgrid(*(0.0025 + 0.005 * np.arange(n) for n in region.passes.shape), indexing="ij")
    truly = (x + region.low[0] - 0.5) ** 2 + (y + region.low[1] - 0.1) ** 2 < 0.15**2
    assert np.array_equal(region.passes, truly) and asked < truly.size / 10


def test_that_an_island_in_a_box_that_a_test_names_is_found_though_the_grid_is_coarser() -> None:
    tiny = bound(lambda b: np.hypot(b[BERRY].pose[0] - 0.5, b[BERRY].pose[1]) < 0.002, BERRY, REGION)
    assert find_region(PLACES, [tiny]).share and find_region(PLACES, [ON]).in_words().startswith("middle")


def test_that_a_thing_lies_on_or_in_what_its_step_names_and_on_the_face_that_passes() -> None:
    scene = Scene((*SCENE.things, CUP, BOWL), "")
    into = places_of(scene, [Step("place_inside", (BERRY, "bowl"))], BERRY)
    over, beside = (s[BERRY].pose[2] for s in into.states(np.array([(0.6, -0.2), (0.3, 0.2)])))
    assert over == pytest.approx(0.022) and beside == pytest.approx(0.018)
    cup = places_of(scene, [], "cup")
    lies = bound(lambda b: abs(b["cup"].pose[3]) > 1 and b["cup"].pose[5] > 0.5)
    region = find_region(cup, [lies])
    assert region.share == 1 and region.rest == 1 and region.yaw > 0.5
    rests, yaws = turns_at(cup, [lies], (0.5, 0.0), region.rest)
    assert not any(rests) and yaws[2:12] == (True,) * 10  # not as it is; turned by 30 to 165 degrees


def test_that_what_is_poured_is_tipped_over_its_target() -> None:
    places = places_of(Scene((*SCENE.things, CUP, BOWL), ""), [Step("pour", ("cup", "bowl"))], "cup")
    (tipped,) = places.states(np.array([(0.6, -0.2)]))
    assert abs(tipped["cup"].pose[3]) > 1.2 and tipped["cup"].lower[2] > BOWL.pose[2]


def test_that_the_smallest_set_of_rows_without_a_place_is_told() -> None:
    loose = [(bound(lambda b, k=k: b[BERRY].pose[0] > 0.1 * k),) for k in range(4)]  # type: ignore[misc]
    diagonal = bound(lambda b: sum(b[BERRY].pose[:2]) < 0.55)
    assert conflict(PLACES, [*loose, (LEFT,), (FAR,), (diagonal,)]) == (4, 5, 6)
    assert conflict(PLACES, [*loose, (LEFT,), (RIGHT,)]) == (4, 5)
    assert conflict(PLACES, [*loose, (LEFT,), (FAR,)]) == ()
    assert conflict(PLACES, [(bound(lambda b: False),), (LEFT,)]) == (0,)
    above, below = bound(lambda b: b[BERRY].pose[0] > 0.483), bound(lambda b: b[BERRY].pose[0] < 0.493)
    assert conflict(PLACES, [(above,), (below,)]) == (), "a sliver is left"


def test_that_a_written_test_is_asked_in_the_sandbox_and_may_break_there() -> None:
    pytest.importorskip("pydantic_monty")
    code = f"def goal_check0() -> bool:\n    return {BERRY}.pose.y > 0.01"
    assert find_region(PLACES, [read_test(code, [BERRY])]).in_words() == "left half of the table, 49 %"
    with pytest.raises(BadValue, match="broke"):
        find_region(PLACES, [read_test(code.replace("> 0.01", "/ 0 > 1"), [BERRY])])
