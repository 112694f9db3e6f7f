"""What a scene's picture shows is the map again, and what it does not show is said."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import BadValue
from robots.grids.games import SCENES, games, picture


@pytest.mark.parametrize("name", SCENES)
def test_that_a_scene_is_read_from_its_picture_and_never_from_another(name: str) -> None:
    game = games()[name]
    world = game.make(game.sizes[0], 1)
    shown = picture(game, world, world.first, "ice")
    assert game.read is not None and game.read(world.name, shown) == world
    with pytest.raises(BadValue, match="marks"):
        game.read(world.name, np.zeros_like(shown))
