"""Where things are, by a camera over the table."""

from __future__ import annotations

from contextlib import closing

import numpy as np
import pytest

import main
from core import events as ev
from core.config import Settings
from core.episode import run_components
from core.errors import RobotError
from core.loop.gate import AutoOperator
from core.motion.frames import RESTS, frame
from core.planning.domain_library import load_domain_spec
from core.planning_model import Step
from core.ports import Embodiment
from core.stop_token import StopToken
from robots.options import TableFaults
from robots.table.robot import TableRobot
from robots.table.seen_things import SeenThings, reversed_moves
from robots.ur5e.kinematics import PARKED, forward_kinematics
from robots.ur5e.tabletop.rgbd_image import RgbdImage

pytestmark = pytest.mark.gl
SPEC = load_domain_spec("tabletop-wishes")


@pytest.fixture(scope="module")
def robot() -> TableRobot:
    """A mug with an orange on its mouth, fork and knife of one colour, two yellow boxes."""
    return TableRobot(SPEC, SPEC.tasks["mug_2"], pictures=False, faults=TableFaults(poses="camera"))


def picture_of(robot: TableRobot) -> RgbdImage:
    return robot._camera.take(robot._physics.plant.data.qpos, StopToken(), deep=True)


def test_that_the_camera_tells_where_each_thing_is_and_how_sure_that_is(robot: TableRobot) -> None:
    scene, true = robot.scene(), robot._physics.poses()
    for thing in scene.things:
        if thing.source == "camera":
            assert np.linalg.norm(np.array(thing.pose[:3]) - true[thing.name][:3, 3]) < 0.005, thing
            assert 0.002 <= thing.spread <= 0.01
    assert {t.name for t in scene.things if t.source == "camera"} == true.keys()
    assert dict(scene.setting)["parks"] == "yes"  # so that the arm is not in the way of the next look


def test_that_what_is_not_in_view_is_said_or_stays_where_it_was(robot: TableRobot) -> None:
    picture, bare = picture_of(robot), robot._camera.take(robot._physics.plant.data.qpos, StopToken())
    assert robot._camera._child, "drawn in this process it would hold up the window"
    seen = SeenThings(robot._table, robot._tcp)
    with pytest.raises(RobotError, match=r"the fork and the knife.* mustard bottle .*: put them"):
        seen.look(bare, PARKED)
    seen.look(picture, PARKED)
    before = dict(seen.poses)
    seen.look(bare, PARKED)
    told = seen.scene((robot._table, "mug_2", 0, "hand-e"), PARKED, "").things
    assert {thing.name for thing in told if thing.source == "hidden"} == before.keys()
    assert all(np.array_equal(pose, seen.poses[name]) for name, pose in before.items())


def test_that_a_thing_is_where_the_hand_has_let_it_go(robot: TableRobot) -> None:
    seen = SeenThings(robot._table, robot._tcp)
    seen.look(picture_of(robot), PARKED)
    there = (*PARKED[:5], PARKED[5] + 0.5)
    before = forward_kinematics(PARKED, robot._tcp)
    seen.poses["sponge"] = before
    seen.follow(
        Step("pick", ("sponge",)), (("free", PARKED), ("line", PARKED), ("grip", 0.0), ("line", there))
    )
    moves = (("free", PARKED, there), ("grip", 0.05), ("line", there, PARKED))
    seen.follow(Step("place_ontop", ("sponge", "table_surface")), moves)
    assert np.allclose(seen.poses["sponge"], forward_kinematics(there, robot._tcp))
    assert reversed_moves(moves) == (("line", PARKED, there), ("free", there, PARKED))


def test_that_what_the_scene_does_not_name_is_refused_as_no_way_avoids_it(robot: TableRobot) -> None:
    seen = SeenThings(robot._table, robot._tcp)
    bottle = seen.poses.pop("mustard_bottle"), seen._kinds.pop("mustard_bottle")
    assert bottle
    with pytest.raises(RobotError, match=r"does not name stands at x 0.[0-9]+, y -?0.[0-9]+ m"):
        seen.look(picture_of(robot), PARKED)


@pytest.mark.long
def test_that_an_episode_ends_with_what_is_strange_where_nobody_takes_it_away() -> None:
    settings = Settings("mug_2", domain=SPEC.name, method="owl-tamp", answerer="perfect", pictures=False)
    with closing(main.make_components(settings)) as parts:
        robot = parts.robot
        assert isinstance(robot, TableRobot)
        robot._seen = SeenThings(robot._table, robot._tcp)
        del robot._seen._kinds["mustard_bottle"], robot._seen.poses["mustard_bottle"]
        last = list(run_components(parts, AutoOperator(Embodiment.SIM), StopToken()))[-1]
    assert isinstance(last, ev.EpisodeEnded) and "does not name stands at" in last.reason


def test_that_what_leans_over_the_rim_of_what_it_is_in_is_inside(robot: TableRobot) -> None:
    seen, upright = SeenThings(robot._table, robot._tcp), RESTS[4]
    seen.poses["mug"] = frame(np.eye(3), (0.5, 0.0, 0.04))
    for aside, inside in ((0.0214, True), (0.035, False)):
        for z, in_it in ((0.06, inside), (0.14, False)):  # its lower end: on the mug's bottom, over its rim
            seen.poses["fork"] = frame(upright, (0.487, -aside, z))
            at = seen._through_a_mouth("fork")
            assert (abs(at[1, 3]) < 0.02) == in_it and at[0, 3] == pytest.approx(0.487)
