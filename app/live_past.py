"""An earlier moment of the running episode, read back from the log and shown as in a replay."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.review.loaded_episode import LoadedEpisode, open_episode, with_pixels
from app.review.log_worker import LogWorker
from app.review.player import Player
from core.episode_state import EpisodeState, TimelineTrack
from core.review.recording import Recording

Place = Callable[[Recording], int]  # where to go, as a number of records


class LivePast(QObject):
    """The moment that is shown in place of now, or none. GUI thread only.

    Records and pictures are read on the log's thread, anew only for a moment that was not yet read.
    """

    changed = Signal()
    failed = Signal(str)  # one sentence
    none = Signal(str)  # why there is no such turn

    def __init__(self, parent: QObject, path: Path) -> None:
        super().__init__(parent)
        self._worker = LogWorker(path)
        self._worker.failed.connect(self.failed)
        self._player = Player(self)
        self._opened: LoadedEpisode | None = None
        self._shown = False

    @property
    def state(self) -> EpisodeState | None:
        """Return the state at the moment shown, with the pixels of its picture; None for now."""
        if not self._shown or self._opened is None:
            return None
        return with_pixels(self._player.state, self._opened)

    @property
    def opened(self) -> LoadedEpisode | None:
        return self._opened if self._shown else None

    def show_time(self, live: EpisodeState, seconds: float) -> None:
        """Show this moment, in seconds since the episode began."""
        if seconds >= live.now:
            self.show_now()
        else:
            self._go(live, seconds, lambda replay: max(1, replay.index_at(seconds)))

    def show_record(self, live: EpisodeState, number: int, seconds: float) -> None:
        """Show the moment right after this record, which came at `seconds`."""
        self._go(live, seconds, lambda replay: replay.index_of_record(number))

    def show_turn(self, live: EpisodeState, turn: int) -> None:
        """Show the end of a turn, with all its answers; the current turn is now."""
        after = next((m for m in live.marks if m.track is TimelineTrack.TURN and m.turn > turn), None)
        if after is None or turn < 1:
            self.show_now()
        else:
            self._go(live, after.start, lambda replay: replay.index_of_record(after.record) - 1)

    def show_turn_beside(self, live: EpisodeState, by: int) -> None:
        """Show the turn before the one shown, or after it; say so where there is none."""
        turn = (self.state or live).turn + by
        if 1 <= turn <= live.turn:
            self.show_turn(live, turn)
        else:
            self.none.emit("There is no turn before this one" if by < 0 else "This is the latest turn")

    def show_now(self) -> None:
        self._worker.cancel("past")
        if self._shown:
            self._shown = False
            self.changed.emit()

    def close(self) -> bool:
        """Stop reading the log; return True once the reading thread has ended. GUI thread only."""
        return self._worker.close()

    def _go(self, live: EpisodeState, seconds: float, place: Place) -> None:
        """Go to a place that is at `seconds`, once it is read."""
        opened = self._opened
        if opened is not None and opened.summary.episode == live.episode and seconds <= opened.replay.seconds:
            self._worker.cancel("past")
            self._show(place)
            return

        def read(opened: LoadedEpisode) -> None:
            self._opened = opened
            self._player.load(opened.replay)
            self._show(place)

        episode = live.episode
        self._worker.submit(lambda d, progress: open_episode(d, episode, progress), read, key="past")

    def _show(self, place: Place) -> None:
        self._player.go(place(self._player.replay))
        self._shown = True
        self.changed.emit()
