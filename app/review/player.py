"""Play a recording: position, speed and limit of its playhead."""

from __future__ import annotations

import time
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal

from core.episode_state import EpisodeState
from core.review.recording import Recording

FRAME = 33  # ms
SPEEDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 60.0)


class Player(QObject):
    """Plays a recording, such as a logged episode. GUI thread only.

    The state contains the first `index` moments; `seconds` lies between the last of them and the next.
    """

    moved = Signal()
    state_changed = Signal()  # playing or not, or the speed

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.replay = Recording()
        self.index, self.seconds, self.speed = 0, 0.0, 1.0
        self.limit: int | None = None  # no further than this: what comes is hidden
        self._ticked = 0.0
        self._timer = QTimer(self, interval=FRAME)
        self._timer.timeout.connect(self._tick)

    @property
    def state(self) -> EpisodeState:
        """Return the state at the playhead."""
        state = self.replay.state_at(self.index)
        return replace(state, now=max(state.now, self.seconds)) if self.index else state

    @property
    def playing(self) -> bool:
        return self._timer.isActive()

    def load(self, replay: Recording) -> None:
        self.pause()
        self.replay, self.limit = replay, None
        self.go(len(replay))

    def go(self, index: int) -> None:
        """Go to the moment after `index` others."""
        most = len(self.replay) if self.limit is None else self.limit
        self.index = max(min(1, most), min(index, most))
        self.seconds = self.replay.times[self.index - 1] if self.index else 0.0
        self.moved.emit()

    def seek(self, seconds: float) -> None:
        index = max(1, self.replay.index_at(seconds))
        if self.limit is not None and index > self.limit:
            self.go(self.limit)
            return
        self.index, self.seconds = min(index, len(self.replay)), max(0.0, min(seconds, self.replay.seconds))
        self.moved.emit()

    def step(self, by: int) -> None:
        """Go this many moments forward, or back."""
        self.pause()
        self.go(self.index + by)

    def jump(self, kind: str, back: bool = False) -> bool:
        """Go to the next moment of this kind, or the previous one. Return False if there is none."""
        found = self.replay.next_jump_target(self.index, (kind,), back)
        if found is None or (self.limit is not None and found.index > self.limit):
            return False
        self.pause()
        self.go(found.index)
        return True

    def toggle(self) -> None:
        self.pause() if self.playing else self.play()

    def play(self) -> None:
        if not len(self.replay):
            return
        if self.index >= len(self.replay):
            self.go(1)
        self._ticked = time.monotonic()
        self._timer.start()
        self.state_changed.emit()

    def pause(self) -> None:
        if self.playing:
            self._timer.stop()
            self.state_changed.emit()

    def change_speed(self, by: int) -> None:
        """Go `by` speeds faster, or slower."""
        at = SPEEDS.index(self.speed) + by
        self.speed = SPEEDS[max(0, min(at, len(SPEEDS) - 1))]
        self.state_changed.emit()

    def _tick(self) -> None:
        now = time.monotonic()
        passed, self._ticked = now - self._ticked, now
        self.seek(self.seconds + passed * self.speed)
        end = len(self.replay) if self.limit is None else self.limit
        if self.index >= end:
            self.pause()
