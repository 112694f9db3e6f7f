"""The arm, its gripper, the table and the things on it, as MJCF written from published numbers.

The world frame is the arm's base frame; metres. Inertias are those of boxes with the published masses.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

import numpy as np
from numpy.typing import NDArray

from core.errors import BadValue
from robots.ur5e.gripper.model import DEFAULT_GRIPPER, GripperModel, read_gripper
from robots.ur5e.kinematics import ALPHA, HOME, PARKED, A, D, Joints, rotation_matrix
from robots.ur5e.links import CAPSULES, Capsule
from robots.ur5e.scene_file import (
    DEFAULT_SCENE,
    Paint,
    SceneFile,
    Size,
    TabletopThing,
    ThingTip,
    read_scene,
)

MASSES = (3.761, 8.058, 2.846, 1.37, 1.3, 0.365)  # kg
CENTRES_OF_MASS = (  # in frame i + 1
    (0, -0.02561, 0.00193),
    (0.2125, 0, 0.11336),
    (0.15, 0, 0.0265),
    (0, -0.0018, 0.01634),
    (0, 0.0018, 0.01634),
    (0, 0, -0.001159),
)
MAX_TORQUES = (150.0, 150.0, 150.0, 28.0, 28.0, 28.0)  # N m
FINGER_KP_N_PER_M = 4000.0
FLOOR_HEIGHT = -0.72
CAMERAS = ("overhead", "wrist")
VIEW = "3-D view"  # of the whole arm, for people: no camera of the cell

_ORANGE, _GREY, _DARK = ".93 .55 .16 1", ".78 .80 .83 1", ".20 .22 .25 1"
_COLOURS = {3: _ORANGE, 7: _DARK}  # of the elbow and of the last wrist, grey the others


@dataclass(frozen=True)
class PlacedThing:
    """A thing of the scene and where its centre is at first: metres, and its turn about the vertical."""

    name: str
    kind: TabletopThing
    at: tuple[float, float, float]
    turn: float = 0.0  # radians

    @property
    def rotation(self) -> NDArray[np.float64]:
        """Return its rotation, 3 x 3."""
        lies = ROTATION_ON_ITS_SIDE if self.kind.lies else np.eye(3)
        return np.asarray(rotation_matrix((0, 0, self.turn)) @ lies)

    @property
    def extent(self) -> NDArray[np.float64]:
        """Return half the size of the upright box around it, in metres."""
        if self.kind.shape == "ball":
            return np.array(self.kind.half)
        return np.asarray(np.abs(self.rotation) @ self.kind.half)


@dataclass(frozen=True)
class TabletopScene:
    name: str
    things: tuple[PlacedThing, ...]
    gripper: GripperModel
    xml: str
    start: Joints
    marks: Mapping[str, TabletopThing] = field(default_factory=dict)  # what is only painted on the table


ROTATION_ON_ITS_SIDE = rotation_matrix((0, math.pi / 2, 0))
GRAIN = TabletopThing("ball", (0.006,) * 3, (0.9, 0.35, 0.1), 0.002, friction=(0.35, 0.005, 0.0001))
_GRAIN_LOSS = 1e-7  # N m s, of what rolls: grains come to rest, and sleep, which halves the time of a plan
_DRAWS = 2000  # of a place for a thing, before there is held to be no room for it
_GAP_M = 0.01  # at least, between things whose places are drawn
_STAND_M = 0.001  # that things begin over what they stand on


def make_scene(named: str = DEFAULT_SCENE, seed: int = 0, gripper: str = DEFAULT_GRIPPER) -> TabletopScene:
    """Return a scene, by its name or its file's path, with each thing shifted a little by the seed.

    `gripper` is named in the same way.

    Things at rest sleep until something touches or puts them: they would take most of a tick. Raises
    UnknownName, BadFile, BadValue.
    """
    scene, hand = read_scene(named), read_gripper(gripper)
    rng = Random(f"{scene.name} {seed}")
    placed: dict[str, PlacedThing] = {}
    for name, kind in sorted(scene.things.items(), key=lambda item: (item[1].on != "", item[1].at is None)):
        if kind.on:
            placed[name] = PlacedThing(name, kind, _on_top(kind, placed[kind.on]))
        else:
            placed[name] = (
                _stood(name, kind, rng, scene) if kind.at else _drawn(name, kind, rng, scene, placed)
            )
    things = tuple(placed[name] for name, kind in scene.things.items() if kind.shape != "mark")
    things += tuple(grain for thing in things for grain in _grains(thing))
    area = scene.goal_area
    kinds = {name: kind for name, kind in scene.things.items() if kind.shape == "mark"}
    marks = [_mark("goal", area.at, (area.half, area.half, 0.0008), (0.25, 0.65, 0.35))] if area.drawn else []
    marks += [_mark(n, placed[n].at, k.half, k.paint) for n, k in kinds.items()]
    xml = _xml(things, "".join(marks), hand)
    return TabletopScene(scene.name, things, hand, xml, PARKED if things else HOME, kinds)


def _stood(name: str, kind: TabletopThing, rng: Random, scene: SceneFile) -> PlacedThing:
    """Return a thing near its place, shifted and turned a little by the seed."""
    assert kind.at is not None
    x, y = (v + rng.uniform(-scene.jitter, scene.jitter) for v in kind.at)
    most = (0.3 if kind.shape == "bin" else math.pi / 2) if scene.jitter else 0.0
    return _rested(PlacedThing(name, kind, (x, y, 0), rng.uniform(-most, most)))


def _drawn(
    name: str, kind: TabletopThing, rng: Random, scene: SceneFile, others: Mapping[str, PlacedThing]
) -> PlacedThing:
    """Return a thing where the seed draws it, apart from the others."""
    (left, near), (right, far) = scene.room
    for _ in range(_DRAWS):
        at = (rng.uniform(left, right), rng.uniform(near, far), 0.0)
        thing = PlacedThing(name, kind, at, rng.uniform(-math.pi, math.pi))
        if all(_apart(thing, other) for other in others.values() if other.kind.shape != "mark"):
            return _rested(thing)
    raise BadValue(f"The scene {scene.name!r} has no room for {name}: name fewer things, or a larger `room`.")


def _apart(one: PlacedThing, other: PlacedThing) -> bool:
    sizes = sum(math.hypot(*thing.extent[:2]) for thing in (one, other))
    return math.dist(one.at[:2], other.at[:2]) > max(0.07, sizes + _GAP_M)


def _rested(thing: PlacedThing) -> PlacedThing:
    x, y, _ = thing.at
    return replace(thing, at=(x, y, float(thing.extent[2]) + _STAND_M))


def _on_top(kind: TabletopThing, under: PlacedThing) -> tuple[float, float, float]:
    """Return where something is in an open thing, on its mouth if it is too wide, or on top of it."""
    x, y, z = under.at
    top, radius = under.kind.half[2], kind.half[2]
    inner = under.kind.half[0] - 2 * under.kind.wall
    if under.kind.is_open and kind.half[0] < inner:
        return x, y, z - top + 2 * under.kind.wall + radius + _STAND_M
    if under.kind.is_open and kind.shape == "ball":
        return x, y, z + top + math.sqrt(radius**2 - inner**2)
    return x, y, z + top + radius + _STAND_M


def _grains(thing: PlacedThing) -> Iterator[PlacedThing]:
    """Yield what a thing is filled with, in layers of four."""
    x, y, z = thing.at
    (radius, *_), bottom = GRAIN.half, z - thing.kind.half[2] + 2 * thing.kind.wall
    for number in range(thing.kind.grains):
        layer, spot = divmod(number, 4)
        side, front = (-1) ** (spot & 1) * 1.25 * radius, (-1) ** (spot >> 1) * 1.25 * radius
        at = x + side, y + front, bottom + (1.1 + 2.1 * layer) * radius
        yield PlacedThing(f"{thing.name}_grain_{number}", GRAIN, at)


def _xml(things: Sequence[PlacedThing], marks: str, hand: GripperModel) -> str:
    return f"""<mujoco model="ur5e">
<compiler angle="radian" autolimits="true"/>
<option timestep="0.002" integrator="implicitfast" cone="elliptic" impratio="10" noslip_iterations="2"
 iterations="30" ls_iterations="15"><flag sleep="enable"/></option>
<visual><global offwidth="640" offheight="480"/><quality shadowsize="2048"/>
<headlight ambient=".32 .32 .32" diffuse=".25 .25 .25" specular="0 0 0"/>
<map znear=".01" shadowclip="1.6"/></visual>
<statistic extent="1.2" center=".4 0 .1"/>
<asset>
<texture name="sky" type="skybox" builtin="flat" rgb1=".82 .85 .88" rgb2=".82 .85 .88" width="9" height="54"/>
<texture name="wood" type="2d" builtin="flat" rgb1=".74 .65 .53" rgb2=".74 .65 .53" width="64" height="64"
 mark="random" markrgb=".70 .60 .47" random=".05"/>
<material name="wood" texture="wood" texrepeat="3 3" specular=".1"/>
</asset>
<default>
<geom solref=".006 1" condim="4" friction="1 .02 .001"/>
<default class="arm"><geom contype="1" conaffinity="3" group="1"/></default>
<default class="thing"><geom contype="2" conaffinity="3" friction="1.2 .02 .001"/></default>
<default class="toy"><geom contype="2" conaffinity="3" condim="6" friction="1.2 .02 .004"/></default>
<default class="pad"><geom contype="1" conaffinity="3" friction="1.6 .05 .002" rgba="{_DARK}"/></default>
</default>
<worldbody>
<light pos=".2 -.6 1.8" dir=".15 .3 -1" directional="true" castshadow="true" diffuse=".5 .5 .5"/>
<camera name="overhead" pos=".5 0 1.12" xyaxes="0 -1 0 1 0 0" fovy="50"/>
<camera name="{VIEW}" pos="1.45 -1.2 .95" xyaxes=".76 .65 0 -.3 .35 .89" fovy="42"/>
<geom name="floor" type="plane" pos="0 0 {FLOOR_HEIGHT}" size="3 3 .1" class="thing" rgba=".55 .57 .60 1"/>
<geom name="table" type="box" pos=".52 0 -.02" size=".40 .52 .02" class="thing" material="wood"/>
<geom name="legs" type="box" pos=".52 0 -.38" size=".34 .46 .34" class="thing" rgba=".45 .40 .35 1"/>
<geom name="pedestal" type="cylinder" fromto="0 0 {FLOOR_HEIGHT} 0 0 -.002" size=".09" rgba="{_DARK}"
 contype="0" conaffinity="0"/>
{marks}
{_arm(hand)}
{"".join(map(_thing, things))}
</worldbody>
{_SUCTION.format(hand.force[1]) if hand.is_cup else _FINGER_DRIVES}
</mujoco>"""


_FINGER_DRIVES = f"""<equality>
<joint joint1="left" joint2="right" polycoef="0 1 0 0 0" solref=".004 1"/></equality>
<contact><exclude body1="left" body2="hand"/><exclude body1="right" body2="hand"/></contact>
<actuator>
<position joint="left" kp="{FINGER_KP_N_PER_M}" kv="40"/>
<position joint="right" kp="{FINGER_KP_N_PER_M}" kv="40"/>
</actuator>"""
_SUCTION = '<actuator><adhesion body="cup" ctrlrange="0 1" gain="{}"/></actuator>'


def _arm(hand: GripperModel) -> str:
    """Return the links: link i turns about z of frame i; the next is at (a, 0, d), by alpha about x."""
    inner = _hand(hand)
    for i in reversed(range(6)):
        inner = _link(i, inner)
    return inner


def _link(i: int, inner: str) -> str:
    a, d = (A[i - 1], D[i - 1]) if i else (0.0, 0.0)
    half = (ALPHA[i - 1] if i else 0.0) / 2
    x, y, z = CENTRES_OF_MASS[i]
    ca, sa = math.cos(ALPHA[i]), math.sin(ALPHA[i])
    centre = f"{x + A[i]:g} {y * ca - z * sa:g} {y * sa + z * ca + D[i]:g}"
    inertia = max(0.002, MASSES[i] * 0.01)
    geoms = "".join(_capsule(c) for c in CAPSULES if c.link == i)
    return f"""<body name="link{i}" pos="{a} 0 {d}" quat="{math.cos(half)} {math.sin(half)} 0 0">
<joint name="joint{i}" axis="0 0 1" damping="1" armature=".1"/>
<inertial pos="{centre}" mass="{MASSES[i]}" diaginertia="{inertia} {inertia} {inertia}"/>
{geoms}{inner}</body>"""


def _capsule(c: Capsule) -> str:
    line = " ".join(f"{v:g}" for v in (*c.start, *c.end))
    colour = _COLOURS.get(CAPSULES.index(c), _GREY)
    return f'<geom class="arm" type="capsule" fromto="{line}" size="{c.radius}" rgba="{colour}"/>'


def _hand(hand: GripperModel) -> str:
    """Return the gripper's body, and what grips: two fingers, or a cup on a tube."""
    palm = hand.reach - 0.049
    if hand.is_cup:
        radius, half = hand.finger[0] / 2, 0.01
        tube = f'fromto="0 0 {palm} 0 0 {hand.reach - 2 * half}" size=".008" rgba="{_GREY}"'
        body = f"""<geom class="arm" type="cylinder" {tube}/><body name="cup" pos="0 0 {hand.reach - half}">
<geom class="pad" type="cylinder" size="{radius} {half}" mass=".02" margin=".004" gap=".004"/></body>"""
    else:
        width = hand.stroke / 2 + 0.012
        body = f'<geom class="arm" type="box" pos="0 0 {palm}" size="{width} .014 .010" rgba="{_GREY}"/>'
        body += _finger(hand, "left", 1) + _finger(hand, "right", -1)
    return f"""<body name="hand" pos="0 0 {D[5]}">
<inertial pos="0 0 {hand.centre}" mass="{hand.mass}" diaginertia=".0017 .0017 .001"/>
<site name="flange" size=".005" rgba="0 0 0 0"/>
<site name="tcp" pos="0 0 {hand.reach}" size=".004" rgba="0 0 0 0"/>
<geom class="arm" type="cylinder" fromto="0 0 0 0 0 {palm - 0.008}" size=".037" rgba="{_DARK}"/>
<camera name="wrist" pos="0 -.075 .02" xyaxes="1 0 0 0 -1 0" fovy="60"/>{body}</body>"""


def _finger(hand: GripperModel, name: str, side: int) -> str:
    thick, wide = (v / 2 for v in hand.finger)
    return f"""<body name="{name}" pos="{side * (hand.stroke / 2 + thick)} 0 {hand.reach - 0.017}">
<joint name="{name}" type="slide" axis="{-side} 0 0" range="0 {hand.stroke / 2}" damping="10" armature=".05"/>
<geom class="pad" type="box" size="{thick} {wide} .022" mass=".04"/></body>"""


def _mark(name: str, at: Sequence[float], half: Size, paint: Paint) -> str:
    """Return what is painted on the table."""
    size = " ".join(map(str, half))
    look = f'{_rgba(paint)} contype="0" conaffinity="0"'
    return f'<geom name="{name}" type="box" pos="{at[0]} {at[1]} 0" size="{size}" {look}/>'


def _thing(thing: PlacedThing) -> str:
    place = " ".join(map(str, thing.at))
    axes = " ".join(map(str, thing.rotation.T[:2].ravel()))
    geoms = _open(thing.kind) if thing.kind.is_open else _toy(thing.kind)
    loss = _GRAIN_LOSS if thing.kind is GRAIN else 0
    return f"""<body name="{thing.name}" pos="{place}" xyaxes="{axes}">
<joint type="free" name="{thing.name}" damping="{loss}"/>{geoms}</body>"""


def _open(thing: TabletopThing) -> str:
    """Return a floor and four walls."""
    (a, b, c), w = thing.half, thing.wall
    walls = (
        (0, 0, w - c, a, b, w),
        (a - w, 0, 0, w, b, c),
        (w - a, 0, 0, w, b, c),
        (0, b - w, 0, a, w, c),
        (0, w - b, 0, a, w, c),
    )
    look = f'{_rgba(thing.paint)} mass="{thing.mass / len(walls)}"'
    return _boxes("thing", walls, look)


def _plate(thing: TabletopThing, look: str) -> str:
    """Return a slab with a rim of 4 mm, so that what is round stays on it."""
    a, b, c = thing.half
    rim = 0.002
    rims = [(s * (a - rim), 0.0, c + rim, rim, b, rim) for s in (1, -1)]
    rims += [(0.0, s * (b - rim), c + rim, a, rim, rim) for s in (1, -1)]
    return _boxes("toy", [(0, 0, 0, a, b, c)], look) + _boxes(
        "toy", rims, f'{_rgba(thing.paint)} mass=".001"'
    )


def _boxes(kind: str, boxes: Iterable[Sequence[float]], look: str) -> str:
    return "".join(
        f'<geom class="{kind}" type="box" pos="{x} {y} {z}" size="{i} {j} {k}" {look}/>'
        for x, y, z, i, j, k in boxes
    )


def _toy(thing: TabletopThing) -> str:
    a, b, c = thing.half
    look = f'{_rgba(thing.paint)} mass="{thing.mass}"'
    tip = _tip(a, thing.tip) if thing.tip else ""
    if thing.shape == "capsule":
        return f'<geom class="toy" type="capsule" fromto="{b - a} 0 0 {a - b} 0 0" size="{c}" {look}/>{tip}'
    if thing.shape == "ball":
        slides, spins, rolls = thing.friction or (1.2, 0.02, 0.006)
        own = f'friction="{slides} {spins} {rolls}" condim="{6 if rolls > 0.001 else 3}"'
        first = 'priority="1"' if thing.friction else ""  # else what it touches may have the larger friction
        return f'<geom class="toy" type="sphere" size="{a}" {own} {first} {look}/>'
    if thing.shape == "plate":
        return _plate(thing, look)
    return f'<geom class="toy" type="box" size="{a} {b} {c}" {look}/>{tip}'


def _tip(end: float, tip: ThingTip) -> str:
    """Return what is only drawn; `end` is where the thing ends."""
    (a, b, c), at = tip.half, end + tip.beyond
    if tip.shape == "cylinder":
        form = f'type="cylinder" fromto="{at - a} 0 0 {at + a} 0 0" size="{b}"'
    else:
        form = f'type="box" pos="{at} 0 0" size="{a} {b} {c}"'
    return f'<geom {form} {_rgba(tip.paint)} mass=".002" contype="0" conaffinity="0"/>'


def _rgba(paint: Paint) -> str:
    return f'rgba="{" ".join(map(str, paint))} 1"'
