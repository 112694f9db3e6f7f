"""Where things lie: free spots on and in furniture, and on floors, the same for the same seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from robots.kitchen.actor import halved
from robots.kitchen.build import stream
from robots.kitchen.reading import Reading
from robots.kitchen.scene import Spot, Thing
from robots.kitchen.shapes import quat_of, times, yaw_quat
from robots.kitchen.sight import Sight
from robots.kitchen.stage import Stage

Vector = NDArray[np.float64]
_GAP = 0.015
_APART = 1.3  # metres between things on a floor at first, so that one is not in the picture of the other


class Placer:
    def __init__(self, stage: Stage, sight: Sight, reading: Reading) -> None:
        self._stage, self._sight, self._reading = stage, sight, reading

    def thing(self, name: str) -> tuple[Thing, tuple[float, float, float]]:
        """What it is, and its scale."""
        built = self._stage.built
        role = built.cast.things.get(name)
        kind = role.kind if role else next(e.kind for e in built.cast.extras if e.name == name)
        thing = built.scene.things[kind]
        if not thing.variants or role is None:
            return thing, (1, 1, 1)
        return thing, thing.variants[role.index % len(thing.variants)]

    def stand(self, name: str, at: Vector, yaw: float, lying: bool = False) -> None:
        """Put a thing upright (or fallen over) so that its underside is at `at`."""
        thing, scale = self.thing(name)
        bodies = self._stage.built.bodies[name]
        whole = self._stage.whole(name)
        for k, body in enumerate(bodies):
            quat, aside = yaw_quat(yaw + 180 * k), np.zeros(3)
            height = thing.rest * scale[2]
            if len(bodies) > 1 and not whole:
                quat, aside = halved(k, yaw)
            elif lying and thing.lies:
                quat, height = times(yaw_quat(yaw), quat_of((0, 0, -1), (1, 0, 0))), thing.lies
            self._stage.put(body, at + aside + [0, 0, height], quat)

    def put(self, name: str, place: str, seed: int, accept: Callable[[], bool] | None = None) -> Vector:
        """Put a thing at a free spot of a piece of furniture or a floor: the first that is acceptable.

        Where none is, the first free one; where none is free, the first. Returns its underside's place.
        """
        free: Vector | None = None
        first: Vector | None = None
        turns: dict[bytes, tuple[float, bool]] = {}
        for at, yaw, lying in self._candidates(name, place, seed):
            first = at if first is None else first
            turns[at.tobytes()] = (yaw, lying)
            self.stand(name, at, yaw, lying)
            self._stage.update()
            if not self._is_free(name):
                continue
            free = at if free is None else free
            if accept is None or accept():
                return at
        chosen = free if free is not None else first
        assert chosen is not None, f"{place} has no spot"
        self.stand(name, chosen, *turns[chosen.tobytes()])
        self._stage.update()
        return chosen

    def _candidates(self, name: str, place: str, seed: int) -> Iterator[tuple[Vector, float, bool]]:
        built = self._stage.built
        _thing, _ = self.thing(name)
        rng = stream(seed, f"{name} at {place}")
        kind = built.cast.furniture.get(place)
        if kind is None:
            spots = built.scene.rooms[built.cast.floors[place]].spots
            others = [self._sight.points(other).mean(0)[:2] for other in built.bodies if other != name]
            gaps = [min((float(np.hypot(*(o - s))) for o in others), default=9.0) for s in spots]
            for k in sorted(rng.permutation(len(spots)), key=lambda k: gaps[k] < _APART):
                x, y = np.asarray(spots[k]) + rng.uniform(-0.15, 0.15, 2)
                yield np.array([x, y, 0.0]), float(rng.uniform(-180, 180)), bool(rng.random() < 0.5)
            return
        piece = built.scene.furniture[kind]
        yield from self.on(name, kind, piece.spots, rng)

    def on(
        self, name: str, kind: str, spots: tuple[Spot, ...], rng: np.random.Generator
    ) -> Iterator[tuple[Vector, float, bool]]:
        """A spot in order, each with a few jitters."""
        thing, _ = self.thing(name)
        order = rng.permutation(len(spots)) if kind in ("countertop", "table") else range(len(spots))
        for k in order:
            spot = spots[int(k)]
            for _ in range(3):
                jitter = rng.uniform(-1, 1, 2) * spot.jitter
                local = (spot.at[0] + jitter[0], spot.at[1] + jitter[1], spot.at[2])
                turn = float(rng.uniform(*thing.turns)) + self._stage.built.poses[kind].turn
                yield self._reading.world(kind, local), turn, False

    def _is_free(self, name: str) -> bool:
        """No other thing reaches into its place, seen from above, at its height."""
        mine = self._sight.points(name)
        low, high = mine.min(0), mine.max(0)
        for other in self._stage.built.bodies:
            if other == name:
                continue
            theirs = self._sight.points(other)
            a, b = theirs.min(0), theirs.max(0)
            if (low < b + _GAP).all() and (a < high + _GAP).all():
                return False
        return True
