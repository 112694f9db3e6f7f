"""The scene is data: what it may say, and that adding to it takes no code."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from core.belief import Atom
from core.errors import BadFile, BadValue, UnknownName
from core.planning import domain_library
from core.planning_model import Problem, Typed
from robots.kitchen.household.household import Household
from robots.kitchen.motion.animator import Animator
from robots.kitchen.scene.assignment import assign_bodies
from robots.kitchen.scene.builder import build_scene
from robots.kitchen.scene.loader import SCENES, load_scene
from robots.stop_latch import Latch

VASE = """
mass = 0.4
rest = 0
solids = [{ cylinder = [0.05, 0.2], at = [0, 0, 0.1] }]
parts = [{ turned = [[0, 0], [0.03, 0], [0.05, 0.1], [0.02, 0.2], [0, 0.2]], material = "terracotta" }]
"""
BENCH = """
room = "hall"
at = [7.5, 1.0, 0]
tops = [[[-0.5, -0.2, 0.4], [0.5, 0.2, 0.7]]]
spots = [{ at = [0, 0, 0.45] }]
parts = [{ box = [1.0, 0.4, 0.45], at = [0, 0, 0.225], material = "oak", solid = true }]
[view]
aim = [0, 0, 0.45]
near = 0.8
far = 1.1
"""
HALL = """
[rooms.hall]
area = [[6, -1.6], [9, 2.2]]
ground = "oak"
free = [[6.2, -1.4], [8.8, 2.0]]
spots = [[6.6, -0.5], [8.2, -0.8]]
"""


@pytest.fixture
def scenes(tmp_path: Path) -> Path:
    shutil.copytree(SCENES / "household", tmp_path / "mine")
    return tmp_path


def with_hall_and_vase() -> Problem:
    """The firewood task with a vase on a bench in a hall: types and objects that the scene never had."""
    problem = domain_library.load_task("store_firewood")[1].problem
    types = (
        *problem.domain.types,
        Typed("vase", "movable"), Typed("bench", "surface"), Typed("hall", "room"),
    )  # fmt: skip
    domain = replace(problem.domain, types=tuple(sorted(types)))
    objects = (*problem.objects, Typed("vase_1", "vase"), Typed("bench_1", "bench"), Typed("hall_1", "hall"))
    floor = Typed("floor_2", "floor-n-01")
    facts = {
        Atom("inroom", ("bench_1", "hall_1")), Atom("inroom", ("floor_2", "hall_1")),
        Atom("inroom", ("vase_1", "hall_1")), Atom("ontop", ("vase_1", "bench_1")),
    }  # fmt: skip
    return replace(problem, domain=domain, objects=(*objects, floor), state=problem.state | facts)


def test_that_a_room_a_piece_of_furniture_and_a_thing_are_added_without_code(scenes: Path) -> None:
    (scenes / "mine" / "things" / "vase.toml").write_text(VASE)
    (scenes / "mine" / "furniture" / "bench.toml").write_text(BENCH)
    house = scenes / "mine" / "house.toml"
    house.write_text(house.read_text() + HALL)
    scene, problem = load_scene("mine", scenes), with_hall_and_vase()
    cast = assign_bodies(scene, problem, 0)
    assert cast.things["vase_1"].kind == "vase" and cast.furniture["bench_1"] == "bench"
    assert cast.floors["floor_2"] == "hall"
    folder, task = domain_library.load_task("store_firewood")
    world = Household(folder, task, openness=0.0)
    body = Animator(build_scene(scene, cast, 0), world.things, Latch())
    body.reset(world.state)
    body.placements.place_free("vase_1", "bench_1", 0)
    assert body.geometry.location_of("vase_1") == "bench_1"


def test_that_an_object_that_nobody_can_play_is_named_with_the_way_out() -> None:
    with pytest.raises(BadValue, match=r"bench_1.*docs/kitchen\.md.*--robot symbolic"):
        assign_bodies(load_scene(), with_hall_and_vase(), 0)


def test_that_an_unknown_field_is_named_with_its_file(scenes: Path) -> None:
    thing = scenes / "mine" / "things" / "mug.toml"
    thing.write_text("colour = 3\n" + thing.read_text())
    with pytest.raises(BadFile, match=r"mug\.toml: colour.*docs/kitchen\.md"):
        load_scene("mine", scenes)


def test_that_a_material_that_is_not_there_is_named_with_its_file(scenes: Path) -> None:
    thing = scenes / "mine" / "things" / "mug.toml"
    thing.write_text(thing.read_text().replace('material = "mug_in"', 'material = "gold"'))
    with pytest.raises(BadFile, match=r"mug\.toml.*gold"):
        load_scene("mine", scenes)


def test_that_broken_toml_and_a_missing_scene_are_said(scenes: Path) -> None:
    (scenes / "mine" / "house.toml").write_text("[rooms")
    with pytest.raises(BadFile, match=r"house\.toml.*not TOML"):
        load_scene("mine", scenes)
    with pytest.raises(UnknownName, match="household"):
        load_scene("houshold")


def test_that_no_distractor_is_of_a_kind_that_the_task_is_about() -> None:
    scene = load_scene()
    for seed in range(20):
        cast = assign_bodies(scene, domain_library.load_task("halve_egg")[1].problem, seed)
        kinds = {role.kind for role in cast.things.values()}
        assert kinds.isdisjoint(extra.kind for extra in cast.distractors)
