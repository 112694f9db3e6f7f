"""Pictures, once each by the SHA-256 of their bytes: small ones in the database, large ones beside it."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from core.errors import LogError
from core.log import sidecar
from core.log.check import is_digest, short
from core.pictures import identity

LARGE = 128 * 1024  # bytes; beyond about that, files beat blobs (sqlite.org/intern-v-extern-blob.html)


class Album:
    """Belongs to the thread of its connection."""

    def __init__(self, db: sqlite3.Connection, database: Path) -> None:
        self._db = db
        self._folder = sidecar.folder(database, "pictures")
        self._unsynced: list[Path] = []

    def keep(self, id: str, png: bytes) -> None:
        """Within the caller's transaction. A file is complete before its row can be there."""
        if self._db.execute("select 1 from picture where id = ?", (id,)).fetchone():
            return
        large = len(png) > LARGE
        if large:
            sidecar.make_folder(self._folder)
            path, part = self.file(id), self.file(id).with_suffix(f".{os.getpid()}.part")
            part.write_bytes(png)
            part.replace(path)
            self._unsynced.append(path)
        row = (id, len(png), None if large else png)
        self._db.execute("insert or ignore into picture values (?, ?, ?)", row)

    def sync(self) -> None:
        """On the disk for good, power cut or not: all files kept so far."""
        while self._unsynced:
            file = os.open(self._unsynced[-1], os.O_RDONLY)
            try:
                os.fsync(file)
            finally:
                os.close(file)
            self._unsynced.pop()

    def picture(self, id: str) -> bytes:
        """The very bytes. Raises LogError for one that is not there (any more), or has been changed."""
        png = self.found(id)
        if png is None:
            name = short(id[:12]) or "(blank)"
            raise LogError(f"The log has no picture {name}: it was deleted, or never taken.")
        if identity(png) != id:
            raise LogError(f"The picture {id[:12]} is not as it was written: verify the log.")
        return png

    def found(self, id: str) -> bytes | None:
        """What stands under that name, whether it is the picture or not."""
        row = self._db.execute("select bytes from picture where id = ?", (id,)).fetchone()
        if row is None or not is_digest(id):
            return None
        if row[0] is not None:
            return row[0] if isinstance(row[0], bytes) else b""
        try:
            return sidecar.read(self.file(id))
        except OSError:
            return None

    def file(self, id: str) -> Path:
        """Where a large picture lies. Raises LogError for what names no picture."""
        if not is_digest(id):
            raise LogError(f"{short(id)!r} names no picture: verify the log.")
        return self._folder / f"{id}.png"
