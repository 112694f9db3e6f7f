"""Where the things on a table are, as a camera over it sees them: colour and depth, and the sizes that are
known. What is hidden stays where it was last, or where the hand let it go.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from core.errors import NoPicture
from core.motion.frames import Frame, frame, shift
from core.planning_model import Step
from core.scene import Scene
from robots.table.shape_fits import Fit, fit_ball, fit_box
from robots.ur5e.emulator.scene import GRAIN, ROTATION_ON_ITS_SIDE, TabletopScene
from robots.ur5e.kinematics import PARKED, Joints, forward_kinematics, invert_transform
from robots.ur5e.links import rods
from robots.ur5e.motion.situation import is_inside
from robots.ur5e.motion.table_scene import table_scene
from robots.ur5e.scene_file import TabletopThing
from robots.ur5e.tabletop.rgbd_image import MAP_MAX, MAP_MIN, RgbdImage

_LOWEST_M, _HIGHEST_M = 0.0035, 0.22  # over the table
_FEWEST, _FEWEST_STRANGE = 15, 60  # pixels of a part, of something strange
_STRANGE_M = 0.02  # over the table, and apart from each thing, where there should be nothing
_LIKE, _SAME = 0.45, 0.35  # how far a pixel's colour is from a paint; two paints that nobody tells apart
_SURE_M, _UNSEEN_M = 0.002, 0.02  # spreads
_DEEP_M, _LEANS_M = 0.01, 0.01  # by which a thing is in another at least, and leans over its rim at most
_ARM_M = 0.02  # around the arm, where nothing is looked for


class SeenThings:
    """Follows things from picture to picture. `poses` are where they are, in metres from the arm's base.

    Which way up a thing is at first, where the picture does not tell, is as in the scene's file. One thread.
    """

    def __init__(self, table: TabletopScene, tcp: Frame) -> None:
        self._kinds = {thing.name: thing.kind for thing in table.things if thing.kind is not GRAIN}
        lies = {name: ROTATION_ON_ITS_SIDE if kind.lies else np.eye(3) for name, kind in self._kinds.items()}
        self.poses = {name: frame(turned, (0.5, 0, 0)) for name, turned in lies.items()}
        self.spreads: dict[str, float] = {}
        self._tcp, self._held, self._grasp = tcp, "", np.eye(4)
        self._grains = _grains_of(table)

    def look(self, picture: RgbdImage, q: Joints) -> None:
        """Take in a picture; the arm is at these joints. Raises NoPicture for what is unseen, or strange."""
        if self._held:
            self._carry(self._held, forward_kinematics(q, self._tcp) @ self._grasp)
        likely = {name: pose for name, pose in self.poses.items() if name != self._held}
        points, standing = _standing(picture, q, self._tcp)
        found = find_things(picture, points, standing, self._kinds, likely, self.spreads)
        for name, fit in found.items():
            self.poses[name], self.spreads[name] = fit.pose, max(_SURE_M, min(fit.off / 2, _UNSEEN_M / 2))
        for name in found:
            self.poses[name] = self._through_a_mouth(name)
        if missing := [name.replace("_", " ") for name in self._kinds if name not in self.spreads]:
            put = f"put {'it' if len(missing) == 1 else 'them'} into view, apart from the others"
            raise NoPicture(f"The camera does not see the {' and the '.join(missing)}: {put}.")
        for name in self._kinds.keys() - found.keys() - {self._held}:
            self.spreads[name] = _UNSEEN_M
        self._refuse_strangers(points, standing)

    def _through_a_mouth(self, name: str) -> Frame:
        """Return where a thing is: within what its lower end is in, though the upper leans over the rim."""
        pose, size = self.poses[name], np.abs(self.poses[name][2, :3]) @ self._kinds[name].half
        for vessel, kind in self._kinds.items():
            at = invert_transform(self.poses[vessel]) @ pose
            (x, y, z), half = at[:3, 3], np.array(kind.half)
            over = np.abs((x, y)) - half[:2]
            if vessel == name or not kind.is_open or not -half[2] - _DEEP_M < z - size < half[2] - _DEEP_M:
                continue
            if np.any(over >= 0) and np.all(over < _LEANS_M):
                at[:2, 3] = np.clip((x, y), *((half[:2] - 2 * kind.wall) * ((-1.0,), (1.0,))))
                return np.asarray(self.poses[vessel] @ at)
        return pose

    def _refuse_strangers(self, points: NDArray[np.float64], standing: NDArray[np.bool_]) -> None:
        """Raise NoPicture for what no way of the arm would avoid, as the scene does not name it."""
        strange = standing & (points[..., 2] > _STRANGE_M)
        for name, pose in self.poses.items():
            near = float(np.linalg.norm(self._kinds[name].half)) + _STRANGE_M
            strange &= np.linalg.norm(points[..., :2] - pose[:2, 3], axis=-1) > near
        for part in _parts(strange, points, _FEWEST_STRANGE):
            x, y = np.median(part[:, :2], axis=0)
            where = f"Something that the scene does not name stands at x {x:.2f}, y {y:.2f} m"
            raise NoPicture(f"{where}: take it away, or add it to the scene's file.")

    def follow(self, step: Step, moves: Iterable[Any]) -> None:
        """Take in what the hand has done with a thing, in moves as of a plan."""
        q, name = PARKED, step.args[0]
        if step.name == "pour":
            self._grains = {
                n: (step.args[1] if where == name else where, at) for n, (where, at) in self._grains.items()
            }
        for kind, *values in moves:
            if kind == "grip":
                self.grip("" if values[0] else name, q)
            elif kind != "wait":
                q = values[-1]

    def scene(self, made: tuple[TabletopScene, str, int, str], q: Joints, held: str) -> Scene:
        """Return what is believed of the scene that was `made` so, with the arm at these joints.

        What fills a thing no camera sees: it is where it was, or where it was poured.
        """
        filled = {n: (where, at) for n, (where, at) in self._grains.items() if where in self.poses}
        poses = self.poses | {n: self._in(where, at) for n, (where, at) in filled.items()}
        unseen = (name for name, spread in self.spreads.items() if spread >= _UNSEEN_M)
        hidden = frozenset((*unseen, *self._grains))
        return table_scene(*made, poses, "camera", self.spreads, q, parks=True, hidden=hidden, held=held)

    def _in(self, name: str, at: Frame) -> Frame:
        kind = self._kinds[name]
        return self.poses[name] @ shift(0, 0, -kind.half[2]) @ at

    def grip(self, name: str, q: Joints) -> None:
        """Take in that the hand has closed around a thing, or with "" that it has let go."""
        hand = forward_kinematics(q, self._tcp)
        if self._held:
            self._carry(self._held, hand @ self._grasp)
        self._held = name
        if name:
            self._grasp = invert_transform(hand) @ self.poses[name]

    def _carry(self, name: str, at: Frame) -> None:
        kind, before = self._kinds[name], self.poses[name]
        moved = at @ invert_transform(before)
        inside = [
            n for n in self._kinds if n != name and kind.is_open and is_inside(self.poses[n], before, kind)
        ]
        self.poses |= {n: moved @ self.poses[n] for n in inside} | {name: at}


def _grains_of(table: TabletopScene) -> dict[str, tuple[str, Frame]]:
    """Return in which thing each grain is, and where over the middle of its bottom."""
    things = {thing.name: thing for thing in table.things}
    found = {}
    for name, grain in things.items():
        where, _, number = name.partition("_grain_")
        if number:
            x, y, z = things[where].at
            bottom = z - things[where].kind.half[2]
            found[name] = where, shift(grain.at[0] - x, grain.at[1] - y, grain.at[2] - bottom)
    return found


def reversed_moves(moves: Iterable[Any]) -> tuple[Any, ...]:
    """Return the way back, without what the hand did."""
    return tuple(
        (kind, *values[::-1]) for kind, *values in reversed(tuple(moves)) if kind in ("free", "line")
    )


def find_things(
    picture: RgbdImage,
    points: NDArray[np.float64],
    standing: NDArray[np.bool_],
    kinds: Mapping[str, TabletopThing],
    likely: Mapping[str, Frame],
    known: Collection[str] = (),
) -> dict[str, Fit]:
    """Return what is seen of these things, each by its colour, shape and size.

    Which way up a thing is, where the picture does not tell, is as `likely` has it; of those that look alike
    each that is `known` is the one nearest to where it was. `standing` are the pixels of what stands there.
    """
    if not np.any(standing):
        return {}
    pixel = float(np.median(picture.depth[picture.depth > 0])) / picture.focal_length
    around = points[np.isfinite(points[..., 2])]
    paints = np.array([_colour(np.array(kind.paint)) for kind in kinds.values()])
    off = np.linalg.norm(_colour(picture.rgb[standing] / 255)[:, None] - paints, axis=2)
    groups = _groups(kinds)
    group_of = np.array([groups[name] for name in kinds])
    label = np.full(standing.shape, -1)
    label[standing] = np.where(off.min(axis=1) < _LIKE, group_of[off.argmin(axis=1)], -1)
    camera, found = picture.pose[:3, 3], dict[str, Fit]()

    def cost(name: str, fit: Fit) -> float:
        return fit.off + (0.02 * min(_far(fit.pose, likely[name]), 0.5) if name in known else 0.0)

    for group in set(groups.values()):
        same = [name for name in kinds if groups[name] == group and name in likely]
        mask = label == group
        balls = [name for name in same if kinds[name].shape == "ball"]
        for radius in sorted({kinds[name].half[0] for name in balls}, reverse=True):  # the largest first
            left = [name for name in balls if kinds[name].half[0] == radius]
            while left and (fits := list(fit_ball(radius, points[mask], camera, pixel))):
                name, fit = min(itertools.product(left, fits), key=lambda one: cost(*one))
                found[name] = fit
                left.remove(name)
                mask[tuple(np.argwhere(mask)[fit.points].T)] = False
        parts = _parts(mask, points, _FEWEST)
        choices = [
            (cost(name, fit), name, number, fit)
            for name, (number, part) in itertools.product(same, enumerate(parts))
            if name not in balls
            for fit in fit_box(kinds[name], part, around, likely[name], camera, pixel)
        ]
        taken: set[int] = set()
        for _, name, number, fit in sorted(choices, key=lambda one: one[0]):
            if name not in found and number not in taken:
                found[name] = fit
                taken.add(number)
    return found


def _standing(picture: RgbdImage, q: Joints, tcp: Frame) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the point of each pixel, over the table's plane, and which are of things that stand on it."""
    points = picture.points()
    points[..., 2] -= _table_height(points)
    standing = (points[..., 2] > _LOWEST_M) & (points[..., 2] < _HIGHEST_M)
    standing &= np.all((points[..., :2] > MAP_MIN) & (points[..., :2] < MAP_MAX), axis=-1)
    standing[standing] = ~_is_arm(points[standing], q, tcp)
    return points, standing


def _parts(mask: NDArray[np.bool_], points: NDArray[np.float64], fewest: int) -> list[NDArray[np.float64]]:
    """Return the points of each part of a mask that hangs together."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    return [points[labels == k] for k in range(1, count) if stats[k, cv2.CC_STAT_AREA] >= fewest]


def _far(one: Frame, other: Frame) -> float:
    return float(np.linalg.norm(one[:2, 3] - other[:2, 3]))


def _table_height(points: NDArray[np.float64]) -> float:
    """Return how high the table seems to be, which the calibration says is at 0."""
    z = points[..., 2]
    flat = z[np.abs(z) < 0.02]
    return float(np.median(flat)) if len(flat) else 0.0


def _colour(rgb: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a colour as it is in light and shadow: by its shares, and a little by its brightness."""
    brightest = np.maximum(rgb.max(axis=-1, keepdims=True), 1e-3)
    return np.concatenate((rgb / brightest, 0.15 * brightest), axis=-1)


def _groups(kinds: Mapping[str, TabletopThing]) -> dict[str, int]:
    """Return a number for each thing; those of nearly one colour have the same."""
    groups: dict[str, int] = {}
    for number, (name, kind) in enumerate(kinds.items()):
        mine = _colour(np.array(kind.paint))
        like = (n for n in groups if np.linalg.norm(_colour(np.array(kinds[n].paint)) - mine) < _SAME)
        groups[name] = next((groups[n] for n in like), number)
    return groups


def _is_arm(points: NDArray[np.float64], q: Joints, tcp: Frame) -> NDArray[np.bool_]:
    """Return which points are of the arm or its hand."""
    arm = np.zeros(len(points), bool)
    for (a, b), radius in zip(*rods(q, tcp), strict=True):
        along = np.clip((points - a) @ (b - a) / max(float((b - a) @ (b - a)), 1e-9), 0, 1)
        arm |= np.linalg.norm(points - (a + along[..., None] * (b - a)), axis=-1) < radius + _ARM_M
    return arm
