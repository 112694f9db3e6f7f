"""Build one MuJoCo model from a scene, an assignment and a seed.

The seed selects the colours, the light, the height of the camera, the position of movable furniture and the
distractors. Each choice has its own random stream, so that a new object does not change the other choices.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import Any
from zlib import crc32

import mujoco
import numpy as np
from numpy.typing import NDArray

from robots.kitchen.scene.assignment import SceneAssignment
from robots.kitchen.scene.geom_builder import (
    COLLISION_GROUP,
    DOOR_COLLISION,
    NO_COLLISION,
    STATIC_COLLISION,
    THING_COLLISION,
    VISIBLE_GROUP,
    ConditionalGeom,
    GeomBuilder,
    quat_from_yaw,
)
from robots.kitchen.scene.robot_model import build_robot
from robots.kitchen.scene.schema import (
    DoorSpec,
    FurnitureSpec,
    LightSpec,
    MaterialSpec,
    SceneSpec,
    ThingSpec,
    Vec3,
)
from robots.kitchen.scene.textures import TEXTURES

_GEOM = mujoco.mjtGeom
TRANSPARENT_ALPHA = 0.35  # alpha below which an object does not hide what is behind it
SUN_OFFSETS = ((-0.03, -0.015), (0.03, -0.015), (0.0, 0.03))  # a few degrees apart, for soft shadows


@dataclass(frozen=True)
class FurniturePose:
    """Position and yaw (degrees) of a piece of furniture, after the seed moved it."""

    at: Vec3
    yaw: float


@dataclass(frozen=True)
class CompiledScene:
    """A model, with when each geom is drawn (`looks`) and the bodies of each thing (an egg has two)."""

    model: Any
    scene: SceneSpec
    assignment: SceneAssignment
    seed: int
    furniture_poses: Mapping[str, FurniturePose]  # by kind of furniture
    bodies: Mapping[str, tuple[str, ...]]  # by object or distractor
    looks: tuple[ConditionalGeom, ...]


def rng_for(seed: int, what: str) -> np.random.Generator:
    """Return a random generator used for one purpose only."""
    return np.random.default_rng((seed, crc32(what.encode())))


def build_scene(scene: SceneSpec, assignment: SceneAssignment, seed: int) -> CompiledScene:
    spec = mujoco.MjSpec()
    spec.modelname = scene.name
    spec.option.timestep = 0.004
    spec.stat.extent, spec.stat.center = 5.0, [0.5, 0.5, 0.8]
    _set_visual_options(spec, scene.light)
    _add_materials(spec, scene.materials, seed)
    _add_lights(spec.worldbody, scene.light, seed)
    geom_builder = GeomBuilder(
        spec, frozenset(n for n, m in scene.materials.items() if m.alpha < TRANSPARENT_ALPHA)
    )
    _add_grounds(spec.worldbody, scene)
    geom_builder.add_parts(spec.worldbody, "decor", scene.decor, STATIC_COLLISION)
    poses = {kind: _add_furniture(geom_builder, kind, piece, seed) for kind, piece in scene.furniture.items()}
    bodies = {}
    for name, instance in assignment.things.items():
        bodies[name] = _add_thing(geom_builder, name, scene.things[instance.kind], instance.index)
    for extra in assignment.distractors:
        bodies[extra.name] = _add_thing(geom_builder, extra.name, scene.things[extra.kind], 0)
    build_robot(geom_builder, scene.robot, rng_for(seed, "eye"))
    for name in assignment.things:
        _add_welds(spec, bodies[name])
    return CompiledScene(
        spec.compile(),
        scene,
        assignment,
        seed,
        MappingProxyType(poses),
        MappingProxyType(bodies),
        tuple(geom_builder.looks),
    )


def _set_visual_options(spec: Any, light: LightSpec) -> None:
    visual = spec.visual
    visual.global_.offwidth, visual.global_.offheight = 1280, 720
    visual.quality.numslices, visual.quality.numstacks = 20, 10  # half the triangles of round shapes
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


def _add_lights(world: Any, light: LightSpec, seed: int) -> None:
    rng = rng_for(seed, "light")
    warm = rng.uniform(*light.warmth)
    colour = np.array([1.0 + warm, 0.98, 0.95 - warm]) * rng.uniform(*light.strength)
    towards = np.array([rng.uniform(*light.heading), 0.95, rng.uniform(*light.height)])
    directional = mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
    for k, (x, z) in enumerate(SUN_OFFSETS):
        direction = towards + np.array((x, 0, z))
        world.add_light(
            name=f"sun{k}",
            type=directional,
            pos=-4 * direction,
            dir=direction,
            diffuse=colour / len(SUN_OFFSETS),
            specular=[0.3 / len(SUN_OFFSETS)] * 3,
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


def _add_materials(spec: Any, materials: Mapping[str, MaterialSpec], seed: int) -> None:
    def pick_colour(name: str) -> NDArray[np.float64]:
        material = materials[name]
        if material.like:
            return pick_colour(material.like) * material.shade
        rng = rng_for(seed, name)
        colour = np.asarray(material.colours[int(rng.integers(len(material.colours)))])
        tint = rng.uniform(-0.04, 0.04) + rng.uniform(-0.012, 0.012, 3)
        return np.clip(colour * (1 + tint), 0, 0.98 if material.emission < 0.2 else 1.0)

    for name, material in materials.items():
        rgba = [*pick_colour(name), material.alpha]
        made = spec.add_material(
            name=name, specular=material.specular, shininess=material.shininess, emission=material.emission
        )
        if material.texture:
            options = {
                key: value
                for key in ("contrast", "frost", "count")
                if (value := getattr(material, key)) is not None
            }
            image = _texture_image(material.texture, seed, name, tuple(rgba[:3]), tuple(options.items()))
            texture = spec.add_texture(name=name, type=mujoco.mjtTexture.mjTEXTURE_2D)
            texture.height, texture.width, texture.nchannel = image.shape
            texture.data = image.tobytes()
            made.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = name
            made.texuniform = not material.fit
            made.texrepeat = [1 if material.fit else material.repeat] * 2
            rgba[:3] = (1, 1, 1)
        made.rgba = rgba


@lru_cache(maxsize=128)  # 256 KiB each at most; the next episode often needs the same ones
def _texture_image(
    kind: str, seed: int, name: str, colour: tuple[float, float, float], options: tuple[tuple[str, Any], ...]
) -> NDArray[np.uint8]:
    """Return the material's texture, which must not be modified: H x W x 3, or x 4 with alpha."""
    image = np.ascontiguousarray(TEXTURES[kind](rng_for(seed, f"texture {name}"), colour, **dict(options)))
    image.flags.writeable = False
    return image


def _add_grounds(world: Any, scene: SceneSpec) -> None:
    world.add_geom(
        name="ground", type=_GEOM.mjGEOM_PLANE, size=[0, 0, 1], group=COLLISION_GROUP, **STATIC_COLLISION
    )

    def slab(name: str, area: Any, material: str, z: float = 0) -> None:
        (x0, y0), (x1, y1) = area
        world.add_geom(
            name=name,
            type=_GEOM.mjGEOM_PLANE,
            size=[(x1 - x0) / 2, (y1 - y0) / 2, 1],
            pos=[(x0 + x1) / 2, (y0 + y1) / 2, z],
            material=material,
            group=VISIBLE_GROUP,
            castshadow=False,  # nothing lies below it, and it would shadow itself in speckles
            **NO_COLLISION,
        )

    slab("ground:field", ((-30, -30), (30, 30)), "grass", -0.04)
    for name, room in scene.rooms.items():
        slab(f"ground:{name}", room.area, room.ground)
        for k, area in enumerate(room.edges):
            slab(f"ground:{name}:{k}", area, room.edge, 0.002)


def _add_furniture(geom_builder: GeomBuilder, kind: str, piece: FurnitureSpec, seed: int) -> FurniturePose:
    rng = rng_for(seed, f"place of {kind}")
    x, y, turn = (rng.uniform(-j, j) if j else 0.0 for j in piece.jitter)
    pose = FurniturePose((piece.at[0] + x, piece.at[1] + y, piece.at[2]), piece.turn + turn)
    body = geom_builder.spec.worldbody.add_body(name=kind, pos=pose.at, quat=quat_from_yaw(pose.yaw))
    geom_builder.add_parts(body, kind, piece.parts, STATIC_COLLISION)
    if piece.door:
        _add_door(geom_builder, body, kind, piece.door)
    return pose


def _add_door(geom_builder: GeomBuilder, body: Any, kind: str, door: DoorSpec) -> None:
    """Add a door. It ignores gravity and stays where it is put: its angle is its state."""
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
    geom_builder.add_parts(made, kind, door.parts, DOOR_COLLISION)


def _add_thing(geom_builder: GeomBuilder, name: str, thing: ThingSpec, index: int) -> tuple[str, ...]:
    scale = thing.variants[index % len(thing.variants)] if thing.variants else (1.0, 1.0, 1.0)
    swaps = thing.made_of[index % len(thing.made_of)] if thing.made_of else {}
    parts = tuple(replace(part, material=swaps.get(part.material, part.material)) for part in thing.parts)
    names: tuple[str, ...] = (name, f"{name} half") if thing.halves else (name,)
    for body_name in names:
        body = geom_builder.spec.worldbody.add_body(name=body_name, pos=[0, 0, 5])
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
                group=COLLISION_GROUP,
                **THING_COLLISION,
            )
        geom_builder.add_parts(body, name, parts, NO_COLLISION, scale)
    if thing.halves:
        geom_builder.spec.add_exclude(bodyname1=names[0], bodyname2=names[1])
    return names


def _add_welds(spec: Any, bodies: tuple[str, ...]) -> None:
    """Add inactive welds: from the hand to each body of a thing, and between the two halves of a thing."""
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
