"""Live pictures from a thread of their own, only while somebody looks."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread
from time import monotonic

from core.errors import RobotError
from core.ports import Frame
from robots.ur5e.emulator.scene import VIEW
from robots.ur5e.tabletop.rgbd_image import RgbdImage

_FRAME_PERIOD_S, _VIEW_PERIOD_S = 0.12, 0.06  # between two pictures: of a camera, of the view alone
_KEEP_ALIVE_S = 2.0  # after the last call of `latest` for which a camera counts as watched


class LivePictures:
    """Live pictures.

    `connect` is called, and what it returns is used, by this object's own thread; `latest` may be called from
    any thread.
    """

    def __init__(self, connect: Callable[[], Callable[[str], RgbdImage]]) -> None:
        self._connect = connect
        self._latest: dict[str, Frame] = {}
        self._asked: dict[str, float] = {}
        self._wake, self._closing = Event(), Event()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def latest(self, camera: str) -> Frame | None:
        """Return the newest picture of this camera; calling this keeps the pictures coming."""
        self._asked[camera] = monotonic()
        self._wake.set()
        return self._latest.get(camera)

    def age(self) -> float | None:
        """Return the age (s) of the watched camera's picture: infinite while it is not known.

        None: no camera is watched. The view of the whole arm is none.
        """
        now = monotonic()
        looked = [(at, c) for c, at in tuple(self._asked.items()) if c != VIEW and now - at < _KEEP_ALIVE_S]
        if not looked:
            return None
        frame = self._latest.get(max(looked)[1])
        return float("inf") if frame is None else now - frame.timestamp

    def close(self) -> None:
        self._closing.set()
        self._wake.set()
        self._thread.join(5)

    def _run(self) -> None:
        capture = None
        while not self._closing.is_set():
            self._wake.wait()
            began = monotonic()
            wanted = [c for c, at in tuple(self._asked.items()) if began - at < _KEEP_ALIVE_S]
            if not wanted:
                self._wake.clear()
                continue
            for camera in wanted:
                try:
                    capture = capture or self._connect()
                    picture = capture(camera)
                except RobotError:
                    capture = None  # the age shows it; try again a little later, and the other cameras now
                else:
                    picture.rgb.flags.writeable = False
                    self._latest[camera] = Frame("", camera, picture.timestamp, "", picture.rgb)
            period = _VIEW_PERIOD_S if wanted == [VIEW] else _FRAME_PERIOD_S
            self._closing.wait(max(0.02, period - (monotonic() - began)))
