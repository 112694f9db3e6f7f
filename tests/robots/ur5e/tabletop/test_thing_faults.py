"""What of one's own things the arm will not find or take is said before it is tried, with the way out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from robots.ur5e.arm_setup import EMULATED_SETUP
from robots.ur5e.scene_file import SCENES, ColourRange, GoalArea, SceneFile, TabletopThing, read_scene
from robots.ur5e.tabletop.thing_faults import thing_doubts, thing_faults

AREA = GoalArea()
GOOD = TabletopThing("box", (0.03, 0.012, 0.012), (0.9, 0.1, 0.1), at=(0.6, 0.2), hue=ColourRange(172, 6))


def said(
    setup: object = EMULATED_SETUP, drawn: bool = True, area: GoalArea = AREA, **things: TabletopThing
) -> list[str]:
    """What is said of these things, the faults before the doubts."""
    scene = SceneFile(things, area)
    faults = thing_faults(scene, (*things,), (*things,), setup.gripper)  # type: ignore[attr-defined]
    return [*faults, *thing_doubts(scene, (*things,), (*things,), setup, drawn)]  # type: ignore[arg-type]


def test_that_nothing_is_said_of_good_things_nor_of_ours() -> None:
    assert said(screw=GOOD) == []
    for named in ("tabletop", str(SCENES.folder.parents[2] / "docs/examples/parts/scene.toml")):
        things = dict(read_scene(named).things)
        assert said(**things) == [], named


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (
            {"hue": None},
            "screw has no `hue`, by which the arm finds it: write `hue = { low = 172, high = 8 }`",
        ),
        ({"hue": None, "paint": (0.5, 0.5, 0.5)}, "put a coloured sticker on what is grey"),
        ({"half": (0.03, 0.012, 0.003)}, "screw is 6 mm high, too flat for the fingers: make it 20 mm high"),
        ({"half": (0.03, 0.012, 0.008)}, "screw is 16 mm high, perhaps too flat"),
        ({"half": (0.03, 0.028, 0.012)}, "screw is 56 mm wide, and the fingers take 42 mm: lay it otherwise"),
        ({"half": (0.03, 0.0225, 0.012)}, "screw is 45 mm wide, and the fingers take 42 mm"),
        ({"paint": (0.1, 0.2, 0.9)}, "screw is painted in hue 116 and looked for in 172 to 6"),
        (
            {"at": (0.5, 0.1)},
            "screw stands on the green goal area, where the container comes: it must stand 150 mm",
        ),
        ({"at": (0.9, 0.3)}, "screw stands at (0.9, 0.3), out of the arm's reach: x from 0.3 to 0.68"),
    ],
)
def test_that_each_lack_is_one_sentence_with_the_way_out(other: dict[str, object], reason: str) -> None:
    (sentence,) = said(screw=replace(GOOD, **other))  # type: ignore[arg-type]
    assert sentence.startswith(reason) or reason in sentence
    assert ": " in sentence and sentence.endswith(".")


def test_that_hues_to_write_do_not_overlap() -> None:
    orange, yellow = replace(GOOD, hue=None, paint=(1, 0.43, 0)), replace(GOOD, hue=None, paint=(1, 0.87, 0))
    far = replace(yellow, at=(0.4, -0.2))
    assert [s.partition("{")[2].partition("}")[0] for s in said(tray=orange, gear=far)] == [
        " low = 7, high = 19 ",
        " low = 20, high = 32 ",
    ]
    assert "is painted like it" in said(tray=orange, gear=replace(far, paint=orange.paint))[0]


def test_that_a_rim_is_taken_however_wide_and_must_be_high() -> None:
    tray = TabletopThing(
        "bin", (0.06, 0.06, 0.03), (0.1, 0.2, 0.9), at=(0.42, -0.3), hue=ColourRange(106, 122)
    )
    assert said(tray=tray) == []
    (sentence,) = said(tray=replace(tray, half=(0.06, 0.06, 0.007)))
    assert "14 mm high, too flat" in sentence


def test_that_a_cup_takes_what_is_flat_and_not_what_is_small() -> None:
    vacuum = replace(EMULATED_SETUP, gripper="vacuum")
    assert said(vacuum, plate=replace(GOOD, half=(0.03, 0.03, 0.004))) == []
    (sentence,) = said(vacuum, screw=replace(GOOD, half=(0.03, 0.004, 0.012)))
    assert "8 mm wide, and the cup" in sentence


def test_that_a_real_arm_finds_things_wherever_they_stand_and_without_a_goal_area_all_is_free() -> None:
    inside = replace(GOOD, at=(0.5, 0.1))
    assert said(drawn=False, screw=inside) == [] == said(area=GoalArea(drawn=False), screw=inside)


def test_that_two_things_leave_room_for_a_finger() -> None:
    near = replace(GOOD, at=(0.6, 0.24), hue=ColourRange(20, 30), paint=(0.9, 0.8, 0.1))
    (sentence,) = said(screw=GOOD, nut=near)
    assert sentence == "screw and nut stand 40 mm apart, too close for a finger: 73 mm are enough."
