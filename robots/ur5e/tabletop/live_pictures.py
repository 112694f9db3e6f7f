"""Live pictures from a thread of their own, only while somebody looks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from threading import Event, Thread
from time import monotonic

from core.errors import RobotError
from core.ports import Frame
from robots.ur5e.emulator.scene import VIEW
from robots.ur5e.tabletop.rgbd_image import RgbdImage

_FRAME_PERIOD_S, _VIEW_PERIOD_S = 0.12, 0.05  # between two pictures: of a camera, of the moving view
_SETTLED_S, _REDRAWN_S = 1.0, 2.0  # after a motion the view rests, and how often it is drawn even then
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
        self.scene: Callable[[], object] = lambda: None  # what the view shows; None: that is not known now
        self._shown: object = None
        self._changed = 0.0
        self._took: dict[str, float] = {}  # when a picture of each camera was last taken
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
            quick = VIEW in wanted and not self._rests(began)
            for camera in wanted:
                if camera == VIEW and not quick:
                    self._latest[VIEW] = replace(self._latest[VIEW], timestamp=began)
                    continue
                if camera != VIEW and quick and began - self._took.get(camera, 0.0) < _FRAME_PERIOD_S:
                    continue
                self._took[camera] = began
                try:
                    capture = capture or self._connect()
                    picture = capture(camera)
                except RobotError:
                    capture = None  # the age shows it; try again a little later, and the other cameras now
                    self._changed = began  # nor does the view rest
                else:
                    picture.rgb.flags.writeable = False
                    self._latest[camera] = Frame("", camera, picture.timestamp, "", picture.rgb)
            period = _VIEW_PERIOD_S if quick else _FRAME_PERIOD_S
            self._closing.wait(max(0.005, period - (monotonic() - began)))

    def _rests(self, now: float) -> bool:
        """Return True if the view would be drawn as it is: a picture takes half of a core's time."""
        shown = self.scene()
        if shown is None or shown != self._shown:
            self._shown, self._changed = shown, now
        drawn = now - self._took.get(VIEW, 0.0) < _REDRAWN_S and VIEW in self._latest
        return drawn and now - self._changed > _SETTLED_S
