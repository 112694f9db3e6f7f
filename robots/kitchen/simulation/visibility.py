"""Compute what the camera sees: surface points, frustum and rays, on the CPU, without rendering."""

from __future__ import annotations

import math
from collections.abc import Iterable

import mujoco
import numpy as np
from numpy.typing import NDArray

from core.ports import BoundingBox
from robots.kitchen.scene.geom_builder import COLLISION_GROUP, HIDDEN_GROUP, TRANSPARENT_GROUP
from robots.kitchen.simulation.mj_sim import MjSim

Points = NDArray[np.float64]  # N x 3, metres, in the world's frame
_OPAQUE = np.array([1, 1, 0, 0, 0, 0], np.uint8)  # the geom groups that stop a ray: drawn and not transparent
_GEOM = mujoco.mjtGeom
_RAYS_PER_THING = 36


class Visibility:
    """Computes visibility for the robot's current pose; call `update_kinematics()` after moving things."""

    def __init__(self, sim: MjSim) -> None:
        self._sim = sim
        model = sim.model
        self._camera = model.camera("eye").id
        self._half_fov_tan = math.tan(math.radians(float(model.cam_fovy[self._camera])) / 2)
        assignment = sim.built.assignment
        self._bodies: dict[str, list[int]] = {}  # visible bodies by object
        for name, bodies in sim.built.bodies.items():
            self._bodies[name] = [model.body(b).id for b in bodies]
        for name, kind in assignment.furniture.items():
            self._bodies[name] = [model.body(kind).id, *self._door(kind)]
        self._local = {body: self._local_points(body) for bodies in self._bodies.values() for body in bodies}
        self._own_geoms = {name: np.isin(model.geom_bodyid, mine) for name, mine in self._bodies.items()}
        self._floor_geoms = {
            name: [g for g in range(model.ngeom) if (model.geom(g).name + ":").startswith(f"ground:{room}:")]
            for name, room in assignment.floors.items()
        }

    @property
    def names(self) -> frozenset[str]:
        """Return everything that can be asked about: things, distractors, furniture and floors."""
        return frozenset(self._bodies) | frozenset(self._floor_geoms)

    # --- visible share ------------------------------------------------------------------------------

    def visible_share(self, name: str) -> float:
        """Return the visible share, 0..1: the part of the rays from the camera to the thing that reach it
        inside the picture.

        For furniture with a region, of the rays to that region. For a floor, its share of the whole picture.
        """
        if name in self._floor_geoms:
            return self._floor_share(name)
        targets = self.ray_targets(name)
        inside = self._in_image(targets)
        if not inside.any():
            return 0.0  # as for most things at most poses: no ray has to be cast
        hit = self._first_hit(targets[inside])
        own = self._own_geoms[name][hit] & (hit >= 0)
        return float(np.count_nonzero(own)) / len(targets)

    def ray_targets(self, name: str) -> Points:
        """Return points to aim rays at: a little inside the surface, or on the region that counts."""
        kind = self._sim.built.assignment.furniture.get(name, "")
        piece = self._sim.built.scene.furniture.get(kind)
        if piece and piece.view.region:
            body = self._sim.data.body(kind)
            low, high = (np.asarray(corner) for corner in piece.view.region)
            grid = np.array([(x, y, 0) for x in (0, 0.33, 0.67, 1) for y in (0, 0.5, 1)])
            places = low + grid * (high - low) - np.array((0, 0, 0.01))
            return np.asarray(places @ body.xmat.reshape(3, 3).T + body.xpos)
        points = self.surface_points(name)
        chosen = points[np.linspace(0, len(points) - 1, min(_RAYS_PER_THING, len(points))).astype(int)]
        return np.asarray(0.9 * chosen + 0.1 * chosen.mean(0))

    def surface_points(self, name: str) -> Points:
        """Return outer points of everything that is always drawn of a thing."""
        return np.concatenate([self._to_world(b, self._local[b]) for b in self._bodies[name]])

    def drawn_points(self, name: str) -> Points:
        """Return outer points of everything that is drawn of a thing now, including its water and its ice."""
        looks = [self._to_world(b, self._local_points(b, looks=True)) for b in self._bodies[name]]
        return np.concatenate([self.surface_points(name), *looks])

    def _to_world(self, body: int, points: Points) -> Points:
        data = self._sim.data
        return np.asarray(points @ data.xmat[body].reshape(3, 3).T + data.xpos[body])

    def _floor_share(self, name: str) -> float:
        steps = (np.arange(12) + 0.5) / 6 - 1
        u, v = (c.ravel() * self._half_fov_tan for c in np.meshgrid(steps, steps))
        position, turn = self._camera_pose()
        rays = np.stack([u, v, -np.ones_like(u)], axis=1) @ turn.T
        return float(np.mean(np.isin(self._first_hit(position + rays), self._floor_geoms[name])))

    def _first_hit(self, targets: Points) -> NDArray[np.int32]:
        """Return the geom that the ray from the camera towards each point hits first, -1 for none."""
        model, data = self._sim.model, self._sim.data
        position, _ = self._camera_pose()
        rays = targets - position
        rays /= np.linalg.norm(rays, axis=1, keepdims=True)
        count = len(rays)
        geoms, far = np.full(count, -1, np.int32), np.zeros(count)
        mujoco.mj_multiRay(model, data, position, rays.ravel(), _OPAQUE, 1, -1, geoms, far, None, count, 40.0)
        return geoms

    # --- frustum and projection ---------------------------------------------------------------------

    def project(self, points: Points, width: int, height: int) -> tuple[Points, NDArray[np.bool_]]:
        """Return pixels (N x 2, right and down), and which points lie in front of the camera."""
        position, turn = self._camera_pose()
        local = (points - position) @ turn
        ahead = local[:, 2] < -0.05
        scale = height / 2 / self._half_fov_tan / np.where(ahead, -local[:, 2], 1)
        return np.stack([width / 2 + local[:, 0] * scale, height / 2 - local[:, 1] * scale], axis=1), ahead

    def boxes(self, names: Iterable[str], width: int = 256, height: int = 256) -> tuple[BoundingBox, ...]:
        """Return the bounding boxes of the visible things, clipped to the picture; a floor has none."""
        found = []
        for name in names:
            if name not in self._bodies:
                continue
            pixels, ahead = self.project(self.drawn_points(name), width, height)
            pixels = pixels[ahead]
            if not len(pixels):
                continue
            (left, top), (right, bottom) = np.floor(pixels.min(0)), np.ceil(pixels.max(0)) + 1
            if left < width and top < height and right > 0 and bottom > 0:
                found.append(
                    BoundingBox(name, max(left, 0.0), max(top, 0.0), min(right, width), min(bottom, height))
                )
        return tuple(found)

    def _in_image(self, points: Points) -> NDArray[np.bool_]:
        pixels, ahead = self.project(points, 2, 2)
        return np.asarray(ahead & (pixels >= 0).all(1) & (pixels <= 2).all(1))

    def _camera_pose(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        data = self._sim.data
        return data.cam_xpos[self._camera].copy(), data.cam_xmat[self._camera].reshape(3, 3)

    # --- shapes -------------------------------------------------------------------------------------

    def _door(self, kind: str) -> list[int]:
        return [self._sim.model.body(f"{kind} door").id] if kind in self._sim.max_door_angle else []

    def _local_points(self, body: int, looks: bool = False) -> Points:
        """Return outer points in the body's frame: of what is always drawn, or of what its looks show now."""
        model = self._sim.model
        switched = {look.geom for look in self._sim.built.looks}
        parts: list[Points] = []
        for g in np.flatnonzero(model.geom_bodyid == body):
            if (
                model.geom_group[g] in (COLLISION_GROUP, HIDDEN_GROUP, TRANSPARENT_GROUP)
                or (model.geom(g).name in switched) != looks
            ):
                continue
            turn = np.zeros(9)
            mujoco.mju_quat2Mat(turn, model.geom_quat[g])
            parts.append(_geom_points(model, int(g)) @ turn.reshape(3, 3).T + model.geom_pos[g])
        return np.concatenate(parts) if parts else np.zeros((0, 3))


_CORNERS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
_ROUND = np.arange(12) * np.pi / 6
_RIM = np.array([(math.cos(a), math.sin(a), z) for a in _ROUND for z in (-1, 1)])
_SPHERE = np.array(
    [
        (math.cos(a) * math.cos(b), math.sin(a) * math.cos(b), math.sin(b))
        for a in _ROUND
        for b in (-1.57, -0.8, 0, 0.8, 1.57)
    ]
)


def _geom_points(model: mujoco.MjModel, g: int) -> Points:
    size = model.geom_size[g]
    match model.geom_type[g]:
        case _GEOM.mjGEOM_BOX:
            return np.asarray(_CORNERS * size)
        case _GEOM.mjGEOM_CYLINDER:
            return np.asarray(_RIM * [size[0], size[0], size[1]])
        case _GEOM.mjGEOM_CAPSULE:
            end = np.array([0, 0, size[1]])
            return np.concatenate([_SPHERE * size[0] + end, _SPHERE * size[0] - end])
        case _GEOM.mjGEOM_MESH:
            mesh = model.geom_dataid[g]
            first = model.mesh_vertadr[mesh]
            return np.asarray(model.mesh_vert[first : first + model.mesh_vertnum[mesh]], float)
        case _:
            return np.asarray(_SPHERE * size)
