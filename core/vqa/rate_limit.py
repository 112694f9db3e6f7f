"""One rate of requests to a model, shared by several processes of this machine.

The time of the next request is kept in an SQLite file: a process that is killed cannot keep its lock.
"""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from core.errors import BadFile, BadValue
from core.stop_token import StopToken

_BUSY_SECONDS = 30.0


@dataclass(frozen=True)
class RateLimit:
    """At most `per_minute` requests a minute, evenly spaced, by all who name the same file.

    A value without open files, so that it can be sent to another process. Raises BadValue.
    """

    path: Path
    per_minute: float

    def __post_init__(self) -> None:
        if not self.per_minute > 0:
            raise BadValue(f"{self.per_minute:g} calls per minute let nothing happen: take more than 0.")

    def reset(self) -> None:
        """Make the file anew; before the first request, by one process. Raises BadFile."""
        try:
            self.path.unlink(missing_ok=True)
            with closing(sqlite3.connect(self.path)) as file, file:
                file.execute("create table rate (next real not null)")
                file.execute("insert into rate values (0)")
        except (OSError, sqlite3.Error) as error:
            raise self._unusable(error) from error

    def wait(self, cancel: StopToken) -> None:
        """Wait for the turn of the next request. Raises Cancelled, BadFile."""
        now = time.monotonic()  # the same for all processes of a machine
        try:
            with closing(sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None)) as file:
                file.execute("begin immediate")
                (free,) = file.execute("select next from rate").fetchone()
                turn = max(now, float(free))
                file.execute("update rate set next = ?", (turn + 60 / self.per_minute,))
                file.execute("commit")
        except (sqlite3.Error, TypeError, ValueError) as error:
            raise self._unusable(error) from error
        cancel.wait(max(0.0, turn - time.monotonic()))
        cancel.check()

    def _unusable(self, error: Exception) -> BadFile:
        return BadFile(self.path, f"the rate of calls cannot be kept there ({error})")
