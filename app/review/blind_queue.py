"""Blind review over many episodes: open one after the other, at the questions without a label."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.review.episode_list.episode_list_panel import EpisodeListPanel
from app.review.loaded_episode import LoadedEpisode, open_episode
from app.review.log_worker import LogHandles, LogWorker, Progress
from app.review.replay_page import ReplayPage
from core.review.review_queue import ReviewBatch, unlabelled_answers
from core.text.plural import plural


class BlindReviewQueue(QObject):
    """Asks the unlabelled questions of many episodes. GUI thread only.

    Opening an episode from the list, or leaving blind review, ends the queue.
    """

    loaded = Signal(object)  # LoadedEpisode: show it
    reported = Signal(str)  # for the title

    def __init__(
        self, library: LogWorker, episode_list: EpisodeListPanel, replay: ReplayPage, by: str
    ) -> None:
        super().__init__(replay)
        self._library, self._list, self._replay, self._by = library, episode_list, replay, by
        self._batches: tuple[ReviewBatch, ...] = ()
        self._at = 0
        replay.queue_finished.connect(self._next)
        replay.review.all.clicked.connect(self.start)

    def start(self) -> None:
        """Start with the selected episodes, or with all that the list shows."""
        which, by = self._list.chosen, self._by
        self._library.submit(
            lambda d, _: unlabelled_answers(d.store, which, by),
            self._begin,
            "Looking for questions",
            "open",
        )

    def _begin(self, batches: tuple[ReviewBatch, ...]) -> None:
        self._batches, self._at = batches, 0
        if batches:
            self._open()
        else:
            self.reported.emit("You have answered every question with a picture in these episodes")

    def _open(self) -> None:
        batch = self._batches[self._at]

        def work(d: LogHandles, progress: Progress) -> LoadedEpisode:
            return open_episode(d, batch.episode, progress)

        self._library.submit(work, lambda opened: self._show(opened, batch), "Opening the episode", "open")

    def _show(self, opened: LoadedEpisode, batch: ReviewBatch) -> None:
        if batch not in self._batches:
            return  # another queue began meanwhile
        self.loaded.emit(opened)
        before = sum(len(b.answers) for b in self._batches[: self._at])
        self._replay.show_queued(batch.answers, before, sum(len(b.answers) for b in self._batches))

    def _next(self) -> None:
        if not self._batches:
            return
        self._at += 1
        if self._at < len(self._batches):
            self._open()
            return
        done = sum(len(b.answers) for b in self._batches)
        self.reported.emit(f"Done: {plural(done, 'question')} in {plural(len(self._batches), 'episode')}")
        self._batches = ()
