"""Sample where things lie: free spots on and in furniture, and on floors, the same for the same seed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from robots.kitchen.scene.builder import rng_for
from robots.kitchen.scene.geom_builder import Quat, quat_from_axes, quat_from_yaw, quat_multiply
from robots.kitchen.scene.schema import SpotSpec, ThingSpec
from robots.kitchen.simulation.geometry_predicates import GeometryPredicates
from robots.kitchen.simulation.mj_sim import MjSim
from robots.kitchen.simulation.visibility import Visibility

Vector = NDArray[np.float64]
_GAP = 0.015
_MIN_SEPARATION = 1.3  # metres between things on a floor at first: one is not in the picture of the other


class PlacementSampler:
    def __init__(self, sim: MjSim, visibility: Visibility, geometry: GeometryPredicates) -> None:
        self._sim, self._visibility, self._geometry = sim, visibility, geometry

    def thing_spec(self, name: str) -> tuple[ThingSpec, tuple[float, float, float]]:
        """Return a thing's specification and its scale."""
        built = self._sim.built
        instance = built.assignment.things.get(name)
        if instance is None:
            return built.scene.things[next(e.kind for e in built.assignment.distractors if e.name == name)], (
                1,
                1,
                1,
            )
        thing = built.scene.things[instance.kind]
        return thing, thing.variants[instance.index % len(thing.variants)] if thing.variants else (1, 1, 1)

    def place_at(self, name: str, at: Vector, yaw: float, lying: bool = False) -> None:
        """Put a thing upright, or lying on its side, so that its underside is at `at`."""
        thing, scale = self.thing_spec(name)
        bodies = self._sim.built.bodies[name]
        whole = self._sim.is_whole(name)
        for k, body in enumerate(bodies):
            quat, aside = quat_from_yaw(yaw + 180 * k), np.zeros(3)
            height = thing.rest * scale[2]
            if len(bodies) > 1 and not whole:
                quat, aside = half_pose(k, yaw)
            elif lying and thing.lies:
                quat = quat_multiply(quat_from_yaw(yaw), quat_from_axes((0, 0, -1), (1, 0, 0)))
                height = thing.lies
            self._sim.set_body_pose(body, at + aside + [0, 0, height], quat)

    def place_free(
        self, name: str, place: str, seed: int, accept: Callable[[], bool] | None = None
    ) -> Vector:
        """Put a thing at the first acceptable free spot of a piece of furniture or a floor.

        If none is acceptable, take the first free one; if none is free, the first. Returns the position of
        its underside.
        """
        free: tuple[Vector, float, bool] | None = None
        spots = list(self._candidates(name, place, seed))
        assert spots, f"{place} has no spot"
        for spot in spots:
            self.place_at(name, *spot)
            self._sim.update_kinematics()
            if self._is_free(name):
                free = free or spot
                if accept is None or accept():
                    return spot[0]
        chosen = free or spots[0]
        self.place_at(name, *chosen)
        self._sim.update_kinematics()
        return chosen[0]

    def _candidates(self, name: str, place: str, seed: int) -> Iterator[tuple[Vector, float, bool]]:
        built = self._sim.built
        rng = rng_for(seed, f"{name} at {place}")
        kind = built.assignment.furniture.get(place)
        if kind is None:
            spots = built.scene.rooms[built.assignment.floors[place]].spots
            others = [
                self._visibility.surface_points(other).mean(0)[:2] for other in built.bodies if other != name
            ]
            gaps = [min((float(np.hypot(*(o - s))) for o in others), default=9.0) for s in spots]
            for k in sorted(rng.permutation(len(spots)), key=lambda k: gaps[k] < _MIN_SEPARATION):
                x, y = np.asarray(spots[k]) + rng.uniform(-0.15, 0.15, 2)
                yield np.array([x, y, 0.0]), float(rng.uniform(-180, 180)), bool(rng.random() < 0.5)
            return
        piece = built.scene.furniture[kind]
        yield from self.sample_spots(name, kind, piece.spots, rng)

    def sample_spots(
        self, name: str, kind: str, spots: tuple[SpotSpec, ...], rng: np.random.Generator
    ) -> Iterator[tuple[Vector, float, bool]]:
        """Yield each spot in order, with a few jitters."""
        thing, _ = self.thing_spec(name)
        order = rng.permutation(len(spots)) if kind in ("countertop", "table") else range(len(spots))
        for k in order:
            spot = spots[int(k)]
            for _ in range(3):
                jitter = rng.uniform(-1, 1, 2) * spot.jitter
                local = (spot.at[0] + jitter[0], spot.at[1] + jitter[1], spot.at[2])
                turn = float(rng.uniform(*thing.turns)) + self._sim.built.furniture_poses[kind].yaw
                yield self._geometry.to_world_frame(kind, local), turn, False

    def _is_free(self, name: str) -> bool:
        """Return True if no other thing overlaps it, seen from above and in height."""
        mine = self._visibility.surface_points(name)
        low, high = mine.min(0), mine.max(0)
        others = (self._visibility.surface_points(other) for other in self._sim.built.bodies if other != name)
        return not any((low < o.max(0) + _GAP).all() and (o.min(0) < high + _GAP).all() for o in others)


def half_pose(half: int, yaw: float) -> tuple[Quat, Vector]:
    """Return how a half lies with its cut face up: orientation, and position relative to the middle."""
    up = np.array([math.cos(-math.pi / 4), math.sin(-math.pi / 4), 0, 0])  # -y turned to +z
    aside = (1 if half == 0 else -1) * 0.046
    angle = math.radians(yaw)
    return quat_multiply(quat_from_yaw(yaw), up), np.array([-math.sin(angle), math.cos(angle), 0]) * aside
