"""Pictures, each stored once under the SHA-256 of its bytes: in the database, or large ones beside it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from core.errors import LogError
from core.log import sidecar
from core.log.integrity.validation import excerpt, is_digest
from core.pictures import picture_id

INLINE_LIMIT = 128 * 1024  # bytes; beyond about that, files beat blobs (sqlite.org/intern-v-extern-blob.html)


class PictureStore:
    """The pictures of a log. Belongs to the thread of its connection."""

    def __init__(self, db: sqlite3.Connection, database: Path) -> None:
        self._db = db
        self._folder = sidecar.folder(database, "pictures")
        self._unsynced: list[Path] = []

    def add(self, id: str, png: bytes) -> None:
        """Add a picture in the caller's transaction. A file is complete before its row can exist."""
        if self._db.execute("select 1 from picture where id = ?", (id,)).fetchone():
            return
        large = len(png) > INLINE_LIMIT
        if large:
            sidecar.write(path := self.path_of(id), png)
            self._unsynced.append(path)
        row = (id, len(png), None if large else png)
        self._db.execute("insert or ignore into picture values (?, ?, ?)", row)

    def sync(self) -> None:
        """Flush all files added so far to disk, safe from power cuts."""
        while self._unsynced:
            sidecar.sync(self._unsynced[-1])
            self._unsynced.pop()

    def read(self, id: str) -> bytes:
        """Return the exact bytes. Raises LogError if the picture is missing or has been changed."""
        png = self.read_unverified(id)
        if png is None:
            name = excerpt(id[:12]) or "(blank)"
            raise LogError(f"The log has no picture {name}: it was deleted, or never taken.")
        if picture_id(png) != id:
            raise LogError(f"The picture {id[:12]} is not as it was written: verify the log.")
        return png

    def read_unverified(self, id: str) -> bytes | None:
        """Return what is stored under that id, whether it is the picture or not."""
        row = self._db.execute("select bytes from picture where id = ?", (id,)).fetchone()
        if row is None or not is_digest(id):
            return None
        if row[0] is not None:
            return row[0] if isinstance(row[0], bytes) else b""
        try:
            return sidecar.read(self.path_of(id))
        except OSError:
            return None

    def path_of(self, id: str) -> Path:
        """Return the path of a large picture. Raises LogError for an invalid id."""
        if not is_digest(id):
            raise LogError(f"{excerpt(id)!r} names no picture: verify the log.")
        return self._folder / f"{id}.png"
