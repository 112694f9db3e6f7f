"""Pictures, once each by the SHA-256 of their bytes: small ones in the database, large ones beside it."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from core.errors import LogError

LARGE = 128 * 1024  # bytes; beyond about that, files beat blobs (sqlite.org/intern-v-extern-blob.html)


class Album:
    """Belongs to the thread of its connection."""

    def __init__(self, db: sqlite3.Connection, database: Path) -> None:
        self._db = db
        self._folder = database.with_name(database.name + "-pictures")
        self._unsynced: list[Path] = []

    def keep(self, id: str, png: bytes) -> None:
        """Within the caller's transaction. A file is complete before its row can be there."""
        if self._db.execute("select 1 from picture where id = ?", (id,)).fetchone():
            return
        large = len(png) > LARGE
        if large:
            self._folder.mkdir(exist_ok=True)
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
        """The very bytes. Raises LogError for one that is not there (any more)."""
        row = self._db.execute("select bytes from picture where id = ?", (id,)).fetchone()
        if row and row[0] is not None:
            return bytes(row[0])
        if row:
            try:
                return self.file(id).read_bytes()
            except FileNotFoundError:
                pass
        raise LogError(f"The log has no picture {id[:12] or '(blank)'}: it was deleted, or never taken.")

    def file(self, id: str) -> Path:
        """Where a large picture lies."""
        return self._folder / f"{id}.png"
