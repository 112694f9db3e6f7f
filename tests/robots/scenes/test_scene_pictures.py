"""What a scene's picture shows is the map again, and what it does not show is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.config import Settings
from core.drafting.desk import Desk
from core.drafting.folder import write_folder
from core.drafting.rounds import Version
from core.drafting.source import DraftSource
from core.errors import BadValue
from core.pictures import decode_picture
from core.planning.domain_library import load_domain_spec
from core.stop_token import StopToken
from robots.grids.games import SCENES, games, picture
from robots.grids.options import GridOptions
from robots.grids.robot import GridRobot
from tests.core.drafting.known import TOOLS
from tests.episodes import episode
from tests.sampling import some

pytestmark = [pytest.mark.gl, pytest.mark.usefixtures("needs_gl")]


@pytest.mark.parametrize("name", some(sorted(SCENES, reverse=True), 2))
def test_that_a_scene_is_read_from_its_picture_and_never_from_another(name: str) -> None:
    game = games()[name]
    world = game.make(game.sizes[0], 1)
    shown = picture(game, world, world.first, "ice")
    assert game.read is not None and game.read(world.name, shown) == world
    with pytest.raises(BadValue, match="marks"):
        game.read(world.name, np.zeros_like(shown))


def test_that_a_domain_is_run_in_its_scene_and_what_is_held_is_shown(tmp_path: Path) -> None:
    game = games()["multirob"]
    world = game.make(3, 1)
    problem = world.problem(game.reference)
    write_folder(tmp_path, game, Version(1, "", "", (), problem), "The reference.")
    assert episode(Settings(task="", domain=str(tmp_path), pictures=False)).true
    spec = load_domain_spec(tmp_path)
    (task,) = spec.tasks.values()
    robot = GridRobot(GridOptions(look="fog"), domain_spec=spec, task=task, pictures=True, pace=0)
    frame = robot.look(StopToken())
    assert frame.rgb is not None and frame.rgb.shape == (600, 800, 3)
    held = next(after for w in world.words if not isinstance(after := world.do(world.first, w), str))
    assert (picture(game, world, held, "fog") != frame.rgb).any()
    robot.close()


def test_that_the_drafting_room_s_desk_shows_a_scene(tmp_path: Path) -> None:
    desk = Desk(TOOLS, DraftSource("multirob-3-1"), tmp_path / "log.db")
    assert decode_picture(desk.frame.png).shape == (600, 800, 3)
    desk.close()
