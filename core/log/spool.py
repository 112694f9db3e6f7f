"""Pictures and films of an import on their way into the log: on disk, for an episode can be long."""

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
        """None for one that never came."""
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
    """A spool beside the log, gone afterwards."""
    with TemporaryDirectory(prefix=f".{database.name}-import-", dir=database.parent) as folder:
        yield Spool(Path(folder))
