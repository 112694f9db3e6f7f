"""The thread that draws all pictures of a kitchen: stills at once, live frames when there is time.

An OpenGL context belongs to one thread, so every renderer is made and closed here.
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

from core.errors import RobotError
from core.ports import Frame
from core.stop_token import StopToken
from robots.kitchen.rendering.live_render_mode import CPU_MODE, mode_for
from robots.kitchen.rendering.offscreen_renderer import STILL_FORMAT, OffscreenRenderer
from robots.kitchen.simulation.mj_sim import RenderSnapshot

VIEWS = ("eye", "room")
_KEEP_ALIVE = 2.0  # seconds for which one call of `latest_frame` keeps its view alive
_POLL_MOVING, _POLL_IDLE = 0.004, 0.02  # seconds between two checks for something new to draw

StillJob = tuple[RenderSnapshot, Future[NDArray[np.uint8]]]


class RenderThread:
    """Draws in a thread of its own, from which it calls `latest` for the snapshot at any time."""

    def __init__(self, model: Any, latest: Callable[[], RenderSnapshot]) -> None:
        self._model, self._latest = model, latest
        self._changed = Condition()
        self._jobs: deque[StillJob] = deque()
        self._requested: dict[str, float] = {}
        self._live: dict[str, Frame] = {}
        self._drawn_snapshots: dict[str, RenderSnapshot] = {}
        self._open = True
        self._thread: Thread | None = None
        self.frames_drawn = 0  # live frames so far
        self.mode = CPU_MODE  # until the renderer is known

    # --- from any thread ----------------------------------------------------------------------------

    def render_still(self, snapshot: RenderSnapshot, cancel: StopToken) -> NDArray[np.uint8]:
        """Return a still with shadows, 256 x 256 x 3. Raises Cancelled, RobotError."""
        future: Future[NDArray[np.uint8]] = Future()
        with self._changed:
            if not self._open:
                raise RobotError("The kitchen's cameras are closed: start a new episode.")
            self._jobs.append((snapshot, future))
            self._ensure_started()
            self._changed.notify_all()
        while True:
            try:
                return future.result(0.05)
            except TimeoutError:
                cancel.check()

    def latest_frame(self, view: str) -> Frame | None:
        """Return the latest live frame; calling this keeps the frames coming. Never blocks."""
        with self._changed:
            if self._open and view in VIEWS:
                self._requested[view] = monotonic()
                self._ensure_started()
                self._changed.notify_all()
            return self._live.get(view)

    def close(self) -> None:
        with self._changed:
            self._open = False
            self._changed.notify_all()
            thread = self._thread
        if thread:
            thread.join()

    def _ensure_started(self) -> None:
        if self._thread is None:
            self._thread = Thread(target=self._run, name="kitchen pictures", daemon=True)
            self._thread.start()

    # --- in the render thread -----------------------------------------------------------------------

    def _run(self) -> None:
        cameras: dict[str, OffscreenRenderer] = {}
        due = 0.0
        try:
            while job := self._next_job(due):
                if isinstance(job, str):
                    due = self._render_live(cameras, job, due)
                    continue
                snapshot, future = job
                try:
                    if "still" not in cameras:
                        cameras["still"] = OffscreenRenderer(self._model, STILL_FORMAT)
                    future.set_result(cameras["still"].colour(snapshot))
                except Exception as error:
                    future.set_exception(error)
        finally:
            for camera in cameras.values():
                camera.close()
            with self._changed:
                self._open = False
                for _, future in self._jobs:
                    future.set_exception(RobotError("The kitchen's cameras were closed."))

    def _next_job(self, due: float) -> StillJob | str | None:
        """Return the next still, or the view whose live frame is oldest, or None at the end."""
        with self._changed:
            while self._open:
                if self._jobs:
                    return self._jobs.popleft()
                now = monotonic()
                snapshot = self._latest()
                wanted = [
                    view
                    for view, asked in self._requested.items()
                    if now - asked < _KEEP_ALIVE and self._drawn_snapshots.get(view) is not snapshot
                ]
                if wanted and now >= due:
                    return min(wanted, key=lambda v: self._live[v].timestamp if v in self._live else 0.0)
                rest = _POLL_MOVING if now - due < 0.5 else _POLL_IDLE
                self._changed.wait((due - now if due > now else rest) if self._requested else None)
                for view in [v for v, asked in self._requested.items() if now - asked > _KEEP_ALIVE]:
                    del self._requested[view]
            return None

    def _render_live(self, cameras: dict[str, OffscreenRenderer], view: str, due: float) -> float:
        """Draw one live frame. Return when the next one is due."""
        begin = monotonic()
        if view not in cameras:
            cameras[view] = self._create_renderer(view)
        snapshot = self._latest()
        picture = cameras[view].colour(snapshot)
        picture.flags.writeable = False
        took = monotonic() - begin
        self.frames_drawn += 1
        with self._changed:
            self._live[view] = Frame(f"live {self.frames_drawn}", view, monotonic(), "", picture)
            self._drawn_snapshots[view] = snapshot
            views = len(self._requested)
        on_time = begin - due < _POLL_MOVING  # so that small delays do not add up from frame to frame
        return (due if on_time else begin) + self.mode.frame_interval(took, max(views, 1))

    def _create_renderer(self, view: str) -> OffscreenRenderer:
        """Create a renderer, and choose the live mode: what draws is known only once a context exists."""
        camera = OffscreenRenderer(self._model, self.mode.format, view)
        mode = mode_for(camera.gl_renderer)
        if mode is self.mode:
            return camera
        camera.close()
        self.mode = mode
        return OffscreenRenderer(self._model, mode.format, view)
