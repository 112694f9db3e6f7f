"""Say of a scene's things why the arm will not find or take them, each with the way out. Needs no picture."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from colorsys import rgb_to_hsv
from itertools import combinations

from robots.ur5e.arm_setup import EMULATED_SETUP, ArmSetup
from robots.ur5e.gripper.model import SURE_HEIGHT_M, GripperModel, read_gripper
from robots.ur5e.kinematics import pose_to_matrix
from robots.ur5e.scene_file import GREEN, ROOM, ColourRange, GoalArea, SceneFile, TabletopThing
from robots.ur5e.tabletop.reach import approach, tool_height

_GREY = 0.28  # saturation of a paint below which a hue means nothing
_AROUND = 8  # of OpenCV's hues, to either side of a paint's
_TURNS = 6  # of the hand that are tried


def thing_faults(scene: SceneFile, names: Sequence[str], picked: Collection[str], hand: str) -> Iterator[str]:
    """Yield why these things of the scene cannot be found, and those of `picked` not be taken, wherever they
    stand; one sentence for each.
    """
    for name, thing in _of(scene, names).items():
        if thing.hue is None:
            yield f"{name} has no `hue`, by which the arm finds it: {_hue_to_write(name, scene)}."
        if name in picked and (reason := _size(thing, read_gripper(hand))[0]):
            yield f"{name} is {reason}."


def thing_doubts(
    scene: SceneFile, names: Sequence[str], picked: Collection[str], setup: ArmSetup, drawn: bool
) -> Iterator[str]:
    """Yield what will probably go wrong with these things. `drawn`: the emulator draws them where the scene
    says; a real arm finds them wherever they stand.
    """
    things, hand = _of(scene, names), read_gripper(setup.gripper)
    for name, thing in things.items():
        if name in picked and (reason := _size(thing, hand)[1]):
            yield f"{name} is {reason}."
        if drawn and (reason := _paint(thing)):
            yield f"{name} is {reason}."
    placed = {name: (thing, thing.at) for name, thing in things.items() if thing.at and not thing.on}
    for name, (thing, at) in placed.items() if drawn else ():
        if reason := _place(thing, at, scene.goal_area, setup):
            yield f"{name} {reason}."
    for (one, (a, at)), (other, (b, to)) in combinations(placed.items() if drawn else (), 2):
        room = math.hypot(*a.half[:2]) + math.hypot(*b.half[:2]) + hand.finger[0]
        if math.dist(at, to) < room:
            apart = f"stand {1000 * math.dist(at, to):.0f} mm apart"
            yield f"{one} and {other} {apart}, too close for a finger: {1000 * room:.0f} mm are enough."


def _of(scene: SceneFile, names: Sequence[str]) -> dict[str, TabletopThing]:
    return {name: scene.things[name] for name in names if name in scene.things}


def _hue_to_write(name: str, scene: SceneFile) -> str:
    """Return the widest range about its paint's hue that no other thing, as it is or may be written, has."""
    others = [thing for other, thing in scene.things.items() if other != name]
    for off in range(_AROUND, 0, -1):
        if (mine := _range(scene.things[name], off)) is None:
            return "put a coloured sticker on what is grey, black or white, and let `things add` measure it"
        if not any(map(mine.overlaps, (GREEN, *filter(None, (_range(other, off) for other in others))))):
            written = f"`hue = {{ low = {mine.low}, high = {mine.high} }}`"
            return f"write {written}, as it is painted, or let `things add` measure it"
    return "another thing, or the goal area, is painted like it: paint one otherwise, or put a sticker on it"


def _range(thing: TabletopThing, off: int) -> ColourRange | None:
    """Return the hues of a thing, else those so far around its paint's; None for a grey one."""
    if thing.hue is not None or (hue := _paint_hue(thing)) is None:
        return thing.hue
    return ColourRange((hue - off) % 180, (hue + off) % 180)


def _paint_hue(thing: TabletopThing) -> int | None:
    """Return OpenCV's hue of a thing as it is drawn, None for a grey one."""
    hue, saturation, _ = rgb_to_hsv(*thing.paint)
    return None if saturation < _GREY else round(180 * hue) % 180


def _paint(thing: TabletopThing) -> str:
    """Return that the emulator paints it otherwise than the camera looks for it, or ""."""
    hue, found = _paint_hue(thing), thing.hue
    if found is None or (hue is not None and any((hue + off) % 180 in found for off in (-2, 0, 2))):
        return ""
    painted = "grey" if hue is None else f"in hue {hue}"
    return f"painted {painted} and looked for in {found.low} to {found.high}: make `hue` fit its `paint`"


def _size(thing: TabletopThing, hand: GripperModel) -> tuple[str, str]:
    """Return why the hand never takes such a thing, and why perhaps not; "" for neither."""
    length, width, height = (2000 * half for half in thing.half)
    narrow = min(length, width)
    if hand.is_cup:
        cup = 1000 * hand.finger[0]
        small = f"{narrow:.0f} mm wide, and the cup {cup:.0f} mm: take a smaller cup"
        return (small, "") if narrow < cup else ("", "")
    if thing.is_open:
        narrow = 0.0  # it is taken by its rim
    free = height - (2000 * thing.wall if thing.is_open else 0)
    flat, wide = f"{height:.0f} mm high, {hand.too_flat}", f"{narrow:.0f} mm wide, {hand.too_wide}"
    if free < 1000 * hand.lowest:
        return flat, ""
    if narrow > 1000 * hand.stroke:
        return wide, ""
    if height < 1000 * SURE_HEIGHT_M:
        return "", flat.replace("too flat", "perhaps too flat")
    return "", wide if narrow > 1000 * hand.widest else ""


def _place(thing: TabletopThing, at: tuple[float, float], area: GoalArea, setup: ArmSetup) -> str:
    """Return why the arm will fail with a thing that stands there, or ""."""
    (x, y), side = at, max(thing.half[:2])
    if area.drawn and max(abs(x - area.at[0]), abs(y - area.at[1])) < area.half + side:
        away = 1000 * (area.half + side)
        return (
            f"stands on the green goal area, where the container comes: it must stand {away:.0f} mm from its "
            f"middle, ({area.at[0]:g}, {area.at[1]:g}), in x or in y"
        )
    tcp = pose_to_matrix(setup.tcp or EMULATED_SETUP.tcp or (0.0,) * 6)
    z = tool_height(2 * thing.half[2])
    turns = (math.pi * k / _TURNS for k in range(_TURNS))
    if any(approach(x, y, z, turn, tcp, setup.limits) is not None for turn in turns):
        return ""
    (left, near), (right, far) = ROOM
    return (
        f"stands at ({x:g}, {y:g}), out of the arm's reach: x from {left:g} to {right:g} and y from {near:g} "
        f"to {far:g} are well in it"
    )
