"""The thread in which all pictures of a kitchen are drawn: stills at once, live frames when there is time.

OpenGL wants one thread for everything, so every camera lives and dies here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from threading import Condition, Thread
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.cancel import Cancel
from core.errors import RobotError
from core.ports import Frame
from robots.kitchen.camera import STILL, Camera
from robots.kitchen.live import PROCESSOR, way_of
from robots.kitchen.stage import Snapshot

VIEWS = ("eye", "room")
_WATCHED = 2.0  # seconds for which one call of `live` keeps its view alive
_SOON, _LATER = 0.004, 0.02  # seconds between two looks for something new to draw: while it moves, and after

Job = Callable[[Camera, Snapshot], NDArray[Any]]


class Studio:
    """`latest` gives the snapshot of now and may be called from this thread at any time."""

    def __init__(self, model: Any, latest: Callable[[], Snapshot]) -> None:
        self._model, self._latest = model, latest
        self._changed = Condition()
        self._jobs: deque[tuple[Snapshot, Job, Future[NDArray[Any]]]] = deque()
        self._watched: dict[str, float] = {}
        self._live: dict[str, Frame] = {}
        self._drawn: dict[str, Snapshot] = {}
        self._open = True
        self._thread: Thread | None = None
        self.drawn = 0  # live frames so far
        self.way = PROCESSOR  # until it is known what draws

    # --- from any thread ----------------------------------------------------------------------------

    def still(self, snapshot: Snapshot, cancel: Cancel) -> NDArray[np.uint8]:
        """256 x 256 x 3 with shadows. Raises Cancelled, RobotError."""
        return self._asked(snapshot, Camera.colour, cancel)

    def depth(self, snapshot: Snapshot, cancel: Cancel) -> NDArray[np.float32]:
        """256 x 256, metres."""
        return self._asked(snapshot, Camera.depth, cancel)

    def segments(self, snapshot: Snapshot, cancel: Cancel) -> NDArray[np.int32]:
        """256 x 256, geom ids."""
        return self._asked(snapshot, Camera.segments, cancel)

    def live(self, view: str) -> Frame | None:
        """The latest live frame; asking keeps them coming. Never blocks."""
        with self._changed:
            if self._open and view in VIEWS:
                self._watched[view] = monotonic()
                self._begin()
                self._changed.notify_all()
            return self._live.get(view)

    def close(self) -> None:
        with self._changed:
            self._open = False
            self._changed.notify_all()
            thread = self._thread
        if thread:
            thread.join()

    def _asked(self, snapshot: Snapshot, job: Job, cancel: Cancel) -> NDArray[Any]:
        future: Future[NDArray[Any]] = Future()
        with self._changed:
            if not self._open:
                raise RobotError("The kitchen's cameras are closed: start a new episode.")
            self._jobs.append((snapshot, job, future))
            self._begin()
            self._changed.notify_all()
        while True:
            try:
                return future.result(0.05)
            except TimeoutError:
                cancel.check()

    def _begin(self) -> None:
        if self._thread is None:
            self._thread = Thread(target=self._run, name="kitchen pictures", daemon=True)
            self._thread.start()

    # --- in the thread ------------------------------------------------------------------------------

    def _run(self) -> None:
        cameras: dict[str, Camera] = {}
        due = 0.0
        try:
            while job := self._next(due):
                if isinstance(job, str):
                    due = self._draw(cameras, job, due)
                    continue
                snapshot, draw, future = job
                try:
                    if "still" not in cameras:
                        cameras["still"] = Camera(self._model, STILL)
                    future.set_result(draw(cameras["still"], snapshot))
                except Exception as error:
                    future.set_exception(error)
        finally:
            for camera in cameras.values():
                camera.close()
            with self._changed:
                self._open = False
                for _, _, future in self._jobs:
                    future.set_exception(RobotError("The kitchen's cameras were closed."))

    def _next(self, due: float) -> tuple[Snapshot, Job, Future[NDArray[Any]]] | str | None:
        """The next still, or the view whose live frame is oldest, or None at the end."""
        with self._changed:
            while self._open:
                if self._jobs:
                    return self._jobs.popleft()
                now = monotonic()
                snapshot = self._latest()
                wanted = [
                    view
                    for view, asked in self._watched.items()
                    if now - asked < _WATCHED and self._drawn.get(view) is not snapshot
                ]
                if wanted and now >= due:
                    return min(wanted, key=lambda v: self._live[v].timestamp if v in self._live else 0.0)
                rest = _SOON if now - due < 0.5 else _LATER
                self._changed.wait((due - now if due > now else rest) if self._watched else None)
                for view in [v for v, asked in self._watched.items() if now - asked > _WATCHED]:
                    del self._watched[view]
            return None

    def _draw(self, cameras: dict[str, Camera], view: str, due: float) -> float:
        """One live frame; returns when the next one is due."""
        begin = monotonic()
        if view not in cameras:
            cameras[view] = self._camera(view)
        snapshot = self._latest()
        picture = cameras[view].colour(snapshot)
        picture.flags.writeable = False
        took = monotonic() - begin
        self.drawn += 1
        with self._changed:
            self._live[view] = Frame(f"live {self.drawn}", view, monotonic(), "", picture)
            self._drawn[view] = snapshot
            views = len(self._watched)
        on_time = begin - due < _SOON  # a hair late must not add up from frame to frame
        return (due if on_time else begin) + self.way.pause(took, max(views, 1))

    def _camera(self, view: str) -> Camera:
        """What draws is known only once something could."""
        camera = Camera(self._model, self.way.size, view)
        way = way_of(camera.renderer)
        if way is self.way:
            return camera
        camera.close()
        self.way = way
        return Camera(self._model, way.size, view)
