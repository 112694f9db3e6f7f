"""Build MuJoCo geoms from the parts in a scene's data."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

import mujoco
import numpy as np
from numpy.typing import NDArray

from robots.kitchen.scene.schema import PartSpec, Vec3

# Geom groups. Pictures show groups 0..2; rays of sight pass through TRANSPARENT_GROUP and what is not drawn.
VISIBLE_GROUP, TRANSPARENT_GROUP, COLLISION_GROUP, HIDDEN_GROUP = 0, 2, 3, 4
_GEOM = mujoco.mjtGeom
_LATHE_SEGMENTS = 28

# Collision bits: furniture 1, things 2, robot 4, doors 8. A door never collides with its frame.
STATIC_COLLISION = {"contype": 1, "conaffinity": 0}
DOOR_COLLISION = {"contype": 8, "conaffinity": 0}
THING_COLLISION = {"contype": 2, "conaffinity": 11}
ROBOT_COLLISION = {"contype": 4, "conaffinity": 9}
NO_COLLISION = {"contype": 0, "conaffinity": 0}

_TRIM_STEP = 0.00006  # metres on each side: more than the error of a depth buffer
_COPLANAR_TOLERANCE = 0.00002  # metres; faces nearer than this coincide
_IN_PLANE_AXES = ((1, 2), (0, 2), (0, 1))  # the axes in the plane of a face, by the axis across it

Quat = NDArray[np.float64]
Corners = tuple[NDArray[np.float64], NDArray[np.float64]]


def quat_from_axes(x: Sequence[float], z: Sequence[float]) -> Quat:
    """Return the frame whose local x and z point along these directions; x is made perpendicular to z."""
    up = np.asarray(z, float) / np.linalg.norm(z)
    side = np.asarray(x, float) - np.dot(x, up) * up
    side /= np.linalg.norm(side)
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, np.stack([side, np.cross(up, side), up], axis=1).ravel())
    return quat


def quat_from_yaw(degrees: float) -> Quat:
    """Return the rotation about z as a quaternion (w, x, y, z)."""
    half = np.radians(degrees) / 2
    return np.array([np.cos(half), 0, 0, np.sin(half)])


def quat_multiply(a: Sequence[float] | Quat, b: Sequence[float] | Quat) -> Quat:
    """Return the rotation `b` followed by `a`."""
    product = np.zeros(4)
    mujoco.mju_mulQuat(product, np.asarray(a, float), np.asarray(b, float))
    return product


def _quat_from_z(axis: Vec3) -> Quat:
    """Return a frame with its z along the axis."""
    return quat_from_axes((1, 0, 0) if abs(axis[0]) < 0.9 else (0, 1, 0), axis)


@dataclass(frozen=True)
class ConditionalGeom:
    """A geom drawn only in some looks of its owner: while all of `on` are on and all of `off` are off."""

    owner: str
    geom: str
    on: frozenset[str]
    off: frozenset[str]
    group: int  # the geom group while it is drawn


@dataclass
class CoplanarFaceTrimmer:
    """Keeps the boxes of each body so far, in the body's frame and along its axes.

    A face shared by two boxes is lit twice, and speckles: the later box is made smaller, by an invisible
    amount.
    """

    _boxes: dict[str, list[Corners]] = field(default_factory=lambda: defaultdict(list))

    def trim(self, body: str, middle: NDArray[np.float64], half: NDArray[np.float64]) -> float:
        """Return the metres to trim from each side of a box so that it shares no face with an earlier one."""
        known, trim = self._boxes[body], 0.0
        while any(_share_a_face((middle - half + trim, middle + half - trim), other) for other in known):
            trim += _TRIM_STEP
        known.append((middle - half + trim, middle + half - trim))
        return trim


def _share_a_face(one: Corners, other: Corners) -> bool:
    overlap = np.minimum(one[1], other[1]) - np.maximum(one[0], other[0])
    same = np.minimum(np.abs(one[0] - other[0]), np.abs(one[1] - other[1])) < _COPLANAR_TOLERANCE
    return any(
        same[across] and (overlap[list(_IN_PLANE_AXES[across])] > _TRIM_STEP).all() for across in range(3)
    )


@dataclass
class GeomBuilder:
    """Makes the geoms of one model, and records them."""

    spec: Any
    transparent: frozenset[str]  # materials that one can see through
    looks: list[ConditionalGeom] = field(default_factory=list)
    _count: int = 0
    _face_trimmer: CoplanarFaceTrimmer = field(default_factory=CoplanarFaceTrimmer)

    def add_parts(
        self,
        body: Any,
        owner: str,
        parts: Sequence[PartSpec],
        collide: dict[str, int],
        scale: Vec3 = (1, 1, 1),
        flip: bool = False,
    ) -> None:
        """Add these parts to a body. `flip` mirrors them in y (a left finger becomes a right one)."""
        for part in parts:
            for position, turn in _part_poses(part):
                self._geom(body, owner, part, collide, position, turn, np.asarray(scale, float), flip)

    def _geom(
        self,
        body: Any,
        owner: str,
        part: PartSpec,
        collide: dict[str, int],
        position: NDArray[np.float64],
        turn: float,
        scale: NDArray[np.float64],
        flip: bool,
    ) -> None:
        self._count += 1
        name = f"{owner}:{self._count}"
        position = position * scale
        if flip:
            position = position * (1, -1, 1)
        common: dict[str, Any] = {
            "material": part.material,
            "mass": 0.0,
            "group": self._group(part),
            **(collide if part.solid else NO_COLLISION),
        }
        whole = quat_from_yaw(turn)
        if part.tube:
            points = [_rotate(whole, np.asarray(p) * scale) + position for p in part.tube]
            for k, (a, b) in enumerate(itertools.pairwise(points)):
                geom = body.add_geom(
                    name=f"{name}.{k}",
                    type=_GEOM.mjGEOM_CAPSULE,
                    fromto=[*a, *b],
                    size=[part.radius * scale[1], 0, 0],
                    **common,
                )
                self._apply_look(geom, owner, part)
            return
        kind, size, quat, mesh = self._shape(part, scale)
        if part.box and part.material and turn % 90 == 0:
            half = np.asarray(part.box) * scale / 2
            trim = self._face_trimmer.trim(body.name, position, half if turn % 180 == 0 else half[[1, 0, 2]])
            size = [side - trim for side in size]
        geom = body.add_geom(
            name=name, type=kind, size=size, pos=position, quat=quat_multiply(whole, quat), **common
        )
        if mesh:
            geom.meshname = mesh
        self._apply_look(geom, owner, part)

    def _group(self, part: PartSpec) -> int:
        if not part.material:
            return COLLISION_GROUP
        return TRANSPARENT_GROUP if part.material in self.transparent or part.sheet else VISIBLE_GROUP

    def _apply_look(self, geom: Any, owner: str, part: PartSpec) -> None:
        geom.castshadow = part.shadow
        if not part.look:
            return
        words = [w.strip() for w in part.look.split(",")]
        on = frozenset(w for w in words if not w.startswith("!"))
        off = frozenset(w[1:] for w in words if w.startswith("!"))
        self.looks.append(ConditionalGeom(owner, geom.name, on, off, self._group(part)))
        if on:
            geom.group = HIDDEN_GROUP

    def _shape(self, part: PartSpec, scale: NDArray[np.float64]) -> tuple[Any, list[float], Quat, str]:
        """Return the geom type, size, orientation and mesh name."""
        if part.box:
            size = np.asarray(part.box) * scale
            thin, middle, long = np.argsort(size, kind="stable")
            # Textures are projected along the local z axis. The thin side therefore becomes z and the long
            # one x, so that the pattern is on the large faces and the grain follows the board.
            quat = quat_from_axes(np.eye(3)[long], np.eye(3)[thin])
            return _GEOM.mjGEOM_BOX, list(size[[long, middle, thin]] / 2), quat, ""
        if part.sheet:
            upright = quat_from_axes((1, 0, 0), (0, -1, 0))
            return _GEOM.mjGEOM_BOX, [part.sheet[0] / 2, part.sheet[1] / 2, 0.0005], upright, ""
        if part.cylinder:
            along = int(np.argmax(np.abs(part.axis)))
            radius, height = part.cylinder[0] * scale[(along + 1) % 3], part.cylinder[1] * scale[along]
            return _GEOM.mjGEOM_CYLINDER, [radius, height / 2, 0], _quat_from_z(part.axis), ""
        if part.ball:
            return _GEOM.mjGEOM_ELLIPSOID, list(np.asarray(part.ball) * scale), _quat_from_z(part.axis), ""
        if part.turned:
            return _GEOM.mjGEOM_MESH, [0, 0, 0], _quat_from_z(part.axis), self._lathe(part, scale)
        if part.hull:
            return _GEOM.mjGEOM_MESH, [0, 0, 0], np.array([1.0, 0, 0, 0]), self._hull(part)
        raise ValueError("a part names none of the shapes")

    def _mesh(self, name: str, vertices: NDArray[np.float64], faces: list[tuple[int, int, int]]) -> str:
        if self.spec.mesh(name) is None:
            mesh = self.spec.add_mesh(name=name)
            mesh.uservert = vertices.ravel()
            mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL if faces else mesh.inertia
            if faces:
                mesh.userface = np.asarray(faces, np.int32).ravel()
        return name

    def _hull(self, part: PartSpec) -> str:
        assert part.hull
        return self._mesh(f"hull_{crc32(repr(part.hull).encode()):x}", np.asarray(part.hull, float), [])

    def _lathe(self, part: PartSpec, scale: NDArray[np.float64]) -> str:
        """Make the mesh of a closed solid of revolution about z. Its profile starts and ends on the axis."""
        assert part.turned
        angles = np.arange(_LATHE_SEGMENTS) * 2 * np.pi / _LATHE_SEGMENTS
        vertices: list[tuple[float, float, float]] = []
        rings: list[list[int]] = []
        for radius, z in part.turned:
            first = len(vertices)
            around = angles if radius > 1e-6 else angles[:1]
            vertices += [(radius * np.cos(a), radius * np.sin(a), z) for a in around]
            rings.append(list(range(first, len(vertices))))
        faces: list[tuple[int, int, int]] = []
        for low, high in itertools.pairwise(rings):
            for k in range(_LATHE_SEGMENTS):
                n = (k + 1) % _LATHE_SEGMENTS
                if len(low) > 1:
                    faces.append((low[k], low[n], high[k % len(high)]))
                if len(high) > 1:
                    faces.append((low[n % len(low)], high[n], high[k]))
        stretch = np.asarray(part.stretch) * scale
        name = f"turned_{crc32(repr((part.turned, stretch.tolist())).encode()):x}"
        return self._mesh(name, np.asarray(vertices) * stretch, faces)


def _rotate(quat: Quat, point: NDArray[np.float64]) -> NDArray[np.float64]:
    result = np.zeros(3)
    mujoco.mju_rotVecQuat(result, point, quat)
    return result


def _part_poses(part: PartSpec) -> Iterator[tuple[NDArray[np.float64], float]]:
    """Yield position and rotation about z for each copy of the part."""
    at = np.asarray(part.at, float)
    rng = np.random.default_rng(3)
    for k in range(part.copies):
        place, turn = at + k * np.asarray(part.step), part.turn
        if part.ring:
            angle = 2 * np.pi * k / part.copies
            place = at + part.ring * np.array([np.cos(angle), np.sin(angle), 0])
            turn += np.degrees(angle) + 90
        if part.scatter:
            angle, far = rng.uniform(0, 2 * np.pi), part.scatter * np.sqrt(rng.random())
            place = at + far * np.array([np.cos(angle), np.sin(angle), 0])
            turn += rng.uniform(0, 360)
        signs = [(1, 1)]
        if "x" in part.mirror:
            signs.append((-1, 1))
        if "y" in part.mirror:
            signs += [(x, -1) for x, _ in signs]
        for x, y in signs:
            yield place * (x, y, 1), turn
