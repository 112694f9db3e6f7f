"""What stands on a table is measured in one picture, and named in a scene file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.errors import BadFile, BadValue
from core.planning import domain_library
from robots.ur5e.arm_setup import EMULATED_SETUP
from robots.ur5e.scene_file import read_scene, scene_of
from robots.ur5e.tabletop.rgbd_image import RgbdImage
from robots.ur5e.tabletop.table_look import TableLook
from robots.ur5e.tabletop.task_support import unsupported_reasons

RED, TOO_RED, GREY, BLUE = (200, 40, 30), (210, 50, 40), (150, 150, 150), (30, 80, 210)


def table(*things: tuple[tuple[int, int, int], int, int, int]) -> TableLook:
    """A picture from 1 m above: things of a colour, from a column on, so many pixels wide, 30 mm high."""
    pose = np.array([[0, -1, 0, 0.5], [-1, 0, 0, 0], [0, 0, -1, 1.0], [0, 0, 0, 1]], float)
    rgb, depth = np.full((480, 640, 3), 190, np.uint8), np.full((480, 640), 1.0, np.float32)
    for colour, column, wide, hole in things:
        rgb[200:230, column : column + wide] = colour
        depth[200:230, column : column + wide] = 0.97
        depth[208:222, column + wide // 2 - hole : column + wide // 2 + hole] = 0.999
    return TableLook(RgbdImage("overhead", 0, rgb, depth, 500, pose))


def test_that_a_thing_is_measured_and_named_so_that_a_task_can_use_it(tmp_path: Path) -> None:
    scene = tmp_path / "scene.toml"
    look = table((RED, 200, 20, 0), (BLUE, 400, 40, 14))
    look.write_picture(tmp_path / "table.png")
    assert "screw" in look.add(1, "screw", scene, "capsule") and "tray" in look.add(2, "tray", scene)
    things = read_scene(str(scene)).things
    assert [things["screw"].shape, things["tray"].shape] == ["capsule", "bin"]
    assert np.allclose(2 * np.array(things["screw"].half), (0.058, 0.039, 0.03), atol=0.006)
    assert things["screw"].hue is not None and 2 in things["screw"].hue

    spec, task = domain_library.load_task("collect_eggplant")
    own = replace(spec, path=tmp_path)
    assert scene_of(own) == str(scene) and scene_of(own, "mug_1") == "mug_1"
    (reason,) = unsupported_reasons(own, task, replace(EMULATED_SETUP, scene=scene_of(own)))
    assert "toy_eggplant" in reason, "the table has a screw and a tray"


def test_that_what_cannot_be_told_apart_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    scene = tmp_path / "scene.toml"
    look = table((RED, 150, 20, 0), (TOO_RED, 300, 20, 0), (GREY, 450, 20, 0))
    look.add(1, "screw", scene)
    before = scene.read_text()
    with pytest.raises(BadFile, match="screw and nut have a hue in common"):
        look.add(2, "nut", scene)
    for number, name, why in (
        (3, "bolt", "is grey"),
        (4, "bolt", "1 to 3"),
        (2, "a b", "is no name"),
        (1, "screw", "already has screw"),
    ):
        with pytest.raises(BadValue, match=why):
            look.add(number, name, scene)
    assert scene.read_text() == before
