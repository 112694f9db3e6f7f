"""Files beside the log, named by hash, writer or episode, in folders that only their owner may read.

A log may come from somebody else, with links among its files: links are never followed, and only plain files
with names that this program gives are opened or removed.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from glob import escape
from itertools import count
from pathlib import Path

from core.install_paths import version
from core.log.integrity.validation import episode_id

MAX_BYTES = 256 * 2**20  # maximum size of a file that is read


def folder(database: Path, what: str) -> Path:
    """Return where the log keeps its `what`: one of FOLDERS."""
    return database.with_name(f"{database.name}-{what}")


def make_folder(path: Path) -> None:
    """Create the folder, for its owner only. Raises OSError, also if a link stands in its place."""
    path.mkdir(mode=0o700, exist_ok=True)
    if path.is_symlink():
        raise OSError(errno.ELOOP, "a link stands where the log keeps its files", str(path))


def files(path: Path) -> Iterator[Path]:
    """Yield the plain files in a folder, sorted; none if it is missing or a link."""
    if not path.is_symlink() and path.is_dir():
        yield from (p for p in sorted(path.iterdir()) if is_plain(p))


def is_plain(path: Path) -> bool:
    """Return True for a regular file, False for a link or a device."""
    return not path.is_symlink() and path.is_file()


def open_plain(path: Path) -> int:
    """Open a file for reading. Raises OSError for a link, a pipe, a device, or a folder that is a link."""
    if path.parent.is_symlink():
        raise OSError(errno.ELOOP, "its folder is a link", str(path))
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    handle = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "it is no plain file", str(path))
    return handle


def read(path: Path, max_bytes: int = MAX_BYTES) -> bytes:
    """Read a plain file of at most `max_bytes`. Raises OSError."""
    with open(open_plain(path), "rb") as file:
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise OSError(errno.EFBIG, "it is too large", str(path))
    return data


def read_head(path: Path, count: int) -> bytes:
    """Read the first bytes of a plain file. Raises OSError."""
    with open(open_plain(path), "rb") as file:
        return file.read(count)


def write(path: Path, data: bytes) -> None:
    """Write a file, which has its name only once it is complete, and its folder. Raises OSError."""
    make_folder(path.parent)
    part = path.with_suffix(f".{os.getpid()}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def sync(path: Path) -> None:
    """Flush a file to disk, safe from power cuts. Raises OSError."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def remove(path: Path) -> None:
    """Remove a file if it exists, but never through a folder that is a link."""
    if not path.parent.is_symlink():
        path.unlink(missing_ok=True)


def strip(database: Path, episode: str) -> Path:
    """Return the path of an episode's picture strip. Raises LogError for an invalid id."""
    return folder(database, "strips") / f"{episode_id(episode)}.png"


def remove_strip(database: Path, episode: str) -> None:
    """Remove an episode's picture strip, also from where it was until November 2026."""
    path = strip(database, episode)
    for place in (path, database.parent / "strips" / path.name):
        remove(place)


def keep_copy(database: Path) -> Path:
    """Copy the log's database as it is on disk to a new file beside it, for its owner only, and return that
    file. Raises OSError, sqlite3.Error.
    """
    path = database.with_name(f"{database.name}.before-{version()}")
    for number in count(2):
        if not os.path.lexists(path):
            break
        path = database.with_name(f"{database.name}.before-{version()}-{number}")
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    try:
        uri = f"{database.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True)) as log, closing(sqlite3.connect(path)) as new:
            log.backup(new)
    except BaseException:
        path.unlink()
        raise
    return path


def copies(database: Path) -> list[Path]:
    """Return the copies that upgrades have kept."""
    return sorted(database.parent.glob(f"{escape(database.name)}.before-*"))


# --- who may read the log ----------------------------------------------------------------------------

PARTS = ("", "-wal", "-shm")
FOLDERS = ("pictures", "films", "live", "strips")


def world_readable(database: Path) -> tuple[Path, ...]:
    """Return the parts of the log that others than its owner may read or write."""
    there = (p for p, _ in _modes(database) if p.exists() and not p.is_symlink())
    return tuple(p for p in there if p.stat().st_mode & 0o077)


def make_private(database: Path) -> None:
    """Make the log private to its owner, if that is this user: files 0600, folders 0700."""
    for path, mode in _modes(database):
        try:
            found = path.lstat()
            ours = hasattr(os, "getuid") and found.st_uid == os.getuid()
            if ours and not stat.S_ISLNK(found.st_mode) and found.st_mode & 0o077:
                path.chmod(mode)
        except OSError:
            continue  # it does not exist, or its file system has no modes


def _modes(database: Path) -> Iterator[tuple[Path, int]]:
    yield from ((database.with_name(database.name + part), 0o600) for part in PARTS)
    yield from ((folder(database, what), 0o700) for what in FOLDERS)
