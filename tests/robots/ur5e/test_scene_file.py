"""A table's scene is a file: ours, or a person's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import BadFile, UnknownName
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
    assert SCENES.names == ("empty", "tabletop")
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
        (THING.format("nut").replace('"box"', '"ball"'), "shape"),
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


def test_that_an_unknown_scene_is_told() -> None:
    with pytest.raises(UnknownName, match="There is no scene named 'tabletpo': did you mean tabletop"):
        read_scene("tabletpo")
