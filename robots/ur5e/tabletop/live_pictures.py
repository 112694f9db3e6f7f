"""Live pictures from a thread of their own, only while somebody looks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from threading import Event, Thread
from time import monotonic

from core.errors import RobotError
from core.ports import Frame
from robots.ur5e.tabletop.rgbd_image import RgbdImage

_FRAME_PERIOD_S, _VIEW_PERIOD_S = 0.12, 0.05  # between two pictures: of a camera, of the moving view
_SETTLED_S, _REDRAWN_S = 1.0, 2.0  # after a motion the view rests, and how often it is drawn even then
_KEEP_ALIVE_S = 2.0  # after the last call of `latest` for which a camera counts as watched


class LivePictures:
    """Live pictures.

    `connect` is called, and what it returns is used, by this object's own thread; `latest` may be called from
    any thread.
    """

    PERIOD_S = _FRAME_PERIOD_S

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

        None: no camera is watched.
        """
        now = monotonic()
        looked = [(at, c) for c, at in tuple(self._asked.items()) if now - at < _KEEP_ALIVE_S]
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
            for camera in wanted:
                if self._rests(camera, began):
                    self._latest[camera] = replace(self._latest[camera], timestamp=began)
                    continue
                try:
                    capture = capture or self._connect()
                    picture = capture(camera)
                except RobotError:
                    capture = None  # the age shows it; try again a little later, and the other cameras now
                else:
                    picture.rgb.flags.writeable = False
                    self._latest[camera] = Frame("", camera, picture.timestamp, "", picture.rgb)
            if wanted:
                self._closing.wait(max(0.005, self.PERIOD_S - (monotonic() - began)))

    def _rests(self, camera: str, now: float) -> bool:
        """Return True if the camera's next picture would be its last one."""
        return False


class LiveView(LivePictures):
    """The view of the whole arm, in a thread of its own: it moves more often than a camera's pictures come.

    `scene` returns what it shows, None where that is not known now; from this object's thread.
    """

    PERIOD_S = _VIEW_PERIOD_S

    def __init__(
        self, connect: Callable[[], Callable[[str], RgbdImage]], scene: Callable[[], object]
    ) -> None:
        self._scene, self._shown = scene, object()
        self._changed = self._drawn = 0.0
        super().__init__(connect)

    def _rests(self, camera: str, now: float) -> bool:
        shown, frame = self._scene(), self._latest.get(camera)
        failed = frame is None or frame.timestamp < self._drawn
        if shown is None or shown != self._shown or failed:
            self._shown, self._changed = shown, now
        if now - self._changed > _SETTLED_S and now - self._drawn < _REDRAWN_S:
            return True
        self._drawn = now
        return False
