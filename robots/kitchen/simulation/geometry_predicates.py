"""Predicates computed from the simulation's geometry, to be compared with the household's facts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from robots.kitchen.household.state import HAND
from robots.kitchen.scene.builder import CompiledScene
from robots.kitchen.scene.schema import Vec3
from robots.kitchen.simulation.mj_sim import MjSim
from robots.kitchen.simulation.visibility import Visibility

IN_VIEW_SHARE = 0.20  # visible share from which a movable thing counts as in view
OUT_OF_VIEW_SHARE = 0.05  # share up to which it counts as not in view
FURNITURE_IN_VIEW_SHARE = 0.08  # of a piece of furniture: enough to recognise it
FLOOR_IN_VIEW_SHARE = 0.04  # share of the picture


class GeometryPredicates:
    """Evaluates predicates in one simulation. Names are those of the task."""

    def __init__(self, sim: MjSim, visibility: Visibility) -> None:
        self._sim, self._visibility = sim, visibility

    @property
    def _built(self) -> CompiledScene:
        return self._sim.built

    def location_of(self, name: str, held: str = "") -> str:
        """Return the furniture or floor that holds a thing, HAND, or "" if it is nowhere in the house."""
        if name == held:
            return HAND
        assignment = self._built.assignment
        points = self._visibility.surface_points(name)
        middle, low = (points.min(0) + points.max(0)) / 2, float(points[:, 2].min())
        for furniture, kind in assignment.furniture.items():
            piece = self._built.scene.furniture[kind]
            local = self.to_furniture_frame(kind, middle)
            if piece.inside and _inside_box(local, *piece.inside):
                return furniture
            foot = self.to_furniture_frame(kind, np.array([middle[0], middle[1], low]))
            if any(_inside_box(foot, (*a[:2], a[2] - 0.02), b) for a, b in piece.tops):
                return furniture
        if low < 0.08:
            for floor, room in assignment.floors.items():
                (x0, y0), (x1, y1) = self._built.scene.rooms[room].area
                if x0 <= middle[0] <= x1 and y0 <= middle[1] <= y1:
                    return floor
        return ""

    def closed(self, name: str) -> bool:
        return self._sim.door_opening(self._built.assignment.furniture[name]) < 0.5

    def in_view(self, name: str) -> bool:
        """Return True if enough of it is visible to recognise it. What is behind a closed door never is."""
        wanted = IN_VIEW_SHARE
        if name in self._built.assignment.floors:
            wanted = FLOOR_IN_VIEW_SHARE
        elif name in self._built.assignment.furniture:
            wanted = FURNITURE_IN_VIEW_SHARE
        elif self.behind_closed_door(name):
            return False
        return self._visibility.visible_share(name) >= wanted

    def out_of_view(self, name: str) -> bool:
        """Return True if so little of it is visible that it does not count."""
        return self.behind_closed_door(name) or self._visibility.visible_share(name) <= OUT_OF_VIEW_SHARE

    def ajar(self, kind: str) -> bool:
        """Return True if a door stands a little open."""
        return kind in self._sim.max_door_angle and 0.02 < self._sim.door_opening(kind) < 0.5

    def behind_closed_door(self, name: str) -> bool:
        """Return True if it is behind a closed door, even one of glass."""
        place = self.location_of(name) if name in self._built.assignment.things else ""
        kind = self._built.assignment.furniture.get(place, "")
        return kind in self._sim.max_door_angle and self._sim.door_opening(kind) < 0.02

    def to_furniture_frame(self, kind: str, point: NDArray[np.float64]) -> NDArray[np.float64]:
        """Convert a point to the frame of a piece of furniture."""
        pose = self._built.furniture_poses[kind]
        return _rotate_z(point - pose.at, -pose.yaw)

    def to_world_frame(self, kind: str, point: Vec3) -> NDArray[np.float64]:
        """Convert a point from the frame of a piece of furniture to the world's."""
        pose = self._built.furniture_poses[kind]
        return _rotate_z(np.asarray(point, float), pose.yaw) + pose.at

    def radius(self, name: str) -> float:
        """Return half the width of a thing as it lies, seen from above, in metres."""
        points = self._visibility.surface_points(name)[:, :2]
        return float(np.linalg.norm(points.max(0) - points.min(0)) / 2)

    def height_range(self, name: str) -> tuple[float, float]:
        """Return the heights of its lowest and its highest point, in metres."""
        points = self._visibility.surface_points(name)[:, 2]
        return float(points.min()), float(points.max())


def _rotate_z(point: NDArray[np.float64], degrees: float) -> NDArray[np.float64]:
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array([cos * point[0] - sin * point[1], sin * point[0] + cos * point[1], point[2]])


def _inside_box(
    point: NDArray[np.float64], low: tuple[float, ...] | Vec3, high: tuple[float, ...] | Vec3
) -> bool:
    return bool((np.asarray(low) <= point).all() and (point <= np.asarray(high)).all())
