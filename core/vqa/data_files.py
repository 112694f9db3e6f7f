"""Find this package's data files: prompts, profiles, models, calibrations.

The shipped ones are in `resources`, the user's own in the data folder.
"""

from __future__ import annotations

from pathlib import Path

from core.errors import UnknownName
from core.install_paths import data_folder, resource_path

RESOURCES = resource_path("resources")


def user_dir(folder: str) -> Path:
    """Return the folder of the user's own files of a kind; it need not exist."""
    return data_folder() / folder


def available_names(folder: str) -> tuple[str, ...]:
    """Return the available names: the shipped ones, sorted, then the user's own."""
    shipped, mine = (
        sorted(p.stem for p in place.glob("*.toml")) for place in (RESOURCES / folder, user_dir(folder))
    )
    return tuple(dict.fromkeys([*shipped, *mine]))


def find_file(what: str, folder: str, name: str | Path) -> Path:
    """Find a file by name, shipped ones first, or by its path. Raises UnknownName."""
    path = Path(name)
    for place in (RESOURCES / folder, user_dir(folder)):
        if path.name == str(name) and (file := place / f"{name}.toml").is_file():
            return file
    if path.suffix == ".toml":
        return path
    raise UnknownName(what, str(name), available_names(folder))
