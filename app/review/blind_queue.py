"""Blind review over many episodes: one after the other is opened, at the questions without an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.presentation.formatting import plural
from app.review.loaded_episode import LoadedEpisode, open_episode
from app.review.log_worker import LogHandles, Progress
from core.review.review_queue import ReviewBatch, unlabelled_answers

if TYPE_CHECKING:
    from app.review.review_window import ReviewWindow


class BlindReviewQueue(QObject):
    """Screen's thread only. Opening an episode from the list, or leaving blind review, ends it."""

    def __init__(self, room: ReviewWindow) -> None:
        super().__init__(room)
        self._room = room
        self._batches: tuple[ReviewBatch, ...] = ()
        self._at = 0
        room.replay.queue_finished.connect(self._next)
        room.replay.review.all.clicked.connect(self.start)

    def start(self) -> None:
        """Over the selected episodes, or over all that the list shows."""
        room = self._room
        which, by, ids = room.episode_list.which, room.by, room.episode_list.ids
        ids = () if len(ids) < 2 or room.episode_list.all_selected else ids
        room.library.submit(
            lambda d, _: unlabelled_answers(d.store, which, by, ids),
            self._begin,
            "Looking for questions",
            "open",
        )

    def _begin(self, batches: tuple[ReviewBatch, ...]) -> None:
        self._batches, self._at = batches, 0
        if batches:
            self._open()
        else:
            self._room.show_title("You have answered every question with a picture in these episodes")

    def _open(self) -> None:
        batch = self._batches[self._at]

        def work(d: LogHandles, progress: Progress) -> LoadedEpisode:
            return open_episode(d, batch.episode, progress)

        self._room.library.submit(
            work, lambda opened: self._show(opened, batch), "Opening the episode", "open"
        )

    def _show(self, opened: LoadedEpisode, batch: ReviewBatch) -> None:
        if batch not in self._batches:
            return  # another queue began meanwhile
        self._room.show_opened(opened, None)
        before = sum(len(b.answers) for b in self._batches[: self._at])
        self._room.replay.show_queued(batch.answers, before, sum(len(b.answers) for b in self._batches))

    def _next(self) -> None:
        if not self._batches:
            return
        self._at += 1
        if self._at < len(self._batches):
            self._open()
            return
        done = sum(len(b.answers) for b in self._batches)
        self._room.show_title(
            f"That was all: {plural(done, 'question')} in {plural(len(self._batches), 'episode')}"
        )
        self._batches = ()
