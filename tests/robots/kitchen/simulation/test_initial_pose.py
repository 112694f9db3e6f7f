"""The first sight: a room that a newcomer knows again, and nothing in it that the facts call unseen."""

from __future__ import annotations

import numpy as np
import pytest

from tests.robots.kitchen.conftest import TASKS, KitchenHarness, Make
from tests.robots.kitchen.test_agreement import disagreements
from tests.sampling import some


def in_sight(home: KitchenHarness) -> set[str]:
    """Whatever of the task there is the least to see of."""
    cast, body = home.body.built.assignment, home.body
    return {
        name
        for name in (*cast.furniture, *cast.things)
        if not body.geometry.behind_closed_door(name) and body.visibility.visible_share(name) > 0
    }


def furniture_in_picture(home: KitchenHarness) -> set[str]:
    """Kinds of which what one looks at lies in the picture."""
    body, pieces = home.body, home.body.built.scene.furniture
    aims = np.array([body.geometry.to_world_frame(kind, piece.view.aim) for kind, piece in pieces.items()])
    pixels, ahead = body.visibility.project(aims, 256, 256)
    shown = ahead & (pixels > 0).all(1) & (pixels < 256).all(1)
    return {kind for kind, is_in in zip(pieces, shown, strict=True) if is_in}


@pytest.mark.parametrize("seed", [0, 5])
@pytest.mark.parametrize("task", some(TASKS, 5))
def test_that_an_episode_begins_with_a_look_into_the_house_and_at_nothing_of_the_task(
    household: Make, task: str, seed: int
) -> None:
    home = household(task, seed=seed)
    assert in_sight(home) == set()
    assert disagreements(home) == []
    named = set(home.body.built.assignment.furniture.values())
    assert furniture_in_picture(home) - named, "some of the house, at least"


def test_that_a_find_that_does_not_set_out_leaves_the_first_look(household: Make) -> None:
    home = household(only="no free space near the object")
    first = home.body.snapshot.qpos
    happening, _ = home.do(home.step("find", "cabinet"))
    assert happening.situation
    np.testing.assert_allclose(home.body.snapshot.qpos, first, atol=1e-9)
    assert in_sight(home) == set()
