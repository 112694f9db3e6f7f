"""One image file that another program rewrites again and again."""

from __future__ import annotations

import os
from pathlib import Path
from time import monotonic, sleep, time
from typing import Any

from numpy.typing import NDArray

from core.errors import BadValue, RobotError
from core.measured import Measured
from core.pictures import decode_as_stored, decode_depth

_MAX_POLL, _MIN_POLL = 0.1, 0.01  # seconds between two checks of the file
_AHEAD_S = 0.1  # by which a file's time may be ahead of ours: file systems round


class ImageFile:
    """The file's time of modification is the picture's; a file that is not whole yet is no picture."""

    def __init__(self, path: Path, is_depth: bool) -> None:
        self._path, self._is_depth = path, is_depth
        self._written = 0
        self._latest: Measured[NDArray[Any]] | None = None

    @property
    def silence(self) -> str:
        """Return why no new picture comes."""
        old = f"{time() - self._written / 1e9:,.0f} s ago" if self._written else "at an unknown time"
        return f"{self._path} was last written {old}: start the program that writes it."

    def read(self) -> Measured[NDArray[Any]]:
        """Return the picture as soon as it was rewritten, else the last one after a tenth of a second."""
        end = monotonic() + _MAX_POLL
        while monotonic() < end and self._latest is not None and self._stat() == self._written:
            sleep(_MIN_POLL)
        for _ in range(10):  # another program may be writing it
            written = self._stat()
            if written == self._written and self._latest is not None:
                return self._latest
            picture = self._decode()
            if picture is not None and self._stat() == written:
                self._latest = self._stamp(picture, written)
                return self._latest
            sleep(_MIN_POLL)
        raise RobotError(
            f"The camera's picture {self._path} is not whole, or no picture: "
            "check the program that writes it, which should write another file and rename it."
        )

    def _stat(self) -> int:
        """Return when the file was written, in nanoseconds. Raises RobotError."""
        try:
            return os.stat(self._path).st_mtime_ns
        except OSError as error:
            raise RobotError(
                f"The camera's picture {self._path} cannot be read ({error.strerror}): "
                "start the program that writes it."
            ) from None

    def _decode(self) -> NDArray[Any] | None:
        """Return the picture; None unless the file holds all of it."""
        try:
            data = self._path.read_bytes()
        except OSError:
            return None
        # As stored: the calibration is of these pixels, and a tag that turns them turns no depth.
        try:
            return decode_depth(data) if self._is_depth else decode_as_stored(data)[..., ::-1]  # BGR
        except BadValue:
            return None

    def _stamp(self, picture: NDArray[Any], written: int) -> Measured[NDArray[Any]]:
        now, ago = monotonic(), time() - written / 1e9
        if ago < -_AHEAD_S:
            raise RobotError(
                f"{self._path} is dated {-ago:,.0f} s ahead of this computer, so its age is not known: "
                "set the clocks of both computers."
            )
        self._written = written
        return Measured(picture, now - max(0.0, ago), now)

    def close(self) -> None:
        pass
