"""A disk that does as it is told."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

from core.log.database import connect


class Disk:
    """`free` cleared: every commit hangs until it is set. `full`: every commit fails."""

    def __init__(self) -> None:
        self.free = threading.Event()
        self.free.set()
        self.full = False
        self.levels: list[int] = []  # of SQLite's `synchronous`, one a commit
        disk = self

        class Connection(sqlite3.Connection):
            def execute(self, sql: str, *args: object) -> sqlite3.Cursor:
                if sql == "commit":
                    disk.levels.append(super().execute("pragma synchronous").fetchone()[0])
                    disk.free.wait(30)
                    if disk.full:
                        raise sqlite3.OperationalError("database or disk is full")
                return super().execute(sql, *args)

        self._kind = Connection

    def connect(self, path: Path) -> sqlite3.Connection:
        return connect(path, self._kind)
