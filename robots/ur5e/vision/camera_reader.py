"""One thread for one camera: keep the latest picture and its age, and reopen a lost camera."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from threading import Condition, Event, Thread
from time import monotonic

from core.errors import ConsoleError, NoPicture, RobotError
from robots.ur5e.vision.camera_source import CameraSource, RawFrame

REOPEN_DELAY = 1.0  # seconds between two attempts to open it
FRAME_TIMEOUT = 5.0  # seconds that `next_frame_after` waits for a picture


@dataclass(frozen=True)
class CapturedFrame:
    """A frame, and the time when it arrived: our monotonic clock, seconds."""

    frame: RawFrame
    timestamp: float


class CameraReader:
    """Opens the camera in its own thread; all methods may be called from any thread."""

    def __init__(
        self, name: str, open_: Callable[[], CameraSource], reopen_delay: float = REOPEN_DELAY
    ) -> None:
        self._name, self._open, self._reopen_delay = name, open_, reopen_delay
        self._changed = Condition()
        self._latest: CapturedFrame | None = None
        self._closing = Event()
        self.error = "not connected yet"  # the reason while no pictures arrive
        self.open_count = 0  # how often the camera was opened
        self._thread = Thread(target=self._run, name=f"camera {name}", daemon=True)
        self._thread.start()

    @property
    def latest(self) -> CapturedFrame | None:
        """Return the latest frame, however old."""
        return self._latest

    @property
    def age(self) -> float:
        """Return the seconds since the latest picture arrived; infinite before the first."""
        latest = self._latest
        return monotonic() - latest.timestamp if latest else float("inf")

    def next_frame_after(self, moment: float, seconds: float = FRAME_TIMEOUT) -> CapturedFrame:
        """Return the first picture surely taken after `moment` (`monotonic`). Raises NoPicture.

        A picture that arrives after `moment` may have been taken before it, by as long as the camera takes to
        send one; therefore the second one to arrive is returned.
        """
        end, first = monotonic() + seconds, None
        with self._changed:
            while not self._closing.is_set():
                latest = self._latest
                if latest is not None and latest.timestamp > moment and latest.timestamp != first:
                    if first is not None:
                        return latest
                    first = latest.timestamp
                    continue
                left = end - monotonic()
                if left <= 0:
                    break
                self._changed.wait(left)
        reason = self.error or "It is connected, but sends nothing: check its cable and its power."
        raise NoPicture(
            f"No picture for {seconds:.0f} s from the {self._name} camera. {reason[0].upper()}{reason[1:]}"
        )

    def close(self) -> None:
        self._closing.set()
        with self._changed:
            self._changed.notify_all()
        self._thread.join(6)

    def _run(self) -> None:
        while not self._closing.is_set():
            source: CameraSource | None = None
            try:
                source = self._open()
                self.open_count += 1
                while not self._closing.is_set():
                    self._publish(source.read())
            except ConsoleError as error:
                self.error = str(error)
            except Exception as error:  # camera libraries raise their own
                self.error = str(RobotError(f"The {self._name} camera broke ({error}): it is opened again."))
            finally:
                if source is not None:
                    with suppress(Exception):
                        source.close()
            self._closing.wait(self._reopen_delay)

    def _publish(self, shot: RawFrame) -> None:
        shot.rgb.flags.writeable = False
        with self._changed:
            self._latest, self.error = CapturedFrame(shot, monotonic()), ""
            self._changed.notify_all()
