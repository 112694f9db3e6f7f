"""One thread for one camera: the latest picture wins, its age is known, a lost camera is opened again."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from threading import Condition, Event, Thread
from time import monotonic

from core.errors import ConsoleError, NoPicture, RobotError
from robots.ur5e.vision.source import Shot, Source

AGAIN = 1.0  # seconds between two tries to open it
PATIENCE = 5.0  # seconds that `after` waits for a picture


@dataclass(frozen=True)
class Taken:
    """A shot, and when it arrived: our monotonic clock, seconds."""

    shot: Shot
    at: float


class Reader:
    """Opens in its own thread; everything may be called from any thread."""

    def __init__(self, name: str, open_: Callable[[], Source], again: float = AGAIN) -> None:
        self._name, self._open, self._again = name, open_, again
        self._changed = Condition()
        self._latest: Taken | None = None
        self._closing = Event()
        self.why = "not connected yet"  # while no pictures come
        self.opened = 0  # how often
        self._thread = Thread(target=self._run, name=f"camera {name}", daemon=True)
        self._thread.start()

    @property
    def latest(self) -> Taken | None:
        """However old."""
        return self._latest

    @property
    def age(self) -> float:
        """Seconds since the latest picture came; infinite before the first."""
        latest = self._latest
        return monotonic() - latest.at if latest else float("inf")

    def after(self, moment: float, seconds: float = PATIENCE) -> Taken:
        """The first picture that came after this moment of `monotonic`. Raises NoPicture.

        A picture that comes after it may have been taken before it, by as long as a camera takes to send one:
        so the second one counts.
        """
        end, first = monotonic() + seconds, None
        with self._changed:
            while not self._closing.is_set():
                latest = self._latest
                if latest is not None and latest.at > moment and latest.at != first:
                    if first is not None:
                        return latest
                    first = latest.at
                    continue
                left = end - monotonic()
                if left <= 0:
                    break
                self._changed.wait(left)
        why = self.why or "It is connected, but sends nothing: check its cable and its power."
        raise NoPicture(
            f"No picture for {seconds:.0f} s from the {self._name} camera. {why[0].upper()}{why[1:]}"
        )

    def close(self) -> None:
        self._closing.set()
        with self._changed:
            self._changed.notify_all()
        self._thread.join(6)

    def _run(self) -> None:
        while not self._closing.is_set():
            source: Source | None = None
            try:
                source = self._open()
                self.opened += 1
                while not self._closing.is_set():
                    self._take(source.read())
            except ConsoleError as error:
                self.why = str(error)
            except Exception as error:  # a camera library's own
                self.why = str(RobotError(f"The {self._name} camera broke ({error}): it is opened again."))
            finally:
                if source is not None:
                    with suppress(Exception):
                        source.close()
            self._closing.wait(self._again)

    def _take(self, shot: Shot) -> None:
        shot.rgb.flags.writeable = False
        with self._changed:
            self._latest, self.why = Taken(shot, monotonic()), ""
            self._changed.notify_all()
