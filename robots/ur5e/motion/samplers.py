"""Random grasps of a thing, and random places for one. Pure but for the generator that draws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.motion.frames import RESTS, Frame, Rotation, as_pose, frame, rotation, shift
from robots.ur5e.gripper.model import GripperModel
from robots.ur5e.kinematics import invert_transform
from robots.ur5e.motion.situation import Situation
from robots.ur5e.scene_file import ROOM, TabletopThing

_ANY_ANGLE = 0.6  # share of the grasps whose approach is at any angle, not along a face
_EDGE_M, _DEEPEST_M = 0.006, 0.034  # from an edge, and how much of a thing may be between the fingers
_CLEAR_M, _LEAST_CLEAR_M, _MOST_BACK_M = 0.0014, 0.0012, 0.012
_LEVELLED = 0.3  # radians by which one finger may be lower than the other
_NEAR, _NEAR_M = 0.5, 0.14  # share of the places near what the tests speak of, and how near
_STRAIGHT = 4 / 3  # half turns; what is beyond one stands for a quarter turn
_AGAIN = 0.75  # share of the places that rest as those that passed the tests before
_DROPPED = 0.5  # share of the places in a deep thing that are over its mouth, as fingers may not fit in
_TILTS = (1.75, 2.4)  # radians that a thing is tipped by to be poured out


@dataclass(frozen=True)
class Place:
    """A pose for a thing; `rest` is the face that it lies on."""

    pose: Frame
    rest: int = 0


@dataclass(frozen=True)
class Grasp:
    """The hand's pose in the thing's frame, and half the thing's width between the fingers, in metres."""

    hand: Frame
    width: float


def extent(kind: TabletopThing, turned: Rotation) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return half the size of the upright box around a thing that is turned so."""
    return np.full(3, kind.half[0]) if kind.shape == "ball" else np.asarray(np.abs(turned) @ kind.half)


def is_graspable(kind: TabletopThing, hand: GripperModel) -> bool:
    """Return True if the fingers take the thing along some axis."""
    return kind.graspable and kind.shape != "mark" and 2 * min(kind.half) <= hand.widest + 1e-9


def draw_grasp(kind: TabletopThing, at: Frame, hand: GripperModel, rng: np.random.Generator) -> Grasp | None:
    """Return a grasp from above or from the side, the fingers over the table, or None."""
    grasp = _any_grasp(kind, hand, rng)
    tool = at @ grasp.hand
    if 0 < abs(tool[2, 0]) < _LEVELLED and kind.shape != "ball":
        tool = _levelled(tool)
        grasp = Grasp(invert_transform(at) @ tool, grasp.width)
    thick, wide = hand.finger[0] + hand.stroke / 2, hand.finger[1] / 2
    down = -tool[2, 2]
    if down < 0.05:
        return None
    lowest = tool[2, 3] - 0.005 * down - wide * abs(tool[2, 1]) - thick * abs(tool[2, 0])
    if lowest >= _LEAST_CLEAR_M:
        return grasp
    back = (_CLEAR_M - lowest) / down  # out along the approach, until the pads clear the table
    return Grasp(grasp.hand @ shift(0, 0, -back), grasp.width) if back <= _MOST_BACK_M else None


def _levelled(tool: Frame) -> Frame:
    """Return the hand turned so that its open fingers are equally high: neither comes under the table."""
    x, y = np.array((tool[0, 0], tool[1, 0], 0.0)), tool[:3, 1]
    x /= np.linalg.norm(x)
    y = y - (y @ x) * x
    y /= np.linalg.norm(y)
    return frame(np.column_stack((x, y, np.cross(x, y))), tool[:3, 3])


def _any_grasp(kind: TabletopThing, hand: GripperModel, rng: np.random.Generator) -> Grasp:
    """Return a grasp across an axis that is narrow enough, from any angle about it."""
    half = np.array(kind.half)
    if kind.shape == "ball":
        return Grasp(frame(rotation(*rng.uniform(-math.pi, math.pi, 3)), (0, 0, 0)), float(half[0]))
    across = int(rng.choice([i for i in range(3) if 2 * half[i] <= hand.widest + 1e-9]))
    others = [i for i in range(3) if i != across]
    any_angle = rng.random() < _ANY_ANGLE
    angle = rng.uniform(-math.pi, math.pi) if any_angle else rng.integers(4) * math.pi / 2
    x, z, p = np.zeros(3), np.zeros(3), np.zeros(3)
    z[others] = -math.cos(angle), -math.sin(angle)
    x[across] = rng.choice([-1, 1])
    for i in others:
        p[i] = rng.uniform(-1, 1) * max(0.0, half[i] - _EDGE_M)
    # how much of the thing lies before the fingers' tips, seen from the hand
    depth = min((half[i] + p[i] * np.sign(z[i])) / max(abs(z[i]), 1e-6) for i in others)
    return Grasp(
        frame(np.column_stack((x, np.cross(z, x), z)), p - z * max(0.0, depth - _DEEPEST_M)),
        float(half[across]),
    )


def draw_place(
    now: Situation,
    name: str,
    target: str,
    inside: bool,
    near: Sequence[str],
    passed: Sequence[Place],
    rng: np.random.Generator,
    spread: float = 0.0,
) -> Place:
    """Return a place for a thing in, on or at a target, near what the tests speak of as often as not.

    It is further from the target's walls or edges by `spread`, the metres by which poses may be off.
    """
    kind = now.kinds[name]
    under = now.kinds.get(target)
    if inside and under is not None:
        return _inside(now, kind, target, rng, spread)
    if passed and rng.random() < _AGAIN:
        rest = passed[int(rng.integers(len(passed)))].rest
    else:
        rest = 0 if kind.shape == "ball" else int(rng.integers(6))
    turned = rotation(0, 0, _yaw(kind, rest, rng)) @ RESTS[rest]
    height = float(extent(kind, turned)[2])
    if under is None:
        x, y = _on_table(now, name, near, rng)
        return Place(frame(turned, (x, y, height + 0.002)), rest)
    pose, half = now.poses[target], np.array(under.half)
    free = np.maximum(half[:2] - spread, half[:2] / 4)
    x, y = rng.uniform(pose[:2, 3] - free, pose[:2, 3] + free)
    rim = 0.004 if under.shape == "plate" else 0.0
    top = 0.0 if under.shape == "mark" else pose[2, 3] + half[2]
    return Place(frame(turned, (x, y, top + rim + height + 0.002)), rest)


def _yaw(kind: TabletopThing, rest: int, rng: np.random.Generator) -> float:
    """Return an angle; of what lies, one time in four along the table's sides, as people like it straight."""
    x, y, z = extent(kind, RESTS[rest])
    if z >= max(x, y):
        return rng.uniform(-math.pi, math.pi)
    turns = rng.uniform(-_STRAIGHT, _STRAIGHT)
    return math.pi * turns if abs(turns) <= 1 else math.pi / 2 * (int(turns * 100) % 4)


def is_in_room(x: float, y: float) -> bool:
    """Return True where on the table places are drawn."""
    return ROOM[0][0] <= x <= ROOM[1][0] and ROOM[0][1] <= y <= ROOM[1][1]


def _on_table(
    now: Situation, name: str, near: Sequence[str], rng: np.random.Generator
) -> tuple[float, float]:
    low, high = np.array(ROOM[0]), np.array(ROOM[1])
    named = [n for n in near if n in now.poses and n != name]
    if named and rng.random() < _NEAR:
        at = now.poses[named[int(rng.integers(len(named)))]][:2, 3]
        low, high = np.maximum(low, at - _NEAR_M), np.minimum(high, at + _NEAR_M)
        high = np.maximum(low, high)
    x, y = rng.uniform(low, high)
    return float(x), float(y)


def _inside(
    now: Situation, kind: TabletopThing, target: str, rng: np.random.Generator, spread: float
) -> Place:
    """Return a place in a container, on a face with which the thing fits into it, if there is one."""
    pose, into = now.poses[target], now.kinds[target]
    inner = np.array(into.half[:2]) - 2 * into.wall
    fits = [i for i, rest in enumerate(RESTS) if np.all(extent(kind, rest)[:2] < inner)]
    rest = 0 if kind.shape == "ball" or not fits else fits[int(rng.integers(len(fits)))]
    turned = rotation(0, 0, _yaw(kind, rest, rng)) @ RESTS[rest]
    size = extent(kind, turned)
    free = np.maximum(inner - np.minimum(size[:2], 0.02) - spread, 0.001)
    x, y = pose[:2, 3] + pose[:2, :2] @ rng.uniform(-free, free)
    z = pose[2, 3] - into.half[2] + 2 * into.wall + size[2] + 0.003
    if size[2] < into.half[2] and rng.random() < _DROPPED:
        z = pose[2, 3] + into.half[2] + rng.uniform(0, 1) * size[2]
    return Place(frame(turned, (x, y, z)), rest)


def draw_pour(now: Situation, name: str, target: str, rng: np.random.Generator) -> Place:
    """Return a pose in which a thing is tipped about its own x axis, its mouth over the target."""
    kind, into = now.kinds[name], now.kinds.get(target)
    if into is None:
        (x, y), z = rng.uniform(*ROOM), 0.0
    else:
        x, y = now.poses[target][:2, 3] + rng.uniform(-0.3, 0.3, 2) * into.half[:2]
        z = float(now.poses[target][2, 3]) + into.half[2]
    turned = rotation(rng.choice([-1, 1]) * rng.uniform(*_TILTS), 0, rng.uniform(-math.pi, math.pi))
    low = float(np.abs(turned[2]) @ (kind.half[0], kind.half[1], 0))  # of the mouth's edge below its centre
    mouth = np.array((x, y, z + low + rng.uniform(0.02, 0.06)))
    return Place(frame(turned, mouth - turned @ (0, 0, kind.half[2])))


def upright_before(place: Place, kind: TabletopThing) -> Frame:
    """Return the upright pose from which a thing is tipped, its mouth where it will be poured from."""
    mouth = place.pose @ np.array((0, 0, kind.half[2], 1))
    return frame(rotation(0, 0, as_pose(place.pose)[5]), (mouth[0], mouth[1], mouth[2] + 0.01))
