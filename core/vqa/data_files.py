"""Data files of this package: prompts, profiles, models, calibrations. TOML in, frozen values out.

The shipped ones are in `resources`, the user's own in the data folder.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from core.errors import BadFile, UnknownName
from core.install_paths import resource_path

if TYPE_CHECKING:
    from pydantic import TypeAdapter

RESOURCES = resource_path("resources")

T = TypeVar("T")


def load_toml(path: Path, kind: type[T]) -> T:
    """Read a TOML file as a dataclass. Raises BadFile naming the first error."""
    from pydantic import ValidationError

    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadFile(path, error.strerror or "it cannot be read") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadFile(path, f"this is not TOML ({error})") from error
    hint: Any = kind
    try:
        value: T = _adapter(hint).validate_python(data)
        return value
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise BadFile(path, f"{place}: {first['msg'].lower()}") from error


@cache
def _adapter(hint: Any) -> TypeAdapter[Any]:
    """Return the adapter of a type, cached because creating one takes milliseconds."""
    from pydantic import TypeAdapter

    return TypeAdapter(hint)


def user_dir(folder: str) -> Path:
    """Return the folder of the user's own files of a kind; it need not exist."""
    from core.config import data_folder

    return data_folder() / folder


def available_names(folder: str) -> tuple[str, ...]:
    """Return the available names: the shipped ones, sorted, then the user's own."""
    shipped, mine = (
        sorted(p.stem for p in place.glob("*.toml")) for place in (RESOURCES / folder, user_dir(folder))
    )
    return tuple(dict.fromkeys([*shipped, *mine]))


def find_file(what: str, folder: str, name: str | Path) -> Path:
    """Find a file by name, shipped ones first, or by its path. Raises UnknownName."""
    for place in (RESOURCES / folder, user_dir(folder)):
        if str(name) in available_names(folder) and (file := place / f"{name}.toml").is_file():
            return file
    path = Path(name)
    if path.suffix == ".toml":
        return path
    raise UnknownName(what, str(name), available_names(folder))
