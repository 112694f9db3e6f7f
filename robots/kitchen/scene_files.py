"""Reads a scene from the TOML files of a folder in `resources/scenes`, and checks what they refer to."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from core.errors import BadFile, UnknownName
from core.install_paths import resource_path
from robots.kitchen.scene import Furniture, Light, Material, Part, RobotData, Room, Scene, Thing

SCENES = resource_path("resources", "scenes")
_SHAPES = ("box", "cylinder", "tube", "ball", "sheet", "turned", "hull")
_WAY_OUT = "docs/kitchen.md has every field"
_Read = TypeVar("_Read")


@cache
def read_scene(name: str = "household", scenes: Path = SCENES) -> Scene:
    """The scene of this name. Raises UnknownName and BadFile."""
    folder = scenes / name
    if not folder.is_dir():
        raise UnknownName("scene", name, (p.name for p in scenes.iterdir() if p.is_dir()))
    house = folder / "house.toml"
    table = _toml(house)
    materials = _checked(dict[str, Material], folder / "materials.toml")
    rooms = _checked(dict[str, Room], house, table.get("rooms"))
    furniture = {p.stem: _checked(Furniture, p) for p in _files(folder / "furniture")}
    things = {p.stem: _checked(Thing, p) for p in _files(folder / "things")}
    decor = {p.stem: _checked(tuple[Part, ...], p, _toml(p).get("parts")) for p in _files(folder / "decor")}
    robot = _checked(RobotData, folder / "robot.toml")

    _check_materials(folder / "materials.toml", materials)
    for kind, piece in furniture.items():
        path = folder / "furniture" / f"{kind}.toml"
        _check_parts(path, (*piece.parts, *(piece.door.parts if piece.door else ())), materials)
        _known(path, "room", piece.room, rooms)
    for kind, thing in things.items():
        _check_parts(folder / "things" / f"{kind}.toml", thing.parts, materials)
        for on in thing.on:
            _known(folder / "things" / f"{kind}.toml", "furniture", on, furniture)
    for kind, parts in decor.items():
        _check_parts(folder / "decor" / f"{kind}.toml", parts, materials)
    for room in rooms.values():
        for ground in filter(None, (room.ground, room.edge)):
            _known(house, "material", ground, materials)
    limbs = (robot.parts, robot.head, robot.upper, robot.fore, robot.wrist, robot.hand, robot.finger)
    _check_parts(folder / "robot.toml", (part for limb in limbs for part in limb), materials)
    return Scene(
        name=name,
        rooms=rooms,
        furniture=furniture,
        things=things,
        decor=tuple(part for parts in decor.values() for part in parts),
        materials=materials,
        light=_checked(Light, house, table.get("light")),
        robot=robot,
    )


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.toml"))


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadFile(path, f"it cannot be read ({error.strerror})") from error
    except tomllib.TOMLDecodeError as error:
        raise BadFile(path, f"it is not TOML ({error})") from error


def _checked(kind: type[_Read], path: Path, content: object = ...) -> _Read:
    """The file's content, or a part of it, as this kind of value."""
    try:
        return TypeAdapter(kind).validate_python(_toml(path) if content is ... else content)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(p) for p in first["loc"])
        raise BadFile(path, f"{place}: {first['msg']}", remedy=_WAY_OUT) from error


def _check_materials(path: Path, materials: dict[str, Material]) -> None:
    from robots.kitchen.textures import KINDS

    for name, material in materials.items():
        if material.texture:
            _known(path, "texture", material.texture, KINDS)
        if material.like:
            _known(path, "material", material.like, materials)
        if not material.colours:
            raise BadFile(path, f"{name} has no colour to pick from", remedy=_WAY_OUT)


def _check_parts(path: Path, parts: Iterable[Part], materials: Iterable[str]) -> None:
    for number, part in enumerate(parts, 1):
        shapes = [shape for shape in _SHAPES if getattr(part, shape) is not None]
        if len(shapes) != 1:
            said = " and ".join(shapes) or "no shape"
            raise BadFile(path, f"part {number} has {said}: it needs one of {', '.join(_SHAPES)}")
        if part.material:
            _known(path, "material", part.material, materials)
        elif not part.solid:
            raise BadFile(path, f"part {number} is neither drawn (material) nor solid")


def _known(path: Path, kind: str, name: str, known: Iterable[str]) -> None:
    names = set(known)
    if name not in names:
        error = UnknownName(kind, name, names)
        raise BadFile(path, str(error).rstrip("."))
