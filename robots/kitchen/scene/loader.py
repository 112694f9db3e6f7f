"""Read a scene from the TOML files of a folder in `resources/scenes`, and check its references."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TypeVar

from core.data_file import check, known_name, read_toml
from core.errors import BadFile, UnknownName
from core.install_paths import resource_path
from robots.kitchen.scene.schema import (
    FurnitureSpec,
    LightSpec,
    MaterialSpec,
    PartSpec,
    RobotSpec,
    RoomSpec,
    SceneSpec,
    ThingSpec,
)

SCENES = resource_path("resources", "scenes")
_SHAPE_FIELDS = ("box", "cylinder", "tube", "ball", "sheet", "turned", "hull")
_REMEDY = "docs/kitchen.md has every field"
_Read = TypeVar("_Read")


@cache
def load_scene(name: str = "household", scenes: Path = SCENES) -> SceneSpec:
    """Load the scene of this name. Raises UnknownName and BadFile."""
    folder = scenes / name
    if not folder.is_dir():
        raise UnknownName("scene", name, (p.name for p in scenes.iterdir() if p.is_dir()))
    house = folder / "house.toml"
    table = read_toml(house)
    materials = _validate(dict[str, MaterialSpec], folder / "materials.toml")
    rooms = _validate(dict[str, RoomSpec], house, table.get("rooms"))
    furniture = {p.stem: _validate(FurnitureSpec, p) for p in _toml_files(folder / "furniture")}
    things = {p.stem: _validate(ThingSpec, p) for p in _toml_files(folder / "things")}
    decor = {
        p.stem: _validate(tuple[PartSpec, ...], p, read_toml(p).get("parts"))
        for p in _toml_files(folder / "decor")
    }
    robot = _validate(RobotSpec, folder / "robot.toml")

    _check_materials(folder / "materials.toml", materials)
    for kind, piece in furniture.items():
        path = folder / "furniture" / f"{kind}.toml"
        _check_parts(path, (*piece.parts, *(piece.door.parts if piece.door else ())), materials)
        _check_known(path, "room", piece.room, rooms)
    for kind, thing in things.items():
        _check_parts(folder / "things" / f"{kind}.toml", thing.parts, materials)
        for swapped in (name for swaps in thing.made_of for name in swaps.values()):
            _check_known(folder / "things" / f"{kind}.toml", "material", swapped, materials)
        for on in thing.on:
            _check_known(folder / "things" / f"{kind}.toml", "furniture", on, furniture)
    for kind, parts in decor.items():
        _check_parts(folder / "decor" / f"{kind}.toml", parts, materials)
    for room in rooms.values():
        for ground in filter(None, (room.ground, room.edge)):
            _check_known(house, "material", ground, materials)
    limbs = (robot.parts, robot.head, robot.upper, robot.fore, robot.wrist, robot.hand, robot.finger)
    _check_parts(folder / "robot.toml", (part for limb in limbs for part in limb), materials)
    return SceneSpec(
        name=name,
        rooms=rooms,
        furniture=furniture,
        things=things,
        decor=tuple(part for parts in decor.values() for part in parts),
        materials=materials,
        light=_validate(LightSpec, house, table.get("light")),
        robot=robot,
    )


def _toml_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.toml"))


def _validate(kind: type[_Read], path: Path, content: object = ...) -> _Read:
    """Validate the file's content, or a part of it, as a value of this kind."""
    return check(kind, read_toml(path, _REMEDY) if content is ... else content, path, _REMEDY)


def _check_materials(path: Path, materials: dict[str, MaterialSpec]) -> None:
    from robots.kitchen.scene.textures import TEXTURES

    for name, material in materials.items():
        if material.texture:
            _check_known(path, "texture", material.texture, TEXTURES)
        if material.like:
            _check_known(path, "material", material.like, materials)
        if not material.colours:
            raise BadFile(path, f"{name} has no colour to pick from", remedy=_REMEDY)


def _check_parts(path: Path, parts: Iterable[PartSpec], materials: Iterable[str]) -> None:
    for number, part in enumerate(parts, 1):
        shapes = [shape for shape in _SHAPE_FIELDS if getattr(part, shape) is not None]
        if len(shapes) != 1:
            given = " and ".join(shapes) or "no shape"
            raise BadFile(path, f"part {number} has {given}: it needs one of {', '.join(_SHAPE_FIELDS)}")
        if part.material:
            _check_known(path, "material", part.material, materials)
        elif not part.solid:
            raise BadFile(path, f"part {number} is neither drawn (material) nor solid")


def _check_known(path: Path, kind: str, name: str, known: Iterable[str]) -> None:
    try:
        known_name(kind, name, known)
    except ValueError as error:
        raise BadFile(path, str(error), remedy=_REMEDY) from None
