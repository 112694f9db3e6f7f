"""A table's scene is a file: ours, or a person's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import BadFile, BadValue, UnknownName
from robots.ur5e.emulator.plant import Plant
from robots.ur5e.emulator.scene import make_scene
from robots.ur5e.scene_file import SCENES, read_scene

THING = """[things.{}]
shape = "box"
at = [0.4, 0.1]
half = [0.03, 0.015, 0.015]
mass = 0.05
paint = [0.1, 0.6, 0.2]
hue = {{ low = 172, high = 6 }}
"""


def written(folder: Path, text: str) -> str:
    (folder / "bench.toml").write_text(text)
    return str(folder / "bench.toml")


def test_that_the_shipped_scenes_have_names() -> None:
    assert {"empty", "tabletop"} < set(SCENES.names)
    assert (
        read_scene("tabletop").name == "tabletop"
        and read_scene(str(SCENES.folder / "empty.toml")).things == {}
    )


def test_that_a_persons_own_thing_stands_on_the_table(tmp_path: Path) -> None:
    import mujoco

    scene = make_scene(written(tmp_path, THING.format("nut_1")), 3)
    (thing,) = scene.things
    assert (thing.name, thing.kind.mass) == ("nut_1", 0.05)
    model = mujoco.MjModel.from_xml_string(scene.xml)
    assert model.body("nut_1").mass[0] == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (THING.format("hand"), "'hand' is a part of the arm"),
        (THING.format("link3"), "'link3' is a part of the arm"),
        (THING.format('"nut\\"/><x"'), "things"),
        (THING.format("nut").replace("0.05", "-0.05"), "mass must be above 0"),
        (THING.format("nut").replace("0.015]", "0]"), "half number 3 must be above 0"),
        (THING.format("nut").replace('"box"', '"cone"'), "shape"),
        (THING.format("nut").replace('"box"', '"ball"'), "nut is a ball, which has one radius"),
        (THING.format("nut") + 'on = "cup"', "nut is on 'cup', which is no thing that stands on the table"),
        (
            THING.format("nut") + THING.format("nail").replace("172, high = 6", "20, high = 30"),
            "nut and nail overlap",
        ),
        (THING.format("nut") + "weight = 3", "weight"),
        (THING.format("nut") + THING.format("screw"), "nut and screw have a hue in common"),
        (THING.format("nut").replace("= 172", "= 1") + THING.format("screw"), "have a hue in common"),
        (THING.format("nut").replace("172, high = 6", "70, high = 90"), "and the goal area have a hue"),
    ],
)
def test_that_a_wrong_scene_is_refused_in_one_sentence(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(BadFile, match="bench") as refused:
        read_scene(written(tmp_path, text))
    assert reason in str(refused.value) and "\n" not in str(refused.value)


WISHES = (
    "berry_1",
    "berry_2",
    "citrus",
    "berry_cook",
    "fruit_sort",
    "coffee",
    "mug_1",
    "mug_2",
    "mug_3",
    "soup_pour",
)


@pytest.mark.parametrize("named", WISHES)
def test_that_the_things_of_a_shipped_scene_stay_where_they_are(named: str) -> None:
    scene = make_scene(named, 7)
    plant = Plant(scene)
    for _ in range(25):
        plant.step(plant.q, plant.qd * 0, plant.qd * 0)
    for thing in scene.things:
        assert plant.thing_pose(thing.name)[0] == pytest.approx(thing.at, abs=0.004), thing.name


def test_that_the_seed_draws_where_things_without_a_place_stand(tmp_path: Path) -> None:
    places = [make_scene("fruit_sort", seed).things[0].at for seed in (1, 2, 1)]
    assert places[0] == places[2] != places[1]
    crowded = THING.format("nut").replace("at = [0.4, 0.1]\n", "") + "\n[things.nail]\nshape = 'ball'\n"
    crowded = "room = [[0.4, 0], [0.41, 0.01]]\n" + crowded + "half = [0.02, 0.02, 0.02]\npaint = [1, 1, 1]\n"
    with pytest.raises(BadValue, match="has no room for nail"):
        make_scene(written(tmp_path, crowded))


def test_that_an_unknown_scene_is_told() -> None:
    with pytest.raises(UnknownName, match="There is no scene named 'tabletpo': did you mean tabletop"):
        read_scene("tabletpo")
