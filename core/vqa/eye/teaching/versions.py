"""The versions of each eye in the data folder, and which one is in force.

`eyes/NAME/VERSION` holds the files of a version. `eye/NAME` is a link to the one in force, so that a change
is one step; without it, the shipped eye of that name is.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from core.data_file import write_toml
from core.errors import BadFile, BadValue, ConsoleError, UnknownName
from core.vqa.data_files import user_dir
from core.vqa.eye.eye import Eye
from core.vqa.eye.eye_file import EyeCard, eye_folders, read_card, write_eye
from core.vqa.eye.teaching.measure import Answered, with_figures


@dataclass(frozen=True)
class EyeVersion:
    card: EyeCard
    folder: Path
    in_force: bool


def versions() -> tuple[EyeVersion, ...]:
    """Return every version that can be read, shipped and kept ones, by name and date; each only once."""
    in_force = {card.name: folder.resolve() for card, folder in reversed(list(_readable(eye_folders())))}
    kept = sorted(card.parent for card in user_dir("eyes").glob("*/*/eye.toml"))
    found: dict[tuple[str, str], EyeVersion] = {}
    for card, folder in (*_readable(eye_folders()), *_readable(kept)):
        on = in_force.get(card.name) == folder.resolve()
        found.setdefault((card.name, card.version), EyeVersion(card, folder, on))
    return tuple(found[key] for key in sorted(found))


def _readable(folders: tuple[Path, ...] | list[Path]) -> Iterator[tuple[EyeCard, Path]]:
    for folder in folders:
        with suppress(BadFile):
            yield read_card(folder), folder


def find_version(name: str, version: str = "") -> EyeVersion:
    """Return a version of an eye; "" stands for the one in force. Raises UnknownName."""
    of_name = [found for found in versions() if found.card.name == name]
    if not of_name:
        raise UnknownName("eye", name, {found.card.name for found in versions()})
    for found in of_name:
        if found.card.version == version or (not version and found.in_force):
            return found
    raise UnknownName("version", version, [found.card.version for found in of_name])


def activate(name: str, version: str) -> EyeVersion:
    """Put a version in force, from the next episode on, if it can see.

    Raises UnknownName, and BadFile if its files are broken or cannot be linked; the old one then stays.
    """
    found = find_version(name, version)
    Eye(found.folder).look(np.zeros((found.card.side, found.card.side, 3), np.uint8))
    if not found.in_force:
        link = user_dir("eye") / name
        with _as_bad_file(link):
            _clear(name, but=link)
            kept = user_dir("eyes") / name / version
            if kept.exists():
                fresh = link.with_name(f".{name}.{os.getpid()}")
                fresh.symlink_to(kept.resolve(), target_is_directory=True)
                fresh.replace(link)
            else:  # it is shipped, and in force where there is no other
                link.unlink(missing_ok=True)
    return find_version(name)


def revert(name: str) -> EyeVersion:
    """Activate the version from which the present one was taught. Raises BadValue, and as `activate` does."""
    now = find_version(name).card
    if not now.parent:
        raise BadValue(f"The eye {name} {now.version} was not taught: there is none to go back to.")
    return activate(name, now.parent)


def stage_version(taught: Eye, trunk: Path) -> Path:
    """Write a taught eye, with the trunk of the eye that it was taught from, and return its folder.

    Nothing uses it until it is kept. Raises BadFile, for example when the disk is full.
    """
    card = taught.card
    folder = user_dir("eyes") / card.name / f".{card.version}.{os.getpid()}"
    try:
        with _as_bad_file(folder):
            folder.mkdir(parents=True)
            write_eye(folder, card, taught.head)
            shutil.copy(trunk, folder / "trunk.onnx")
            Eye(folder)
    except BaseException:
        discard(folder)
        raise
    return folder


def keep(staged: Path) -> EyeVersion:
    """Keep what was staged, and put it in force. Raises BadFile; the old version then stays."""
    card = read_card(staged)
    folder = staged.with_name(card.version)
    with _as_bad_file(folder):
        if folder.exists():  # taught with the same labels before
            shutil.rmtree(folder)
        staged.replace(folder)
    return activate(card.name, card.version)


def set_figures(version: EyeVersion, answered: Sequence[Answered]) -> EyeCard:
    """Return the card with the figures of answers in episodes, and keep it unless the eye is a shipped one.

    Raises BadFile.
    """
    card = replace(with_figures(version.card, answered), drawn=False)
    if version.folder.resolve().is_relative_to(user_dir("eyes").resolve()):
        write_toml(version.folder / "eye.toml", asdict(card))
    return card


def discard(staged: Path) -> None:
    """Remove what was staged."""
    shutil.rmtree(staged, ignore_errors=True)


def _clear(name: str, but: Path) -> None:
    """Take every other eye of this name out of force: links go, and what somebody put there is kept."""
    but.parent.mkdir(parents=True, exist_ok=True)
    for card, folder in _readable(list(but.parent.glob("*"))):
        if card.name == name and not folder.is_symlink():
            to = user_dir("eyes") / name / card.version
            to.parent.mkdir(parents=True, exist_ok=True)
            folder.replace(to)
        elif card.name == name and folder != but:
            folder.unlink()


@contextmanager
def _as_bad_file(path: Path) -> Iterator[None]:
    try:
        yield
    except ConsoleError:
        raise
    except OSError as error:
        raise BadFile(path, f"it cannot be written ({error.strerror}); the eye stays as it was") from None
