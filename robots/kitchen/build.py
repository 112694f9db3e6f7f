"""Scene, cast and seed become one MuJoCo model.

The seed picks colours, light, the height of the eye, where movable furniture stands and what lies about.
Each pick has a stream of its own, so that a new object leaves the others' picks as they were.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import Any
from zlib import crc32

import mujoco
import numpy as np
from numpy.typing import NDArray

from robots.kitchen.cast import Cast
from robots.kitchen.robot_parts import build_robot
from robots.kitchen.scene import Door, Furniture, Light, Material, Scene, Thing, Vec3
from robots.kitchen.shapes import DOOR, NOTHING, SHOWN, SOLID, STATIC, THING, Look, Workshop, yaw_quat
from robots.kitchen.textures import KINDS

_GEOM = mujoco.mjtGeom
CLEAR_GLASS = 0.35  # alpha below which what is behind it counts as in sight
SUNS = ((-0.03, -0.015), (0.03, -0.015), (0.0, 0.03))  # a few degrees apart: their shadows get half-tones


@dataclass(frozen=True)
class Pose:
    """Of a piece of furniture, after the seed moved it: place and turn about z in degrees."""

    at: Vec3
    turn: float


@dataclass(frozen=True)
class Built:
    """`looks` says which geoms are drawn when; `bodies` gives the bodies of a thing (an egg has two)."""

    model: Any
    scene: Scene
    cast: Cast
    seed: int
    poses: Mapping[str, Pose]  # by kind of furniture
    bodies: Mapping[str, tuple[str, ...]]  # by object or extra
    looks: tuple[Look, ...]


def stream(seed: int, what: str) -> np.random.Generator:
    """Random numbers for one thing only."""
    return np.random.default_rng((seed, crc32(what.encode())))


def build(scene: Scene, cast: Cast, seed: int) -> Built:
    spec = mujoco.MjSpec()
    spec.modelname = scene.name
    spec.option.timestep = 0.004
    spec.stat.extent, spec.stat.center = 5.0, [0.5, 0.5, 0.8]
    _settings(spec, scene.light)
    _materials(spec, scene.materials, seed)
    _lights(spec.worldbody, scene.light, seed)
    shop = Workshop(spec, frozenset(n for n, m in scene.materials.items() if m.alpha < CLEAR_GLASS))
    _grounds(spec.worldbody, scene)
    shop.make(spec.worldbody, "decor", scene.decor, STATIC)
    poses = {kind: _furniture(shop, kind, piece, seed) for kind, piece in scene.furniture.items()}
    bodies = {}
    for name, role in cast.things.items():
        bodies[name] = _thing(shop, name, scene.things[role.kind], role.index)
    for extra in cast.extras:
        bodies[extra.name] = _thing(shop, extra.name, scene.things[extra.kind], 0)
    build_robot(shop, scene.robot, stream(seed, "eye"))
    for name in cast.things:
        _welds(spec, bodies[name])
    return Built(
        spec.compile(),
        scene,
        cast,
        seed,
        MappingProxyType(poses),
        MappingProxyType(bodies),
        tuple(shop.looks),
    )


def _settings(spec: Any, light: Light) -> None:
    visual = spec.visual
    visual.global_.offwidth, visual.global_.offheight = 1280, 720
    visual.quality.numslices, visual.quality.numstacks = 20, 10  # half the triangles of round things
    visual.map.znear, visual.map.zfar, visual.map.shadowclip = 0.008, 8, 0.36
    visual.headlight.ambient = [light.ambient] * 3
    visual.headlight.diffuse = [light.headlight] * 3
    visual.headlight.specular = [0.0] * 3
    spec.add_texture(
        name="heaven",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=[0.90, 0.94, 0.97],
        rgb2=[0.55, 0.70, 0.86],
        width=64,
        height=384,
    )


def _lights(world: Any, light: Light, seed: int) -> None:
    rng = stream(seed, "light")
    warm = rng.uniform(*light.warmth)
    colour = np.array([1.0 + warm, 0.98, 0.95 - warm]) * rng.uniform(*light.strength)
    towards = np.array([rng.uniform(*light.heading), 0.95, rng.uniform(*light.height)])
    directional = mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
    for k, (x, z) in enumerate(SUNS):
        direction = towards + np.array((x, 0, z))
        world.add_light(
            name=f"sun{k}",
            type=directional,
            pos=-4 * direction,
            dir=direction,
            diffuse=colour / len(SUNS),
            specular=[0.3 / len(SUNS)] * 3,
            ambient=[0] * 3,
            castshadow=True,
        )
    for side, strength in zip((-1, 1), light.fill, strict=True):  # light from the sky
        world.add_light(
            name=f"fill{side:+d}",
            type=directional,
            pos=[0, -3, 3],
            dir=[0.85 * side, 0.25, -0.30],
            diffuse=[strength * 0.95, strength, strength * 1.06],
            specular=[0] * 3,
            ambient=[0] * 3,
            castshadow=False,
        )


def _materials(spec: Any, materials: Mapping[str, Material], seed: int) -> None:
    def picked(name: str) -> NDArray[np.float64]:
        material = materials[name]
        if material.like:
            return picked(material.like) * material.shade
        rng = stream(seed, name)
        colour = np.asarray(material.colours[int(rng.integers(len(material.colours)))])
        tint = rng.uniform(-0.04, 0.04) + rng.uniform(-0.012, 0.012, 3)
        return np.clip(colour * (1 + tint), 0, 0.98 if material.emission < 0.2 else 1.0)

    for name, material in materials.items():
        rgba = [*picked(name), material.alpha]
        made = spec.add_material(
            name=name, specular=material.specular, shininess=material.shininess, emission=material.emission
        )
        if material.texture:
            options = {
                key: value
                for key in ("contrast", "frost", "count")
                if (value := getattr(material, key)) is not None
            }
            image = _image(material.texture, seed, name, tuple(rgba[:3]), tuple(options.items()))
            texture = spec.add_texture(name=name, type=mujoco.mjtTexture.mjTEXTURE_2D)
            texture.height, texture.width, texture.nchannel = image.shape
            texture.data = image.tobytes()
            made.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = name
            made.texuniform = not material.fit
            made.texrepeat = [1 if material.fit else material.repeat] * 2
            rgba[:3] = (1, 1, 1)
        made.rgba = rgba


@lru_cache(maxsize=128)  # 256 KiB each at most; the next episode often has the same ones
def _image(
    kind: str, seed: int, name: str, colour: tuple[float, float, float], options: tuple[tuple[str, Any], ...]
) -> NDArray[np.uint8]:
    """Return the material's texture, which nobody may change: H x W x 3, or x 4 with alpha."""
    image = np.ascontiguousarray(KINDS[kind](stream(seed, f"texture {name}"), colour, **dict(options)))
    image.flags.writeable = False
    return image


def _grounds(world: Any, scene: Scene) -> None:
    world.add_geom(name="ground", type=_GEOM.mjGEOM_PLANE, size=[0, 0, 1], group=SOLID, **STATIC)

    def slab(name: str, area: Any, material: str, z: float = 0) -> None:
        (x0, y0), (x1, y1) = area
        world.add_geom(
            name=name,
            type=_GEOM.mjGEOM_PLANE,
            size=[(x1 - x0) / 2, (y1 - y0) / 2, 1],
            pos=[(x0 + x1) / 2, (y0 + y1) / 2, z],
            material=material,
            group=SHOWN,
            castshadow=False,  # nothing lies below, and it would speckle itself
            **NOTHING,
        )

    slab("ground:field", ((-30, -30), (30, 30)), "grass", -0.04)
    for name, room in scene.rooms.items():
        slab(f"ground:{name}", room.area, room.ground)
        for k, area in enumerate(room.edges):
            slab(f"ground:{name}:{k}", area, room.edge, 0.002)


def _furniture(shop: Workshop, kind: str, piece: Furniture, seed: int) -> Pose:
    rng = stream(seed, f"place of {kind}")
    x, y, turn = (rng.uniform(-j, j) if j else 0.0 for j in piece.jitter)
    pose = Pose((piece.at[0] + x, piece.at[1] + y, piece.at[2]), piece.turn + turn)
    body = shop.spec.worldbody.add_body(name=kind, pos=pose.at, quat=yaw_quat(pose.turn))
    shop.make(body, kind, piece.parts, STATIC)
    if piece.door:
        _door(shop, body, kind, piece.door)
    return pose


def _door(shop: Workshop, body: Any, kind: str, door: Door) -> None:
    """It ignores gravity and stays where it is put: its angle is its state."""
    made = body.add_body(name=f"{kind} door", pos=door.hinge, gravcomp=1)
    made.add_joint(
        name=f"{kind} hinge",
        type=mujoco.mjtJoint.mjJNT_HINGE,
        axis=door.axis,
        range=[0, np.radians(door.open) + 0.05],
        limited=True,
        damping=2.0,
        frictionloss=2.0,
        armature=0.05,
    )
    made.explicitinertial = True
    made.mass, made.inertia = 4.0, [0.2, 0.2, 0.2]
    shop.make(made, kind, door.parts, DOOR)


def _thing(shop: Workshop, name: str, thing: Thing, index: int) -> tuple[str, ...]:
    scale = thing.variants[index % len(thing.variants)] if thing.variants else (1.0, 1.0, 1.0)
    names: tuple[str, ...] = (name, f"{name} half") if thing.halves else (name,)
    for body_name in names:
        body = shop.spec.worldbody.add_body(name=body_name, pos=[0, 0, 5])
        body.add_freejoint(name=f"{body_name} free")
        for solid in thing.solids:
            kind, size = _GEOM.mjGEOM_BOX, [s / 2 for s in solid.box or (0, 0, 0)]
            if solid.cylinder:
                kind, size = _GEOM.mjGEOM_CYLINDER, [solid.cylinder[0], solid.cylinder[1] / 2, 0]
            body.add_geom(
                type=kind,
                size=np.asarray(size) * scale,
                pos=np.asarray(solid.at) * scale,
                mass=thing.mass / len(thing.solids) / len(names),
                friction=[0.9, 0.02, 0.01],
                condim=6,
                group=SOLID,
                **THING,
            )
        shop.make(body, name, thing.parts, NOTHING, scale)
    if thing.halves:
        shop.spec.add_exclude(bodyname1=names[0], bodyname2=names[1])
    return names


def _welds(spec: Any, bodies: tuple[str, ...]) -> None:
    """The hand can hold each body of a thing; two halves can hold each other. None does at first."""
    pairs: list[tuple[str, str]] = [("hand", body) for body in bodies]
    pairs += pairwise(bodies)
    for one, other in pairs:
        spec.add_equality(
            name=f"{one}+{other}",
            type=mujoco.mjtEq.mjEQ_WELD,
            objtype=mujoco.mjtObj.mjOBJ_BODY,
            name1=one,
            name2=other,
            active=False,
        )
