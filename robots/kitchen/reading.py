"""What the geometry says is so: read off the stage, to be compared with the world's facts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from robots.kitchen.build import Built
from robots.kitchen.scene import Vec3
from robots.kitchen.sight import Sight
from robots.kitchen.stage import Stage
from robots.kitchen.world_state import HAND

IN_SIGHT = 0.20  # the share from which a thing that can be carried counts as in view
OUT_OF_SIGHT = 0.05  # and up to which it counts as not in view
PIECE_IN_SIGHT = 0.08  # of a piece of furniture: enough to say which it is
FLOOR_IN_SIGHT = 0.04  # of the picture


class Reading:
    """Reads one stage. Names are those of the task."""

    def __init__(self, stage: Stage, sight: Sight) -> None:
        self._stage, self._sight = stage, sight

    @property
    def _built(self) -> Built:
        return self._stage.built

    def place(self, name: str, held: str = "") -> str:
        """The furniture or floor that holds a thing, HAND, or "" for nowhere in the house."""
        if name == held:
            return HAND
        cast = self._built.cast
        points = self._sight.points(name)
        middle, low = (points.min(0) + points.max(0)) / 2, float(points[:, 2].min())
        for furniture, kind in cast.furniture.items():
            piece = self._built.scene.furniture[kind]
            local = self.inverse(kind, middle)
            if piece.inside and _within(local, *piece.inside):
                return furniture
            foot = self.inverse(kind, np.array([middle[0], middle[1], low]))
            if any(_within(foot, (*a[:2], a[2] - 0.02), b) for a, b in piece.tops):
                return furniture
        if low < 0.08:
            for floor, room in cast.floors.items():
                (x0, y0), (x1, y1) = self._built.scene.rooms[room].area
                if x0 <= middle[0] <= x1 and y0 <= middle[1] <= y1:
                    return floor
        return ""

    def closed(self, name: str) -> bool:
        return self._stage.door(self._built.cast.furniture[name]) < 0.5

    def halved(self, name: str) -> bool:
        return not self._stage.whole(name)

    def in_view(self, name: str) -> bool:
        """Enough of it in sight to say that it is there. What is behind a closed door never is."""
        wanted = IN_SIGHT
        if name in self._built.cast.floors:
            wanted = FLOOR_IN_SIGHT
        elif name in self._built.cast.furniture:
            wanted = PIECE_IN_SIGHT
        elif self.shut_in(name):
            return False
        return self._sight.share(name) >= wanted

    def out_of_view(self, name: str) -> bool:
        """Too little of it in sight to speak of."""
        return self.shut_in(name) or self._sight.share(name) <= OUT_OF_SIGHT

    def ajar(self, kind: str) -> bool:
        """Whether a door stands a little open."""
        return kind in self._stage.open_angle and 0.02 < self._stage.door(kind) < 0.5

    def shut_in(self, name: str) -> bool:
        """Whether it is behind a closed door, be it of glass."""
        place = self.place(name) if name in self._built.cast.things else ""
        kind = self._built.cast.furniture.get(place, "")
        return kind in self._stage.open_angle and self._stage.door(kind) < 0.02

    def inverse(self, kind: str, point: NDArray[np.float64]) -> NDArray[np.float64]:
        """A point in the frame of a piece of furniture."""
        pose = self._built.poses[kind]
        return _turned(point - pose.at, -pose.turn)

    def world(self, kind: str, point: Vec3) -> NDArray[np.float64]:
        """A point in the world's frame from one in the piece's."""
        pose = self._built.poses[kind]
        return _turned(np.asarray(point, float), pose.turn) + pose.at

    def radius(self, name: str) -> float:
        """Half the width of a thing as it lies, seen from above."""
        points = self._sight.points(name)[:, :2]
        return float(np.linalg.norm(points.max(0) - points.min(0)) / 2)

    def heights(self, name: str) -> tuple[float, float]:
        """Of its lowest and its highest point."""
        points = self._sight.points(name)[:, 2]
        return float(points.min()), float(points.max())


def _turned(point: NDArray[np.float64], degrees: float) -> NDArray[np.float64]:
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array([cos * point[0] - sin * point[1], sin * point[0] + cos * point[1], point[2]])


def _within(
    point: NDArray[np.float64], low: tuple[float, ...] | Vec3, high: tuple[float, ...] | Vec3
) -> bool:
    return bool((np.asarray(low) <= point).all() and (point <= np.asarray(high)).all())
