"""One thread for one camera: keep the latest picture, how old it is, and reopen a lost camera."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from threading import Condition, Event, Thread
from time import monotonic

import numpy as np

from core.errors import ConsoleError, NoPicture, RobotError
from core.measured import Measured
from robots.ur5e.vision.camera_source import CameraSource
from robots.ur5e.vision.intrinsics import RawFrame

REOPEN_DELAY_S = 1.0  # between two attempts to open it
FRAME_TIMEOUT_S = 5.0  # that `next_frame_after` waits for a picture
_SILENCE_S = 1.0  # without a new picture after which there is a reason to tell
NO_CLOCK = (
    "It gives no time of its own, so nobody knows how old its pictures are: use a device of this computer, "
    "a RealSense, or a picture file."
)


class CameraReader:
    """Opens the camera in its own thread; all methods may be called from any thread.

    A picture is new if its source took it later than the one before and its sensor says something else: the
    noise of a sensor never repeats, so a picture that is bit for bit the same is the same old one. With
    `by_arrival` a source without a time of its own counts by when its pictures come, for where nobody can be
    hurt.
    """

    def __init__(
        self,
        name: str,
        open_: Callable[[], CameraSource],
        reopen_delay: float = REOPEN_DELAY_S,
        by_arrival: bool = False,
    ) -> None:
        self._name, self._open, self._reopen_delay = name, open_, reopen_delay
        self._by_arrival = by_arrival
        self._changed = Condition()
        self._latest: Measured[RawFrame] | None = None
        self._came = monotonic()  # when the latest new picture came
        self._closing = Event()
        self.error = "not connected yet"  # the reason while no new pictures arrive
        self.open_count = 0  # how often the camera was opened
        self.device = ""  # which one was opened last
        self._thread = Thread(target=self._run, name=f"camera {name}", daemon=True)
        self._thread.start()

    @property
    def latest(self) -> Measured[RawFrame] | None:
        """Return the latest frame, however old."""
        return self._latest

    @property
    def age(self) -> float:
        """Return the seconds since the latest picture was taken; infinite if that is not known."""
        latest = self._latest
        return latest.age if latest else float("inf")

    def next_frame_after(self, moment: float, seconds: float = FRAME_TIMEOUT_S) -> Measured[RawFrame]:
        """Return the first picture surely taken after `moment` (`monotonic`). Raises NoPicture.

        A source's time may be of the picture's end, or of its being written. Therefore the second one whose
        time is later is returned: it was begun when the first was done.
        """
        end, first = monotonic() + seconds, None
        with self._changed:
            while not self._closing.is_set():
                latest = self._latest
                if latest is not None and latest is not first and self._is_after(latest, moment):
                    if first is not None:
                        return latest
                    first = latest
                    continue
                left = end - monotonic()
                if left <= 0:
                    break
                self._changed.wait(left)
        reason = self.trouble or "It is connected, but sends nothing: check its cable and its power."
        raise NoPicture(f"No new picture for {seconds:.0f} s from the {self._name} camera. {reason}")

    def _is_after(self, frame: Measured[RawFrame], moment: float) -> bool:
        if frame.measured_at is None and self._by_arrival:
            return frame.received_at > moment
        return frame.taken_after(moment)

    @property
    def trouble(self) -> str:
        """Return in one sentence why there is no picture of now, "" if there is one."""
        latest = self._latest
        if self.error:
            return self.error[0].upper() + self.error[1:]
        if latest is None or (latest.measured_at is None and self._by_arrival):
            return ""
        if latest.measured_at is None:
            return NO_CLOCK
        late = f"Its last picture is {latest.age:.1f} s old: check its cable, and what delays it."
        return late if latest.age > _SILENCE_S else ""

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
                self.device = source.device
                while not self._closing.is_set():
                    self._take(source.read(), source)
            except ConsoleError as error:
                self.error = str(error)
            except Exception as error:  # camera libraries raise their own
                self.error = str(RobotError(f"The {self._name} camera broke ({error}): it is opened again."))
            finally:
                if source is not None:
                    with suppress(Exception):
                        source.close()
            self._closing.wait(self._reopen_delay)

    def _take(self, shot: Measured[RawFrame], source: CameraSource) -> None:
        old = self._why_old(shot, source)
        if not old:
            shot.value.rgb.flags.writeable = False
            with self._changed:
                self._latest, self._came, self.error = shot, monotonic(), ""
                self._changed.notify_all()
        elif monotonic() - self._came > _SILENCE_S:
            self.error = old

    def _why_old(self, shot: Measured[RawFrame], source: CameraSource) -> str:
        """Return why this picture is no new one, "" if it is."""
        last = self._latest
        if last is None:
            return ""
        at, before = shot.measured_at, last.measured_at
        if at is not None and before is not None and at <= before:
            return source.silence
        same = [
            name
            for name, a, b in (
                ("picture", shot.value.rgb, last.value.rgb),
                ("depth", shot.value.depth, last.value.depth),
            )
            if a is not None and b is not None and np.array_equal(a, b)
        ]
        if not same:
            return ""
        return (
            f"The camera repeats itself: each {same[0]} is bit for bit the one before, as no sensor's is. "
            "Restart the camera, or the program that writes its pictures."
        )
