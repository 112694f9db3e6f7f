"""Temporary storage for an import's pictures and videos: on disk, because an episode can be long."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory


class Spool:
    """Files of a temporary folder, by their SHA-256, which the caller has checked."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add(self, digest: str, data: bytes) -> None:
        (self._folder / digest).write_bytes(data)

    def get(self, digest: str) -> bytes | None:
        """Return the data, or None if there are none with this digest."""
        try:
            return (self._folder / digest).read_bytes() if digest else None
        except FileNotFoundError:
            return None

    def clear(self, keep: Collection[str] = ()) -> None:
        for file in self._folder.iterdir():
            if file.name not in keep:
                file.unlink()


@contextmanager
def temporary_spool(database: Path) -> Iterator[Spool]:
    """Yield a spool beside the log, which is deleted afterwards."""
    with TemporaryDirectory(prefix=f".{database.name}-import-", dir=database.parent) as folder:
        yield Spool(Path(folder))
